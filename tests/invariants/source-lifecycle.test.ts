/**
 * Every state × every event × every kind of actor × every set of signatures, against the table of the requirements written a second time;
 * then the same through the operations and the registry, where what is refused is recorded; and what the states mean for a question.
 */
import { generateKeyPairSync, sign } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openRecords } from '../../src/adapters/stores/sqlite/records.js';
import { resolveConfig } from '../../src/app/configuration/config.js';
import { openContainer, setIndexAside } from '../../src/app/container.js';
import { resolveAsk } from '../../src/app/identity.js';
import { learn } from '../../src/app/learning/learn.js';
import type { Library, LibraryConfig } from '../../src/app/library.js';
import type { Call } from '../../src/app/operations/catalogue.js';
import { search } from '../../src/app/operations/search.js';
import { sourceAdd, sourceDelete, sourceResume, sourceRetire, sourceSuspend } from '../../src/app/operations/source-moves.js';
import { sourceHistory, sourceProfile, sourceShow } from '../../src/app/operations/source-read.js';
import { type OrderedMove, orderMove } from '../../src/app/registry/order-move.js';
import { byRole } from '../../src/domain/policy.js';
import { APPROVAL_FORMAT, type ApprovalStatement, approvalBytes, type SignedApproval } from '../../src/domain/signed-approval.js';
import { SOURCE_LIFECYCLE, SOURCE_STATES, type SourceEvent, type SourceState } from '../../src/domain/source.js';
import { bearsAs, type MoveFacts, type MoveOrder, ruleOnMove } from '../../src/domain/source-moves.js';
import { movedLine } from '../../src/interfaces/cli/commands/source.js';
import type { Instant } from '../../src/kernel/clock.js';
import { Fault } from '../../src/kernel/errors.js';
import { registrationDigest } from '../../src/sources/register.js';
import { ACTORS, LEGAL_MOVES, type Who } from '../support/lifecycle-table.js';
import { runs } from '../support/proof-scale.js';
import { registrationAt } from '../support/registrations.js';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.js';

const NOW = Date.UTC(2026, 10, 30) as Instant;
const later = (ms: number) => (NOW + ms) as Instant;
const DAY = 86_400_000;
const EVENTS = Object.keys(SOURCE_LIFECYCLE.active) as SourceEvent[];

const POLICY = {
  version: 'p'.repeat(64) as NonNullable<LibraryConfig['policy']>['version'],
  roles: byRole(
    (role) =>
      ({
        knowledge: ['person:knowledge', 'person:all'],
        source: ['person:source-role', 'person:all'],
        security: ['person:security', 'person:all'],
        workflow: ['person:workflow'],
        quality: ['person:quality'],
      })[role],
  ),
  owners: { 'role:docs': ['person:owner'] },
  keys: {},
  retention: { 'keep@1': { deletion: 'on-request' }, 'archive@1': { deletion: 'never' } },
} as const;

const FACTS: MoveFacts = {
  profile: 'team',
  policy: POLICY,
  state: 'active',
  owner: 'role:docs',
  proposer: 'person:proposer',
  classification: 'internal',
  authorityClass: 'reference',
  retentionPolicy: 'keep@1',
  legalHold: false,
  retiresAt: later(DAY),
  caughtUp: true,
  unchanged: true,
};
/** Every condition met, so that only state and role decide. */
const orderOf = (event: SourceEvent, actor: string, signers: readonly string[] = []): MoveOrder => ({
  event,
  actor,
  signers,
  reason: 'because',
  at: NOW,
  retiresAt: later(DAY),
  evidence: 'report 7',
  falseSignal: true,
  deletionRequest: 'request 7',
});

const SIGNERS = ['person:knowledge', 'person:security', 'person:owner', 'person:all', 'agent:helper'];
const SIGNER_SETS = Array.from({ length: 2 ** SIGNERS.length }, (_, set) => SIGNERS.filter((_signer, at) => (set >> at) % 2 === 1));

function* allOrders() {
  for (const state of SOURCE_STATES)
    for (const event of EVENTS)
      for (const actor of Object.keys(ACTORS)) for (const signers of SIGNER_SETS) yield { state, event, actor, signers };
}

