/**
 * T1.6: whatever was tightened, no way of reading lags behind. Groups, grants, ceilings, purposes and states are edited in their files and
 * records; at once, with no pause and in a process that has answered before, every way of reading is tried.
 *
 * T1.8: taking in a page that equals a hidden one is the same as taking in a new one.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ContextCache } from '../../src/app/asking/context-cache.js';
import { resolveConfig } from '../../src/app/configuration/config.js';
import { openContainer } from '../../src/app/container.js';
import { resolveAsk } from '../../src/app/identity.js';
import { learn } from '../../src/app/learning/learn.js';
import type { Library } from '../../src/app/library.js';
import type { Call } from '../../src/app/operations/catalogue.js';
import { citationsCheck } from '../../src/app/operations/citations-check.js';
import { context } from '../../src/app/operations/context.js';
import { explain, why, whyNotPage } from '../../src/app/operations/explain.js';
import { get } from '../../src/app/operations/get.js';
import { packageBind, packageList, packageShow } from '../../src/app/operations/package-ledger.js';
import { packageCheck, packageDiff, packageVerify } from '../../src/app/operations/package-verify.js';
import { search } from '../../src/app/operations/search.js';
import { status } from '../../src/app/operations/status.js';
import { withCurrentPolicy } from '../../src/app/policy/with-current-policy.js';
import { orderMove } from '../../src/app/registry/order-move.js';
import { orderPageMove } from '../../src/app/registry/order-page-move.js';
import type { Instant } from '../../src/kernel/clock.js';
import { Fault } from '../../src/kernel/errors.js';
import { runs } from '../support/proof-scale.js';
import { POLICY, SECRET, sourceText as source } from '../support/revoking-library.js';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.js';

const NOW = Date.UTC(2026, 10, 30, 12) as Instant;
const ROUNDS = runs(1);
/** Each takes the page away from bob; the text before gives it back. */
const EDITS: readonly (readonly [string, (policy: string) => string])[] = [
  ['out of the group', (policy) => policy.replace('board: [person:ada, person:bob]', 'board: [person:ada, person:ada]')],
  ['out of the list', (policy) => policy.replace('board: [{ groups: [board]', 'board: [{ groups: [nobod]')],
  ['the grant has ended', (policy) => policy.replace(/(board: \[\{ .*purposes: \[answer, audit\]) \}/, '$1, to: 2026-11-30 }')],
  ['the grant has not begun', (policy) => policy.replace(/(board: \[\{ .*purposes: \[answer, audit\]) \}/, '$1, from: 2026-12-01 }')],
  ['for another purpose', (policy) => policy.replace(/(board: \[\{ .*)purposes: \[answer, audit\]/, '$1purposes: [audit, audit]')],
  ['in another tenant', (policy) => policy.replace(/(board: \[\{ .*)tenants: \[main\]/, '$1tenants: [mine]')],
  ['a lower ceiling', (policy) => policy.replace('ceiling: confidential', 'ceiling: public      ')],
  ['the ref is gone', (policy) => policy.replace('  board: [{ groups', '  bored: [{ groups')],
  ['he is nobody', (policy) => policy.replace('person:bob: {', 'person:rob: {')],
  ['the policy is broken', (policy) => policy.replace('version: 1', 'version: 0')],
];

let folder: TemporaryFolder;
let opened: Library;
let policyFile: string;
beforeAll(async () => {
  folder = temporaryFolder();
  policyFile = join(folder.path, 'contracts/policy/policy.yaml');
  folder.write(
    'colophon.yaml',
    `version: 1\nprofile: team\nsources:\n${source('open', 'staff')}${source('board', 'board')}identity: { principal: person:ada }\n`,
  );
  folder.write('contracts/policy/policy.yaml', POLICY);
  folder.write('open/keys.md', '# Keys\n\nRotate signing keys every month.\n');
  folder.write('board/plan.md', `# Plan\n\n${SECRET} rotate signing keys in spring.\n`);
  const config = await resolveConfig({ cwd: folder.path, env: { COLOPHON_HOME: join(folder.path, 'home') } });
  opened = { ...(await openContainer(config, { now: () => NOW })), contexts: new ContextCache() };
  await learn(opened, {});
});
afterAll(async () => {
  await opened.close();
  folder.dispose();
});

/** As a surface makes it: the policy of this moment, then who asks. */
async function callAs(principal: string): Promise<Call> {
  const library = await withCurrentPolicy(opened);
  const ask = resolveAsk(
    library.config,
    { as: principal, purpose: 'answer' },
    { workload: 'workload://test', defaultClient: 'terminal' },
    NOW,
  );
  return { library, ask, signal: new AbortController().signal, progress: () => undefined };
}

const QUESTION = 'when do quokkas rotate signing keys?';
type Way = (call: Call, held: string) => Promise<unknown>;
const WAYS: Readonly<Record<string, Way>> = {
  search: (call) => search.run(search.input.parse({ query: QUESTION }), call),
  context: (call) => context.run(context.input.parse({ query: QUESTION, attempt: 'a' }), call),
  get: (call) => get.run(get.input.parse({ path: 'plan.md', source: 'board' }), call),
  status: async (call) => (await status.run(status.input.parse({}), call)).sources.filter(({ id }) => id === 'board').map(() => SECRET),
  'package list': (call) => packageList.run(packageList.input.parse({}), call),
  'package show': (call, held) => packageShow.run(packageShow.input.parse({ name: held }), call),
  'package check': (call, held) => packageCheck.run(packageCheck.input.parse({ name: held }), call),
  'package verify': (call, held) => packageVerify.run(packageVerify.input.parse({ name: held }), call),
  'package diff': (call, held) => packageDiff.run(packageDiff.input.parse({ before: held, after: held }), call),
  'package bind': (call, held) => packageBind.run(packageBind.input.parse({ name: held, attempt: 'b' }), call),
  explain: (call, held) => explain.run(explain.input.parse({ package: held }), call),
  why: (call, held) => why.run(why.input.parse({ package: held }), call),
  'why-not': (call, held) => whyNotPage.run(whyNotPage.input.parse({ package: held, page: 'plan.md' }), call),
  citations: (call, held) =>
    citationsCheck.run(citationsCheck.input.parse({ package: held, text: 'As board/plan.md:3 says, quokkas rotate.' }), call),
};

/** What the way tells; the words of the question itself tell nothing. */
async function told(way: Way, held: string, by = 'person:bob'): Promise<string> {
  try {
    return JSON.stringify(await way(await callAs(by), held));
  } catch (error) {
    if (error instanceof Fault) return `fault ${error.code}`;
    throw error;
  }
}

const shows = (text: string) => text.includes(SECRET) || /plan\.md|"board"/.test(text.replaceAll('"page":"plan.md"', ''));

async function compiledForBob(): Promise<string> {
  const { digest, rendered } = await context.run(context.input.parse({ query: QUESTION, attempt: 'a' }), await callAs('person:bob'));
  expect(rendered).toContain(SECRET);
  return digest;
}

let readings = 0;
async function staleWays(after: string, held: string): Promise<string[]> {
  const stale: string[] = [];
  for (const [way, ask] of Object.entries(WAYS)) {
    readings += 1;
    if (shows(await told(ask, held))) stale.push(`${after}: ${way}`);
  }
  return stale;
}

describe('T1.6 no way of reading lags behind', () => {
  it(`${ROUNDS} rounds of ${EDITS.length + 3} edits × ${Object.keys(WAYS).length} ways of reading: nothing stale`, async () => {
    const stale: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [name, edit] of EDITS) {
        const held = await compiledForBob();
        expect(edit(POLICY)).not.toBe(POLICY);
        writeFileSync(policyFile, edit(POLICY));
        stale.push(...(await staleWays(name, held)));
        writeFileSync(policyFile, POLICY);
      }
      {
        const held = await compiledForBob();
        const order = { source: 'board', path: 'plan.md', reason: 'a test', falseSignal: true };
        await orderPageMove(await callAs('person:ada'), { ...order, event: 'quarantine' });
        stale.push(...(await staleWays('the page is quarantined', held)));
        for (const [way, ask] of Object.entries(WAYS))
          if (way !== 'status' && shows(await told(ask, held, 'person:ada'))) stale.push(`the page is quarantined, to its keeper: ${way}`);
        await orderPageMove(await callAs('person:ada'), { ...order, event: 'release' });
      }
      for (const way of ['by order', 'by the same order again']) {
        const held = await compiledForBob();
        const order = { source: 'board', reason: 'a test', approvals: [], falseSignal: true };
        await orderMove(await callAs('person:ada'), { ...order, event: 'suspend' });
        stale.push(...(await staleWays(`suspended ${way}`, held)));
        await orderMove(await callAs('person:ada'), { ...order, event: 'clear' });
      }
    }
    expect(stale).toEqual([]);
    expect(readings).toBe(ROUNDS * (EDITS.length + 3) * Object.keys(WAYS).length);
  }, 3_600_000);

  it('the proof can fail: each way shows the page as long as it may', async () => {
    const held = await compiledForBob();
    const silent: string[] = [];
    for (const [way, ask] of Object.entries(WAYS)) {
      const text = await told(ask, held);
      if (
        text.startsWith('fault') ||
        (!shows(text) && !['package list', 'package check', 'package verify', 'package diff', 'why-not', 'status'].includes(way))
      )
        silent.push(`${way}: ${text.slice(0, 200)}`);
    }
    expect(silent).toEqual([]);
    // A process that keeps the policy it was opened with would still answer.
    writeFileSync(policyFile, POLICY.replace('board: [person:ada, person:bob]', 'board: [person:ada, person:ada]'));
    const old = { library: opened, signal: new AbortController().signal, progress: () => undefined };
    const ask = resolveAsk(opened.config, { as: 'person:bob' }, { workload: 'workload://test', defaultClient: 'terminal' }, NOW);
    expect(shows(JSON.stringify(await search.run(search.input.parse({ query: QUESTION }), { ...old, ask })))).toBe(true);
    writeFileSync(policyFile, POLICY);
  });
});

describe('T1.8 a hidden page is no oracle', () => {
  it('what equals a hidden page is taken in, found and shown like what is new', async () => {
    const answered = async (hidden: string | undefined) => {
      const place = temporaryFolder();
      place.write(
        'colophon.yaml',
        `version: 1\nprofile: team\nsources:\n${source('open', 'staff')}${source('board', 'board')}identity: { principal: person:ada }\n`,
      );
      place.write('contracts/policy/policy.yaml', POLICY.replace('board: [person:ada, person:bob]', 'board: [person:ada]'));
      place.write('board/other.md', '# Other\n\nNothing to do with it.\n');
      if (hidden !== undefined) place.write('board/plan.md', hidden);
      place.write('open/keys.md', '# Keys\n\nRotate signing keys every month.\n');
      const config = await resolveConfig({ cwd: place.path, env: { COLOPHON_HOME: join(place.path, 'home') } });
      const library = await openContainer(config, { now: () => NOW });
      await learn(library, {});
      place.write('open/mine.md', MINE);
      const report = await learn(library, { sources: ['open'] });
      const ask = resolveAsk(
        library.config,
        { as: 'person:bob', purpose: 'answer' },
        { workload: 'workload://test', defaultClient: 'terminal' },
        NOW,
      );
      const call: Call = { library, ask, signal: new AbortController().signal, progress: () => undefined };
      const found = await search.run(search.input.parse({ query: QUESTION }), call);
      const compiled = await context.run(context.input.parse({ query: QUESTION }), call);
      const shown = await get.run(get.input.parse({ path: 'mine.md', segments: true, links: true }), call);
      await library.close();
      place.dispose();
      const { sources, problems } = report;
      return JSON.stringify([
        sources.map(({ added, changed, removed, unchanged, failed }) => [added, changed, removed, unchanged, failed]),
        problems,
        found,
        compiled.digest,
        shown,
      ]);
    };
    const MINE = '# Mine\n\nQuokkas rotate signing keys in spring, and tell nobody.\n';
    const without = await answered(undefined);
    for (const hidden of [MINE, MINE.replace('Mine', 'Plan'), `${MINE}\n## More\n\nOf the same.\n`])
      expect(await answered(hidden)).toBe(without);
    expect(without).toContain('mine.md');
  });
});
