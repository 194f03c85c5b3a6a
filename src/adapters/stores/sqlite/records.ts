/**
 * records.db: the records of authority in one file that survives power loss.
 *
 * `synchronous = FULL` because a commit that was acknowledged must be there after the lights went out; `secure_delete` because
 * what is deleted must not stay in free pages.
 */
import { dirname } from 'node:path';
import { Fault } from '../../../kernel/errors.js';
import type { Records } from '../../../ports/records.js';
import { SqliteApprovalLedger } from './approval-ledger.js';
import { verifyApprovals } from './approval-rows.js';
import { Database } from './driver.js';
import { makeFolder } from './make-folder.js';
import { openToRead } from './open-to-read.js';
import { makePrivate } from './ownership.js';
import { SqlitePackageLedger } from './package-ledger.js';
import { SqlitePageLedger } from './page-ledger.js';
import { verifyPageOrders } from './page-order-rows.js';
import { prepareRecords, refuseForeignRecords } from './records-schema.js';
import { SqliteRegistry } from './registry.js';
import { allSources, verifyLists } from './registry-rows.js';

const BUSY_TIMEOUT_MS = 3000;

/** Opens the file, making it and its folder when they are missing. */
export function openRecords(options: { readonly file: string }): Records {
  makeFolder(dirname(options.file));
  if (options.file !== ':memory:') makePrivate(options.file);
  const db = Database.open(options.file, { readOnly: false, busyTimeoutMs: BUSY_TIMEOUT_MS });
  try {
    refuseForeignRecords(db);
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON');
    prepareRecords(db);
  } catch (error) {
    db.close();
    throw error;
  }
  return recordsIn(db, () => db.settle());
}

/** As they stand, where they cannot be written; whatever would write is `library/unwritable`. */
export function openRecordsToRead(options: { readonly file: string }): Records {
  const db = openToRead(options.file, BUSY_TIMEOUT_MS);
  try {
    prepareRecords(db);
  } catch (error) {
    db.close();
    throw error;
  }
  return recordsIn(db, () => undefined);
}

function recordsIn(db: Database, settle: () => void): Records {
  const packages = new SqlitePackageLedger(db);
  return {
    registry: new SqliteRegistry(db),
    pages: new SqlitePageLedger(db),
    packages,
    approvals: new SqliteApprovalLedger(db),
    integrity: async () => {
      try {
        if (db.get('PRAGMA integrity_check(1)')?.['integrity_check'] !== 'ok') return { ok: false, detail: `${db.file} is damaged` };
        db.reading(() => {
          allSources(db);
          verifyLists(db);
          verifyApprovals(db);
          verifyPageOrders(db);
        });
        packages.verify();
        return { ok: true, detail: 'ok' };
      } catch (error) {
        if (!isDamage(error)) throw error;
        return { ok: false, detail: error.message };
      }
    },
    close: async () => {
      try {
        settle();
      } finally {
        db.close();
      }
    },
  };
}

function isDamage(error: unknown): error is Fault {
  return error instanceof Fault && (error.code === 'store/corrupt' || error.code === 'package/altered');
}