function isLegal(state: SourceState, event: SourceEvent, actor: string, signers: readonly string[], moves = LEGAL_MOVES): boolean {
  const who = (name: string): readonly Who[] => ACTORS[name] ?? [];
  const move = moves.find((each) => each.from === state && each.event === event);
  if (move === undefined) return false;
  if (move.bothOf === undefined) return move.anyOf.some((each) => who(actor).includes(each));
  const [first, second] = move.bothOf;
  return signers.some((one) => who(one).includes(first) && signers.some((other) => other !== one && who(other).includes(second)));
}

describe('the table SM-S1 to SM-S14', () => {
  it('SRC-11, SRC-12, SRC-19: all states × events × actors × signatures: legal moves are made, all others refused', () => {
    const wrong: string[] = [];
    let made = 0;
    let refused = 0;
    for (const { state, event, actor, signers } of allOrders()) {
      const ruling = ruleOnMove(orderOf(event, actor, signers), { ...FACTS, state });
      const legal = isLegal(state, event, actor, signers);
      const to = LEGAL_MOVES.find((each) => each.from === state && each.event === event)?.to;
      if (ruling.made !== legal || (ruling.made && ruling.to !== to))
        wrong.push(`${state} ${event} by ${actor}, signed by ${signers.join(' ')}`);
      if (legal) made += 1;
      else refused += 1;
    }
    expect(wrong).toEqual([]);
    expect(made + refused).toBe(8 * 11 * 14 * 32);
    expect(made).toBeGreaterThan(1_000);
  });

  it('8 × 8: a pair of states has a move exactly where the table has a row', () => {
    for (const from of SOURCE_STATES) {
      for (const to of SOURCE_STATES) {
        const reached = EVENTS.filter((event) => SOURCE_LIFECYCLE[from][event] === to);
        expect(reached, `${from} → ${to}`).toEqual(
          LEGAL_MOVES.filter((each) => each.from === from && each.to === to).map(({ event }) => event),
        );
      }
    }
  });

  it('what is confidential or above is approved by two people, each by a signature', () => {
    const both = LEGAL_MOVES.map((each) => (each.id === 'SM-S2' ? { ...each, anyOf: [], bothOf: ['KO', 'SEC'] as const } : each));
    for (const classification of ['confidential', 'restricted'] as const) {
      for (const actor of Object.keys(ACTORS)) {
        for (const signers of SIGNER_SETS) {
          const ruling = ruleOnMove(orderOf('approve', actor, signers), { ...FACTS, state: 'proposed', classification });
          expect(ruling.made, `by ${actor}, signed by ${signers.join(' ')}`).toBe(isLegal('proposed', 'approve', actor, signers, both));
        }
      }
    }
  });

  it('in profile personal one person may be both, and it is said that they approved themselves', () => {
    const own = {
      ...FACTS,
      profile: 'personal',
      classification: 'restricted',
      proposer: 'person:all',
      authorityClass: 'governing',
    } as const;
    expect(ruleOnMove(orderOf('approve', 'person:all'), { ...own, state: 'proposed' })).toMatchObject({
      made: true,
      selfApproved: true,
      people: ['person:all'],
    });
    expect(ruleOnMove(orderOf('rebuild', 'person:all'), { ...own, state: 'suspended' })).toMatchObject({ made: true, selfApproved: true });
    expect(ruleOnMove(orderOf('rebuild', 'person:security'), { ...own, state: 'suspended' }).made).toBe(false);
    expect(ruleOnMove(orderOf('approve', 'person:all'), { ...own, profile: 'team', state: 'proposed' }).made).toBe(false);
  });

  it('SRC-19: a governing source of a team is approved by two keys, and none of them alone is the proposer’s; who launches it counts for nothing', () => {
    const anyone = [...Object.keys(ACTORS), 'person:proposer'];
    let made = 0;
    for (const classification of ['internal', 'confidential'] as const)
      for (const proposer of ['person:proposer', 'person:knowledge', 'person:all', 'agent:helper', 'agent:proposer'])
        for (const actor of anyone)
          for (const signers of [...SIGNER_SETS, ...SIGNER_SETS.map((set) => [...set, 'person:proposer'])]) {
            const facts = { ...FACTS, state: 'proposed', authorityClass: 'governing', proposer, classification } as const;
            const who = (name: string): readonly Who[] => [...(ACTORS[name] ?? []).filter((each) => each !== 'PROPOSER')];
            const bears = (name: string) => name.startsWith('person:') && (who(name).length > 0 || name === proposer);
            const approvers = signers.filter((each) => each !== proposer && who(each).includes('KO'));
            const seconds = (one: string) =>
              signers.filter((each) =>
                each !== one && classification === 'internal'
                  ? bears(each)
                  : each !== one && each !== proposer && who(each).includes('SEC'),
              );
            const legal = approvers.some((one) => seconds(one).length > 0);
            const ruling = ruleOnMove(orderOf('approve', actor, signers), facts);
            expect(ruling.made, `${proposer} proposed, ${signers.join(' ')} signed`).toBe(legal);
            if (ruling.made) made += 1;
          }
    expect(made).toBeGreaterThan(500);
    const alone = { ...FACTS, state: 'proposed', authorityClass: 'governing', proposer: 'agent:helper' } as const;
    // The attack: propose as an agent, approve as oneself, all from one account.
    expect(ruleOnMove(orderOf('approve', 'person:knowledge'), alone)).toMatchObject({ made: false, why: 'role' });
    expect(ruleOnMove(orderOf('approve', 'person:knowledge', ['person:knowledge']), alone)).toMatchObject({ made: false, why: 'role' });
  });

  const GUARDED: readonly (readonly [string, SourceState, SourceEvent, string, Partial<MoveOrder>, Partial<MoveFacts>])[] = [
    ['SRC-03: an owner who stands for nobody', 'proposed', 'approve', 'person:knowledge', {}, { owner: 'role:ghosts' }],
    ['SRC-09: an unknown retention policy', 'proposed', 'approve', 'person:knowledge', {}, { retentionPolicy: 'burn@1' }],
    [
      'a governing source nobody proposed',
      'proposed',
      'approve',
      'person:knowledge',
      {},
      { authorityClass: 'governing', proposer: 'colophon.yaml' },
    ],
    ['no reason', 'proposed', 'delete', 'person:knowledge', { reason: ' ' }, {}],
    ['no complete checkpoint', 'approved', 'activate', 'person:knowledge', {}, { caughtUp: false }],
    ['no complete checkpoint, by the pipeline', 'degraded', 'recover', 'workload://colophon/index', {}, { caughtUp: false }],
    ['no evidence', 'suspended', 'rebuild', 'person:knowledge', { evidence: '', signers: SIGNERS }, {}],
    ['a signal that was not false', 'suspended', 'clear', 'person:security', { falseSignal: false }, {}],
    ['content that changed', 'suspended', 'clear', 'person:security', {}, { unchanged: false }],
    ['no day', 'active', 'retire', 'person:knowledge', { retiresAt: undefined }, {}],
    ['a day that has passed', 'active', 'retire', 'person:knowledge', { retiresAt: NOW }, {}],
    ['kept too late', 'retiring', 'keep', 'person:knowledge', { signers: SIGNERS }, { retiresAt: NOW }],
    ['a retention policy that keeps it', 'revoked', 'delete', 'person:knowledge', {}, { retentionPolicy: 'archive@1' }],
    ['a legal hold', 'revoked', 'delete', 'person:knowledge', {}, { legalHold: true }],
    ['an owner without a request', 'revoked', 'delete', 'person:owner', { deletionRequest: '' }, {}],
  ];
  it.each(GUARDED)('%s refuses what is made without it', (_, state, event, actor, order, facts) => {
    const whole = orderOf(event, actor, SIGNERS);
    expect(ruleOnMove(whole, { ...FACTS, state })).toMatchObject({ made: true });
    expect(ruleOnMove({ ...whole, ...order }, { ...FACTS, state, ...facts })).toMatchObject({ made: false, why: 'guard' });
  });

  it('the proof can fail: one role more, one row less, or one signature for two is noticed', () => {
    const differs = (mutant: (order: MoveOrder, facts: MoveFacts) => boolean) =>
      [...allOrders()].some(
        ({ state, event, actor, signers }) =>
          mutant(orderOf(event, actor, signers), { ...FACTS, state }) !== isLegal(state, event, actor, signers),
      );
    const made = (order: MoveOrder, facts: MoveFacts) => ruleOnMove(order, facts).made;
    expect(differs(made)).toBe(false);
    expect(
      differs((order, facts) =>
        made(order, {
          ...facts,
          policy: { ...POLICY, roles: { ...POLICY.roles, security: [...POLICY.roles.security, 'person:quality'] } },
        }),
      ),
    ).toBe(true);
    expect(differs((order, facts) => order.event !== 'revoke' && made(order, facts))).toBe(true);
    expect(differs((order, facts) => made({ ...order, signers: order.signers.flatMap((each) => [each, 'person:knowledge']) }, facts))).toBe(
      true,
    );
    expect(differs((order, facts) => made(order, facts) || bearsAs(order.actor, facts).has('security'))).toBe(true);
  });
});

