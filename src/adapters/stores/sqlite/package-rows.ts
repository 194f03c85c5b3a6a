/**
 * Rows of the package ledger as they lie in records.db: a package under its own digest, its bindings under their seals.
 *
 * `bound` says of every package, and of every attempt, how many bindings it has. Those whose keys begin alike share a tally:
 * reading that part of the list proves that what is not found was never there. Inside the caller's transaction.
 */
import { sha256 } from '../../../kernel/digest.js';
import { asNumber, asText, type Database, type Row } from './driver.js';
import { beginTally, countIn, damagedRecords, readTally, requireAll, sealOf } from './tally.js';

const BINDING_COLUMNS = ['seq', 'digest', 'attempt', 'created_at', 'annex'] as const;
const BINDINGS = `SELECT ${BINDING_COLUMNS.join(', ')}, seal FROM binding`;
const BOUND = 'SELECT key, bindings, last, seal FROM bound';
/** Of a key: its kind and two digits. */
const BUCKET_UNITS = 3;

const OWNER = "json_extract(annex, '$.owner')";
export const OWNER_INDEX = `CREATE INDEX IF NOT EXISTS binding_by_owner ON binding (${OWNER}, seq);
`;

const ID = "json_extract(annex, '$.id')";
export const ID_INDEX = `CREATE INDEX IF NOT EXISTS binding_by_id ON binding (${ID});
`;

export const PACKAGE_TABLES = `
CREATE TABLE package (digest TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE bound (key TEXT PRIMARY KEY, bindings INTEGER NOT NULL, last INTEGER NOT NULL, seal TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE binding (
  seq INTEGER PRIMARY KEY,
  digest TEXT NOT NULL, attempt TEXT NOT NULL, created_at INTEGER NOT NULL, annex TEXT NOT NULL, seal TEXT NOT NULL
);
CREATE INDEX binding_by_package ON binding (digest, seq);
CREATE INDEX binding_by_attempt ON binding (attempt, seq);
${OWNER_INDEX}${ID_INDEX}`;

export interface Bound {
  readonly key: string;
  readonly bindings: number;
  /** The `seq` of the last one. */
  readonly last: number;
}

export function packageKey(digest: string): string {
  return `p${digest}`;
}

export function attemptKey(attempt: string): string {
  return `a${sha256(attempt)}`;
}

/** The first units of package keys, one for each part of the list. */
export const PACKAGE_BUCKETS: readonly string[] = bucketsOf('p');

function bucketsOf(kind: string): string[] {
  return Array.from({ length: 256 }, (_, at) => kind + at.toString(16).padStart(2, '0'));
}

export function beginPackageTallies(db: Database): void {
  for (const bucket of ['binding', ...PACKAGE_BUCKETS, ...bucketsOf('a')]) beginTally(db, bucket);
}

/** Stores the package if it is new. */
export function putPackage(db: Database, digest: string, body: string): void {
  if (boundTo(db, packageKey(digest)) === undefined) db.run('INSERT INTO package (digest, body) VALUES (?, ?)', digest, body);
}

export function putBinding(db: Database, row: Row): void {
  const digest = asText(row['digest']);
  const attempt = asText(row['attempt']);
  const seq = readTally(db, 'binding').members + 1;
  const values = [seq, digest, attempt, asNumber(row['created_at']), asText(row['annex'])];
  const seal = sealOf('binding', values);
  db.run(`INSERT INTO binding (${BINDING_COLUMNS.join(', ')}, seal) VALUES (?, ?, ?, ?, ?, ?)`, ...values, seal);
  countIn(db, 'binding', seal);
  for (const key of [packageKey(digest), attemptKey(attempt)]) bind(db, key, seq);
}

function bind(db: Database, key: string, seq: number): void {
  const held = boundTo(db, key);
  const bindings = (held?.bindings ?? 0) + 1;
  db.run(
    `INSERT INTO bound (key, bindings, last, seal) VALUES (?, ?, ?, ?)
     ON CONFLICT (key) DO UPDATE SET bindings = excluded.bindings, last = excluded.last, seal = excluded.seal`,
    key,
    bindings,
    seq,
    sealOf('bound', [key, bindings, seq]),
  );
  if (held === undefined) countIn(db, bucketOf(key), key.slice(1));
}

/** All that share the first units of a key. */
export function boundBeside(db: Database, key: string): readonly Bound[] {
  const bucket = bucketOf(key);
  const rows = db.all(`${BOUND} WHERE key >= ? AND key < ? ORDER BY key`, bucket, `${bucket}g`);
  requireAll(
    db,
    bucket,
    rows.map((row) => asText(row['key']).slice(1)),
  );
  return rows.map((row) => sealedBound(db, row));
}

