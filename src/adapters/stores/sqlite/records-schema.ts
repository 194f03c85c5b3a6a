/**
 * The tables of records.db: what cannot be derived from the sources. Kept across versions: an older file is brought up in one
 * transaction, a newer one is refused, never emptied.
 */
import { Fault } from '../../../kernel/errors.js';
import { APPROVAL_TABLES, beginApprovalTallies } from './approval-rows.js';
import { asNumber, asText, type Database } from './driver.js';
import { markOurs, requireOurs } from './ownership.js';
import { beginPackageTallies, ID_INDEX, OWNER_INDEX, PACKAGE_TABLES, putBinding, putPackage } from './package-rows.js';
import { beginPageOrderTallies, PAGE_ORDER_TABLES } from './page-order-rows.js';
import { beginRegistryTallies, copyRegistry, REGISTRY_TABLES, widenRegistry } from './registry-rows.js';
import { TALLY_TABLE } from './tally.js';

const SCHEMA_VERSION = 6;

const TABLES = `${REGISTRY_TABLES}${PACKAGE_TABLES}${APPROVAL_TABLES}${PAGE_ORDER_TABLES}${TALLY_TABLE}`;

const TABLES_OF_VERSION_1 = ['source', 'source_event', 'package', 'binding'] as const;

export function refuseForeignRecords(db: Database): void {
  requireOurs(db, TABLES_OF_VERSION_1);
}

export function prepareRecords(db: Database): void {
  const found = recordsVersion(db);
  if (found === SCHEMA_VERSION) return;
  if (found > SCHEMA_VERSION) {
    throw new Fault('store/unavailable', { file: db.file, reason: `it was written by a newer version (records@${found})` });
  }
  db.transaction(() => {
    // Another process may have been first.
    const now = recordsVersion(db);
    if (now === SCHEMA_VERSION) return;
    if (now === 1) bringUp(db);
    else if (now === 0) create(db);
    else {
      if (now === 2) addApprovals(db);
      if (now < 4) widenRegistry(db);
      if (now < 4) db.exec(OWNER_INDEX);
      if (now < 5) addPageOrders(db);
      db.exec(ID_INDEX);
    }
    markOurs(db);
    db.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
  });
}

function create(db: Database): void {
  db.exec(TABLES);
  beginRegistryTallies(db);
  beginPackageTallies(db);
  beginApprovalTallies(db);
  beginPageOrderTallies(db);
}

/** From the fourth version, which had no orders about pages. */
function addPageOrders(db: Database): void {
  db.exec(PAGE_ORDER_TABLES);
  beginPageOrderTallies(db);
}

/** From the second version, which had no approvals. */
function addApprovals(db: Database): void {
  db.exec(APPROVAL_TABLES);
  beginApprovalTallies(db);
}

/** From the first version, whose rows had no seals. */
function bringUp(db: Database): void {
  db.exec('DROP INDEX IF EXISTS binding_by_package');
  for (const table of TABLES_OF_VERSION_1) db.exec(`ALTER TABLE ${table} RENAME TO ${table}_of_1`);
  create(db);
  copyRegistry(db, db.all('SELECT * FROM source_of_1 ORDER BY id'), db.all('SELECT * FROM source_event_of_1 ORDER BY seq'));
  for (const { digest } of db.all('SELECT digest FROM package_of_1 ORDER BY digest')) {
    putPackage(db, asText(digest), asText(db.get('SELECT body FROM package_of_1 WHERE digest = ?', asText(digest))?.['body']));
  }
  for (const row of db.all('SELECT * FROM binding_of_1 ORDER BY seq')) putBinding(db, row);
  for (const table of TABLES_OF_VERSION_1) db.exec(`DROP TABLE ${table}_of_1`);
}

function recordsVersion(db: Database): number {
  return asNumber(db.get('PRAGMA user_version')?.['user_version']);
}