const codeOf = async (work: () => Promise<unknown>): Promise<string> => {
  try {
    await work();
    return 'made';
  } catch (error) {
    if (error instanceof Fault) return error.code;
    throw error;
  }
};

const keys = Object.fromEntries(
  ['person:knowledge', 'person:security', 'person:owner', 'person:mallory'].map(
    (person) => [person, generateKeyPairSync('ed25519')] as const,
  ),
);
const publicKeys = Object.fromEntries(
  Object.entries(keys).map(([person, { publicKey }]) => [person, [publicKey.export({ format: 'der', type: 'spki' }).toString('base64')]]),
);
function signedBy(person: string, statement: Omit<ApprovalStatement, 'format' | 'by'>, by = person): SignedApproval {
  const whole: ApprovalStatement = { format: APPROVAL_FORMAT, by, ...statement };
  const key = keys[person]?.privateKey;
  if (key === undefined) throw new Error(`no key of ${person}`);
  return { statement: whole, signature: sign(null, approvalBytes(whole), key).toString('base64') };
}

const registration = registrationAt({ path: '/nowhere' }, { owner: 'role:docs', id: 'docs' });
const CONFIG = {
  profile: 'team',
  sources: [registration],
  policy: { ...POLICY, keys: { ...publicKeys, 'person:mallory': [] } },
} as unknown as LibraryConfig;

