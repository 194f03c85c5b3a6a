/** The tables of records.db: what cannot be derived from the sources. Kept across versions; a newer file is refused, never emptied. */
import { Fault } from '../../../kernel/errors.js';
import { asNumber, type Database } from './driver.js';
import { markOurs, requireOurs } from './ownership.js';

const SCHEMA_VERSION = 1;

const TABLES = `
CREATE TABLE source (
  id TEXT PRIMARY KEY, owner TEXT NOT NULL, state TEXT NOT NULL, confirmed_at INTEGER,
  freshness_slo_ms INTEGER NOT NULL, registration_digest TEXT NOT NULL, registered_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE source_event (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  source TEXT NOT NULL, event TEXT NOT NULL, from_state TEXT NOT NULL, to_state TEXT NOT NULL,
  actor TEXT NOT NULL, reason TEXT NOT NULL, at INTEGER NOT NULL
);
CREATE TABLE package (digest TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE binding (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  digest TEXT NOT NULL, attempt TEXT NOT NULL, created_at INTEGER NOT NULL, annex TEXT NOT NULL
);
CREATE INDEX binding_by_package ON binding (digest, seq);
`;

export function refuseForeignRecords(db: Database): void {
  requireOurs(db, ['source', 'source_event', 'package', 'binding']);
}

export function prepareRecords(db: Database): void {
  const found = recordsVersion(db);
  if (found === SCHEMA_VERSION) return;
  if (found > SCHEMA_VERSION) {
    throw new Fault('store/unavailable', { file: db.file, reason: `it was written by a newer version (records@${found})` });
  }
  db.transaction(() => {
    // Another process may have been first.
    if (recordsVersion(db) === SCHEMA_VERSION) return;
    db.exec(TABLES);
    markOurs(db);
    db.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
  });
}

function recordsVersion(db: Database): number {
  return asNumber(db.get('PRAGMA user_version')?.['user_version']);
}
