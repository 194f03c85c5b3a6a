/**
 * SM-A1, SM-A2, SM-A3, SM-A4, SM-A5, SM-A6, SM-A7, SM-A8, SM-A9, SM-A10, SM-A11, SM-A12.
 *
 * Every state × every move × every kind of actor, against the table of the requirements written a second time; the same through the
 * operations and the records; what the index tells of pages by itself; and what the states mean for a question.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { resolveConfig } from '../../src/app/configuration/config.js';
import { openContainer } from '../../src/app/container.js';
import { resolveAsk } from '../../src/app/identity.js';
import { learn } from '../../src/app/learning/learn.js';
import type { Library } from '../../src/app/library.js';
import type { Call } from '../../src/app/operations/catalogue.js';
import { context } from '../../src/app/operations/context.js';
import { explain, whyNotPage } from '../../src/app/operations/explain.js';
import { get } from '../../src/app/operations/get.js';
import { packageReplay } from '../../src/app/operations/package-export.js';
import { packageList } from '../../src/app/operations/package-ledger.js';
import { packageCheck } from '../../src/app/operations/package-verify.js';
import { pageConfirm, pageHistory, pageInvalidate, pageList, pageQuarantine, pageRelease } from '../../src/app/operations/page-moves.js';
import { policyExplain } from '../../src/app/operations/policy.js';
import { search } from '../../src/app/operations/search.js';
import { sourceDelete, sourceResume, sourceSuspend } from '../../src/app/operations/source-moves.js';
import { status } from '../../src/app/operations/status.js';
import { knownPage, orderPageMove } from '../../src/app/registry/order-page-move.js';
import { type ArtifactFacts, type ArtifactOrder, ruleOnArtifact } from '../../src/domain/artifact-moves.js';
import { ARTIFACT_LIFECYCLE, ARTIFACT_STATES, type ArtifactEvent, type ArtifactState } from '../../src/domain/artifact-state.js';
import { byRole } from '../../src/domain/policy.js';
import type { Instant } from '../../src/kernel/clock.js';
import { Fault } from '../../src/kernel/errors.js';
import { ARTIFACT_ACTORS, LEGAL_ARTIFACT_MOVES } from '../support/artifact-table.js';
import { runs } from '../support/proof-scale.js';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.js';

const NOW = Date.UTC(2026, 10, 30) as Instant;
const DAY = 86_400_000;
const EVENTS = Object.keys(ARTIFACT_LIFECYCLE.indexed) as ArtifactEvent[];
const POLICY = {
  version: 'p'.repeat(64),
  roles: byRole(
    (role) =>
      ({
        knowledge: ['person:knowledge', 'person:all'],
        source: ['person:source-role'],
        security: ['person:security', 'person:all'],
        workflow: ['person:workflow'],
        quality: ['person:quality'],
      })[role],
  ),
  owners: { 'role:docs': ['person:owner'] },
  keys: {},
  retention: { 'keep@1': { deletion: 'on-request' } },
};

const FACTS: ArtifactFacts = {
  policy: POLICY,
  state: 'indexed',
  source: 'active',
  unchanged: true,
  newPipeline: true,
  ordered: false,
  gone: true,
};
/** Every condition met, so that only state and role decide. */
const orderOf = (event: ArtifactEvent, actor: string): ArtifactOrder => ({ event, actor, reason: 'because', at: NOW, falseSignal: true });

function legalMove(state: ArtifactState, event: ArtifactEvent, actor: string) {
  const held = ARTIFACT_ACTORS[actor] ?? [];
  return LEGAL_ARTIFACT_MOVES.find((each) => each.from === state && each.event === event && each.anyOf.some((who) => held.includes(who)));
}

function* allOrders() {
  for (const state of ARTIFACT_STATES)
    for (const event of EVENTS) for (const actor of Object.keys(ARTIFACT_ACTORS)) yield { state, event, actor };
}