/** A library of a registry and nothing else. */
async function registryWith(state: SourceState, ids: readonly string[] = ['docs']) {
  const records = openRecords({ file: ':memory:' });
  const digest = registrationDigest(registration);
  const declared = JSON.parse(JSON.stringify(registration)) as Record<string, unknown>;
  const source = { owner: 'role:docs', initialState: state, freshnessSloMs: DAY, registrationDigest: digest, declared };
  for (const id of ids) await records.registry.register({ id, ...source }, NOW, { actor: 'person:proposer', reason: 'needed' });
  const reader = { checkpoints: async () => [] };
  const library = { config: CONFIG, records, reader } as unknown as Library;
  const callAs = (principal: string): Call => ({
    library,
    ask: {
      requester: { principal, workload: 'workload://test', client: { name: 'terminal', locality: 'local' } },
      at: NOW,
      freshnessCritical: false,
    } as unknown as Call['ask'],
    signal: new AbortController().signal,
    progress: () => undefined,
  });
  const order = (event: SourceEvent, more: Partial<OrderedMove> = {}): OrderedMove => ({
    source: 'docs',
    event,
    reason: 'because',
    approvals: [],
    retiresAt: later(DAY),
    evidence: 'report 7',
    falseSignal: true,
    deletionRequest: 'request 7',
    ...more,
  });
  const statement = (event: SourceEvent) => ({
    source: 'docs',
    event,
    version: 1,
    registration: digest,
    reason: 'fine',
    until: later(DAY),
  });
  return { records, callAs, order, statement };
}

