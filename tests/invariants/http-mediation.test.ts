/**
 * T1.3, T1.4 over HTTP: every operation of the catalogue that is served over a network, as a route and as a tool, for six principals and
 * eight states of a page. A page that is not for the caller, and one that was never there, are the same bytes.
 *
 * ATH-07, MCP-05, MCP-06.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../src/app/operations/all.js';
import { AUTHORITIES, SURFACES } from '../../src/app/operations/catalogue.js';
import {
  bytesOf,
  type HttpWorld,
  httpWorld,
  MAY_SEE,
  PEOPLE,
  type Person,
  pathOf,
  STATES,
  type State,
  wordOf,
} from '../support/http-world.js';
import { runs } from '../support/proof-scale.js';

/** All of them in the long proofs; those that differ most otherwise. */
const IS_LONG = runs(1) > 1;
const TRIED: readonly Person[] = IS_LONG ? PEOPLE : ['person:reader', 'person:stranger'];
const BETWEEN = STATES.filter((state) => (IS_LONG ? state !== 'nonexistent' : ['own', 'revoked'].includes(state)));

const worlds = new Map<State, HttpWorld>();
/** What was made of each page for who may see all, in the whole world. */
const packages = new Map<State, string>();
const tokens = new Map<string, string>();

beforeAll(async () => {
  // In the last one nothing is left out: what never existed is missing from all.
  for (const state of [...BETWEEN, 'nonexistent'] as const) worlds.set(state, await httpWorld({ without: state }));
  for (const [state, world] of worlds)
    for (const person of PEOPLE)
      tokens.set(`${state} ${person}`, await world.token(person, { scopes: ['colophon:read', 'colophon:operate'] }));
  const whole = worldWithout('nonexistent');
  for (const person of PEOPLE) {
    for (const state of MAY_SEE[person]) {
      const made = await whole.ask('POST', '/v1/context', {
        token: tokenOf('nonexistent', person),
        body: { query: wordOf(state), attempt: `of-${state}` },
      });
      packages.set(state, ((await made.json()) as { digest: string }).digest);
    }
  }
});
afterAll(async () => {
  for (const world of worlds.values()) await world.dispose();
});

const worldWithout = (state: State): HttpWorld => worlds.get(state) as HttpWorld;
const tokenOf = (state: State, person: Person) => tokens.get(`${state} ${person}`) ?? '';

/** For each operation, how it is asked for a page. */
const INPUTS: Readonly<Record<string, (state: State) => object>> = {
  'approval list': () => ({}),
  'citations check': (state) => ({ text: `See ${pathOf(state)}:1.`, package: packages.get(state) ?? 'abcdef01' }),
  context: (state) => ({ query: `where does the ${wordOf(state)} sleep`, attempt: `of-${state}`, facts: [`page:${pathOf(state)}`] }),
  explain: (state) => ({ package: 'last', page: pathOf(state) }),
  get: (state) => ({ path: pathOf(state), links: true, segments: true, meta: true }),
  'package bind': (state) => ({ name: packages.get(state) ?? 'abcdef01', attempt: 'another' }),
  'package check': (state) => ({ name: packages.get(state) ?? 'abcdef01' }),
  'package diff': (state) => ({ before: packages.get(state) ?? 'abcdef01', after: 'last' }),
  'package export': (state) => ({ name: packages.get(state) ?? 'abcdef01' }),
  'package list': (state) => ({ attempt: `of-${state}` }),
  'package show': (state) => ({ name: packages.get(state) ?? 'abcdef01' }),
  'package verify': (state) => ({ name: packages.get(state) ?? 'abcdef01' }),
  search: (state) => ({ query: wordOf(state) }),
  status: () => ({ verify: true, drift: true }),
  why: (state) => ({ package: 'last', name: pathOf(state) }),
  'why-not': (state) => ({ package: 'last', page: pathOf(state) }),
};

const served = OPERATIONS.filter(({ surfaces }) => surfaces.includes('http'));
const tools = OPERATIONS.filter(({ surfaces }) => surfaces.includes('mcp'));

describe('the catalogue', () => {
  it('T1.3 no operation is without a declared authority and surface, and none is served that is not tried here', () => {
    for (const { name, authority, surfaces } of OPERATIONS) {
      expect(AUTHORITIES, name).toContain(authority);
      expect(surfaces.length, name).toBeGreaterThan(0);
      for (const surface of surfaces) expect(SURFACES, name).toContain(surface);
      // A tool reads; what a person alone may do is no tool (MCP-10).
      if (surfaces.includes('mcp')) expect(authority, name).toBe('read');
    }
    expect(served.map(({ name }) => name).sort()).toEqual(Object.keys(INPUTS).sort());
    expect(tools.filter(({ name }) => INPUTS[name] === undefined)).toEqual([]);
  });
});

type Ask = (world: HttpWorld, token: string, state: State) => Promise<Response>;
const routes: readonly (readonly [string, Ask])[] = served.map(({ name }) => [
  `/v1/${name.replaceAll(' ', '-')}`,
  (world, token, state) => world.ask('POST', `/v1/${name.replaceAll(' ', '-')}`, { token, body: INPUTS[name]?.(state) }),
]);
const rpc = (world: HttpWorld, token: string, method: string, params: object) =>
  world.ask('POST', '/mcp', {
    token,
    body: { jsonrpc: '2.0', id: 0, method, params },
    headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
  });
const agentCalls: readonly (readonly [string, Ask])[] = [
  ...tools.map(({ name }): readonly [string, Ask] => [
    `tool ${name}`,
    (world, token, state) => rpc(world, token, 'tools/call', { name: `kb_${name}`, arguments: INPUTS[name]?.(state) }),
  ]),
  ['resources/list', (world, token) => rpc(world, token, 'resources/list', {})],
  ['resources/read', (world, token, state) => rpc(world, token, 'resources/read', { uri: `colophon://page/${state}/${pathOf(state)}` })],
];

