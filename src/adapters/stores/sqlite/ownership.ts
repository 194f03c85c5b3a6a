/**
 * Whose file is this? A store is private to its owner, and the database of another program is never written to or emptied.
 *
 * Invariant: a file of ours carries our application id, or, from before there was one, all the tables named by the caller.
 */
import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs';
import { Fault } from '../../../kernel/errors.js';
import { asNumber, asText, type Database } from './driver.js';

/** `Colo` in ASCII. */
const APPLICATION_ID = 0x436f6c6f;
const OWNER_ONLY = 0o600;

/**
 * Makes the file before SQLite does, so that it and the log beside it, which takes over its mode, are the owner's alone. One that
 * is there is not opened: closing it would give up the locks this process holds on it.
 */
export function makePrivate(file: string): void {
  try {
    if (!existsSync(file)) closeSync(openSync(file, 'a', OWNER_ONLY));
    for (const each of [file, `${file}-wal`, `${file}-shm`]) {
      const mode = statSync(each, { throwIfNoEntry: false })?.mode ?? OWNER_ONLY;
      if ((mode & 0o077) !== 0) chmodSync(each, OWNER_ONLY);
    }
  } catch (error) {
    // SQLite meets the same obstacle next, and the driver has the words for it.
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
}

export function requireOurs(db: Database, legacyTables: readonly string[]): void {
  if (asNumber(db.get('PRAGMA application_id')?.['application_id']) === APPLICATION_ID) return;
  const tables = new Set(db.all("SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'").map((row) => asText(row['name'])));
  if (tables.size === 0 || legacyTables.every((each) => tables.has(each))) return;
  throw new Fault('library/unsafe', { path: db.file, reason: 'it is the database of another program' });
}

export function markOurs(db: Database): void {
  db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
}
