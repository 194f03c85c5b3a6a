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
    const shut = error instanceof Fault && (error.code === 'store/unavailable' || error.code === 'library/unwritable');
    if (!shut || !isFrozen(file)) throw error;
    return Database.open(file, { ...options, unchanging: true });
  }
}

export function isFrozen(file: string): boolean {
  try {
    accessSync(dirname(file), constants.W_OK);
    return false;
  } catch {
    return (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0;
  }
}