/** A boundary that nobody can foresee is no difference. */
const withoutChance = (text: string) => text.replaceAll(/(<<<|>>>)data [0-9a-f]+/g, '$1data');

describe.each(TRIED)('T1.3 %s', (person) => {
  it('is told the same of what is not for them and of what was never there, by every route and tool', async () => {
    const different: string[] = [];
    let compared = 0;
    for (const state of BETWEEN.filter((each) => !MAY_SEE[person].includes(each))) {
      for (const [name, ask] of [...routes, ...agentCalls]) {
        const with_ = await bytesOf(await ask(worldWithout('nonexistent'), tokenOf('nonexistent', person), state));
        const without = await bytesOf(await ask(worldWithout(state), tokenOf(state, person), state));
        compared += 1;
        if (withoutChance(with_) !== withoutChance(without)) different.push(`${name} for ${state}:\n${with_}\n${without}`);
      }
    }
    expect(different).toEqual([]);
    expect(compared).toBeGreaterThanOrEqual(routes.length + agentCalls.length);
  });

  // A stranger is told of nothing.
  if (MAY_SEE[person].length === 0) return;
  it('is told of what is for them, so that the comparison means something', async () => {
    for (const state of MAY_SEE[person].filter((each) => BETWEEN.includes(each))) {
      const token = tokenOf('nonexistent', person);
      const whole = worldWithout('nonexistent');
      const page = await whole.ask('POST', '/v1/get', { token, body: { path: pathOf(state) } });
      expect(page.status, state).toBe(200);
      expect(await page.text()).toContain(wordOf(state));
      const absent = await worldWithout(state).ask('POST', '/v1/get', { token: tokenOf(state, person), body: { path: pathOf(state) } });
      expect(absent.status).toBe(404);
    }
  });
});

it('MCP-05 nothing a request says of who asks counts: fields are refused, and headers only narrow', async () => {
  const world = worldWithout('nonexistent');
  const token = tokenOf('nonexistent', 'person:reader');
  for (const field of ['as', 'principal', 'tenant', 'purpose', 'ceiling', 'groups', 'group', 'client', 'workload', 'identity', 'bundle']) {
    const body = { query: 'kangaroo', [field]: 'person:board' };
    expect((await world.ask('POST', '/v1/search', { token, body })).status, field).toBe(400);
  }
  for (const header of ['Colophon-As', 'Colophon-Principal', 'Colophon-Client', 'Colophon-Workload', 'Colophon-Nonsense'])
    expect(
      (await world.ask('POST', '/v1/search', { token, body: { query: 'x' }, headers: { [header]: 'person:board' } })).status,
      header,
    ).toBe(400);
  const refused: [string, string][] = [
    ['Colophon-Tenant', 'south'],
    ['Colophon-Purpose', 'audit'],
    ['Colophon-Groups', 'staff,board'],
    ['Colophon-Groups', 'board'],
    ['Colophon-Groups', ''],
    ['Colophon-Tenant', ''],
  ];
  for (const [header, value] of refused)
    expect(
      (await world.ask('POST', '/v1/search', { token, body: { query: 'x' }, headers: { [header]: value } })).status,
      `${header} ${value}`,
    ).toBe(403);
  for (const [header, value] of [
    ['X-Forwarded-User', 'person:board'],
    ['X-Tenant', 'south'],
    ['Forwarded', 'for=person:board'],
  ] as const) {
    const plain = await bytesOf(await world.ask('POST', '/v1/search', { token, body: { query: 'kangaroo' } }));
    expect(await bytesOf(await world.ask('POST', '/v1/search', { token, body: { query: 'kangaroo' }, headers: { [header]: value } }))).toBe(
      plain,
    );
  }
  const ceiling = (value: string) =>
    world.ask('POST', '/v1/get', { token, body: { path: pathOf('own') }, headers: { 'Colophon-Ceiling': value } });
  expect((await ceiling('restricted')).status).toBe(200);
  expect((await ceiling('public')).status).toBe(404);
});

it('T1.4 what one caller was answered is never an answer to another', async () => {
  const world = worldWithout('nonexistent');
  for (const state of ['own', 'other-tenant', 'wrong-purpose', 'no-grant'] as const) {
    for (const warm of PEOPLE.filter((person) => MAY_SEE[person].includes(state))) {
      for (const person of PEOPLE) {
        const body = { query: wordOf(state), attempt: `${warm}-${person}` };
        await world.ask('POST', '/v1/context', { token: tokenOf('nonexistent', warm), body });
        const answer = (await (await world.ask('POST', '/v1/context', { token: tokenOf('nonexistent', person), body })).json()) as {
          items: unknown[];
        };
        expect(answer.items.length > 0, `${state}: ${person} after ${warm}`).toBe(MAY_SEE[person].includes(state));
      }
    }
  }
});

it('a source that is revoked is gone with the next request, by every way', async () => {
  const world = await httpWorld();
  try {
    const token = await world.token('person:reader', { scopes: ['colophon:read', 'colophon:operate'] });
    const before = await world.ask('POST', '/v1/get', { token, body: { path: pathOf('own') } });
    expect(before.status).toBe(200);
    const by = { actor: 'person:ada', reason: 'test' };
    await world.library.records.registry.move('own', 'revoke', by, world.library.clock.now());
    for (const [name, ask] of [...routes, ...agentCalls]) {
      const answer = await (await ask(world, token, 'own')).text();
      expect(answer.replaceAll(wordOf('own'), '').includes('sleeps here'), name).toBe(false);
    }
  } finally {
    await world.dispose();
  }
});
