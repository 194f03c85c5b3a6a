/**
 * Sums of index.db, kept beside it: what its pages were when the last writer closed it in order.
 *
 * Stored text and parts of segments are sealed with the place they lie in, so damage to them, and to the pages that lead to them, is
 * found where they are read. The pages of other tables are not: for those this file stands in. A question sums up these alone, a
 * twelfth of the file; whoever asks after the file's health sums up all. A writer takes the sums away first and puts them back last.
 * Invariant: sums are believed only while nobody has written since, so that they never accuse a sound file.
 */
import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, readSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { sha256 } from '../../../kernel/digest.js';
import { Fault } from '../../../kernel/errors.js';
import { asNumber, asText, type Database } from './driver.js';

const AT_ONCE_BYTES = 2 ** 20;

/** Read by their row alone, and sealed with it. */
const SEALED = new Set(['content', 'posting_block']);
/** Read by no question. */
const UNREAD = new Set(['artifact', 'seen']);

export type SummedPart = 'unsealed' | 'all';

interface Sums {
  /** The fencing token of the writer that left the file so. */
  readonly token: number;
  readonly bytes: number;
  readonly all: string;
  readonly unsealed: string;
  /** Runs of the unsealed pages: how many pages lie between a run and the one before, and how many it has. */
  readonly runs: readonly number[];
  readonly pageBytes: number;
}

export function dropSums(file: string): void {
  rmSync(sumsOf(file), { force: true });
}

/** Sums the file up, unless something of it still lies in the log. Nobody else writes meanwhile. */
export function keepSums(db: Database): void {
  db.transaction(() => {
    if (hasLog(db.file) || isHeld(db)) return;
    const { size: bytes } = statSync(db.file);
    const pageBytes = asNumber(db.get('PRAGMA page_size')?.['page_size']);
    const runs = runsOf(unsealedPages(db));
    const sums: Sums = {
      token: tokenOf(db),
      bytes,
      all: digestOf(db.file, [{ from: 0, to: bytes }]),
      unsealed: digestOf(db.file, stretches(runs, pageBytes)),
      runs,
      pageBytes,
    };
    const text = JSON.stringify(sums);
    const fresh = `${sumsOf(db.file)}.new`;
    writeFileSync(fresh, `${sha256(text)}\n${text}`, { mode: 0o600 });
    renameSync(fresh, sumsOf(db.file));
  });
}

/** False when the file is no longer what its last writer left; true when it is, or when there is nothing to compare it with. */
export function matchesSums(db: Database, part: SummedPart): boolean {
  const sums = readSums(db.file);
  if (sums === undefined || !isCurrent(db, sums)) return true;
  if (holds(db.file, sums, part)) return true;
  // Somebody may have begun to write while the file was read.
  return readSums(db.file) === undefined || !isCurrent(db, sums);
}

/** True when the last writer gave the file back in order, and nobody has written since. */
export function isLeftInOrder(db: Database): boolean {
  const sums = readSums(db.file);
  return sums !== undefined && isCurrent(db, sums);
}

function holds(file: string, sums: Sums, part: SummedPart): boolean {
  try {
    if (statSync(file).size !== sums.bytes) return false;
    if (part === 'unsealed') return digestOf(file, stretches(sums.runs, sums.pageBytes)) === sums.unsealed;
    return digestOf(file, [{ from: 0, to: sums.bytes }]) === sums.all;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new Fault('store/unavailable', { file, reason: 'the disk reported an error' }, { cause: error });
  }
}

function isCurrent(db: Database, sums: Sums): boolean {
  return !hasLog(db.file) && tokenOf(db) === sums.token && !isHeld(db);
}

/** Numbers of the pages that nothing else vouches for, ascending. */
function unsealedPages(db: Database): number[] {
  const names = db
    .all("SELECT name FROM sqlite_schema WHERE rootpage > 0 AND tbl_name <> 'sqlite_schema'")
    .map((row) => asText(row['name']));
  const pages = ['sqlite_schema', ...names].flatMap((name) => {
    if (SEALED.has(name) || UNREAD.has(name)) return [];
    // What runs over of a segment's row is of its table, which is sealed.
    const only = name === 'segment' ? "AND pagetype <> 'overflow'" : '';
    return db.all(`SELECT pageno FROM dbstat WHERE name = ? ${only}`, name).map((row) => asNumber(row['pageno']));
  });
  return pages.sort((a, b) => a - b);
}

function runsOf(pages: readonly number[]): number[] {
  const runs: number[] = [];
  let end = 1;
  for (const page of pages) {
    if (page === end && runs.length > 0) runs.push((runs.pop() ?? 0) + 1);
    else runs.push(page - end, 1);
    end = page + 1;
  }
  return runs;
}

interface Stretch {
  readonly from: number;
  readonly to: number;
}

function stretches(runs: readonly number[], pageBytes: number): Stretch[] {
  const found: Stretch[] = [];
  let from = 0;
  for (let at = 0; at < runs.length; at += 2) {
    from += (runs[at] ?? 0) * pageBytes;
    const to = from + (runs[at + 1] ?? 0) * pageBytes;
    found.push({ from, to });
    from = to;
  }
  return found;
}

function digestOf(file: string, parts: readonly Stretch[]): string {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(AT_ONCE_BYTES);
  const handle = handleOf(file);
  for (const { from, to } of parts) {
    for (let at = from; at < to; at += AT_ONCE_BYTES) {
      hash.update(buffer.subarray(0, readSync(handle, buffer, 0, Math.min(AT_ONCE_BYTES, to - at), at)));
    }
  }
  return hash.digest('hex');
}

const MOST_HANDLES = 128;
const handles = new Map<string, number>();

/**
 * A handle that stays open. To close one would give up every lock this process holds on the file, those of SQLite's connections
 * among them (sqlite.org/howtocorrupt.html, 2.2), and another process could then take the log away under a reader.
 */
function handleOf(file: string): number {
  const { dev, ino } = statSync(file);
  const key = `${dev} ${ino}`;
  const known = handles.get(key);
  if (known !== undefined) return known;
  const handle = openSync(file, 'r');
  handles.set(key, handle);
  const [oldest] = handles;
  if (handles.size > MOST_HANDLES && oldest !== undefined) {
    handles.delete(oldest[0]);
    closeSync(oldest[1]);
  }
  return handle;
}

/** Undefined when there are none, or none that can be believed. */
function readSums(file: string): Sums | undefined {
  let text: string;
  try {
    text = readFileSync(sumsOf(file), 'utf8');
  } catch {
    return undefined;
  }
  const [seal = '', body = ''] = text.split('\n');
  return sha256(body) === seal ? (JSON.parse(body) as Sums) : undefined;
}

function sumsOf(file: string): string {
  return `${file}.sums`;
}

function hasLog(file: string): boolean {
  return (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function tokenOf(db: Database): number {
  return asNumber(db.get('SELECT token FROM lease WHERE one = 1')?.['token']);
}

function isHeld(db: Database): boolean {
  return db.get('SELECT 1 AS held FROM lease WHERE one = 1 AND holder IS NOT NULL') !== undefined;
}