/** Each order is for a source of its own; says how many were made. */
async function ordered(state: SourceState, orders: readonly { readonly event: SourceEvent; readonly actor: string }[]): Promise<number> {
  const nameOf = ({ event, actor }: (typeof orders)[number]) => `${event} ${actor}`;
  const { records, callAs, order } = await registryWith(state, orders.map(nameOf));
  let made = 0;
  for (const each of orders) {
    const { event, actor } = each;
    const source = nameOf(each);
    const code = await codeOf(() => orderMove(callAs(actor), order(event, { source })));
    // The gap scan of `activate` and the digests of `clear` need an index; those stand in the tests of the guards and below.
    const legal = isLegal(state, event, actor, []) && event !== 'activate' && event !== 'clear';
    expect(code === 'made', `${state} ${event} by ${actor}: ${code}`).toBe(legal);
    const last = (await records.registry.history(source)).at(-1);
    const outcome = legal ? 'made' : 'refused';
    expect(last).toMatchObject({ event, actor, from: state, outcome, workload: 'workload://test', policy: POLICY.version, at: NOW });
    const record = (await records.registry.records()).find(({ id }) => id === source);
    expect(record).toMatchObject({ state: legal ? last?.to : state, version: legal ? 2 : 1 });
    made += legal ? 1 : 0;
  }
  await records.close();
  return made;
}

