/** Rows of the registry as they lie in records.db, each under its seal. Inside the caller's transaction. */
import { asText, type Cell, type Database, type Row } from './driver.js';
import { beginTally, countIn, damagedRecords, readTally, requireAll, sealOf } from './tally.js';

const SOURCE_COLUMNS_OF_3 = ['id', 'owner', 'state', 'confirmed_at', 'freshness_slo_ms', 'registration_digest', 'registered_at'] as const;
const SOURCE_COLUMNS = [...SOURCE_COLUMNS_OF_3, 'retires_at', 'version', 'proposer'] as const;
const EVENT_COLUMNS_OF_3 = ['source', 'event', 'from_state', 'to_state', 'actor', 'reason', 'at'] as const;
const EVENT_COLUMNS = [...EVENT_COLUMNS_OF_3, 'detail'] as const;
const DECLARATION_COLUMNS = ['source', 'digest', 'declared', 'actor', 'at'] as const;

export const REGISTRY_TABLES = `
CREATE TABLE source (
  id TEXT PRIMARY KEY, owner TEXT NOT NULL, state TEXT NOT NULL, confirmed_at INTEGER,
  freshness_slo_ms INTEGER NOT NULL, registration_digest TEXT NOT NULL, registered_at INTEGER NOT NULL,
  retires_at INTEGER, version INTEGER NOT NULL, proposer TEXT NOT NULL, seal TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE source_event (
  seq INTEGER PRIMARY KEY,
  source TEXT NOT NULL, event TEXT NOT NULL, from_state TEXT NOT NULL, to_state TEXT NOT NULL,
  actor TEXT NOT NULL, reason TEXT NOT NULL, at INTEGER NOT NULL, detail TEXT NOT NULL, seal TEXT NOT NULL
);
CREATE TABLE source_declaration (
  seq INTEGER PRIMARY KEY,
  source TEXT NOT NULL, digest TEXT NOT NULL, declared TEXT NOT NULL, actor TEXT NOT NULL, at INTEGER NOT NULL, seal TEXT NOT NULL
);
CREATE INDEX source_event_by_source ON source_event (source, seq);
CREATE INDEX source_declaration_by_source ON source_declaration (source, seq);
`;

const LISTS = { source_event: EVENT_COLUMNS, source_declaration: DECLARATION_COLUMNS } as const;
type List = keyof typeof LISTS;
const LIST_NAMES: readonly List[] = ['source_event', 'source_declaration'];
const tallyOf = (list: List, source: Cell | undefined) => `${list} ${asText(source)}`;

export type SourceRow = Row & { readonly [column in (typeof SOURCE_COLUMNS)[number]]: Cell };

const SOURCES = `SELECT ${SOURCE_COLUMNS.join(', ')}, seal FROM source`;

export function beginRegistryTallies(db: Database): void {
  for (const name of ['source', 'source_event', 'source_declaration']) beginTally(db, name);
}

/** Every source, none of them changed or missing. */
export function allSources(db: Database): readonly SourceRow[] {
  const rows = db.all(`${SOURCES} ORDER BY id`).map((row) => sealedSource(db, row));
  requireAll(
    db,
    'source',
    rows.map((row) => asText(row['seal'])),
  );
  return rows;
}

export function sourceRow(db: Database, id: string): SourceRow | undefined {
  const row = db.get(`${SOURCES} WHERE id = ?`, id);
  return row === undefined ? undefined : sealedSource(db, row);
}

function sealedSource(db: Database, row: Row): SourceRow {
  if (row['seal'] !== sealOf('source', pick(row, SOURCE_COLUMNS))) throw damagedRecords(db, `the standing of source ${asText(row['id'])}`);
  return row as SourceRow;
}

/** Writes a source, new or in place of what is held of it. */
export function putSource(db: Database, row: SourceRow, held?: SourceRow): void {
  const values = pick(row, SOURCE_COLUMNS);
  const seal = sealOf('source', values);
  db.run(
    `INSERT INTO source (${SOURCE_COLUMNS.join(', ')}, seal) VALUES (${[...SOURCE_COLUMNS, 'seal'].map(() => '?').join(', ')})
     ON CONFLICT (id) DO UPDATE SET ${[...SOURCE_COLUMNS.slice(1), 'seal'].map((each) => `${each} = excluded.${each}`).join(', ')}`,
    ...values,
    seal,
  );
  countIn(db, 'source', seal, held === undefined ? undefined : asText(held['seal']));
  if (held === undefined) for (const list of LIST_NAMES) beginTally(db, tallyOf(list, row.id));
}

