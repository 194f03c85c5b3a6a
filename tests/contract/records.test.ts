import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Database } from '../../src/adapters/stores/sqlite/driver.js';
import { openRecords } from '../../src/adapters/stores/sqlite/records.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { recordsContract } from './records.contract.js';

recordsContract('sqlite', async () => {
  const folder = temporaryFolder();
  const file = join(folder.path, 'state', 'records.db');
  let records = openRecords({ file });
  return {
    records,
    reopen: async () => {
      await records.close();
      records = openRecords({ file });
      return records;
    },
    alter: async (digest) => {
      const db = Database.open(file, { readOnly: false, busyTimeoutMs: 100 });
      db.run("UPDATE package SET body = replace(body, 'nothing fits', 'everything fits') WHERE digest = ?", digest);
      db.close();
    },
    dispose: async () => {
      await records.close();
      folder.dispose();
    },
  };
});

it('refuses a file of a newer version rather than guess at it', () => {
  const folder = temporaryFolder();
  const file = join(folder.path, 'records.db');
  const db = Database.open(file, { readOnly: false, busyTimeoutMs: 100 });
  db.exec('PRAGMA user_version = 99');
  db.close();
  expect(() => openRecords({ file })).toThrow(/newer version/);
  folder.dispose();
});

it('writes through to the disk and leaves nothing of what is deleted', () => {
  const folder = temporaryFolder();
  const opened: Database[] = [];
  const original = Database.open;
  Database.open = (...args) => {
    const db = original.apply(Database, args);
    opened.push(db);
    return db;
  };
  try {
    openRecords({ file: join(folder.path, 'records.db') });
  } finally {
    Database.open = original;
  }
  const db = opened[0];
  expect(db?.get('PRAGMA synchronous')).toEqual({ synchronous: 2 });
  expect(db?.get('PRAGMA secure_delete')).toEqual({ secure_delete: 1 });
  expect(db?.get('PRAGMA journal_mode')).toEqual({ journal_mode: 'wal' });
  db?.close();
  folder.dispose();
});