describe('through the operations and the registry', () => {
  it('SRC-11, SRC-12: what is refused is recorded with who, why and under which policy, and leaves the state', async () => {
    const people = Object.keys(ACTORS).filter((actor) => !actor.startsWith('workload:'));
    // Every day a third of the people for each pair of state and event, each in turn; all of them in the long proofs.
    const share = runs(1) > 1 ? 1 : 3;
    let made = 0;
    for (const [row, state] of SOURCE_STATES.entries()) {
      const orders = EVENTS.flatMap((event, column) =>
        people.filter((_, at) => (at + row + column) % share === 0).map((actor) => ({ event, actor })),
      );
      made += await ordered(state, orders);
    }
    expect(made).toBeGreaterThan(40 / share);
  });

  it('an agent is refused in the same words whether there is such a source or not', async () => {
    const { records, callAs, order } = await registryWith('active');
    const said = async (id: string) => {
      try {
        await orderMove(callAs('agent:helper'), { ...order('revoke'), source: id });
      } catch (error) {
        if (error instanceof Fault) return [error.code, error.message, error.hint];
      }
      return [];
    };
    expect(await said('docs')).toEqual(await said('nothing'));
    expect((await said('docs'))[0]).toBe('source/not-allowed');
    await records.close();
  });

  it('two people answer by two signatures; one of another version, move, source, time, key or name is none', async () => {
    const attempt = async (
      approvals: (statement: ReturnType<Awaited<ReturnType<typeof registryWith>>['statement']>) => readonly SignedApproval[],
    ) => {
      const { records, callAs, order, statement } = await registryWith('suspended');
      const code = await codeOf(() =>
        orderMove(callAs('person:workflow'), order('rebuild', { approvals: approvals(statement('rebuild')) })),
      );
      // Whoever bears no part in it may not even carry it in.
      expect(code).toBe('source/not-allowed');
      const carried = await codeOf(() =>
        orderMove(callAs('person:security'), order('rebuild', { approvals: approvals(statement('rebuild')) })),
      );
      const [record] = await records.registry.records();
      await records.close();
      return [carried, record?.state];
    };
    const by =
      (person: string, as = person, more = {}) =>
      (s: Parameters<Parameters<typeof attempt>[0]>[0]) =>
        signedBy(person, { ...s, ...more }, as);
    const security = by('person:security');
    const both = (second: typeof security) => attempt((s) => [security(s), second(s)]);
    expect(await both(by('person:knowledge'))).toEqual(['made', 'approved']);
    const refused = ['source/not-allowed', 'suspended'];
    expect(await both(by('person:security'))).toEqual(refused);
    expect(await both(by('person:owner'))).toEqual(refused);
    expect(await both(by('person:mallory', 'person:knowledge'))).toEqual(refused);
    expect(await both(by('person:mallory'))).toEqual(refused);
    for (const other of [{ version: 2 }, { event: 'keep' }, { source: 'wiki' }, { until: NOW }, { registration: 'x' }])
      expect(await both(by('person:knowledge', 'person:knowledge', other)), JSON.stringify(other)).toEqual(refused);
    expect(
      await attempt((s) => {
        const signed = signedBy('person:knowledge', s);
        return [security(s), { ...signed, statement: { ...signed.statement, reason: 'something else' } }];
      }),
    ).toEqual(refused);
  });

  it('what is approved is what is declared now: a declaration changed since is a version of its own, and voids what was signed', async () => {
    const { records, callAs, order, statement } = await registryWith('proposed');
    const sources = [{ ...registration, classification: 'confidential' as const }];
    const call = callAs('person:knowledge');
    const changed: Call = { ...call, library: { ...call.library, config: { ...CONFIG, sources } } };
    const approvals = [signedBy('person:knowledge', statement('approve')), signedBy('person:security', statement('approve'))];
    expect(await codeOf(() => orderMove(changed, order('approve', { approvals })))).toBe('source/not-allowed');
    const [record] = await records.registry.records();
    expect(record).toMatchObject({ state: 'proposed', version: 2, registrationDigest: registrationDigest(sources[0] ?? registration) });
    const { version = 0, registrationDigest: digest = statement('approve').registration } = record ?? {};
    const anew = { ...statement('approve'), version, registration: digest };
    const signedAnew = [signedBy('person:knowledge', anew), signedBy('person:security', anew)];
    expect(await codeOf(() => orderMove(changed, order('approve', { approvals: signedAnew })))).toBe('made');
    await records.close();
  });

  it('the same key again, after the source was moved on, says when it was carried out and how the source stands now', async () => {
    const { records, callAs } = await registryWith('active');
    const call = callAs('person:security');
    const suspend = { id: 'docs', reason: 'odd', key: 'k' };
    const first = await sourceSuspend.run(suspend, call);
    expect([first.repeats, first.state, movedLine(first)]).toEqual([false, 'suspended', 'active → suspended']);
    const again = await sourceSuspend.run(suspend, call);
    expect([again.repeats, again.state]).toEqual([true, 'suspended']);
    await records.registry.move('docs', 'clear', { actor: 'person:ada', reason: 'fine' }, later(60_000));
    const late = await sourceSuspend.run(suspend, call);
    expect(late).toEqual({ ...first, repeats: true, state: 'active' });
    expect(movedLine(late)).toBe(
      `is active; nothing was done now. This order was carried out before, ${new Date(NOW).toISOString()}: active → suspended`,
    );
    const other = await sourceSuspend.run({ ...suspend, key: 'k2' }, call);
    expect([other.repeats, other.state]).toEqual([false, 'suspended']);
    await records.close();
  });

  it('the same key again does nothing more; another version than expected is refused and recorded', async () => {
    const { records, callAs, order } = await registryWith('active');
    const first = await orderMove(callAs('person:security'), order('suspend', { key: 'k', expectedVersion: 1 }));
    expect(await orderMove(callAs('person:security'), order('suspend', { key: 'k', expectedVersion: 1 }))).toEqual(first);
    expect(await codeOf(() => orderMove(callAs('person:security'), order('revoke', { expectedVersion: 1 })))).toBe('source/refused');
    expect((await records.registry.history('docs')).map(({ event, outcome }) => `${event} ${outcome}`)).toEqual([
      'register made',
      'suspend made',
      'revoke refused',
    ]);
    await records.close();
  });
});