describe('the table SM-A1 to SM-A12', () => {
  it('SM-A1 to SM-A12: all states × moves × actors: legal moves are made, all others refused', () => {
    const wrong: string[] = [];
    let made = 0;
    let asked = 0;
    for (const { state, event, actor } of allOrders()) {
      const ruling = ruleOnArtifact(orderOf(event, actor), { ...FACTS, state });
      const legal = legalMove(state, event, actor);
      const same = legal === undefined ? !ruling.made : ruling.made && ruling.to === legal.to && ruling.row === legal.id;
      if (!same) wrong.push(`${state} ${event} by ${actor}`);
      asked += 1;
      made += legal === undefined ? 0 : 1;
    }
    expect(wrong).toEqual([]);
    expect([asked, made]).toEqual([6 * 10 * 12, 38]);
  });

  it('6 × 6: a pair of states has a move exactly where the table has a row', () => {
    for (const from of ARTIFACT_STATES) {
      for (const to of ARTIFACT_STATES) {
        const reached = EVENTS.filter((event) => ARTIFACT_LIFECYCLE[from][event] === to);
        const rows = LEGAL_ARTIFACT_MOVES.filter((each) => each.from === from && each.to === to).map(({ event }) => event);
        expect(reached.sort(), `${from} → ${to}`).toEqual(rows.sort());
      }
    }
  });

  it('the proof can fail: one role more, one row less or one guardless release is noticed', () => {
    const differs = (mutant: (order: ArtifactOrder, facts: ArtifactFacts) => boolean) =>
      [...allOrders()].some(
        ({ state, event, actor }) => mutant(orderOf(event, actor), { ...FACTS, state }) !== (legalMove(state, event, actor) !== undefined),
      );
    const made = (order: ArtifactOrder, facts: ArtifactFacts) => ruleOnArtifact(order, facts).made;
    const withRole = (role: 'knowledge' | 'security', person: string) => (order: ArtifactOrder, facts: ArtifactFacts) =>
      made(order, { ...facts, policy: { roles: { ...POLICY.roles, [role]: [...POLICY.roles[role], person] } } });
    expect(differs(made)).toBe(false);
    expect(differs(withRole('security', 'person:knowledge'))).toBe(true);
    expect(differs(withRole('knowledge', 'person:quality'))).toBe(true);
    expect(differs((order, facts) => order.event !== 'confirm' && made(order, facts))).toBe(true);
    expect(differs((order, facts) => made(order, facts) || (order.event === 'release' && order.actor === 'agent:helper'))).toBe(true);
  });

  const GUARDED: readonly (readonly [string, ArtifactState, ArtifactEvent, string, Partial<ArtifactOrder>, Partial<ArtifactFacts>])[] = [
    ['no reason', 'indexed', 'quarantine', 'person:security', { reason: ' ' }, {}],
    ['SM-A9: a signal that was not ruled false', 'quarantined', 'release', 'person:security', { falseSignal: false }, {}],
    ['SM-A9: text that changed', 'quarantined', 'release', 'person:security', {}, { unchanged: false }],
    ['SM-A9: a source that is still suspended', 'quarantined', 'release', 'person:security', {}, { source: 'suspended' }],
    ['SM-A9: a source that is revoked', 'quarantined', 'release', 'person:security', {}, { source: 'revoked' }],
    ['SM-A10: a source that is not kept', 'quarantined', 'confirm', 'person:security', {}, { source: 'deleted' }],
    ['SM-A6: another text', 'stale', 'refresh', 'workload://colophon/index', {}, { unchanged: false }],
    ['SM-A8: the same pipeline', 'invalid', 'reprocess', 'workload://colophon/index', {}, { newPipeline: false }],
    ['SM-A8, K-13: what a person made invalid', 'invalid', 'reprocess', 'workload://colophon/index', {}, { ordered: true }],
    ['SM-A11: a page that its source names', 'stale', 'delete', 'workload://colophon/index', {}, { gone: false }],
  ];
  it.each(GUARDED)('%s refuses what is made without it', (_, state, event, actor, order, facts) => {
    expect(ruleOnArtifact(orderOf(event, actor), { ...FACTS, state })).toMatchObject({ made: true });
    expect(ruleOnArtifact({ ...orderOf(event, actor), ...order }, { ...FACTS, state, ...facts })).toMatchObject({
      made: false,
      why: 'guard',
    });
  });
});

