/** T6.6, T4.6: a records.db from before rows had seals is brought up whole; a row changed behind the store's back is named. */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TemporaryFolder, temporaryFolder } from '../../../../tests/support/temporary-folder.js';
import type { Instant } from '../../../kernel/clock.js';
import { type Digest, sha256 } from '../../../kernel/digest.js';
import { Fault } from '../../../kernel/errors.js';
import { Database } from './driver.js';
import { openRecords } from './records.js';
import { beginTally, countIn, sealOf } from './tally.js';

const VERSION_1 = `
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
PRAGMA user_version = 1`;

const BODY = '{"status":"no_context"}';
const DIGEST = sha256(BODY);
const OTHER = sha256('{}');

let folder: TemporaryFolder;
let file: string;
const raw = (sql: string) => {
  const db = Database.open(file, { readOnly: false, busyTimeoutMs: 100 });
  db.exec(sql);
  db.close();
};
const codeOf = async (work: () => Promise<unknown>) => {
  try {
    await work();
    return 'none';
  } catch (error) {
    if (error instanceof Fault) return error.code;
    throw error;
  }
};

beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder.path, 'records.db');
  raw(`${VERSION_1};
    INSERT INTO source VALUES ('docs', 'role:docs', 'suspended', 7, 1000, '${DIGEST}', 3), ('wiki', 'role:docs', 'active', NULL, 5, '${DIGEST}', 4);
    INSERT INTO source_event (source, event, from_state, to_state, actor, reason, at) VALUES ('docs', 'suspend', 'active', 'suspended', 'person:ada', 'a leak', 9);
    INSERT INTO package VALUES ('${DIGEST}', '${BODY}'), ('${OTHER}', '{}');
    INSERT INTO binding (digest, attempt, created_at, annex) VALUES ('${DIGEST}', 'first', 1, '{}'), ('${OTHER}', 'second', 2, '{}'), ('${DIGEST}', 'second', 3, '{"commit":"abc"}')`);
});
afterEach(() => folder.dispose());

describe('records.db of the first version', () => {
  it('is brought up with everything it holds, once', async () => {
    for (let opening = 0; opening < 2; opening++) {
      const records = openRecords({ file });
      expect(await records.integrity()).toEqual({ ok: true, detail: 'ok' });
      expect(await records.registry.standings()).toEqual([
        { id: 'docs', owner: 'role:docs', state: 'suspended', confirmedAt: 7, freshnessSloMs: 1000 },
        { id: 'wiki', owner: 'role:docs', state: 'active', freshnessSloMs: 5 },
      ]);
      expect(await records.packages.entries({ limit: 9 })).toEqual([
        { seq: 3, digest: DIGEST, createdAt: 3 },
        { seq: 2, digest: OTHER, createdAt: 2 },
      ]);
      expect((await records.packages.get(DIGEST))?.bindings.map(({ attempt }) => attempt)).toEqual(['first', 'second']);
      expect((await records.packages.bindingsOf('second')).map(({ digest }) => digest)).toEqual([OTHER, DIGEST]);
      await records.close();
    }
  });

  it('stays as it was when bringing it up fails half way', async () => {
    raw(
      "INSERT INTO binding (digest, attempt, created_at, annex) VALUES ('x', 'y', 'z', 'w'); ALTER TABLE source RENAME COLUMN owner TO holder",
    );
    expect(() => openRecords({ file })).toThrow(/damaged/);
    const db = Database.open(file, { readOnly: true, busyTimeoutMs: 100 });
    expect(db.get('PRAGMA user_version')).toEqual({ user_version: 1 });
    expect(db.get('SELECT count(*) AS count FROM binding')).toEqual({ count: 4 });
    db.close();
  });
});

describe('records.db of the third version', () => {
  const OF_3 = `
    DROP TABLE source; DROP TABLE source_event; DROP TABLE source_declaration; DROP TABLE page_standing; DROP TABLE page_event;
    CREATE TABLE source (
      id TEXT PRIMARY KEY, owner TEXT NOT NULL, state TEXT NOT NULL, confirmed_at INTEGER,
      freshness_slo_ms INTEGER NOT NULL, registration_digest TEXT NOT NULL, registered_at INTEGER NOT NULL, seal TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE source_event (
      seq INTEGER PRIMARY KEY, source TEXT NOT NULL, event TEXT NOT NULL, from_state TEXT NOT NULL, to_state TEXT NOT NULL,
      actor TEXT NOT NULL, reason TEXT NOT NULL, at INTEGER NOT NULL, seal TEXT NOT NULL
    );
    PRAGMA user_version = 3`;

  beforeEach(async () => {
    await openRecords({ file }).close();
    raw(OF_3);
    const db = Database.open(file, { readOnly: false, busyTimeoutMs: 100 });
    const put = (table: string, values: readonly (string | number | null)[]) => {
      const seal = sealOf(table, values);
      db.run(`INSERT INTO ${table} VALUES (${[...values, seal].map(() => '?').join(', ')})`, ...values, seal);
      countIn(db, table, seal);
    };
    for (const table of ['source', 'source_event']) beginTally(db, table);
    put('source', ['docs', 'role:docs', 'suspended', 7, 1000, DIGEST, 3]);
    put('source_event', [1, 'docs', 'suspend', 'active', 'suspended', 'person:ada', 'a leak', 9]);
    db.close();
  });

  it('T6.6 is brought up with its states and its history', async () => {
    for (let opening = 0; opening < 2; opening++) {
      const records = openRecords({ file });
      expect(await records.integrity()).toEqual({ ok: true, detail: 'ok' });
      expect(await records.registry.records()).toMatchObject([
        { id: 'docs', state: 'suspended', confirmedAt: 7, version: 2, registeredAt: 3 },
      ]);
      expect(await records.registry.history('docs')).toMatchObject([
        { seq: 1, event: 'suspend', from: 'active', actor: 'person:ada', reason: 'a leak', at: 9 },
      ]);
      expect(await records.registry.registrations('docs')).toMatchObject([{ digest: DIGEST, at: 3 }]);
      expect((await records.packages.get(DIGEST))?.bindings.length).toBe(2);
      await records.close();
    }
  });

  it('T4.6 what its seals do not vouch for is not made good by bringing it up', async () => {
    raw("UPDATE source SET state = 'active'");
    expect(await codeOf(async () => openRecords({ file }))).toBe('store/corrupt');
    raw(`UPDATE source SET state = 'suspended'; DELETE FROM source_event`);
    expect(await codeOf(async () => openRecords({ file }))).toBe('store/corrupt');
  });
});

