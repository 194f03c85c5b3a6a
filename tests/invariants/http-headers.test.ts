/**
 * T8.2, MCP-05 on a socket: nothing of a request’s headers is lost on the way. What narrows and what tells where it comes from counts
 * behind any number of others, or the request is refused whole.
 */
import { request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serveHttp } from '../../src/interfaces/http/serve.js';
import { type HttpWorld, httpWorld, pathOf } from '../support/http-world.js';

let world: HttpWorld;
let closed: Promise<void>;
let port = 0;
let token = '';
beforeAll(async () => {
  world = await httpWorld();
  token = await world.token('person:reader');
  const server = await serveHttp({ ...world.host, settings: { ...world.host.settings, port: 0 } });
  port = server.port;
  closed = server.closed;
});
afterAll(async () => {
  world.stop.abort();
  await closed;
  await world.dispose();
});

/** Headers in the order given, those that are looked for at the end. */
function ask(path: string, fields: readonly (readonly [string, string])[]): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const headers = [['Host', `127.0.0.1:${port}`], ['Connection', 'close'], ...fields].flat();
    const sent = request({ host: '127.0.0.1', port, path, method: 'GET', headers, setHost: false }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => {
        text += String(chunk);
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on('error', reject);
    sent.end();
  });
}

const page = `/v1/get?path=${pathOf('own')}`;
const bearer = () => ['Authorization', `Bearer ${token}`] as const;
const others = (count: number) => Array.from({ length: count }, (_, at) => [`X-${at}`, '1'] as const);
const AROUND = [0, 1, 30, 59, 60, 61, 62, 63, 64, 65, 100, 500, 1_500] as const;

it.each(AROUND)('behind %i others a foreign origin is refused', async (count) => {
  const { status, text } = await ask(page, [bearer(), ...others(count), ['Origin', 'https://evil.example']]);
  expect(status).toBe(count + 4 > 64 ? 431 : 403);
  expect(text).not.toContain('sleeps here');
});

it.each(AROUND)('behind %i others what narrows narrows', async (count) => {
  for (const [name, value, refused] of [
    ['Colophon-Ceiling', 'public', 404],
    ['Colophon-Tenant', 'south', 403],
  ] as const) {
    const { status, text } = await ask(page, [bearer(), ...others(count), [name, value]]);
    expect(status, name).toBe(count + 4 > 64 ? 431 : refused);
    expect(text).not.toContain('sleeps here');
  }
});

it('a request with as many as are taken is answered; one more is refused before its token is looked at', async () => {
  expect(await ask(page, [bearer(), ...others(61)])).toMatchObject({ status: 200, text: expect.stringContaining('sleeps here') });
  const { status, text } = await ask('/v1/get', others(63));
  expect([status, JSON.parse(text)]).toEqual([431, expect.objectContaining({ code: 'limit/too-many-headers' })]);
  for (const path of ['/healthz', '/mcp', '/nowhere']) expect((await ask(path, others(200))).status, path).toBe(431);
});

it('of one name sent twice neither is left out', async () => {
  const foreign = await ask(page, [bearer(), ['Origin', `http://127.0.0.1:${port}`], ['Origin', 'https://evil.example']]);
  expect(foreign.status).toBe(403);
  const twice = await ask(page, [bearer(), ['Colophon-Ceiling', 'restricted'], ['Colophon-Ceiling', 'public']]);
  expect(twice.status).toBe(400);
});
