/**
 * T8.3, T8.2: who is let in. Every way a token can be wrong, on every route; every Host and Origin that is not this server's. No token
 * is in any log, answer or audit line.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../src/app/operations/all.js';
import { bytesOf, type HttpWorld, httpWorld, PORT, pathOf } from '../support/http-world.js';
import { type LocalIssuer, localIssuer } from '../support/local-issuer.js';
import { runs } from '../support/proof-scale.js';

const RESOURCE = 'https://kb.example.org';

let issuer: LocalIssuer;
let world: HttpWorld;
beforeAll(async () => {
  issuer = await localIssuer(RESOURCE);
  const common = {
    jwks: issuer.jwks,
    algorithms: ['ES256', 'Ed25519'],
    subjects: { shared: 'person:board' },
    prefix: 'person:',
    client: 'unnamed',
  };
  world = await httpWorld({
    resource: RESOURCE,
    issuers: [
      { ...common, issuer: issuer.issuer },
      { ...common, issuer: `${issuer.issuer}/north`, tenants: ['north'] },
    ],
  });
});
afterAll(async () => {
  await world.dispose();
  await issuer.close();
});

const served = OPERATIONS.filter(({ surfaces }) => surfaces.includes('http'));
const EVERY: readonly (readonly ['GET' | 'POST', string])[] = [
  ...served.flatMap(({ name, safe }) => {
    const path = `/v1/${name.replaceAll(' ', '-')}`;
    return safe === true
      ? ([
          ['POST', path],
          ['GET', path],
        ] as const)
      : ([['POST', path]] as const);
  }),
  ['POST', '/mcp'],
  ['GET', '/mcp'],
  ['GET', '/metrics'],
];
/** All of them in the long proofs; one of each kind otherwise. */
const KINDS = ['/v1/search', '/v1/context', '/mcp', '/metrics', '/v1/approval-list'];
const ROUTES = runs(1) > 1 ? EVERY : EVERY.filter(([, path]) => KINDS.includes(path));
const ask = (method: 'GET' | 'POST', path: string, headers: Record<string, string>) =>
  world.ask(method, path, { headers, ...(method === 'POST' ? { body: { query: 'kangaroo' } } : {}) });

describe('T8.3 a token that is wrong', () => {
  it('is refused on every route, with 401 and where to get a better one, whatever is wrong with it', async () => {
    const mutations = await issuer.mutations();
    expect(mutations.size).toBeGreaterThanOrEqual(40);
    const let_in: string[] = [];
    for (const [method, path] of ROUTES) {
      const seen = new Set<string>();
      for (const [name, token] of mutations) {
        const response = await ask(method, path, { authorization: `Bearer ${token}` });
        const challenge = response.headers.get('www-authenticate') ?? '';
        const isRefused = response.status === 401 && challenge.includes('error="invalid_token"');
        if (!isRefused || !challenge.includes(`resource_metadata="${RESOURCE}/.well-known/oauth-protected-resource"`))
          let_in.push(`${method} ${path}: ${name}: ${response.status}`);
        seen.add(await bytesOf(response));
      }
      // What was wrong with it is not told.
      expect(seen.size, path).toBe(1);
    }
    expect(let_in).toEqual([]);
  });

  it('is refused in every other place and form', async () => {
    const good = await issuer.sign();
    const own = await world.token('person:reader');
    for (const [method, path] of ROUTES) {
      for (const token of [good, own]) {
        const forms: Record<string, string>[] = [
          {},
          { authorization: token },
          { authorization: `Basic ${token}` },
          { authorization: `Bearer ${token} ${token}` },
          { authorization: `Bearer "${token}"` },
          { authorization: `Bearer ${token}, Bearer ${token}` },
          { authorization: 'Bearer' },
          { cookie: `token=${token}; access_token=${token}` },
          { 'x-api-key': token },
          { 'proxy-authorization': `Bearer ${token}` },
        ];
        for (const headers of forms) expect((await ask(method, path, headers)).status, `${path} ${Object.keys(headers)}`).toBe(401);
        expect((await ask(method, `${path}?access_token=${token}&token=${token}`, {})).status).toBe(401);
      }
    }
  });

  it('a good one is let in by the same routes, and reaches as far as its scope', async () => {
    const token = await issuer.sign();
    for (const [method, path] of ROUTES) {
      const { status, headers } = await ask(method, path, { authorization: `Bearer ${token}` });
      if (path === '/metrics' || path === '/v1/approval-list') {
        expect(status, path).toBe(403);
        expect(headers.get('www-authenticate')).toMatch(
          /error="insufficient_scope", scope="colophon:(metrics|operate)", resource_metadata=/,
        );
      } else expect([200, 400, 404, 405, 406], `${method} ${path}`).toContain(status);
    }
    const none = await issuer.sign({ scope: 'openid' });
    expect((await ask('POST', '/v1/search', { authorization: `Bearer ${none}` })).status).toBe(403);
    expect((await ask('POST', '/mcp', { authorization: `Bearer ${none}` })).status).toBe(403);
  });

  it('says whom it speaks for by the issuer’s map alone, within the tenants the issuer may speak for', async () => {
    const page = (token: string, state: 'own' | 'other-tenant' | 'no-grant') =>
      world.ask('POST', '/v1/get', { token, body: { path: pathOf(state) } }).then(({ status }) => status);
    expect(await page(await issuer.sign({ sub: 'reader' }), 'own')).toBe(200);
    expect(await page(await issuer.sign({ sub: 'shared' }), 'no-grant')).toBe(200);
    expect(await page(await issuer.sign({ sub: 'other' }), 'other-tenant')).toBe(200);
    const north = { iss: `${issuer.issuer}/north` };
    expect(await page(await issuer.sign({ ...north, sub: 'reader' }), 'own')).toBe(200);
    expect(await page(await issuer.sign({ ...north, sub: 'other' }), 'other-tenant')).toBe(403);
    // Nor is the one the server was started as, unless it is listed or mapped.
    for (const sub of ['ada', 'nobody', '__proto__', 'constructor', 'person:reader', 'ada ', 'Reader'])
      expect(await page(await issuer.sign({ sub }), 'own'), sub).toBe(403);
  });

  it('the keys of an issuer are fetched once for many tokens', () => {
    // Names of keys that are not there make it look again, seldom.
    expect(issuer.fetched()).toBeLessThanOrEqual(6);
  });

  it('an issuer that cannot be reached is not the caller’s fault, and lets nobody in', async () => {
    const gone = await localIssuer(RESOURCE);
    const token = await gone.sign();
    const alone = await httpWorld({
      resource: RESOURCE,
      issuers: [{ issuer: gone.issuer, jwks: gone.jwks, algorithms: ['ES256'], subjects: {}, prefix: 'person:', client: 'unnamed' }],
    });
    await gone.close();
    try {
      expect((await alone.ask('POST', '/v1/search', { token, body: { query: 'x' } })).status).toBe(503);
    } finally {
      await alone.dispose();
    }
  });

  it('OBS-05 no token stands in a log, an audit line or an answer', async () => {
    world.audit.flush();
    const audit = readFileSync(join(world.library.config.stateFolder, 'audit.jsonl'), 'utf8');
    const lines = audit
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { outcome: string; principal: string });
    expect(lines.filter(({ outcome }) => outcome === 'denied').length).toBeGreaterThan(300);
    expect(`${audit}${world.logged.join('\n')}`).not.toMatch(/eyJ|cph_|Bearer/);
    expect(audit).not.toMatch(/kangaroo|sleeps/);
  });

  it('RFC 9728: anybody may read who issues tokens for this server', async () => {
    for (const path of ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp']) {
      const response = await world.ask('GET', path);
      expect(await response.json()).toMatchObject({
        resource: RESOURCE,
        authorization_servers: [issuer.issuer, `${issuer.issuer}/north`],
        bearer_methods_supported: ['header'],
      });
    }
  });
});

