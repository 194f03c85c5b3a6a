/**
 * T6.4: four processes work on one library at once, two that index and freeze and two that read. What they were told is compared
 * with what one process alone would have been told; one that stops or dies holds up no other.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { learn } from '../../src/app/learning/learn.js';
import type { Library } from '../../src/app/library.js';
import type { Digest } from '../../src/kernel/digest.js';
import { Fault } from '../../src/kernel/errors.js';
import { layLibrary, layPage, openLibrary, packageOf } from '../support/durable-library.js';
import { runs } from '../support/proof-scale.js';
import { buildStoreProcesses, type StoreProcess, startStoreProcess } from '../support/store-processes.js';
import { memoryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

/** The stores wait this long for each other; the rest is for a slow machine. */
const WAIT_MS = 3000;
const SLOW_MS = 20_000;
const FAR_AHEAD_MS = 200_000;

let folder: TemporaryFolder;
let program: string;
let root: string;
let started: StoreProcess[] = [];
let libraries = 0;

beforeAll(async () => {
  folder = memoryFolder();
  [program] = await buildStoreProcesses(folder, 'durable-process');
});
afterAll(() => folder.dispose());
beforeEach(() => {
  libraries += 1;
  root = join(folder.path, `library-${libraries}`);
  layLibrary(root);
});

function start(mode: string, given = '0'): StoreProcess {
  const process = startStoreProcess(program, [mode, root, given]);
  started.push(process);
  return process;
}

async function killAll(): Promise<void> {
  for (const { child } of started) child.kill('SIGKILL');
  for (const process of started) await process.ended();
  started = [];
}

async function withLibrary<T>(work: (library: Library) => Promise<T>, stateHome?: string): Promise<T> {
  const library = await openLibrary(root, undefined, stateHome);
  try {
    return await work(library);
  } finally {
    await library.close();
  }
}

const digestOfRun = (stateHome?: string) => withLibrary(async (library) => (await learn(library)).contentDigest, stateHome);
const linesOf = (processes: readonly StoreProcess[], what: string) =>
  processes.map((each) => each.lines().flatMap((line) => (line.startsWith(`${what} `) ? [line.split(' ').slice(1)] : [])));

async function codeOf(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
    return 'none';
  } catch (error) {
    if (error instanceof Fault) return error.code;
    throw error;
  }
}

describe('T6.4 four processes', () => {
  it('lose no update, double none, and see whole states in their order', async () => {
    await digestOfRun();
    const writers = [start('work', '1'), start('work', '2')];
    const readers = [start('read'), start('read')];
    // Lines, so that a slow machine has as much to compare as a fast one.
    await Promise.all([...writers, ...readers].map((each) => each.said(runs(60))));
    await killAll();

    const acknowledged = linesOf(writers, 'ack').flatMap((each) => each.map(([digest]) => digest as Digest));
    expect(acknowledged.length).toBeGreaterThan(0);
    await withLibrary(async ({ records }) => {
      expect(await records.integrity()).toEqual({ ok: true, detail: 'ok' });
      const entries = await records.packages.entries({ limit: 100_000 });
      const held = new Set(entries.map(({ digest }) => digest));
      // One after the other: places are given out without a gap, each package has one, and the last of each may be unheard of.
      expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, at) => entries.length - at));
      expect(acknowledged.filter((digest) => !held.has(digest))).toEqual([]);
      expect(held.size - acknowledged.length).toBeLessThanOrEqual(writers.length);
    });

    const seen = linesOf(readers, 'seen').map((each) => each.map(([generation]) => Number(generation)));
    for (const generations of seen) expect(generations).toEqual([...generations].sort((a, b) => a - b));
    for (const seqs of linesOf(readers, 'listed')) expect(seqs.map(Number)).toEqual(seqs.map(Number).sort((a, b) => a - b));
    const states = new Map<string, Set<string>>();
    for (const [generation = '', digest = ''] of linesOf(readers, 'seen').flat()) {
      states.set(generation, (states.get(generation) ?? new Set()).add(digest));
    }
    expect([...states].filter(([, digests]) => digests.size > 1)).toEqual([]);
    const waits = linesOf([...writers, ...readers], 'refused')
      .flat()
      .map(([, ms]) => Number(ms));
    expect(Math.max(0, ...waits)).toBeLessThan(WAIT_MS + SLOW_MS);
    expect(await digestOfRun()).toBe(await digestOfRun(join(folder.path, `fresh-${libraries}`)));
  });

  it('a reader that is stopped with a snapshot open holds up no writer, and neither does one whose parent is gone', async () => {
    await digestOfRun();
    const reader = start('hold');
    await reader.said(2);
    reader.child.kill('SIGSTOP');
    layPage(root, 1, 3);
    await withLibrary(async (library) => {
      await learn(library);
      await library.records.packages.store(packageOf('while stopped'), { attempt: 'a', createdAt: library.clock.now(), annex: {} });
    });
    await killAll();
    expect(await digestOfRun()).toBe(await digestOfRun(join(folder.path, `fresh-${libraries}`)));
  });

  it('a writer that is stopped is waited for a bounded time, taken over when its lease ran out, and then refused', async () => {
    await digestOfRun();
    const slow = start('write', String(-FAR_AHEAD_MS));
    await slow.said(4);
    slow.child.kill('SIGSTOP');
    const askedAt = performance.now();
    // Its lease ends by its own clock, which is far behind: it has run out by ours.
    const code = await codeOf(() => withLibrary(async (library) => (await library.writer('the next')).release()));
    expect(performance.now() - askedAt).toBeLessThan(WAIT_MS + SLOW_MS);
    slow.child.kill('SIGCONT');
    if (code === 'none') {
      const refusedAt = () => slow.lines().findIndex((line) => line.startsWith('refused index/busy'));
      while (refusedAt() < 0) await slow.said(slow.lines().length + 1);
      await slow.said(refusedAt() + 4);
      expect(slow.lines().slice(refusedAt())).not.toContain('wrote');
    } else expect(code).toBe('index/busy');
    await killAll();
    // A killed one leaves nothing locked.
    expect(await codeOf(() => withLibrary(async (library) => (await library.writer('after')).release()))).toBe('none');
  });
});