const folders: TemporaryFolder[] = [];
const libraries: Library[] = [];
let now = NOW;
afterEach(async () => {
  for (const library of libraries.splice(0)) await library.close();
  for (const folder of folders.splice(0)) folder.dispose();
});

async function libraryOf(pages: readonly string[], profile: 'personal' | 'team' = 'personal', declared = ''): Promise<Library> {
  now = NOW;
  const folder = temporaryFolder();
  folders.push(folder);
  folder.write(
    'colophon.yaml',
    `version: 1\nprofile: personal\nsources:\n  - { id: docs, location: ./docs, freshness_slo: P1D${declared} }\n`,
  );
  for (const page of pages) folder.write(`docs/${page}`, textOf(page));
  const config = await resolveConfig({ cwd: folder.path, env: { COLOPHON_HOME: join(folder.path, 'home') } });
  const team = { ...config, profile, policy: { ...POLICY, permissions: config.permissions } } as unknown as typeof config;
  const library = await openContainer(profile === 'team' ? team : config, { now: () => now });
  libraries.push(library);
  await learn(library, {});
  return library;
}
const textOf = (page: string, more = '') => `# ${page}\n\nNumbats of ${page} eat termites. ${more}\n`;
const fileOf = (library: Library, page: string) => join(library.config.root, 'docs', page);

function callOf(library: Library, principal?: string): Call {
  const ask = resolveAsk(library.config, {}, { workload: 'workload://test', defaultClient: 'terminal' }, now);
  const requester = principal === undefined ? ask.requester : { ...ask.requester, principal, groups: new Set<string>() };
  return { library, ask: { ...ask, requester }, signal: new AbortController().signal, progress: () => undefined };
}
const codeOf = async (work: () => Promise<unknown>): Promise<string> => {
  try {
    await work();
    return 'made';
  } catch (error) {
    if (error instanceof Fault) return error.code;
    throw error;
  }
};
const stateOf = async (library: Library, path: string) => (await knownPage(callOf(library), { source: 'docs', path }))?.state;
async function found(library: Library): Promise<string[]> {
  const { hits } = await search.run(search.input.parse({ query: 'numbats eat termites', limit: 50 }), callOf(library));
  return hits.map(({ path }) => path).sort();
}

/** Brings a page into a state, by what really brings it there. */
const INTO: Readonly<Record<ArtifactState, (library: Library, path: string) => Promise<unknown>>> = {
  indexed: async () => undefined,
  processing: async (library, path) => writeFileSync(fileOf(library, path), textOf(path)),
  stale: async (library, path) => writeFileSync(fileOf(library, path), textOf(path, 'And ants.')),
  invalid: (library, path) => pageInvalidate.run(pageInvalidate.input.parse({ path, reason: 'wrong' }), callOf(library, 'person:all')),
  quarantined: (library, path) => pageQuarantine.run(pageQuarantine.input.parse({ path, reason: 'odd' }), callOf(library, 'person:all')),
  deleted: async (library, path) => {
    await pageQuarantine.run(pageQuarantine.input.parse({ path, reason: 'odd' }), callOf(library, 'person:all'));
    rmSync(fileOf(library, path));
    await learn(library, {});
  },
};