/** Undefined for what was never bound. */
export function boundTo(db: Database, key: string): Bound | undefined {
  return boundBeside(db, key).find((each) => each.key === key);
}

/** Of a package that a binding names, so that it must be there. */
export function boundOfBinding(db: Database, binding: Row): Bound {
  const row = db.get(`${BOUND} WHERE key = ?`, packageKey(asText(binding['digest'])));
  if (row === undefined) throw damagedRecords(db, 'the list of packages');
  return sealedBound(db, row);
}

function sealedBound(db: Database, row: Row): Bound {
  const { key, bindings, last, seal } = row;
  if (seal !== sealOf('bound', [key, bindings, last])) throw damagedRecords(db, 'the list of packages');
  return { key: asText(key), bindings: asNumber(bindings), last: asNumber(last) };
}

/** Bindings of one owner before this one, the latest first. */
export function bindingsOwned(db: Database, owner: string, before: number, limit: number): readonly Row[] {
  return db
    .all(`${BINDINGS} WHERE ${OWNER} = ? AND seq < ? ORDER BY seq DESC LIMIT ?`, owner, before, limit)
    .map((row) => sealedBinding(db, row));
}

/** Bindings of one owner's attempts of this name, in their order. */
export function attemptsOwned(db: Database, owner: string, attempt: string): readonly Row[] {
  return db.all(`${BINDINGS} WHERE ${OWNER} = ? AND attempt = ? ORDER BY seq`, owner, attempt).map((row) => sealedBinding(db, row));
}

/** Bindings whose id begins like this, of one owner where one is named. */
export function bindingsWithId(db: Database, prefix: string, owner: string | undefined, limit: number): readonly Row[] {
  return db
    .all(
      `${BINDINGS} WHERE ${ID} >= ? AND ${ID} < ? AND (? IS NULL OR ${OWNER} = ?) LIMIT ?`,
      prefix,
      `${prefix}~`,
      owner ?? null,
      owner ?? null,
      limit,
    )
    .map((row) => sealedBinding(db, row));
}

/** Bindings that an earlier version made have no id. */
export function allHaveIds(db: Database): boolean {
  return db.get(`SELECT 1 AS found FROM binding WHERE ${ID} IS NULL LIMIT 1`) === undefined;
}

/** The last bindings of a package in their order, so many at most. */
export function lastBindings(db: Database, digest: string, bound: Bound, most: number): readonly Row[] {
  const rows = db.all(`${BINDINGS} WHERE digest = ? ORDER BY seq DESC LIMIT ?`, digest, most).map((row) => sealedBinding(db, row));
  if (rows.length !== Math.min(most, bound.bindings) || asNumber(rows[0]?.['seq']) !== bound.last)
    throw damagedRecords(db, 'the list of bindings');
  return rows.reverse();
}

/** The bindings of a package or an attempt in their order, all of them. */
export function bindingsUnder(db: Database, column: 'digest' | 'attempt', name: string, bound: Bound): readonly Row[] {
  const rows = db.all(`${BINDINGS} WHERE ${column} = ? ORDER BY seq`, name).map((row) => sealedBinding(db, row));
  if (rows.length !== bound.bindings || asNumber(rows.at(-1)?.['seq']) !== bound.last) throw damagedRecords(db, 'the list of bindings');
  return rows;
}

export function bindingAt(db: Database, seq: number): Row {
  const row = db.get(`${BINDINGS} WHERE seq = ?`, seq);
  if (row === undefined || asNumber(row['seq']) !== seq) throw damagedRecords(db, 'the list of bindings');
  return sealedBinding(db, row);
}

/** Bindings before this one, the latest first, with none left out. */
export function bindingsBefore(db: Database, before: number, limit: number): readonly Row[] {
  const rows = db.all(`${BINDINGS} WHERE seq < ? ORDER BY seq DESC LIMIT ?`, before, limit).map((row) => sealedBinding(db, row));
  const isWhole = rows.length === Math.min(limit, before - 1) && rows.every((row, at) => row['seq'] === before - 1 - at);
  if (!isWhole) throw damagedRecords(db, 'the list of bindings');
  return rows;
}

function sealedBinding(db: Database, row: Row): Row {
  const values = BINDING_COLUMNS.map((column) => row[column]);
  if (row['seal'] !== sealOf('binding', values)) throw damagedRecords(db, 'a binding');
  return row;
}

function bucketOf(key: string): string {
  return key.slice(0, BUCKET_UNITS);
}
