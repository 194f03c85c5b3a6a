import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { fetchList, shown } from './fetch-list.js';

const NEVER = new AbortController().signal;
let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serving(listener: RequestListener): Promise<string> {
  const listening = createServer(listener);
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(listening.address() as AddressInfo).port}/models?key=secret`;
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

describe('the list of models is fetched', () => {
  it('with one request that tells nothing', async () => {
    const asked: unknown[] = [];
    const address = await serving(({ method, url, headers }, answer) => {
      asked.push([method, url, headers.cookie, headers.authorization, headers.referer]);
      answer.writeHead(200, JSON_TYPE).end('{"data":[]}');
    });
    expect(await fetchList(address, NEVER)).toBe('{"data":[]}');
    expect(asked).toEqual([['GET', '/models?key=secret', undefined, undefined, undefined]]);
  });

  it.each([
    ['leads elsewhere', 302, { location: 'http://127.0.0.1:1/other' }, '', /sends elsewhere/],
    ['fails', 503, JSON_TYPE, '{}', /status 503/],
    ['is a page', 200, { 'content-type': 'text/html' }, '<html>', /not sent as JSON/],
    ['has no type', 200, {}, '{}', /not sent as JSON/],
    ['is no UTF-8', 200, JSON_TYPE, Buffer.from([0x7b, 0xff, 0x7d]), /not UTF-8/],
    ['has no end', 200, JSON_TYPE, `"${'x'.repeat(3000)}"`, /more than 2000 bytes/],
  ])('and refused where it %s', async (_, status, headers, body, words) => {
    const address = await serving((_request, answer) => answer.writeHead(status, headers).end(body));
    await expect(fetchList(address, NEVER, { mostBytes: 2000 })).rejects.toThrow(words);
    await expect(fetchList(address, NEVER, { mostBytes: 2000 })).rejects.not.toThrow(/secret/);
  });

  it('for so long and no longer, also when it trickles', async () => {
    const address = await serving((_request, answer) => {
      answer.writeHead(200, JSON_TYPE).write('[');
    });
    const begun = performance.now();
    await expect(fetchList(address, NEVER, { mostSeconds: 0.2 })).rejects.toThrow(/no answer within 0.2 seconds/);
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  it('until the person stops it', async () => {
    const address = await serving(() => undefined);
    await expect(fetchList(address, AbortSignal.timeout(50))).rejects.toThrow(/abort|timeout/i);
  });

  it('and is not had where nobody answers', async () => {
    const address = await serving(() => undefined);
    await new Promise((resolve) => server?.close(resolve));
    await expect(fetchList(address, NEVER)).rejects.toMatchObject({ code: 'models/unreachable', kind: 'unavailable' });
  });

  it.each(['http://models.example/list', 'ftp://127.0.0.1/list', 'file:///etc/passwd', 'https://'])('never from %s', async (address) => {
    await expect(fetchList(address, NEVER)).rejects.toThrow(/must be an address that begins with https/);
  });

  it('and written down without query, name and password', () => {
    expect(shown(new URL('https://ada:pw@models.example/v1/list?key=1#x'))).toBe('https://models.example/v1/list');
  });
});