describe('through the operations and the records', () => {
  /** All moves from a state by these actors, each on a page in that state; says how many were made. */
  async function allFrom(library: Library, state: ArtifactState, actors: (at: number) => readonly string[]): Promise<number> {
    const pages = Array.from({ length: 8 }, (_, at) => `${state}-${at}.md`);
    let made = 0;
    let path = '';
    const next = async (): Promise<void> => {
      path = pages.shift() ?? '';
      await INTO[state](library, path);
      expect(await stateOf(library, path)).toBe(state);
    };
    await next();
    for (const [at, event] of EVENTS.entries()) {
      for (const actor of actors(at)) {
        const order = { source: 'docs', path, event, reason: 'because', falseSignal: true };
        const code = await codeOf(() => orderPageMove(callOf(library, actor), order));
        // An order is a person's: what is the pipeline's and the detectors' is theirs to do, and nobody's to order.
        const legal = actor.startsWith('person:') ? legalMove(state, event, actor) : undefined;
        expect(code === 'made', `${state} ${event} by ${actor}: ${code}`).toBe(legal !== undefined);
        const last = (await library.records.pages.history('docs', path)).at(-1);
        const outcome = legal === undefined ? 'refused' : 'made';
        expect(last).toMatchObject({ event, actor, from: state, to: legal?.to ?? state, outcome, policy: POLICY.version, at: NOW });
        expect(last?.workload).toBe('workload://test');
        if (legal === undefined) continue;
        made += 1;
        await next();
      }
    }
    return made;
  }

  it('SM-A1 to SM-A12: an order of whoever may give it is carried out, any other is refused, recorded, and leaves the state', async () => {
    const actors = Object.keys(ARTIFACT_ACTORS);
    const names = ARTIFACT_STATES.flatMap((state) => Array.from({ length: 8 }, (_, at) => `${state}-${at}.md`));
    const library = await libraryOf(
      names.filter((name) => !name.startsWith('processing')),
      'team',
    );
    // Every day a third of the actors for each pair of state and move, each in turn; all of them in the long proofs.
    const share = runs(1) > 1 ? 1 : 3;
    let made = 0;
    for (const [row, state] of ARTIFACT_STATES.entries())
      made += await allFrom(library, state, (column) => actors.filter((_, at) => (at + row + column) % share === 0));
    // SEC and who is both quarantine from four states; KO, SEC and both invalidate from two; SEC and both end a quarantine in two ways.
    if (share === 1) expect(made).toBe(8 + 6 + 4);
    else expect(made).toBeGreaterThan(3);
  }, 120_000);

  it('SRC-12: who bears no role is told the same of every page, and an order without a reason is none', async () => {
    const library = await libraryOf(['a.md']);
    const said = async (path: string, principal: string) => {
      try {
        await pageQuarantine.run(pageQuarantine.input.parse({ path, reason: 'x' }), callOf(library, principal));
      } catch (error) {
        if (error instanceof Fault) return [error.code, error.message, error.hint];
      }
      return [];
    };
    for (const principal of ['agent:helper', 'person:nobody']) {
      expect(await said('a.md', principal)).toEqual(await said('not-there.md', principal));
      expect((await said('a.md', principal))[0]).toBe('source/not-allowed');
    }
    // Nor do keys: one that was used for another order is not looked up, and none is taken away from whoever may order.
    const keyed = async (path: string, run: typeof pageQuarantine.run | typeof pageConfirm.run) => {
      try {
        await run({ path, reason: 'x', key: 'k', expect: 7 }, callOf(library, 'person:nobody'));
      } catch (error) {
        if (error instanceof Fault) return [error.code, error.message, error.hint];
      }
      return [];
    };
    expect(await keyed('a.md', pageQuarantine.run)).toEqual(await keyed('not-there.md', pageQuarantine.run));
    expect(await keyed('a.md', pageConfirm.run)).toEqual(await keyed('not-there.md', pageConfirm.run));
    const before = await library.records.pages.history('docs', 'a.md');
    expect(before.map(({ actor }) => actor)).toContain('agent:helper');
    // Recorded by whatever name the page is called.
    await said('docs/a.md', 'agent:helper');
    expect(await library.records.pages.history('docs', 'a.md')).toHaveLength(before.length + 1);
    expect(await codeOf(() => pageList.run({}, callOf(library, 'agent:helper')))).toBe('source/not-allowed');
    expect(await codeOf(() => pageQuarantine.run(pageQuarantine.input.parse({ path: 'a.md' }), callOf(library)))).toBe('input/invalid');
    expect(await codeOf(() => pageQuarantine.run(pageQuarantine.input.parse({ path: 'b.md', reason: 'x' }), callOf(library)))).toBe(
      'not-found',
    );
  });

  it('the same key again does nothing more and says so; another version than expected is refused and recorded', async () => {
    const library = await libraryOf(['a.md']);
    const order = { path: 'docs:a.md', reason: 'odd', key: 'k', expect: 0 };
    const first = await pageQuarantine.run(order, callOf(library));
    expect([first.repeats, first.state, first.path]).toEqual([false, 'quarantined', 'a.md']);
    expect(await pageQuarantine.run(order, callOf(library))).toEqual({ ...first, repeats: true });
    expect(await codeOf(() => pageConfirm.run({ path: 'a.md', reason: 'x', expect: 0 }, callOf(library)))).toBe('page/refused');
    const told = await pageHistory.run({ path: 'a.md' }, callOf(library));
    expect([told.state, told.version, told.events.map(({ event, outcome }) => `${event} ${outcome}`)]).toEqual([
      'quarantined',
      1,
      ['quarantine made', 'confirm refused'],
    ]);
  });
});

