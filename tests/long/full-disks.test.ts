/**
 * T6.3: the disk is full, or fails, while the library is written. Who runs the command is told in one sentence what happened,
 * nothing is half written, questions are answered meanwhile, and all goes on when there is room again.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { learn } from '../../src/app/learn.js';
import type { Digest } from '../../src/kernel/digest.js';
import { layLibrary, openLibrary, packageOf } from '../support/durable-library.js';
import { isRecorderThere } from '../support/power-loss.js';
import { runs } from '../support/proof-scale.js';
import { buildStoreProcess, type StoreProcess, startStoreProcess } from '../support/store-processes.js';
import { memoryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

const SENTENCE = /^[A-Z/][^\n]*\.$/;
const REFUSALS = ['store/full', 'store/unavailable', 'library/unwritable', 'index/busy'];
/** What cannot be read any more is as good as damaged. */
const REFUSED_READS = [...REFUSALS, 'store/corrupt'];

let folder: TemporaryFolder;
let program: string;
let root: string;
beforeAll(async () => {
  folder = memoryFolder();
  program = await buildStoreProcess(folder, 'fault-process');
  root = join(folder.path, 'library');
  layLibrary(root);
  await withLibrary(async (library) => {
    await learn(library);
    await library.records.packages.store(packageOf('before'), { attempt: 'a', createdAt: library.clock.now(), annex: {} });
  });
});
afterAll(() => folder.dispose());

async function withLibrary<T>(work: (library: Awaited<ReturnType<typeof openLibrary>>) => Promise<T>, stateHome?: string): Promise<T> {
  const library = await openLibrary(root, undefined, stateHome);
  try {
    return await work(library);
  } finally {
    await library.close();
  }
}

interface Told {
  readonly acknowledged: readonly string[];
  readonly codes: readonly string[];
  readonly sentences: readonly string[];
  readonly read: string | undefined;
}

async function toldBy(process: StoreProcess): Promise<Told> {
  await process.ended();
  const lines = process.lines();
  // Nothing was thrown that is no fault.
  expect(lines.at(-1)).toBe('end');
  const faults = lines.flatMap((line) => (line.startsWith('fault ') ? [line.slice(6)] : []));
  return {
    acknowledged: lines.flatMap((line) => (line.startsWith('ack ') ? [line.slice(4)] : [])),
    codes: faults.map((fault) => fault.split(' ')[0] ?? ''),
    sentences: faults.map((fault) => fault.slice(fault.indexOf(' ') + 1)),
    read: lines.find((line) => line.startsWith('read ')),
  };
}

/** Whole, with all that was acknowledged, and as good as new. */
async function expectRecovered({ acknowledged }: Told, fresh: string): Promise<void> {
  await withLibrary(async (library) => {
    expect(await library.records.integrity()).toEqual({ ok: true, detail: 'ok' });
    for (const digest of acknowledged) expect(await library.records.packages.get(digest as Digest)).toBeDefined();
    expect(await library.reader.integrity()).toEqual({ ok: true, damaged: [] });
    const { contentDigest } = await learn(library);
    expect(await withLibrary(async (other) => (await learn(other)).contentDigest, join(folder.path, fresh))).toBe(contentDigest);
  });
}

function mounted(at: string, kilobytes: number): boolean {
  mkdirSync(at, { recursive: true });
  return spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'tmpfs', at]).status === 0;
}

const isRoot = process.getuid?.() === 0 && process.platform === 'linux';

// A disk of a given size takes root; elsewhere CI alone tries it.
describe.skipIf(!isRoot && process.env['CI'] === undefined)('T6.3 a small disk (needs root)', () => {
  it('is said to be full in one sentence, is read meanwhile, and goes on when it grew', async () => {
    const state = join(root, '.colophon');
    const kept = join(folder.path, 'kept');
    cpSync(state, kept, { recursive: true });
    for (let size = 0; size < runs(0.1); size++) {
      expect(mounted(state, 1024 + size * 137)).toBe(true);
      try {
        cpSync(kept, state, { recursive: true });
        const told = await toldBy(startStoreProcess(program, [root, String(size), '2000']));
        expect(new Set(told.codes)).toEqual(new Set(['store/full']));
        for (const sentence of told.sentences) expect(sentence).toMatch(SENTENCE);
        // What was there before the disk was full can be asked on the full one.
        expect(told.read).toMatch(/^read [1-9]\d* [1-9]/);
        expect(spawnSync('mount', ['-o', 'remount,size=64m', state]).status).toBe(0);
        await expectRecovered(told, `fresh-of-size-${size}`);
      } finally {
        spawnSync('umount', ['-l', state]);
      }
    }
  });
});

// Failing calls are made by strace, as in the proof of power loss.
describe.skipIf(!isRecorderThere() && process.env['CI'] === undefined)('T6.3 a failing disk (needs strace)', () => {
  const CALLS = ['pwrite64', 'fdatasync,fsync', 'ftruncate', 'pread64'] as const;
  const ERRORS = ['EIO', 'ENOSPC', 'EDQUOT', 'EFBIG'] as const;

  function failing(point: number): readonly string[] {
    const call = CALLS[point % CALLS.length];
    const error = call === 'pread64' ? 'EIO' : ERRORS[Math.floor(point / CALLS.length) % ERRORS.length];
    // From some call on, for good; or each so many; or once.
    const first = 5 + ((point * 7) % 60);
    const when = point % 3 === 0 ? `${first}+` : point % 3 === 1 ? `${first}+${3 + (point % 9)}` : String(first);
    const files = ['index.db', 'records.db'].flatMap((file) =>
      ['', '-wal', '-journal'].map((ending) => `${join(root, '.colophon', file)}${ending}`),
    );
    const paths = files.flatMap((file) => ['-P', file]);
    return ['strace', '-f', '-qq', '-o', '/dev/null', '-e', `trace=${call}`, ...paths, '-e', `inject=${call}:error=${error}:when=${when}`];
  }

  it('gives faults people can act on, and leaves nothing half written', async () => {
    let faults = 0;
    for (let point = 0; point < runs(1.6); point++) {
      const told = await toldBy(startStoreProcess(program, [root, String(1000 + point), '30'], failing(point)));
      faults += told.codes.length;
      const known = CALLS[point % CALLS.length] === 'pread64' ? REFUSED_READS : REFUSALS;
      expect(told.sentences.filter((_, at) => !known.includes(told.codes[at] ?? ''))).toEqual([]);
      for (const sentence of told.sentences) expect(sentence).toMatch(SENTENCE);
      await expectRecovered(told, `fresh-of-point-${point}`);
      rmSync(join(folder.path, `fresh-of-point-${point}`), { recursive: true, force: true });
    }
    expect(faults).toBeGreaterThan(0);
  });
});
