/**
 * One process at a time changes a small file of the state folder; it holds the lock for a fraction of a millisecond.
 *
 * Invariant: a lock whose holder died is taken over by exactly one other: to take one away needs a lock of its own.
 */
import { lstatSync, readlinkSync, symlinkSync, unlinkSync } from 'node:fs';
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
    release(file);
  }
}

/** A link whose target is the holder: made and filled in one step, so that nobody ever sees a lock without a holder. */
function taken(file: string): boolean {
  try {
    symlinkSync(String(process.pid), file);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function removeAbandoned(file: string): void {
  if (!isAbandoned(file)) return;
  const breaking = `${file}.break`;
  // Whoever broke a lock and died while at it leaves this behind; by its age alone it is told from one at work.
  if (ageMs(breaking) > ABANDONED_MS) release(breaking);
  if (!taken(breaking)) return;
  try {
    // Nobody else takes it away now, and a dead holder does not: what is abandoned still is.
    if (isAbandoned(file)) release(file);
  } finally {
    release(breaking);
  }
}

function isAbandoned(file: string): boolean {
  if (ageMs(file) > ABANDONED_MS) return true;
  const pid = Number(holderOf(file));
  return pid > 0 && !isAlive(pid);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

function ageMs(file: string): number {
  return Date.now() - (lstatSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
}

/** Empty when it was given back meanwhile. */
function holderOf(file: string): string {
  try {
    return readlinkSync(file);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return '';
    // Something that is no lock stands in its place, and goes by its age alone.
    if (codeOf(error) === 'EINVAL') return '';
    throw error;
  }
}

function release(file: string): void {
  try {
    unlinkSync(file);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