describe('what the index tells of a page', () => {
  it('SM-A1 to SM-A3, SM-A5, SM-A6, SM-A8, SM-A11: each change from look to look is a path of the table', async () => {
    const library = await libraryOf(['kept.md']);
    const path = 'a.md';
    const file = fileOf(library, path);
    const steps: readonly (readonly [string, ArtifactState | undefined, () => unknown])[] = [
      ['not there', undefined, () => undefined],
      ['written', 'processing', () => writeFileSync(file, textOf(path))],
      ['indexed', 'indexed', () => learn(library, {})],
      ['edited', 'stale', () => writeFileSync(file, textOf(path, 'And ants.'))],
      ['the old text again', 'indexed', () => writeFileSync(file, textOf(path))],
      ['past its promise', 'stale', () => (now = (NOW + 2 * DAY) as Instant)],
      ['seen again', 'indexed', () => learn(library, {})],
      ['unreadable', 'stale', () => writeFileSync(file, Buffer.from([0, 1, 2, 0, 255, 254, 0, 0, 7]))],
      ['refused', 'invalid', () => learn(library, {})],
      ['readable again', 'indexed', () => learnt(library, () => writeFileSync(file, textOf(path)))],
      ['gone', 'stale', () => rmSync(file)],
      ['gone for the index too', undefined, () => learn(library, {})],
    ];
    let before: ArtifactState | undefined;
    for (const [name, expected, act] of steps) {
      await act();
      const state = await stateOf(library, path);
      expect(state, name).toBe(expected);
      if (before !== undefined && state !== undefined) expect(isPath(before, state), `${before} → ${state}`).toBe(true);
      before = state;
    }
  });

  async function learnt(library: Library, act: () => void): Promise<void> {
    act();
    await learn(library, {});
  }

  function isPath(from: ArtifactState, to: ArtifactState, seen: readonly ArtifactState[] = []): boolean {
    if (from === to) return true;
    const nexts = EVENTS.flatMap((event) => ARTIFACT_LIFECYCLE[from][event] ?? []).filter((each) => !seen.includes(each));
    return nexts.some((each) => isPath(each, to, [...seen, from]));
  }
});

