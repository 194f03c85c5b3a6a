/**
 * T8.4 over HTTP: what the newest version of the agents' protocol and the two before it ask of a server, in raw requests, so that
 * every status, header and code is seen. The official client is in tests/long/serve.test.ts.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpWorld, httpWorld, pathOf, wordOf } from '../support/http-world.js';

const NEWEST = '2026-07-28';
const BEFORE = ['2025-11-25', '2025-06-18'] as const;

let world: HttpWorld;
let token = '';
beforeAll(async () => {
  world = await httpWorld();
  token = await world.token('person:reader');
});
afterAll(() => world.dispose());

interface Rpc {
  readonly jsonrpc: string;
  readonly id: unknown;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

const ACCEPT = { accept: 'application/json, text/event-stream' };
const post = (body: unknown, headers: Record<string, string> = {}) =>
  world.ask('POST', '/mcp', { token, body, headers: { ...ACCEPT, ...headers } });

async function rpcOf(response: Response): Promise<Rpc> {
  const text = await response.text();
  const json = response.headers.get('content-type')?.includes('event-stream') ? text.replace(/^(?:.*\n)*?data: /m, '').trim() : text;
  return JSON.parse(json) as Rpc;
}

const meta = (version: string) => ({
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '0' },
  'io.modelcontextprotocol/clientCapabilities': {},
});
/** A request as the newest version wants it; `headers` and `body` put something else in its place. */
const modern = (method: string, params: Record<string, unknown> = {}, headers: Record<string, string> = {}, body: object = {}) =>
  post(
    { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta(NEWEST) }, ...body },
    {
      'mcp-protocol-version': NEWEST,
      'mcp-method': method,
      ...(typeof params['name'] === 'string' ? { 'mcp-name': params['name'] } : {}),
      ...(typeof params['uri'] === 'string' ? { 'mcp-name': params['uri'] } : {}),
      ...headers,
    },
  );
const search = { name: 'kb_search', arguments: { query: wordOf('own') } };

describe(`${NEWEST}`, () => {
  it('answers each method of reading, privately, and the list is the same every time', async () => {
    const listed = await rpcOf(await modern('tools/list'));
    expect(listed.result).toMatchObject({ cacheScope: 'private', ttlMs: 0 });
    expect((await rpcOf(await modern('tools/list'))).result).toEqual(listed.result);
    expect((await rpcOf(await modern('tools/call', search))).result).toMatchObject({ structuredContent: { schema: 'colophon/search@1' } });
    expect((await rpcOf(await modern('resources/list'))).result).toMatchObject({ cacheScope: 'private' });
    const uri = `colophon://page/own/${pathOf('own')}`;
    expect(JSON.stringify((await rpcOf(await modern('resources/read', { uri }))).result)).toContain(wordOf('own'));
    expect((await rpcOf(await modern('server/discover'))).result).toMatchObject({ supportedVersions: expect.arrayContaining([NEWEST]) });
  });

  it.each([
    ['the method in the header is another', 'tools/list', {}, { 'mcp-method': 'tools/call' }, 400, -32_020],
    ['the name in the header is another', 'tools/call', search, { 'mcp-name': 'kb_get' }, 400, -32_020],
    ['the version in the header is an older one', 'tools/list', {}, { 'mcp-protocol-version': '2025-11-25' }, 400, -32_020],
    ['the method is not in a header', 'tools/list', {}, { 'mcp-method': '' }, 400, -32_020],
    ['there is no such method', 'tools/destroy', {}, {}, 404, -32_601],
    ['there is no such method, with a slash', 'tools/', {}, {}, 404, -32_601],
    ['the method is of a prototype', '__proto__', {}, {}, 404, -32_601],
    ['prompts are not offered', 'prompts/list', {}, {}, 404, -32_601],
    ['there is no such tool', 'tools/call', { name: 'kb_destroy', arguments: {} }, {}, 200, -32_602],
    ['there is no such page', 'resources/read', { uri: 'colophon://page/own/none.md' }, {}, 200, -32_602],
    ['the page is another tenant’s', 'resources/read', { uri: `colophon://page/other-tenant/${pathOf('other-tenant')}` }, {}, 200, -32_602],
    ['the page is a file', 'resources/read', { uri: 'file:///etc/passwd' }, {}, 200, -32_602],
    ['the page climbs', 'resources/read', { uri: 'colophon://page/own/..%2f..%2fcolophon.yaml' }, {}, 200, -32_602],
  ] as const)('%s', async (_name, method, params, headers, status, code) => {
    const response = await modern(method, params, headers);
    const { error } = await rpcOf(response);
    expect([response.status, error?.code]).toEqual([status, code]);
  });

  it('a version that is not served is named, with those that are', async () => {
    for (const version of ['2031-01-01', '1999-01-01', 'latest']) {
      const response = await modern('tools/list', {}, { 'mcp-protocol-version': version }, { params: { _meta: meta(version) } });
      const { error } = await rpcOf(response);
      expect([response.status, error?.code], version).toEqual([400, -32_022]);
      expect(JSON.stringify(error?.data)).toContain(NEWEST);
    }
  });

  it('a page that is not for the caller and one that is not there are the same but for their names', async () => {
    const read = async (name: string) => {
      const uri = `colophon://page/other-tenant/${name}`;
      return (await (await modern('resources/read', { uri })).text()).replaceAll(uri, 'URI');
    };
    expect(await read(pathOf('other-tenant'))).toBe(await read('other-tenant-pagf.md'));
  });
});

