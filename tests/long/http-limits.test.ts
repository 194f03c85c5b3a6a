/**
 * T7.5, OBS-03: a server with operations that hang, fail and fill it up: what callers are told, what others notice, and what is
 * recorded. Nothing of a fault of the server’s own reaches a caller.
 */
import { chmodSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import { type Operation, operation } from '../../src/app/operations/catalogue.js';
import { answer } from '../../src/app/operations/wire.js';
import { Fault } from '../../src/kernel/errors.js';
import { BASE, type HttpWorld, httpWorld, type WorldOptions } from '../support/http-world.js';
import { localIssuer } from '../support/local-issuer.js';

const SECRET = 'swordfish in /home/ana/secret.db';

const made = (name: string, run: (signal: AbortSignal) => Promise<void>, surfaces: Operation['surfaces'] = ['http']) =>
  operation({
    name,
    summary: 'For a test.',
    authority: 'read',
    surfaces,
    input: z.object({}),
    output: answer('test', {}),
    run: async (_input, { signal }) => {
      await run(signal);
      return { schema: 'colophon/test@1' as const, problems: [] };
    },
  }) as unknown as Operation;

let world: HttpWorld;
const open = async (options: WorldOptions) => {
  world = await httpWorld(options);
  return world.token('person:reader');
};
afterEach(() => world.dispose());

it('an answer that does not come in time is a refusal, and the operation is told to stop', async () => {
  let told = false;
  const hang = made('hang', async (signal) => {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    told = true;
  });
  const token = await open({ limits: { seconds: 1 }, operations: [hang] });
  const response = await world.ask('POST', '/v1/hang', { token, body: {} });
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await response.json()).toMatchObject({ code: 'limit/too-slow' });
  expect(told).toBe(true);
});

it.each(['2026-07-28', '2025-11-25'])(
  'T8.4: a call of an agent by %s that does not come in time is told to stop, gives its place up, and is answered with an error',
  async (version) => {
    let told = 0;
    const hang = made(
      'hang',
      async (signal) => {
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
        told += 1;
      },
      ['mcp'],
    );
    const token = await open({ limits: { seconds: 1, concurrent: 1, queued: 0 }, operations: [hang] });
    const meta = {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const call = (name: string, given: object) =>
      world.ask('POST', '/mcp', {
        token,
        body: {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name, arguments: given, ...(version === '2026-07-28' ? { _meta: meta } : {}) },
        },
        headers: {
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': version,
          'mcp-method': 'tools/call',
          'mcp-name': name,
        },
      });
    const hanging = call('kb_hang', {})
      .then((response) => response.text())
      .catch((error: Error) => error.message);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await call('kb_search', { query: 'kangaroo' })).status).toBe(429);
    // By a status before the answer has begun, in the stream after that.
    expect(await hanging).toMatch(/^(?:\{|event: message\ndata: \{"jsonrpc":"2.0","id":1,"error").*limit\/too-slow/s);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(told).toBe(1);
    const answer = await call('kb_search', { query: 'kangaroo' });
    expect([answer.status, /colophon\/search@1/.test(await answer.text())]).toEqual([200, true]);
  },
);