describe('what the states mean for a question', () => {
  it('SM-A4, SM-A9, SRC-13: the next question follows the state, with no index run, and a package that quotes the page is not to be used', async () => {
    const library = await libraryOf(['a.md', 'b.md']);
    const snapshot = await library.reader.snapshot();
    const { generation } = snapshot.manifest;
    await snapshot.close();
    const ask = () => context.run(context.input.parse({ text: 'numbats eat termites', query: 'numbats eat termites' }), callOf(library));
    const before = await ask();
    expect(before.items.map(({ path }) => path).sort()).toEqual(['a.md', 'b.md']);
    const counted = async () => (await status.run(status.input.parse({}), callOf(library))).documents;
    expect(await counted()).toBe(2);
    await pageQuarantine.run({ path: 'a.md', reason: 'odd' }, callOf(library));
    expect(await found(library)).toEqual(['b.md']);
    expect((await ask()).items.map(({ path }) => path)).toEqual(['b.md']);
    expect(await codeOf(() => get.run(get.input.parse({ path: 'a.md' }), callOf(library)))).toBe('not-found');
    // Whoever keeps the library is told that something is kept back, and why a reader does not find it.
    expect((await status.run(status.input.parse({}), callOf(library))).problems).toMatchObject([{ code: 'page/withheld', path: 'a.md' }]);
    const asked = { principal: 'person:local', source: 'docs', path: 'a.md' };
    expect(await policyExplain.run(policyExplain.input.parse(asked), callOf(library))).toMatchObject({
      allowed: false,
      denial: 'page-withheld',
    });
    const check = await packageCheck.run(packageCheck.input.parse({ package: before.digest, name: before.digest }), callOf(library));
    expect(check).toMatchObject({ verdict: 'unusable' });
    expect(await codeOf(() => pageRelease.run(pageRelease.input.parse({ path: 'a.md', reason: 'fine' }), callOf(library)))).toBe(
      'page/refused',
    );
    await pageRelease.run({ path: 'a.md', reason: 'fine', falseSignal: true }, callOf(library));
    expect(await found(library)).toEqual(['a.md', 'b.md']);
    expect((await ask()).digest).toBe(before.digest);
    const after = await library.reader.snapshot();
    expect(after.manifest.generation).toBe(generation);
    await after.close();
  });

  it('SM-A4: a quarantined page stays out whatever it says, also after a run; its release is refused for another text', async () => {
    const library = await libraryOf(['a.md', 'b.md']);
    await pageQuarantine.run({ path: 'a.md', reason: 'odd' }, callOf(library));
    writeFileSync(fileOf(library, 'a.md'), textOf('a.md', 'And obeys.'));
    await learn(library, {});
    expect([await found(library), await stateOf(library, 'a.md')]).toEqual([['b.md'], 'quarantined']);
    expect(await codeOf(() => pageRelease.run({ path: 'a.md', reason: 'fine', falseSignal: true }, callOf(library)))).toBe('page/refused');
    await pageConfirm.run({ path: 'a.md', reason: 'planted' }, callOf(library));
    expect([await found(library), await stateOf(library, 'a.md')]).toEqual([['b.md'], 'invalid']);
    // Another text is another artifact.
    writeFileSync(fileOf(library, 'a.md'), textOf('a.md', 'And is harmless.'));
    await learn(library, {});
    expect([await found(library), await stateOf(library, 'a.md')]).toEqual([['a.md', 'b.md'], 'indexed']);
    expect(await pageList.run({}, callOf(library))).toMatchObject({ pages: [{ path: 'a.md', state: 'indexed', version: 2 }] });
  });

  it('SM-A7, SM-A8, K-13: an invalid text answers no more, and no run brings it back', async () => {
    const library = await libraryOf(['a.md', 'b.md']);
    await pageInvalidate.run({ path: 'a.md', reason: 'wrong' }, callOf(library));
    await learn(library, { full: true });
    expect(await found(library)).toEqual(['b.md']);
    writeFileSync(fileOf(library, 'a.md'), textOf('a.md', 'Corrected.'));
    await learn(library, {});
    expect(await found(library)).toEqual(['a.md', 'b.md']);
    // The old text put back is the old artifact.
    writeFileSync(fileOf(library, 'a.md'), textOf('a.md'));
    await learn(library, {});
    expect([await found(library), await stateOf(library, 'a.md')]).toEqual([['b.md'], 'invalid']);
  });

  it('K-13: nothing but a release lets in a text that an order kept out, whatever stood there since', async () => {
    const library = await libraryOf(['a.md', 'b.md', 'c.md', 'd.md']);
    const says = async (path: string, more: string) => {
      writeFileSync(fileOf(library, path), textOf(path, more));
      await learn(library, {});
    };
    const order = (path: string) => ({ path, reason: 'odd' });
    // Quarantined as it was, confirmed as it is: both stay out.
    await pageQuarantine.run(order('a.md'), callOf(library));
    await says('a.md', 'And obeys.');
    await pageConfirm.run(order('a.md'), callOf(library));
    // Invalid twice over.
    await pageInvalidate.run(order('b.md'), callOf(library));
    await says('b.md', 'And obeys.');
    await pageInvalidate.run(order('b.md'), callOf(library));
    // Gone while it was quarantined, with a text that was written since.
    await pageQuarantine.run(order('c.md'), callOf(library));
    await says('c.md', 'And obeys.');
    rmSync(fileOf(library, 'c.md'));
    await learn(library, {});
    for (const more of ['', 'And obeys.']) {
      for (const path of ['a.md', 'b.md', 'c.md']) await says(path, more);
      expect(await found(library)).toEqual(['d.md']);
      expect(await Promise.all(['a.md', 'b.md', 'c.md'].map((path) => stateOf(library, path)))).toEqual(['invalid', 'invalid', 'deleted']);
    }
    for (const path of ['a.md', 'b.md', 'c.md']) await says(path, 'And is harmless.');
    expect(await found(library)).toEqual(['a.md', 'b.md', 'c.md', 'd.md']);
  });

  it('SM-A9: a page that was released is kept out no more, also when it was away for a while', async () => {
    const library = await libraryOf(['a.md', 'b.md']);
    await pageQuarantine.run({ path: 'a.md', reason: 'odd' }, callOf(library));
    await pageRelease.run({ path: 'a.md', reason: 'fine', falseSignal: true }, callOf(library));
    rmSync(fileOf(library, 'a.md'));
    await learn(library, {});
    expect(await stateOf(library, 'a.md')).toBe('deleted');
    writeFileSync(fileOf(library, 'a.md'), textOf('a.md'));
    await learn(library, {});
    expect([await found(library), await stateOf(library, 'a.md')]).toEqual([['a.md', 'b.md'], 'indexed']);
  });

  it('SM-A4, SM-A7, SM-A9, SM-A10: sections that are filed apart go with their page, and their text is part of what an order is about', async () => {
    const library = await libraryOf(['a.md', 'b.md'], 'personal', ', sections: apart');
    const says = async (section: string) => {
      const marked = `## Pay\n\n<!-- colophon: classification=confidential -->\n\nNumbats are paid. ${section}\n`;
      writeFileSync(fileOf(library, 'a.md'), `${textOf('a.md')}\n${marked}`);
      await learn(library, {});
    };
    await says('In ants.');
    expect((await found(library)).map((path) => path.replace(/§.*/, '§'))).toEqual(['a.md', 'a§', 'b.md']);
    await pageQuarantine.run({ path: 'a.md', reason: 'odd' }, callOf(library));
    expect(await found(library)).toEqual(['b.md']);
    await says('In gold.');
    const release = { path: 'a.md', reason: 'fine', falseSignal: true };
    expect(await codeOf(() => pageRelease.run(release, callOf(library)))).toBe('page/refused');
    await says('In ants.');
    await pageRelease.run(release, callOf(library));
    expect(await found(library)).toHaveLength(3);
    await pageInvalidate.run({ path: 'a.md', reason: 'wrong' }, callOf(library));
    expect(await found(library)).toEqual(['b.md']);
    await says('In gold.');
    expect((await found(library)).map((path) => path.replace(/§.*/, '§'))).toEqual(['a§', 'b.md']);
  });

  it('SM-A11, SM-A12: a page whose source drops it is deleted by the pipeline, and the same text does not come back', async () => {
    const library = await libraryOf(['a.md', 'b.md']);
    await pageInvalidate.run({ path: 'a.md', reason: 'wrong' }, callOf(library));
    rmSync(fileOf(library, 'a.md'));
    await learn(library, {});
    const { state, events } = await pageHistory.run({ path: 'a.md' }, callOf(library));
    expect([state, events.at(-1)]).toMatchObject(['deleted', { event: 'delete', actor: 'workload://colophon/index', outcome: 'made' }]);
    writeFileSync(fileOf(library, 'a.md'), textOf('a.md'));
    await learn(library, {});
    expect([await found(library), await stateOf(library, 'a.md')]).toEqual([['b.md'], 'deleted']);
    writeFileSync(fileOf(library, 'a.md'), textOf('a.md', 'New.'));
    await learn(library, {});
    expect([await found(library), await stateOf(library, 'a.md')]).toEqual([['a.md', 'b.md'], 'indexed']);
  });

  it('SM-A4, SM-A9, SM-A11: a suspension quarantines all pages, its end releases those alone that no order holds, a deletion deletes', async () => {
    const library = await libraryOf(['a.md', 'b.md']);
    await pageQuarantine.run({ path: 'a.md', reason: 'odd' }, callOf(library));
    await sourceSuspend.run(sourceSuspend.input.parse({ id: 'docs', reason: 'odd' }), callOf(library));
    expect([await stateOf(library, 'b.md'), await found(library)]).toEqual(['quarantined', []]);
    const release = () => codeOf(() => pageRelease.run({ path: 'a.md', reason: 'fine', falseSignal: true }, callOf(library)));
    expect(await release()).toBe('page/refused');
    await sourceResume.run(sourceResume.input.parse({ id: 'docs', reason: 'false', falseSignal: true }), callOf(library));
    expect([await stateOf(library, 'b.md'), await found(library)]).toEqual(['indexed', ['b.md']]);
    expect(await release()).toBe('made');
    await pageQuarantine.run({ path: 'a.md', reason: 'odd' }, callOf(library));
    await sourceSuspend.run(sourceSuspend.input.parse({ id: 'docs', reason: 'odd' }), callOf(library));
    await sourceDelete.run(sourceDelete.input.parse({ id: 'docs', reason: 'over' }), callOf(library));
    expect((await library.records.pages.history('docs', 'a.md')).at(-1)).toMatchObject({ event: 'delete', from: 'quarantined' });
  });

  it('PKG-15, SM-A4: a package compiled while pages were kept back is replayed without them, when they are let in again too', async () => {
    const library = await libraryOf(['a.md', 'b.md', 'c.md']);
    await pageQuarantine.run({ path: 'a.md', reason: 'odd' }, callOf(library));
    await pageInvalidate.run({ path: 'c.md', reason: 'wrong' }, callOf(library));
    const { digest, items } = await context.run(context.input.parse({ query: 'numbats eat termites', attempt: 'one' }), callOf(library));
    expect(items.map(({ path }) => path)).toEqual(['b.md']);
    await pageRelease.run({ path: 'a.md', reason: 'fine', falseSignal: true }, callOf(library));
    const replayed = await packageReplay.run(packageReplay.input.parse({ name: digest }), callOf(library));
    expect(replayed).toMatchObject({ verdict: 'same', replayed: digest });
  });

  it('T1.1, SM-A4: with pages kept back a library answers, byte for byte, what one answers that never had them', async () => {
    const whole = await libraryOf(['a.md', 'b.md', 'x.md', 'y.md']);
    await pageQuarantine.run({ path: 'x.md', reason: 'odd' }, callOf(whole));
    await pageInvalidate.run({ path: 'y.md', reason: 'wrong' }, callOf(whole));
    const bare = await libraryOf(['a.md', 'b.md']);
    const told = async (library: Library) => {
      const call = callOf(library);
      const { problems: _, generation: __, contentDigest: ___, ...figures } = await status.run(status.input.parse({}), call);
      return JSON.stringify([
        await search.run(search.input.parse({ query: 'numbats of x.md eat termites' }), call),
        await context.run(context.input.parse({ query: 'what do numbats of x.md eat', attempt: 'one' }), call),
        await get.run(get.input.parse({ path: 'a.md', links: true, segments: true, meta: true }), call),
        await explain.run(explain.input.parse({ package: 'last' }), call),
        await packageList.run(packageList.input.parse({}), call),
        await codeOf(() => get.run(get.input.parse({ path: 'x.md' }), call)),
        await codeOf(() => whyNotPage.run(whyNotPage.input.parse({ package: 'last', page: 'x.md' }), call)),
        figures.sources,
      ]).replaceAll(library.config.root, '');
    };
    expect(await told(whole)).toBe(await told(bare));
  });
});
