/** Reading about sources takes what `status` takes; moving them takes a role. ATH-06: hidden and absent are told alike. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type TemporaryFolder, temporaryFolder } from '../../../tests/support/temporary-folder.js';
import { exitForFault } from '../../interfaces/cli/exit-code.js';
import { Fault } from '../../kernel/errors.js';
import { resolveConfig } from '../configuration/config.js';
import { openContainer } from '../container.js';
import { type Narrowing, resolveAsk } from '../identity.js';
import { learn } from '../learning/learn.js';
import type { Library } from '../library.js';
import type { Call } from './catalogue.js';
import { init } from './init.js';
import { sourceApprove, sourceDelete, sourceRetire, sourceSuspend } from './source-moves.js';
import { sourceHistory, sourceList, sourceProfile, sourceShow } from './source-read.js';
import { status } from './status.js';

let folder: TemporaryFolder;
let library: Library;
beforeEach(async () => {
  folder = temporaryFolder();
  folder.write('docs/tern.md', '# Terns\n\nTerns nest on gravel.\n');
  folder.write('hr/pay.md', '# Pay\n\nAmounts.\n');
  await init({ folder: folder.path, team: true, print: false, force: false });
  library = await openContainer(await resolveConfig({ env: {}, cwd: folder.path }));
});
afterEach(async () => {
  await library.close();
  folder.dispose();
});

function callAs(narrowing: Narrowing = {}): Call {
  const caller = { workload: 'workload://test', defaultClient: 'terminal' };
  const ask = resolveAsk(library.config, narrowing, caller, library.clock.now());
  return { library, ask, signal: new AbortController().signal, progress: () => undefined };
}
const refusalOf = async (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => (error instanceof Fault ? `${error.code} ${error.message}` : error),
  );
const ME = () => callAs();
const GUEST = () => callAs({ as: 'person:guest' });

it('a fresh team library lists its sources before and after the first index, to whom `status` shows them', async () => {
  expect(await sourceList.run({}, ME())).toMatchObject({ sources: [], unregistered: ['docs'] });
  expect(await sourceList.run({}, GUEST())).toMatchObject({ sources: [], unregistered: [] });
  await learn(library);
  for (const call of [ME(), GUEST()]) {
    const listed = (await sourceList.run({}, call)).sources.map(({ id }) => id);
    expect(listed).toEqual((await status.run(status.input.parse({}), call)).sources.map(({ id }) => id));
  }
  expect((await sourceList.run({}, ME())).sources).toMatchObject([
    { id: 'docs', state: 'active', tenants: ['main'], permissionsRef: null },
  ]);
  expect(await sourceShow.run({ id: 'docs' }, ME())).toMatchObject({
    source: { id: 'docs', state: 'active' },
    declaration: {},
    profile: null,
  });
  expect(await sourceHistory.run({ id: 'docs' }, ME())).toMatchObject({ events: [{ event: 'register', reason: '', detail: {} }] });
});

it('no path, reason or rule of its keepers is told to who only reads', async () => {
  await learn(library);
  const told = JSON.stringify([
    await sourceList.run({}, ME()),
    await sourceShow.run({ id: 'docs' }, ME()),
    await sourceHistory.run({ id: 'docs' }, ME()),
  ]);
  for (const word of ['hr/**', 'leads', 'declared by']) expect(told).not.toContain(word);
});

it('ATH-06 a source that is hidden is told of like one that was never there', async () => {
  await learn(library);
  for (const read of [sourceShow, sourceHistory, sourceProfile]) {
    expect(await refusalOf(read.run({ id: 'docs' }, GUEST()))).toBe('source/unknown No source is registered as docs.');
    expect(await refusalOf(read.run({ id: 'none' }, GUEST()))).toBe('source/unknown No source is registered as none.');
  }
});

it('moving one, and finding out what it is like, stay with those who bear a role', async () => {
  await learn(library);
  const order = sourceSuspend.input.parse({ id: 'docs', reason: 'odd' });
  expect(await refusalOf(sourceSuspend.run(order, ME()))).toMatch(/^source\/not-allowed Moving sources/);
  expect(await refusalOf(sourceProfile.run({ id: 'docs' }, ME()))).toMatch(/^source\/not-allowed Profiling a source/);
});

it('an order without a reason is a mistake of the command: exit 2, and nothing is recorded', async () => {
  await learn(library);
  const before = await library.records.registry.history('docs');
  for (const [move, more] of [
    [sourceSuspend, {}],
    [sourceApprove, {}],
    [sourceRetire, { on: '2027-01-01' }],
    [sourceDelete, {}],
  ] as const) {
    const order = move.input.parse({ id: 'docs', reason: ' ', ...more });
    const run = move.run as (given: unknown, call: Call) => Promise<unknown>;
    expect(await refusalOf(run(order, ME())), move.name).toBe(
      'input/invalid --reason must be given: why this is done, which is kept for good.',
    );
  }
  expect(await library.records.registry.history('docs')).toEqual(before);
  expect(exitForFault(new Fault('input/invalid', { field: '--reason', expected: 'given' }))).toBe(2);
});