it('a full server turns away at once, and goes on when there is room', async () => {
  const release: (() => void)[] = [];
  const busy = made('busy', () => new Promise<void>((resolve) => release.push(resolve)));
  const token = await open({ limits: { concurrent: 2, queued: 4 }, operations: [busy] });
  const asked = Array.from({ length: 12 }, () => world.ask('POST', '/v1/busy', { token, body: {} }));
  const turnedAway = await Promise.all((await settledOf(asked)).map(async (each) => [each.status, each.headers.get('retry-after')]));
  expect(turnedAway).toEqual(Array.from({ length: 8 }, () => [429, '1']));
  while (release.length > 0) {
    release.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect((await Promise.all(asked)).map(({ status }) => status).filter((status) => status === 200)).toHaveLength(4);
  const figures = await world.ask('GET', '/metrics', { token: await world.token('person:ada', { scopes: ['colophon:metrics'] }) });
  expect(await figures.text()).toMatch(/^colophon_http_refused_total\{reason="queue"\} 8$/m);
  expect((await world.ask('GET', '/healthz')).status).toBe(200);
});

/** Those that are answered already. */
async function settledOf(asked: readonly Promise<Response>[]): Promise<readonly Response[]> {
  await new Promise((resolve) => setTimeout(resolve, 100));
  const pending = Symbol('pending');
  const now = await Promise.all(asked.map((each) => Promise.race([each, Promise.resolve(pending)])));
  return now.filter((each): each is Response => each !== pending);
}

it('a caller that guesses tokens is slowed down, and others are not', async () => {
  const token = await open({ limits: { requestsPerSecond: 1, burst: 5 } });
  const guesses = [];
  for (let at = 0; at < 12; at += 1)
    guesses.push((await world.ask('POST', '/v1/search', { token: `cph_${'0'.repeat(12)}_${at}`, body: {} })).status);
  expect(guesses).toEqual([...Array.from({ length: 5 }, () => 401), ...Array.from({ length: 7 }, () => 429)]);
  expect((await world.ask('POST', '/v1/search', { token, body: { query: 'kangaroo' } })).status).toBe(200);
});

it('what goes wrong inside is told to the log, and not to the caller', async () => {
  const broken = made('broken', () => Promise.reject(new TypeError(SECRET)));
  const damaged = made('damaged', () => Promise.reject(new Fault('store/corrupt', { file: SECRET, reason: SECRET })));
  const token = await open({ operations: [broken, damaged] });
  for (const [path, status] of [
    ['/v1/broken', 500],
    ['/v1/damaged', 503],
  ] as const) {
    const response = await world.ask('POST', path, { token, body: {} });
    expect(response.status).toBe(status);
    expect(await response.text()).not.toMatch(/swordfish|home|TypeError/);
  }
  expect(world.logged.join('\n')).toMatch(/swordfish/);
});

it('a file of tokens that cannot be trusted lets nobody in, and is the server’s own business', async () => {
  const token = await open({});
  chmodSync(join(world.library.config.stateFolder, 'tokens.json'), 0o644);
  const response = await world.ask('POST', '/v1/search', { token, body: { query: 'kangaroo' } });
  expect(response.status).toBe(503);
  expect(await response.text()).not.toMatch(/tokens[.]json/);
});

it('in a team nothing is answered that cannot be recorded', async () => {
  const token = await open({});
  const file = join(world.library.config.stateFolder, 'audit.jsonl');
  world.audit.flush();
  rmSync(file, { force: true });
  mkdirSync(file);
  const search = () => world.ask('POST', '/v1/search', { token, body: { query: 'kangaroo' } });
  // The first one waits to be written; what failed then is known to all that follow.
  await search();
  await new Promise((resolve) => setTimeout(resolve, 300));
  const refused = await search();
  expect(refused.status).toBe(503);
  expect(await refused.text()).not.toMatch(/kangaroo|audit[.]jsonl/);
  rmSync(file, { recursive: true });
  expect((await search()).status).toBe(200);
});

it('figures have routes and statuses for labels, and nothing else', async () => {
  await open({});
  const token = await world.token('person:ada', { scopes: ['colophon:read', 'colophon:metrics'] });
  await world.ask('POST', '/v1/search', { token, body: { query: 'kangaroo' } });
  await world.ask('GET', '/nowhere/kangaroo', { token });
  const text = await (await world.ask('GET', '/metrics', { token })).text();
  expect(text).toMatch(/^colophon_http_requests_total\{route="\/v1\/search",status="200"\} 1$/m);
  expect(text).toMatch(/route="other",status="404"/);
  for (const line of text.trim().split('\n'))
    expect(line).toMatch(/^(?:# (?:HELP|TYPE) \w+ .+|\w+(?:\{(?:(?:route|status|le|reason)="[^"]*",?)+\})? [\d.e+-]+)$/);
  expect(text).not.toMatch(/kangaroo|reader|north|quokka/);
});

it('figures of all tenants are for whoever holds all tenants: not for one tenant’s people, tokens or issuer', async () => {
  const issuer = await localIssuer(BASE);
  const { jwks } = issuer;
  const common = { jwks, algorithms: ['ES256'], subjects: {}, prefix: 'person:', client: 'unnamed' };
  const issuers = [
    { ...common, issuer: issuer.issuer },
    { ...common, issuer: `${issuer.issuer}/north`, tenants: ['north'] },
  ];
  try {
    await open({ issuers, resource: BASE });
    const scopes = ['colophon:metrics'] as const;
    const scope = 'colophon:metrics';
    const asked = {
      'the launch identity': await world.token('person:ada', { scopes }),
      'the launch identity, of one tenant': await world.token('person:ada', { scopes, tenants: ['south'] }),
      'somebody of one tenant': await world.token('person:reader', { scopes }),
      'a token without the scope': await world.token('person:ada'),
      'somebody of one tenant, by an issuer': await issuer.sign({ sub: 'other', scope }),
      'by an issuer of one tenant': await issuer.sign({ iss: `${issuer.issuer}/north`, sub: 'reader', scope }),
    };
    const statuses: Record<string, number> = {};
    for (const [who, token] of Object.entries(asked)) {
      const response = await world.ask('GET', '/metrics', { token });
      statuses[who] = response.status;
      if (response.status !== 200) expect(await response.text(), who).not.toMatch(/colophon_http|south|north/);
    }
    expect(Object.entries(statuses).filter(([, status]) => status === 200)).toEqual([['the launch identity', 200]]);
    expect(new Set(Object.values(statuses))).toEqual(new Set([200, 403]));
    world.audit.flush();
    const log = readFileSync(join(world.library.config.stateFolder, 'audit.jsonl'), 'utf8');
    expect(log.match(/"verb":"metrics"/g)).toHaveLength(5);
  } finally {
    await issuer.close();
  }
});