describe('T8.2 a request for somebody else, or from a page of somebody else', () => {
  const HOSTS: readonly (readonly [string | undefined, boolean])[] = [
    [`127.0.0.1:${PORT}`, true],
    [`localhost:${PORT}`, true],
    [`[::1]:${PORT}`, true],
    [`LOCALHOST:${PORT}`, true],
    ['127.0.0.1', false],
    ['localhost', false],
    [`localhost:${PORT + 1}`, false],
    [`evil.example:${PORT}`, false],
    [`localhost.evil.example:${PORT}`, false],
    [`127.0.0.1.evil.example:${PORT}`, false],
    [`0.0.0.0:${PORT}`, false],
    [`localhost:${PORT}@evil.example`, false],
    [`169.254.169.254:${PORT}`, false],
    ['', false],
    [undefined, false],
  ];
  const ORIGINS: readonly (readonly [string | undefined, boolean])[] = [
    [undefined, true],
    [`http://localhost:${PORT}`, true],
    ['http://evil.example', false],
    ['null', false],
  ];

  it(`is refused before anything else is looked at: ${HOSTS.length * ORIGINS.length} combinations`, async () => {
    const own = await world.token('person:reader');
    const wrong: string[] = [];
    for (const [host, isHost, origin, isOrigin] of HOSTS.flatMap((each) => ORIGINS.map((other) => [...each, ...other] as const))) {
      const given = Object.entries({ authorization: `Bearer ${own}`, host, origin }).filter(
        (each): each is [string, string] => each[1] !== undefined,
      );
      const request = new Request(`http://127.0.0.1:${PORT}/v1/search?query=kangaroo`, { headers: given });
      const { status } = await world.app.fetch(request, { address: '127.0.0.1', headerFields: 3 });
      if (status !== (isHost && isOrigin ? 200 : 403)) wrong.push(`${host} ${origin}: ${status}`);
    }
    expect(wrong).toEqual([]);
    expect(HOSTS.length * ORIGINS.length).toBe(60);
  });

  it.each(['/healthz', '/readyz', '/openapi.json', '/mcp', '/metrics', '/nowhere', '/.well-known/oauth-protected-resource'])(
    'is refused at %s as well',
    async (path) => {
      for (const headers of [{ host: 'evil.example' }, { origin: 'https://evil.example' }])
        expect((await world.ask('GET', path, { headers })).status).toBe(403);
    },
  );
});

it('without a token nothing is answered unless it was started so, and then as the launch identity, to read', async () => {
  const open = await httpWorld({ anonymous: true, launch: { as: 'person:reader' } });
  try {
    expect((await open.ask('POST', '/v1/get', { body: { path: pathOf('own') } })).status).toBe(200);
    expect((await open.ask('POST', '/v1/get', { body: { path: pathOf('no-grant') } })).status).toBe(404);
    expect((await open.ask('POST', '/v1/approval-list', { body: {} })).status).toBe(403);
    expect((await open.ask('POST', '/v1/get', { token: 'wrong', body: { path: pathOf('own') } })).status).toBe(401);
  } finally {
    await open.dispose();
  }
});