describe('what the states mean for a question', () => {
  const folders: TemporaryFolder[] = [];
  const libraries: Library[] = [];
  afterEach(async () => {
    for (const library of libraries.splice(0)) await library.close();
    for (const folder of folders.splice(0)) folder.dispose();
  });
  let now = NOW;

  async function libraryOf(ids: readonly string[], profile = 'personal'): Promise<Library> {
    now = NOW;
    const folder = temporaryFolder();
    folders.push(folder);
    const sources = ids
      .map((id) => `  - { id: ${id}, location: ./${id}, freshness_slo: P1D${id === 'proposed' ? ', state: proposed' : ''} }\n`)
      .join('');
    folder.write('colophon.yaml', `version: 1\nprofile: ${profile}\nsources:\n${sources}`);
    for (const id of ids) folder.write(`${id}/page.md`, `# ${id}\n\nNumbats of ${id} eat termites.\n`);
    const config = await resolveConfig({ cwd: folder.path, env: { COLOPHON_HOME: join(folder.path, 'home') } });
    const library = await openContainer(config, { now: () => now });
    libraries.push(library);
    await learn(library, {});
    return library;
  }
  const callOf = (library: Library, freshnessCritical = false): Call => ({
    library,
    ask: resolveAsk(library.config, { freshnessCritical }, { workload: 'workload://test', defaultClient: 'terminal' }, now),
    signal: new AbortController().signal,
    progress: () => undefined,
  });
  const found = async (library: Library, critical = false) => {
    const { hits } = await search.run(search.input.parse({ query: 'numbats eat termites', limit: 50 }), callOf(library, critical));
    return Object.fromEntries(hits.map(({ source, labels }) => [source, labels.filter((each) => each.endsWith('-source')).join()]).sort());
  };

  it('SRC-13, T1.11: the next question follows the state, with no index run: active, degraded and retiring answer, the last two labelled', async () => {
    const library = await libraryOf(['approved', 'active', 'degraded', 'suspended', 'retiring', 'revoked', 'deleted']);
    const { registry } = library.records;
    const { generation } = (await library.reader.snapshot()).manifest;
    expect(Object.keys(await found(library))).toHaveLength(7);
    const by = { actor: 'person:local', reason: 'test' };
    const moves: readonly (readonly [string, readonly SourceEvent[]])[] = [
      ['approved', ['suspend', 'rebuild']],
      ['degraded', ['degrade']],
      ['suspended', ['suspend']],
      ['revoked', ['revoke']],
      ['deleted', ['revoke', 'delete']],
    ];
    for (const [id, events] of moves) for (const event of events) await registry.move(id, event, by, now);
    await sourceRetire.run(sourceRetire.input.parse({ id: 'retiring', on: '2026-12-02', reason: 'old' }), callOf(library));
    expect(await found(library)).toEqual({ active: '', degraded: 'degraded-source', retiring: 'retiring-source' });
    expect(await found(library, true)).toEqual({ active: '' });
    now = later(DAY + 1);
    // Nobody saw the source within its promise: it counts as degraded before anything is noted.
    expect(await found(library)).toEqual({ active: 'degraded-source', degraded: 'degraded-source', retiring: 'retiring-source' });
    expect(await found(library, true)).toEqual({});
    now = Date.UTC(2026, 11, 2) as Instant;
    expect(await found(library)).toEqual({ active: 'degraded-source', degraded: 'degraded-source' });
    expect((await library.reader.snapshot()).manifest.generation).toBe(generation);
  });

  it('FAI-01, ING-22: an overdue source is noted as degraded by the pipeline, and taken back after a clean run', async () => {
    const library = await libraryOf(['docs']);
    now = later(2 * DAY);
    await learn(library, {});
    const events = (await library.records.registry.history('docs')).map(({ event, actor, from, to }) => `${event} ${actor} ${from} ${to}`);
    expect(events.slice(-2)).toEqual([
      'degrade workload://colophon/index active degraded',
      'recover workload://colophon/index degraded active',
    ]);
    expect(await found(library, true)).toEqual({ docs: '' });
  });

  it('SM-S4, SM-S9: is activated after a clean gap scan alone, and cleared only with what it held when it was suspended', async () => {
    const library = await libraryOf(['docs']);
    const order = (event: SourceEvent, more: Partial<OrderedMove> = {}) =>
      codeOf(() => orderMove(callOf(library), { source: 'docs', event, reason: 'a test', approvals: [], ...more }));
    expect(await order('suspend')).toBe('made');
    expect(await order('rebuild', { evidence: 'report 7' })).toBe('made');
    writeFileSync(join(library.config.root, 'docs/new.md'), '# New\n\nText.\n');
    expect(await order('activate')).toBe('source/refused');
    rmSync(join(library.config.root, 'docs/new.md'));
    expect(await order('activate')).toBe('made');
    expect(await order('suspend')).toBe('made');
    const { drop } = await setIndexAside(library);
    await drop();
    expect(await order('clear', { falseSignal: true })).toBe('source/refused');
    expect(await order('rebuild', { evidence: 'report 8' })).toBe('made');
    await learn(library, {});
    expect(await found(library)).toEqual({ docs: '' });
  });

  it('FAI-02: a document of a team that no parser can read degrades its source, and the checkpoint stays; a clean run takes it back', async () => {
    const library = await libraryOf(['docs']);
    const team: Library = { ...library, config: { ...library.config, profile: 'team' } };
    writeFileSync(join(library.config.root, 'docs/odd.md'), '# Odd\n\nText.\n');
    const unreadable: Library = {
      ...team,
      connector: (kind) => {
        const connector = library.connector(kind);
        const problem = {
          code: 'page/unreadable',
          severity: 'error',
          source: 'docs',
          path: 'odd.md',
          message: 'no parser reads it',
          hint: '',
        } as const;
        return {
          identity: connector.identity,
          version: connector.version,
          list: (...given) => connector.list(...given),
          same: (...given) => connector.same(...given),
          watch: (...given) => connector.watch(...given),
          read: async function* (...given) {
            for await (const document of connector.read(...given))
              yield document.path === 'odd.md' ? { path: 'odd.md', problem } : document;
          },
        };
      },
    };
    expect((await learn(unreadable, {})).sources).toMatchObject([{ state: 'degraded', failed: 1, unchanged: 1 }]);
    expect((await library.reader.checkpoints()).map(({ source }) => source)).toEqual(['docs']);
    expect(await found(library)).toEqual({ docs: 'degraded-source' });
    expect(await found(library, true)).toEqual({});
    expect((await learn(team, {})).sources).toMatchObject([{ state: 'active', added: 1 }]);
    expect(await found(library, true)).toEqual({ docs: '' });
  });

  it('SRC-17, SRC-18, SRC-01: from proposal to receipt, and never back', async () => {
    const library = await libraryOf(['docs', 'proposed']);
    const { profile } = await sourceProfile.run({ id: 'docs' }, callOf(library));
    expect(profile).toMatchObject({
      completeness: { listed: 1, indexed: 1, walk: 'complete' },
      owner: { name: 'person:local', people: ['person:local'] },
      deletion: { retention: 'keep@1' },
    });
    const shown = await sourceShow.run({ id: 'docs' }, callOf(library));
    expect(shown).toMatchObject({ source: { state: 'active', declared: 'as-registered' }, profile: { completeness: { listed: 1 } } });
    await orderMove(callOf(library), { source: 'docs', event: 'suspend', reason: 'odd', approvals: [] });
    await sourceResume.run(sourceResume.input.parse({ id: 'docs', falseSignal: true, reason: 'it was a test' }), callOf(library));
    expect(Object.keys(await found(library))).toEqual(['docs', 'proposed']);
    await orderMove(callOf(library), { source: 'docs', event: 'revoke', reason: 'not ours', approvals: [] });
    expect(Object.keys(await found(library))).toEqual(['proposed']);
    const { receipt } = await sourceDelete.run(sourceDelete.input.parse({ id: 'docs', reason: 'asked for' }), callOf(library));
    expect(receipt).toMatchObject({ store: 'index.db', pages: 1 });
    expect((await library.reader.checkpoints()).map(({ source }) => source)).toEqual(['proposed']);
    await learn(library, {});
    expect((await library.reader.totals()).documents).toBe(1);
    expect(await codeOf(() => sourceAdd.run({ id: 'docs', reason: 'again' }, callOf(library)))).toBe('source/refused');
    const { events } = await sourceHistory.run({ id: 'docs' }, callOf(library));
    expect(events.map(({ event }) => event)).toEqual(['register', 'profile', 'suspend', 'clear', 'revoke', 'delete', 'purge']);
    expect(events.at(-1)).toMatchObject({ event: 'purge', detail: { receipt: { pages: 1 } } });
  });
});
