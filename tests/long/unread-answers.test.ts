/** T7.5: who asks without reading, on sockets: bounded in time, in requests taken ahead and in memory, and nobody else is kept out. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import { operation } from '../../src/app/operations/catalogue.js';
import { type HttpServer, serveHttp } from '../../src/interfaces/http/serve.js';
import { type HttpWorld, httpWorld, type WorldOptions } from '../support/http-world.js';

let world: HttpWorld;
let server: HttpServer;
const sockets: Socket[] = [];

async function open(options: WorldOptions, stillMs?: number): Promise<void> {
  world = await httpWorld(options);
  const host = { ...world.host, settings: { ...world.host.settings, port: 0 } };
  server = await serveHttp(host, stillMs === undefined ? {} : { stillMs });
}

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  world.stop.abort();
  await server.closed;
  await world.dispose();
});

async function connected(): Promise<Socket> {
  const socket = connect(server.port, '127.0.0.1').on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

const get = (path: string, token?: string) =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n${token === undefined ? '' : `Authorization: Bearer ${token}\r\n`}\r\n`;

async function unread(): Promise<Socket> {
  const socket = await connected();
  socket.pause();
  socket.write(get('/openapi.json').repeat(32));
  return socket;
}

async function said(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  await new Promise((resolve) => socket.once('close', resolve));
  return text;
}

const statuses = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

it('T7.5 an answer of which nothing is taken is ended after a while, and one that is long in the making is not', {
  timeout: 15_000,
}, async () => {
  const slow = operation({
    name: 'slow',
    summary: 'Takes its time.',
    authority: 'read',
    surfaces: ['http'],
    input: z.object({}),
    output: z.object({ schema: z.string(), problems: z.array(z.never()) }),
    safe: true,
    run: async () => {
      await pause(900);
      return { schema: 'slow', problems: [] };
    },
  });
  await open({ operations: [slow] }, 300);
  const asked = await connected();
  asked.write(get('/v1/slow', await world.token('person:reader')));
  const ended = await unread();
  const answer = String((await once(asked, 'data'))[0]);
  expect(statuses(answer)).toEqual(['200']);
  // That it has gone shows at the next word; whatever it says until then does not keep it.
  const gone = new Promise((resolve) => ended.once('close', resolve));
  const poke = setInterval(() => ended.write('x'), 50);
  await gone;
  clearInterval(poke);
  expect(ended.destroyed).toBe(true);
});

it('T7.5 connections that read nothing make room for whoever comes', async () => {
  await open({ limits: { connections: 4, connectionsPerAddress: 4 } });
  for (let at = 0; at < 4; at += 1) await unread();
  await pause(100);
  expect(statuses(await said(await connected()))).toEqual(['503']);
  await pause(3_100);
  const next = await connected();
  next.write(get('/healthz').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
  expect(statuses(await said(next))).toEqual(['200']);
});

it('T7.5 a connection that runs ahead gets the answers it may wait for and a 429, and one far ahead is cut', async () => {
  await open({});
  const ahead = await connected();
  ahead.write(get('/healthz').repeat(60));
  const text = await said(ahead);
  expect(statuses(text)).toEqual([...Array.from({ length: 32 }, () => '200'), '429']);
  expect(text).toMatch(/connection: close\r\n[\s\S]*"code":"limit\/too-many-requests"/);
  const far = await connected();
  far.write(get('/healthz').repeat(2_000));
  expect(statuses(await said(far)).length).toBeLessThanOrEqual(33);
  const patient = await connected();
  for (let at = 0; at < 100; at += 1) {
    patient.write(get('/healthz'));
    expect(statuses(String((await once(patient, 'data'))[0]))).toEqual(['200']);
  }
});

it('who leaves before the answer is counted as such, and nothing is said of a fault', async () => {
  let begun: () => void = () => undefined;
  const isBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const waits = operation({
    name: 'waits',
    summary: 'Until the caller leaves.',
    authority: 'read',
    surfaces: ['http'],
    input: z.object({}),
    output: z.object({ schema: z.string(), problems: z.array(z.never()) }),
    safe: true,
    run: async (_, { signal }) => {
      begun();
      while (!signal.aborted) await pause(5);
      signal.throwIfAborted();
      return { schema: 'waits', problems: [] };
    },
  });
  await open({ operations: [waits] });
  const token = await world.token('person:reader');
  const leaving = await connected();
  leaving.write(get('/v1/waits', token));
  await isBegun;
  leaving.destroy();
  const half = await connected();
  half.write(
    `POST /v1/search HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"query`,
  );
  await pause(50);
  half.destroy();
  const operator = await world.token('person:ada', { scopes: ['colophon:metrics'] });
  const figures = async () => {
    const response = await fetch(`http://127.0.0.1:${server.port}/metrics`, { headers: { authorization: `Bearer ${operator}` } });
    return response.text();
  };
  await expect.poll(figures).toMatch(/route="\/v1\/waits",status="499"\} 1\n/);
  await expect.poll(figures).toMatch(/route="\/v1\/search",status="499"\} 1\n/);
  expect(world.logged).toEqual([]);
});

it('T7.5 what is open to all has a rate for each address, is not sent twice to who has it, and the same to all others', async () => {
  await open({ limits: { requestsPerSecond: 1, burst: 5 } });
  const ask = (path: string, address: string, headers: Record<string, string> = {}) =>
    world.app.fetch(new Request(`http://127.0.0.1:7350${path}`, { headers: { host: '127.0.0.1:7350', ...headers } }), {
      address,
      headerFields: 1,
    });
  const paths = ['/healthz', '/readyz', '/openapi.json', '/.well-known/oauth-protected-resource', '/nowhere', '/healthz'];
  const first = [];
  for (const path of paths) first.push((await ask(path, '10.0.0.1')).status);
  expect(first).toEqual([200, 200, 200, 200, 404, 429]);
  const whole = await ask('/openapi.json', '10.0.0.2');
  const etag = whole.headers.get('etag') ?? '';
  expect(etag).toMatch(/^"[\w-]{22}"$/);
  expect(JSON.parse(await whole.text())).toMatchObject({ openapi: '3.1.0' });
  const again = await ask('/openapi.json', '10.0.0.2', { 'if-none-match': `"other", W/${etag}` });
  expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
  expect((await ask('/openapi.json', '10.0.0.2', { 'if-none-match': '"other"' })).status).toBe(200);
});
