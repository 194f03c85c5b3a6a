/**
 * Sums of index.db, kept beside it: what its pages were when the last writer closed it in order.
 *
 * Stored text and postings carry digests of their own, and damage to them is left out and named. The pages between them, which say
 * what is where, do not: for those this file stands in. A writer takes it away first and puts it back last.
 * Invariant: sums are believed only while nobody has written since, so that they never accuse a sound file.
 */
import { closeSync, openSync, readFileSync, readSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { sha256 } from '../../../kernel/digest.js';
import { Fault } from '../../../kernel/errors.js';
import { asNumber, type Database } from './driver.js';

const CHUNK_BYTES = 2 ** 20;
/** Chunks that are read and summed at a time, by threads that the question does not wait for. */
const AT_ONCE = 4;

interface Sums {
  /** The fencing token of the writer that left the file so. */
  readonly token: number;
  readonly bytes: number;
  readonly chunks: readonly string[];
}

export function dropSums(file: string): void {
  rmSync(sumsOf(file), { force: true });
}

/** Sums the file up, unless something of it still lies in the log. Nobody else writes meanwhile. */
export function keepSums(db: Database): void {
  db.transaction(() => {
    if (hasLog(db.file) || isHeld(db)) return;
    const chunks: string[] = [];
    const { size: bytes } = statSync(db.file);
    const buffer = Buffer.alloc(CHUNK_BYTES);
    const handle = openSync(db.file, 'r');
    try {
      for (let at = 0; at < bytes; at += CHUNK_BYTES) chunks.push(sha256(buffer.subarray(0, readSync(handle, buffer, 0, CHUNK_BYTES, at))));
    } finally {
      closeSync(handle);
    }
    const sums: Sums = { token: tokenOf(db), bytes, chunks };
    const text = JSON.stringify(sums);
    const fresh = `${sumsOf(db.file)}.new`;
    writeFileSync(fresh, `${sha256(text)}\n${text}`, { mode: 0o600 });
    renameSync(fresh, sumsOf(db.file));
  });
}

/** False when the file is no longer what its last writer left; true when it is, or when there is nothing to compare it with. */
export async function matchesSums(db: Database): Promise<boolean> {
  const sums = readSums(db.file);
  if (sums === undefined || !isCurrent(db, sums)) return true;
  if (await holds(db.file, sums).catch((error: unknown) => refuseUnreadable(db.file, error))) return true;
  // Somebody may have begun to write while the file was read.
  return readSums(db.file) === undefined || !isCurrent(db, sums);
}

function isCurrent(db: Database, sums: Sums): boolean {
  return !hasLog(db.file) && tokenOf(db) === sums.token && !isHeld(db);
}

function refuseUnreadable(file: string, error: unknown): never {
  if (!(error instanceof Error && 'code' in error)) throw error;
  throw new Fault('store/unavailable', { file, reason: 'the disk reported an error' }, { cause: error });
}

async function holds(file: string, sums: Sums): Promise<boolean> {
  const handle = await open(file, 'r');
  try {
    if ((await handle.stat()).size !== sums.bytes) return false;
    let next = 0;
    let sound = true;
    const lane = async () => {
      const own = Buffer.alloc(CHUNK_BYTES);
      for (let chunk = next++; sound && chunk < sums.chunks.length; chunk = next++) {
        const { bytesRead } = await handle.read(own, 0, CHUNK_BYTES, chunk * CHUNK_BYTES);
        const digest = await crypto.subtle.digest('SHA-256', own.subarray(0, bytesRead));
        if (Buffer.from(digest).toString('hex') !== sums.chunks[chunk]) sound = false;
      }
    };
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, sums.chunks.length) }, lane));
    return sound;
  } finally {
    await handle.close();
  }
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
