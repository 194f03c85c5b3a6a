/**
 * One process at a time changes a small file of the state folder; it holds the lock for a fraction of a millisecond.
 *
 * Invariant: a lock whose holder died is taken over by exactly one other: to take one away needs a lock of its own.
 */
import { closeSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { Fault } from '../kernel/errors.js';

const PATIENCE_MS = 5_000;
/** Nobody holds it this long and lives: process ids are given out again. */
const ABANDONED_MS = 30_000;
const PAUSE_MS = 1;

const cell = new Int32Array(new SharedArrayBuffer(4));

export function withLock<T>(file: string, run: () => T): T {
  const until = Date.now() + PATIENCE_MS;
  while (!taken(file)) {
    removeAbandoned(file);
    if (Date.now() > until) throw new Fault('file/unwritable', { file, reason: 'another process holds it' });
    Atomics.wait(cell, 0, 0, PAUSE_MS);
  }
  try {
    return run();
  } finally {
    rmSync(file, { force: true });
  }
}

function taken(file: string): boolean {
  try {
    const handle = openSync(file, 'wx', 0o600);
    writeSync(handle, String(process.pid));
    closeSync(handle);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

function removeAbandoned(file: string): void {
  if (!isAbandoned(file)) return;
  const breaking = `${file}.break`;
  // Whoever broke a lock and died while at it leaves this behind; by its age alone it is told from one at work.
  if (ageMs(breaking) > ABANDONED_MS) rmSync(breaking, { force: true });
  if (!taken(breaking)) return;
  try {
    // Nobody else takes it away now, and a dead holder does not: what is abandoned still is.
    if (isAbandoned(file)) rmSync(file, { force: true });
  } finally {
    rmSync(breaking, { force: true });
  }
}

function isAbandoned(file: string): boolean {
  const age = ageMs(file);
  if (age > ABANDONED_MS) return true;
  const pid = Number(readOr(file, ''));
  // Without a number it has just been made, or whoever made it died in between.
  return pid > 0 && !isAlive(pid);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function ageMs(file: string): number {
  return Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
}

function readOr(file: string, otherwise: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return otherwise;
    throw error;
  }
}