describe.each(BEFORE)('%s', (version) => {
  const legacy = (method: string, params: object = {}, headers: Record<string, string> = {}) =>
    post({ jsonrpc: '2.0', id: 0, method, params }, { 'mcp-protocol-version': version, ...headers });

  it('greets, lists and answers, each in a request of its own', async () => {
    const greeting = await legacy('initialize', { protocolVersion: version, capabilities: {}, clientInfo: { name: 'raw', version: '0' } });
    expect(greeting.headers.get('mcp-session-id')).toBeNull();
    expect((await rpcOf(greeting)).result).toMatchObject({ protocolVersion: version, serverInfo: { name: 'colophon' } });
    const initialized = await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, { 'mcp-protocol-version': version });
    expect(initialized.status).toBe(202);
    expect((await rpcOf(await legacy('ping'))).result).toEqual({});
    expect((await rpcOf(await legacy('tools/list'))).result?.['tools']).toHaveLength(5);
    expect((await rpcOf(await legacy('tools/call', search))).result).toMatchObject({ structuredContent: { schema: 'colophon/search@1' } });
  });

  it('refuses what is wrong in the protocol’s words', async () => {
    expect((await rpcOf(await legacy('tools/destroy'))).error?.code).toBe(-32_601);
    expect((await rpcOf(await legacy('tools/call', { name: 'kb_nothing', arguments: {} }))).error?.code).toBe(-32_602);
    const bad = await rpcOf(await legacy('tools/call', { name: 'kb_search', arguments: { query: 7, as: 'person:board' } }));
    expect(bad.result).toMatchObject({ isError: true, structuredContent: { code: 'input/invalid' } });
    expect((await legacy('ping', {}, { 'mcp-protocol-version': '1999-01-01' })).status).toBe(400);
    expect((await legacy('ping', {}, { accept: 'text/html' })).status).toBe(406);
  });
});

const recorded = () => {
  world.audit.flush();
  return readFileSync(join(world.library.config.stateFolder, 'audit.jsonl'), 'utf8');
};

describe('the way there', () => {
  it('T7.5 one request is one call: a batch of any version is refused before anything of it is done', async () => {
    const call = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: search });
    for (const version of [NEWEST, ...BEFORE, '2025-03-26', undefined])
      for (const batch of [[call(1)], Array.from({ length: 100 }, (_, id) => call(id)), []]) {
        const before = recorded();
        const response = await post(batch, version === undefined ? {} : { 'mcp-protocol-version': version });
        expect(response.status, version).toBe(400);
        expect(await response.json(), version).toMatchObject({ id: null, error: { code: -32_600 } });
        expect(recorded()).toBe(before);
      }
  });

  it('sessions and streams of older versions are not offered', async () => {
    expect((await world.ask('GET', '/mcp', { token, headers: { accept: 'text/event-stream' } })).status).toBe(405);
    const ended = new Request('http://127.0.0.1:7350/mcp', {
      method: 'DELETE',
      headers: { host: '127.0.0.1:7350', authorization: `Bearer ${token}` },
    });
    expect((await world.app.fetch(ended, { address: '', headerFields: 4 })).status).toBe(405);
  });

  it.each([
    ['{"jsonrpc":"2.0"', 400],
    ['[]', 400],
    ['"x"', 400],
    ['null', 400],
    ['{}', 400],
    ['{"jsonrpc":"1.0","id":1,"method":"ping"}', 400],
    [`{"jsonrpc":"2.0","id":1,"method":"ping","params":${'{"a":'.repeat(100)}1${'}'.repeat(100)}}`, 400],
    ['x'.repeat(2_000_000), 413],
  ])('a body such as %j is refused', async (text, status) => {
    const response = await post(text, { 'mcp-protocol-version': '2025-11-25' });
    expect(response.status).toBe(status);
    expect(await response.text()).not.toContain(wordOf('own'));
  });

  it('what is not JSON by its own word is refused', async () => {
    const headers = { ...ACCEPT, host: '127.0.0.1:7350', authorization: `Bearer ${token}`, 'content-type': 'text/plain' };
    const request = new Request('http://127.0.0.1:7350/mcp', { method: 'POST', headers, body: '{}' });
    expect((await world.app.fetch(request, { address: '', headerFields: 4 })).status).toBe(415);
  });
});
