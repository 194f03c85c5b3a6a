/** Rows of the registry as they lie in records.db, each under its seal. Inside the caller's transaction. */
import { asText, type Cell, type Database, type Row } from './driver.js';
import { countIn, damagedRecords, readTally, requireAll, sealOf } from './tally.js';

const SOURCE_COLUMNS = ['id', 'owner', 'state', 'confirmed_at', 'freshness_slo_ms', 'registration_digest', 'registered_at'] as const;
const EVENT_COLUMNS = ['source', 'event', 'from_state', 'to_state', 'actor', 'reason', 'at'] as const;

export type SourceRow = Row & { readonly [column in (typeof SOURCE_COLUMNS)[number]]: Cell };

const SOURCES = `SELECT ${SOURCE_COLUMNS.join(', ')}, seal FROM source`;

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
}

export function putEvent(db: Database, row: Row): void {
  const seq = readTally(db, 'source_event').members + 1;
  const values = pick(row, EVENT_COLUMNS);
  const seal = sealOf('source_event', [seq, ...values]);
  db.run(
    `INSERT INTO source_event (seq, ${EVENT_COLUMNS.join(', ')}, seal) VALUES (${['seq', ...EVENT_COLUMNS, 'seal'].map(() => '?').join(', ')})`,
    seq,
    ...values,
    seal,
  );
  countIn(db, 'source_event', seal);
}

/** Refuses when an event was changed or is missing. */
export function verifyEvents(db: Database): void {
  const rows = db.all(`SELECT seq, ${EVENT_COLUMNS.join(', ')}, seal FROM source_event ORDER BY seq`);
  for (const row of rows) {
    if (row['seal'] !== sealOf('source_event', pick(row, ['seq', ...EVENT_COLUMNS])))
      throw damagedRecords(db, 'the history of the sources');
  }
  requireAll(
    db,
    'source_event',
    rows.map((row) => asText(row['seal'])),
  );
}

function pick(row: Row, columns: readonly string[]): Cell[] {
  return columns.map((column) => row[column] ?? null);
}
