/**
 * T6.3: the disk is full, or fails, while the library is written. Who runs the command is told in one sentence what happened,
 * nothing is half written, questions are answered meanwhile, and all goes on when there is room again.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { layLibrary } from '../support/durable-library.js';
import { isRecorderThere } from '../support/power-loss.js';
import { runs } from '../support/proof-scale.js';
import type { Recovery } from '../support/recovery-process.js';
import { buildStoreProcesses, type StoreProcess, startStoreProcess } from '../support/store-processes.js';
import { memoryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

const SENTENCE = /^[A-Z/][^\n]*\.$/;
const WITH_PAGES_AND_PACKAGES = /^read [1-9]\d* [1-9]/;
const REFUSALS = ['store/full', 'store/unavailable', 'library/unwritable', 'index/busy'];
/** What cannot be read any more is as good as damaged. */
const REFUSED_READS = [...REFUSALS, 'store/corrupt'];

let folder: TemporaryFolder;
let program: string;
let recovery: string;
let root: string;
beforeAll(async () => {
  folder = memoryFolder();
  [program, recovery] = await buildStoreProcesses(folder, 'fault-process', 'recovery-process');
  root = join(folder.path, 'library');
  layLibrary(root);
  // One whole turn, before anything fails.
  const { codes, read } = await toldBy(startStoreProcess(program, [root, 'before', '1']));
  expect(codes).toEqual([]);
  expect(read).toMatch(WITH_PAGES_AND_PACKAGES);
});
afterAll(() => folder.dispose());

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
  const process = startStoreProcess(recovery, [root, join(folder.path, fresh), ...acknowledged]);
  await process.ended();
  const { records, index, lost, contentDigest, freshDigest } = JSON.parse(process.lines().at(-1) ?? 'null') as Recovery;
  expect({ records, index, lost }).toEqual({ records: { ok: true, detail: 'ok' }, index: { ok: true, damaged: [] }, lost: [] });
  expect(contentDigest).toBe(freshDigest);
  rmSync(join(folder.path, fresh), { recursive: true, force: true });
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
    for (let size = 0; size < runs(1.2); size++) {
      expect(mounted(state, 1024 + (size % 20) * 137)).toBe(true);
      try {
        cpSync(kept, state, { recursive: true });
        const told = await toldBy(startStoreProcess(program, [root, String(size), '2000']));
        expect(new Set(told.codes)).toEqual(new Set(['store/full']));
        for (const sentence of told.sentences) expect(sentence).toMatch(SENTENCE);
        // What was there before the disk was full can be asked on the full one.
        expect(told.read).toMatch(WITH_PAGES_AND_PACKAGES);
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
    }
    expect(faults).toBeGreaterThan(0);
  });
});
