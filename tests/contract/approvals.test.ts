import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Database } from '../../src/adapters/stores/sqlite/driver.js';
import { openRecords } from '../../src/adapters/stores/sqlite/records.js';
import { callKey, type ToolCall } from '../../src/domain/approval.js';
import type { Instant } from '../../src/kernel/clock.js';
import { sha256 } from '../../src/kernel/digest.js';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.js';
import { approvalsContract } from './approvals.contract.js';

approvalsContract('sqlite', async () => {
  const folder = temporaryFolder();
  const file = join(folder.path, 'state', 'records.db');
  let records = openRecords({ file });
  const other = openRecords({ file });
  return {
    approvals: records.approvals,
    other: other.approvals,
    reopen: async () => {
      await records.close();
      records = openRecords({ file });
      return records.approvals;
    },
    dispose: async () => {
      await records.close();
      await other.close();
      folder.dispose();
    },
  };
});

const CALL: ToolCall = { tenant: 'local', attempt: 's1', tool: 'WebFetch', destination: 'a', payload: sha256('p') };

describe('T4.6 an approval that was changed behind the store’s back', () => {
  let folder: TemporaryFolder;
  let file: string;
  beforeEach(() => {
    folder = temporaryFolder();
    file = join(folder.path, 'records.db');
  });
  afterEach(() => folder.dispose());

  const raw = (sql: string) => {
    const db = Database.open(file, { readOnly: false, busyTimeoutMs: 100 });
    db.exec(sql);
    db.close();
  };
  const spent = async () => {
    const records = openRecords({ file });
    await records.approvals.settle(CALL, '', 1 as Instant);
    const ruling = { kind: 'approved', at: 2 as Instant, by: 'person:ada', reason: '', expiresAt: 9 as Instant, uses: 1 } as const;
    await records.approvals.rule(callKey(CALL), ruling);
    await records.approvals.settle(CALL, '', 3 as Instant);
    await records.close();
  };

  it.each([
    ['a use that is gone', "DELETE FROM approval_event WHERE kind = 'used'"],
    [
      'an expiry that is later',
      "UPDATE approval_event SET detail = replace(detail, '\"expiresAt\":9', '\"expiresAt\":99') WHERE kind = 'approved'",
    ],
    [
      'an approval that came back',
      "INSERT INTO approval_event SELECT 4, key, kind, detail, at, seal FROM approval_event WHERE kind = 'approved'",
    ],
    ['all of it', 'DELETE FROM approval_event'],
    ['the tallies', "DELETE FROM tally WHERE name LIKE 'g%'"],
  ])('%s is store/corrupt, never an approval', async (_, sql) => {
    await spent();
    raw(sql);
    const records = openRecords({ file });
    await expect(records.approvals.settle(CALL, '', 4 as Instant)).rejects.toMatchObject({ code: 'store/corrupt' });
    expect((await records.integrity()).ok).toBe(false);
    await records.close();
  });

  it('a ledger from before there were approvals is brought up with all it holds', async () => {
    await openRecords({ file }).close();
    const later = ['approval_event', 'source_declaration', 'page_standing', 'page_event'];
    raw(`${later.map((table) => `DROP TABLE ${table};`).join(' ')} PRAGMA user_version = 2;
      DELETE FROM tally WHERE name LIKE 'g%' OR name IN (${later.map((table) => `'${table}'`).join(', ')})`);
    await spent();
    const records = openRecords({ file });
    expect(await records.integrity()).toEqual({ ok: true, detail: 'ok' });
    expect((await records.approvals.find(callKey(CALL))).map(({ events }) => events.map(({ kind }) => kind))).toEqual([
      ['asked', 'approved', 'used'],
    ]);
    await records.close();
  });
});
