/**
 * Opens a store to read it, also where nothing can be written: SQLite wants to keep shared memory beside a file with a log, and a
 * folder that takes no file cannot hold it.
 *
 * Invariant: a file is taken for unchanging only when this process may not write its folder and no log beside it holds anything.
 */
import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Fault } from '../../../kernel/errors.js';
import { Database } from './driver.js';

export function openToRead(file: string, busyTimeoutMs: number): Database {
  const options = { readOnly: true, busyTimeoutMs };
  const db = Database.open(file, options);
  try {
    db.get('PRAGMA schema_version');
    return db;
  } catch (error) {
    db.close();
    if (isLeftHalfDone(error) && finish(file, busyTimeoutMs)) return Database.open(file, options);
    const shut = error instanceof Fault && (error.code === 'store/unavailable' || error.code === 'library/unwritable');
    if (!shut || !isFrozen(file)) throw error;
    return Database.open(file, { ...options, unchanging: true });
  }
}

/** A process that was killed while it made the file left a journal; whoever only reads may not take its changes back. */
const READ_ONLY_ROLLBACK = 776;

function isLeftHalfDone(error: unknown): boolean {
  return codeOf(error) === READ_ONLY_ROLLBACK;
}

function codeOf(error: unknown): unknown {
  const cause = error instanceof Fault ? error.cause : undefined;
  return typeof cause === 'object' && cause !== null && 'sqliteExtendedCode' in cause ? cause.sqliteExtendedCode : undefined;
}

/** Takes back what was half done, as anyone who writes would; false where this process may not write. */
function finish(file: string, busyTimeoutMs: number): boolean {
  if (isShut(dirname(file))) return false;
  const db = Database.open(file, { readOnly: false, busyTimeoutMs });
  try {
    db.get('PRAGMA schema_version');
    return true;
  } finally {
    db.close();
  }
}

function isShut(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return false;
  } catch {
    return true;
  }
}

export function isFrozen(file: string): boolean {
  return isShut(dirname(file)) && (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0;
}
