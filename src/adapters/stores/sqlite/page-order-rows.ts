/** Rows of orders about pages as they lie in records.db, each under its seal. Inside the caller's transaction. */
import { asText, type Cell, type Database, type Row } from './driver.js';
import { beginTally, countIn, damagedRecords, readTally, requireAll, sealOf } from './tally.js';

const STANDING = 'page_standing';
const EVENT = 'page_event';
const STANDING_COLUMNS = ['source', 'path', 'state', 'texts', 'barred', 'version', 'since'] as const;
const EVENT_COLUMNS = ['source', 'path', 'event', 'from_state', 'to_state', 'actor', 'reason', 'at', 'detail'] as const;

export const PAGE_ORDER_TABLES = `
CREATE TABLE ${STANDING} (
  source TEXT NOT NULL, path TEXT NOT NULL, state TEXT NOT NULL, texts TEXT NOT NULL, barred TEXT NOT NULL,
  version INTEGER NOT NULL, since INTEGER NOT NULL, seal TEXT NOT NULL, PRIMARY KEY (source, path)
) WITHOUT ROWID;
CREATE TABLE ${EVENT} (
  seq INTEGER PRIMARY KEY, source TEXT NOT NULL, path TEXT NOT NULL, event TEXT NOT NULL,
  from_state TEXT NOT NULL, to_state TEXT NOT NULL, actor TEXT NOT NULL, reason TEXT NOT NULL, at INTEGER NOT NULL,
  detail TEXT NOT NULL, seal TEXT NOT NULL
);
CREATE INDEX page_event_by_page ON ${EVENT} (source, path, seq);
`;

export type StandingRow = Row & { readonly [column in (typeof STANDING_COLUMNS)[number]]: Cell };

export function beginPageOrderTallies(db: Database): void {
  for (const name of [STANDING, EVENT]) beginTally(db, name);
}

/** Every standing, none of them changed or missing: one that got lost would let a page back in. */
export function allStandings(db: Database): readonly StandingRow[] {
  const rows = db.all(`SELECT ${STANDING_COLUMNS.join(', ')}, seal FROM ${STANDING} ORDER BY source, path`);
  for (const row of rows)
    if (row['seal'] !== sealOf(STANDING, pick(row, STANDING_COLUMNS))) throw damagedRecords(db, `the standing of ${asText(row['path'])}`);
  requireAll(
    db,
    STANDING,
    rows.map((row) => asText(row['seal'])),
  );
  return rows as StandingRow[];
}

export function putStanding(db: Database, row: StandingRow, held: StandingRow | undefined): void {
  const values = pick(row, STANDING_COLUMNS);
  const seal = sealOf(STANDING, values);
  const names = [...STANDING_COLUMNS, 'seal'];
  db.run(
    `INSERT INTO ${STANDING} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})
     ON CONFLICT (source, path) DO UPDATE SET ${names
       .slice(2)
       .map((name) => `${name} = excluded.${name}`)
       .join(', ')}`,
    ...values,
    seal,
  );
  countIn(db, STANDING, seal, held === undefined ? undefined : asText(held['seal']));
}

/** Adds an event; says at which place. */
export function putPageEvent(db: Database, row: Row): number {
  const seq = readTally(db, EVENT).members + 1;
  const values = pick(row, EVENT_COLUMNS);
  const seal = sealOf(EVENT, [seq, ...values]);
  const names = ['seq', ...EVENT_COLUMNS, 'seal'];
  db.run(`INSERT INTO ${EVENT} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`, seq, ...values, seal);
  return countIn(db, EVENT, seal);
}

/** What happened to one page, none of it changed; the oldest first. */
export function eventsOf(db: Database, source: string, path: string): readonly Row[] {
  return sealedEvents(
    db,
    db.all(`SELECT seq, ${EVENT_COLUMNS.join(', ')}, seal FROM ${EVENT} WHERE source = ? AND path = ? ORDER BY seq`, source, path),
  );
}

/** Refuses when a row was changed or is missing. */
export function verifyPageOrders(db: Database): void {
  allStandings(db);
  const rows = sealedEvents(db, db.all(`SELECT seq, ${EVENT_COLUMNS.join(', ')}, seal FROM ${EVENT} ORDER BY seq`));
  requireAll(
    db,
    EVENT,
    rows.map((row) => asText(row['seal'])),
  );
}

function sealedEvents(db: Database, rows: readonly Row[]): readonly Row[] {
  for (const row of rows)
    if (row['seal'] !== sealOf(EVENT, pick(row, ['seq', ...EVENT_COLUMNS]))) throw damagedRecords(db, 'the history of the pages');
  return rows;
}

function pick(row: Row, columns: readonly string[]): Cell[] {
  return columns.map((column) => row[column] ?? null);
}
