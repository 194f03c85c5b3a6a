/**
 * T1.5: four processes, one that takes a page away and gives it back by policy, by its source and by an order about the page, while its
 * text changes before and after; three that ask for it in every way, two of them with a wall clock that is an hour off. What a question
 * that began after the taking away was acknowledged is told must not hold the page.
 */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { runs } from '../support/proof-scale.js';
import { layRevokingLibrary } from '../support/revoking-library.js';
import { buildStoreProcesses, type StoreProcess, startStoreProcess } from '../support/store-processes.js';
import { memoryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

const HOUR = 3_600_000;
/** Ten times as many in `.ci/run`. */
const INTERLEAVINGS = runs(1_000);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

let folder: TemporaryFolder;
let program: string;
let libraries = 0;
let started: StoreProcess[] = [];
beforeAll(async () => {
  folder = memoryFolder();
  [program] = await buildStoreProcesses(folder, 'revoking-process');
});
afterEach(async () => {
  for (const { child } of started) child.kill('SIGKILL');
  for (const process of started) await process.ended();
  started = [];
});
afterAll(() => folder.dispose());

type Asker = readonly [ways: 'kept' | 'anew' | 'old-policy' | 'old-standings', skewMs: number];

interface Found {
  readonly taken: number;
  readonly given: number;
  readonly shown: number;
  readonly stale: readonly string[];
  readonly revocations: readonly string[];
}

/** Until so many questions were judged, or, of mutants, until one was told what it should not be. */
async function race(askers: readonly Asker[], wanted: number, mutant = false): Promise<Found> {
  libraries += 1;
  const root = await layRevokingLibrary(folder, `library-${libraries}`);
  const start = (...args: readonly string[]) => {
    const process = startStoreProcess(program, args);
    started.push(process);
    return process;
  };
  const revoking = start('revoke', root, '1');
  const asking = askers.map(([ways, skew], at) => start('ask', root, String(at + 2), ways, String(skew)));
  for (;;) {
    const now = foundBy(revoking, asking);
    if (now.taken >= wanted || (mutant && now.stale.length > 0)) return now;
    for (const each of [revoking, ...asking]) if (each.child.exitCode !== null) throw new Error('a process ended by itself');
    await pause(50);
  }
}

function foundBy(revoking: StoreProcess, asking: readonly StoreProcess[]): Found {
  const last = asking.map(
    (each) =>
      each
        .lines()
        .findLast((line) => line.startsWith('judged '))
        ?.split(' ')
        .map(Number) ?? [0, 0, 0, 0],
  );
  const sum = (place: number) => last.reduce((all, counts) => all + (counts[place] ?? 0), 0);
  return {
    taken: sum(1),
    given: sum(2),
    shown: sum(3),
    stale: asking.flatMap((each) => each.lines().filter((line) => line.startsWith('stale '))),
    revocations: revoking.lines(),
  };
}

it(`T1.5 ${INTERLEAVINGS} interleavings over four processes: nothing that was taken away is told`, async () => {
  const found = await race(
    [
      ['kept', 0],
      ['kept', HOUR],
      ['anew', -HOUR],
    ],
    INTERLEAVINGS,
  );
  expect(found.stale).toEqual([]);
  // Every way of taking it away was there, and the page was told as long as it was given.
  expect(new Set(found.revocations.map((line) => line.split(' ')[1])).size).toBe(5);
  expect(found.given).toBeGreaterThan(INTERLEAVINGS / 20);
  expect(found.shown / found.given).toBeGreaterThan(0.7);
}, 1_800_000);

it.each(['old-policy', 'old-standings'] as const)(
  'the proof can fail: a process that remembers its %s tells what was taken away',
  async (mutant) => {
    const { stale, taken } = await race([[mutant, 0]], 2_000, true);
    expect(stale.length, `in ${taken} interleavings`).toBeGreaterThan(0);
  },
  600_000,
);
