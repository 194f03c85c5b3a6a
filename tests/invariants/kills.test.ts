/**
 * T6.1: the indexing process is killed at any moment, while it indexes, merges segments, or freezes packages. Whatever it had
 * acknowledged is there, nothing is half there or locked, and a clean run makes what a fresh build makes.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Database } from '../../src/adapters/stores/sqlite/driver.js';
import { learn } from '../../src/app/learning/learn.js';
import type { Digest } from '../../src/kernel/digest.js';
import { layLibrary, openLibrary, sequence } from '../support/durable-library.js';
import { runs } from '../support/proof-scale.js';
import { buildStoreProcesses, type StoreProcess, startStoreProcess } from '../support/store-processes.js';
import { memoryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

const LANES = 3;
const MOST_LINES = 8;
const SHORT_MS = 20;
const MOST_PACKAGES = 200;
const FULL_SIZE_MS = 1_800_000;

let folder: TemporaryFolder;
let program: string;
beforeAll(async () => {
  folder = memoryFolder();
  [program] = await buildStoreProcesses(folder, 'durable-process');
});
afterAll(() => folder.dispose());

interface Lane {
  readonly root: string;
  readonly acknowledged: Set<string>;
  readonly found: string[];
  frozen: number;
  indexed: number;
}

/**
 * Starts the process, stops it dead at random moments of its work, and looks at what is on the disk then. The last time it is
 * killed; before that it may only be stopped and its files copied, which is all that a kill would leave of them.
 */
async function killOnce(lane: Lane, seed: number, frozenBefore: number): Promise<void> {
  const random = sequence(seed);
  const index = join(lane.root, '.colophon', 'index.db');
  if (random() < 0.1) for (const ending of ['', '-wal', '-shm', '-journal']) rmSync(`${index}${ending}`, { force: true });
  if (lane.acknowledged.size > MOST_PACKAGES) {
    // Looking at all of them after each kill would take ever longer.
    for (const ending of ['', '-wal', '-shm']) rmSync(join(lane.root, '.colophon', `records.db${ending}`), { force: true });
    lane.acknowledged.clear();
  }
  const process = startStoreProcess(program, ['work', lane.root, String(seed)]);
  await process.said(1);
  for (let frozen = 0; frozen < frozenBefore; frozen++) {
    await someMomentOf(process, random);
    await stop(process);
    const copy = `${lane.root}-frozen`;
    copyState(lane.root, copy);
    const acknowledged = new Set([...lane.acknowledged, ...acknowledgedBy(process)]);
    await examine({ ...lane, root: copy, acknowledged }, join(copy, '.colophon', 'index.db'), true);
    rmSync(copy, { recursive: true });
    process.child.kill('SIGCONT');
  }
  await someMomentOf(process, random);
  process.child.kill('SIGKILL');
  await process.ended();
  for (const digest of acknowledgedBy(process)) lane.acknowledged.add(digest);
  lane.frozen += acknowledgedBy(process).length;
  lane.indexed += process.lines().filter((line) => line.startsWith('indexed')).length;
  await examine(lane, index);
}

/** Waits for some lines, and then some way into what comes next, which takes about as long as a line did. */
async function someMomentOf(process: StoreProcess, random: () => number): Promise<void> {
  const from = performance.now();
  const lines = Math.floor(random() * MOST_LINES);
  await process.said(process.lines().length + lines);
  await new Promise((resolve) => setTimeout(resolve, (random() * (performance.now() - from + SHORT_MS)) / (1 + lines)));
}

function acknowledgedBy(process: StoreProcess): string[] {
  return process.lines().flatMap((line) => (line.startsWith('ack ') ? [line.slice(4)] : []));
}

async function stop(process: StoreProcess): Promise<void> {
  process.child.kill('SIGSTOP');
  const tasks = `/proc/${process.child.pid}/task`;
  while (!readdirSync(tasks).every((task) => /\) [TtZ] /.test(readFileSync(join(tasks, task, 'stat'), 'utf8')))) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** All but the shared memory, which a new process makes anew after a death. */
