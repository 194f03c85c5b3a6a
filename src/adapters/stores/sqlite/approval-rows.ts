/**
 * Rows of the approval ledger as they lie in records.db: events under their seals, never changed.
 *
 * Events whose keys begin alike share a tally: reading that part of the list proves that none of it was lost, so that a use which the
 * disk forgot cannot bring an approval back. Inside the caller's transaction.
 */
import { asNumber, asText, type Database, type Row } from './driver.js';
import { beginTally, countIn, damagedRecords, readTally, requireAll, sealOf } from './tally.js';

const COLUMNS = ['seq', 'key', 'kind', 'detail', 'at'] as const;
const EVENTS = `SELECT ${COLUMNS.join(', ')}, seal FROM approval_event`;
const ALL = 'approval_event';

export const APPROVAL_TABLES = `
CREATE TABLE approval_event (
  seq INTEGER PRIMARY KEY,
  key TEXT NOT NULL, kind TEXT NOT NULL, detail TEXT NOT NULL, at INTEGER NOT NULL, seal TEXT NOT NULL
);
CREATE INDEX approval_event_by_key ON approval_event (key, seq);
`;

export interface EventRow {
  readonly seq: number;
  readonly key: string;
  readonly kind: string;
  /** JSON. */
  readonly detail: string;
  readonly at: number;
}

const BUCKETS: readonly string[] = Array.from({ length: 256 }, (_, at) => at.toString(16).padStart(2, '0'));
const tallyOf = (bucket: string) => `g${bucket}`;

export function beginApprovalTallies(db: Database): void {
  for (const name of [ALL, ...BUCKETS.map(tallyOf)]) beginTally(db, name);
}

export function putApprovalEvent(db: Database, event: Omit<EventRow, 'seq'>): void {
  const values = [readTally(db, ALL).members + 1, event.key, event.kind, event.detail, event.at];
  const seal = sealOf(ALL, values);
  db.run(`INSERT INTO approval_event (${COLUMNS.join(', ')}, seal) VALUES (?, ?, ?, ?, ?, ?)`, ...values, seal);
  countIn(db, ALL, seal);
  countIn(db, tallyOf(event.key.slice(0, 2)), seal);
}

/** Every event whose key begins with these, at least two, digits; the oldest first. */
export function eventsUnder(db: Database, prefix: string): readonly EventRow[] {
  const bucket = prefix.slice(0, 2);
  const rows = db.all(`${EVENTS} WHERE key >= ? AND key < ? ORDER BY seq`, bucket, `${bucket}g`);
  requireAll(
    db,
    tallyOf(bucket),
    rows.map((row) => asText(row['seal'])),
  );
  return rows.map((row) => sealed(db, row)).filter(({ key }) => key.startsWith(prefix));
}

/** Events before this one, the last first, none left out. */
export function eventsBefore(db: Database, before: number, limit: number): readonly EventRow[] {
  const rows = db.all(`${EVENTS} WHERE seq < ? ORDER BY seq DESC LIMIT ?`, before, limit).map((row) => sealed(db, row));
  const whole = rows.length === Math.min(limit, before - 1) && rows.every(({ seq }, at) => seq === before - 1 - at);
  if (!whole) throw damagedRecords(db, 'the list of approvals');
  return rows;
}

export function lastEvent(db: Database): number {
  return readTally(db, ALL).members;
}

/** Reads every event, throwing at the first part of the list that is damaged. */
export function verifyApprovals(db: Database): void {
  const held = BUCKETS.reduce((sum, bucket) => sum + eventsUnder(db, bucket).length, 0);
  if (held !== lastEvent(db)) throw damagedRecords(db, 'the list of approvals');
}

function sealed(db: Database, row: Row): EventRow {
  if (
    row['seal'] !==
    sealOf(
      ALL,
      COLUMNS.map((column) => row[column]),
    )
  )
    throw damagedRecords(db, 'an approval');
  const { seq, key, kind, detail, at } = row;
  return { seq: asNumber(seq), key: asText(key), kind: asText(kind), detail: asText(detail), at: asNumber(at) };
}