/** Adds a row at the end of a list; says at which place. */
export function putInList(db: Database, list: List, row: Row): number {
  const columns = LISTS[list];
  const seq = readTally(db, list).members + 1;
  const values = pick(row, columns);
  const seal = sealOf(list, [seq, ...values]);
  const names = ['seq', ...columns, 'seal'];
  db.run(`INSERT INTO ${list} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`, seq, ...values, seal);
  countIn(db, tallyOf(list, row['source']), seal);
  return countIn(db, list, seal);
}

/** Refuses when a row of any of the lists was changed or is missing. */
export function verifyLists(db: Database): void {
  for (const list of LIST_NAMES) sealedList(db, list, LISTS[list]);
}

/** What a list holds of one source, none of it changed or missing; the oldest first. */
export function listOf(db: Database, list: List, source: string): readonly Row[] {
  if (sourceRow(db, source) === undefined) return [];
  const rows = db.all(`SELECT seq, ${LISTS[list].join(', ')}, seal FROM ${list} WHERE source = ? ORDER BY seq`, source);
  return whole(db, { rows, list, columns: LISTS[list], tally: tallyOf(list, source) });
}

function sealedList(db: Database, list: string, columns: readonly string[]): readonly Row[] {
  const rows = db.all(`SELECT seq, ${columns.join(', ')}, seal FROM ${list} ORDER BY seq`);
  return whole(db, { rows, list, columns, tally: list });
}

interface Sealed {
  readonly rows: readonly Row[];
  readonly list: string;
  readonly columns: readonly string[];
  readonly tally: string;
}

function whole(db: Database, { rows, list, columns, tally }: Sealed): readonly Row[] {
  for (const row of rows)
    if (row['seal'] !== sealOf(list, pick(row, ['seq', ...columns]))) throw damagedRecords(db, 'the history of the sources');
  requireAll(
    db,
    tally,
    rows.map((row) => asText(row['seal'])),
  );
  return rows;
}

/** From the third version, which kept neither versions nor declarations. What it held is believed as far as its seals hold. */
export function widenRegistry(db: Database): void {
  const sources = db.all(`SELECT ${SOURCE_COLUMNS_OF_3.join(', ')}, seal FROM source ORDER BY id`);
  for (const row of sources)
    if (row['seal'] !== sealOf('source', pick(row, SOURCE_COLUMNS_OF_3)))
      throw damagedRecords(db, `the standing of source ${asText(row['id'])}`);
  requireAll(
    db,
    'source',
    sources.map((row) => asText(row['seal'])),
  );
  const events = sealedList(db, 'source_event', EVENT_COLUMNS_OF_3);
  db.exec(`DROP TABLE source; DROP TABLE source_event; ${REGISTRY_TABLES}`);
  beginRegistryTallies(db);
  copyRegistry(db, sources, events);
}

/** Rows of an older version, under the seals of this one. */
export function copyRegistry(db: Database, sources: readonly Row[], events: readonly Row[]): void {
  for (const row of sources) {
    const version = 1 + events.filter(({ source }) => source === row['id']).length;
    putSource(db, { ...row, retires_at: null, version, proposer: '' } as unknown as SourceRow);
  }
  const known = new Set(sources.map(({ id }) => id));
  for (const row of events) {
    // Of a source that is not there any more nobody reads it, and it is kept all the same.
    if (!known.has(row['source'] ?? null)) beginTally(db, tallyOf('source_event', row['source']));
    putInList(db, 'source_event', { ...row, detail: '{}' });
  }
  for (const row of sources) {
    const { id, registration_digest: digest = null, registered_at: at = null } = row;
    putInList(db, 'source_declaration', { source: id ?? null, digest, declared: '{}', actor: '', at });
  }
}

function pick(row: Row, columns: readonly string[]): Cell[] {
  return columns.map((column) => row[column] ?? null);
}