function copyState(from: string, to: string): void {
  cpSync(join(from, 'colophon.yaml'), join(to, 'colophon.yaml'));
  mkdirSync(join(to, 'docs'), { recursive: true });
  cpSync(join(from, '.colophon'), join(to, '.colophon'), { recursive: true, filter: (path) => !path.endsWith('-shm') });
}

async function examine(lane: Lane, index: string, isFrozen = false): Promise<void> {
  const library = await openLibrary(lane.root);
  try {
    const records = await library.records.integrity();
    if (!records.ok) lane.found.push(records.detail);
    for (const digest of lane.acknowledged) {
      if ((await library.records.packages.get(digest as Digest)) === undefined) lane.found.push(`lost ${digest}`);
    }
    if (!existsSync(index)) return;
    // A process that was killed while it made the file leaves one that is not built yet, and says so.
    const built = await library.reader.snapshot().catch((error: { readonly code?: unknown }) => {
      if (error.code === 'index/not-built') return undefined;
      throw error;
    });
    if (built === undefined) return;
    await built.close();
    const { ok, damaged } = await library.reader.integrity();
    if (!ok) lane.found.push(...damaged);
    // What the killed one held is free at once; one that is only stopped still holds it.
    if (!isFrozen) await (await library.writer('examiner')).release();
  } finally {
    await library.close();
  }
}

async function digestOfCleanRun(root: string, stateHome?: string): Promise<string> {
  const library = await openLibrary(root, undefined, stateHome);
  try {
    return (await learn(library)).contentDigest;
  } finally {
    await library.close();
  }
}

it('T6.1 no kill loses what was acknowledged, damages a store or leaves a lock, and a clean run equals a fresh build', {
  timeout: FULL_SIZE_MS,
}, async () => {
  const kills = runs(20);
  // At full size each of them is a kill; else most of them are stopped processes, which need no start of a new one.
  const frozenBefore = kills < 1000 && existsSync('/proc/self/task') ? 4 : 0;
  const lanes: Lane[] = Array.from({ length: LANES }, (_, at) => {
    const root = join(folder.path, `lane-${at}`);
    layLibrary(root);
    return { root, acknowledged: new Set(), found: [], frozen: 0, indexed: 0 };
  });
  await Promise.all(
    lanes.map(async (lane, at) => {
      for (let start = at; start < kills / (1 + frozenBefore); start += LANES) await killOnce(lane, start + 1, frozenBefore);
      const fresh = join(folder.path, `fresh-${at}`);
      if ((await digestOfCleanRun(lane.root)) !== (await digestOfCleanRun(lane.root, fresh)))
        lane.found.push('another digest than a fresh build');
    }),
  );
  expect(lanes.flatMap(({ found }) => found)).toEqual([]);
  // The kills fell into work that was going on.
  expect(lanes.reduce((sum, { frozen }) => sum + frozen, 0)).toBeGreaterThan(kills / 4);
  expect(lanes.reduce((sum, { indexed }) => sum + indexed, 0)).toBeGreaterThan(kills / 4);
});

it('T6.1 the proof finds a package that is gone and a page that is half there', async () => {
  const root = join(folder.path, 'mutant');
  layLibrary(root);
  await digestOfCleanRun(root);
  const lane: Lane = { root, acknowledged: new Set(['f'.repeat(64)]), found: [], frozen: 0, indexed: 0 };
  const index = join(root, '.colophon', 'index.db');
  const db = Database.open(index, { readOnly: false, busyTimeoutMs: 1000 });
  db.exec("DELETE FROM content WHERE page = (SELECT row FROM page WHERE path = 'page-1.md')");
  db.close();
  await examine(lane, index);
  // The file as a whole is named too, once its log was moved into it.
  expect(lane.found.filter((each) => each !== index)).toEqual([`lost ${'f'.repeat(64)}`, 'docs:page-1.md']);
  expect(await digestOfCleanRun(root)).toBe(await digestOfCleanRun(root, join(folder.path, 'fresh-mutant')));
});