describe('records.db of the fourth version', () => {
  it('T6.6 is brought up with its packages, and takes orders about pages from then on', async () => {
    await openRecords({ file }).close();
    raw("DROP TABLE page_standing; DROP TABLE page_event; DELETE FROM tally WHERE name LIKE 'page_%'; PRAGMA user_version = 4");
    for (const wanted of [0, 1]) {
      const records = openRecords({ file });
      expect(await records.integrity()).toEqual({ ok: true, detail: 'ok' });
      expect(await records.pages.standings()).toHaveLength(wanted);
      expect((await records.packages.get(DIGEST))?.bindings.length).toBe(2);
      if (wanted === 0) await quarantine(records, 'a.md');
      await records.close();
    }
  });
});

async function quarantine({ pages }: ReturnType<typeof openRecords>, path: string): Promise<void> {
  const by = { actor: 'person:ada', reason: 'a signal' };
  const order = { source: 'docs', path, event: 'quarantine', by, at: 9 as Instant, texts: ['b1'], terms: {} } as const;
  await pages.command(order, () => ({ made: true, from: 'indexed', to: 'quarantined', detail: {} }));
}

describe('T4.6 a row that was changed behind the store’s back', () => {
  const DAMAGE: readonly (readonly [string, string, 'standings' | 'get' | 'absent' | 'entries' | 'attempt'])[] = [
    ['a state', "UPDATE source SET state = 'active' WHERE id = 'docs'", 'standings'],
    ['a source that is gone', "DELETE FROM source WHERE id = 'docs'", 'standings'],
    [
      'a source that was copied',
      "INSERT INTO source SELECT 'more', owner, state, 1, 2, 'd', 3, NULL, 1, '', seal FROM source WHERE id = 'docs'",
      'standings',
    ],
    ['a binding', "UPDATE binding SET attempt = 'fourth' WHERE seq = 1", 'get'],
    ['a binding that is gone', 'DELETE FROM binding WHERE seq = 1', 'get'],
    ['the last binding that is gone', 'DELETE FROM binding WHERE seq = 3', 'entries'],
    ['a package that is gone', `DELETE FROM bound WHERE key = 'p${DIGEST}'`, 'absent'],
    ['a count', 'UPDATE bound SET last = 1 WHERE last = 3', 'entries'],
    ['an attempt that is gone', "DELETE FROM bound WHERE key LIKE 'a%'", 'attempt'],
    ['a tally', 'UPDATE tally SET members = members + 1', 'entries'],
    ['a tally that is gone', 'DELETE FROM tally', 'standings'],
  ];

  it.each(DAMAGE)('%s is store/corrupt, to those who read it and to doctor', async (_, sql, reader) => {
    await openRecords({ file }).close();
    raw(sql);
    const records = openRecords({ file });
    const reads = {
      standings: () => records.registry.standings(),
      get: () => records.packages.get(DIGEST),
      absent: () => records.packages.get(DIGEST),
      entries: () => records.packages.entries({ limit: 9 }),
      attempt: () => records.packages.bindingsOf('second'),
    };
    expect(await codeOf(reads[reader])).toBe('store/corrupt');
    expect((await records.integrity()).ok).toBe(false);
    await records.close();
  });

  it.each([
    ['a standing that was changed', "UPDATE page_standing SET state = 'indexed'", true],
    ['a standing that is gone', 'DELETE FROM page_standing', true],
    ['an event that was changed', "UPDATE page_event SET actor = 'person:eve'", false],
    ['an event that is gone', 'DELETE FROM page_event WHERE seq = 1', false],
  ])('SM-A4: %s lets no page in again', async (_, sql, closes) => {
    const before = openRecords({ file });
    await quarantine(before, 'a.md');
    await quarantine(before, 'b.md');
    await before.close();
    raw(sql);
    const records = openRecords({ file });
    expect(await codeOf(() => records.registry.standings())).toBe(closes ? 'store/corrupt' : 'none');
    expect((await records.integrity()).ok).toBe(false);
    await records.close();
  });

  it('is not made good by writing over it', async () => {
    await openRecords({ file }).close();
    raw("UPDATE source SET state = 'active' WHERE id = 'docs'");
    const records = openRecords({ file });
    const by = { actor: 'person:ada', reason: 'found' };
    expect(await codeOf(() => records.registry.confirm('docs', 9 as Instant))).toBe('store/corrupt');
    expect(await codeOf(() => records.registry.move('docs', 'suspend', by, 9 as Instant))).toBe('store/corrupt');
    expect(await codeOf(() => records.packages.get(sha256('never stored') as Digest))).toBe('none');
    await records.close();
  });
});
