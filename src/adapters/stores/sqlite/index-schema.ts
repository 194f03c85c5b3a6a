/**
 * The tables of index.db. Everything in it is derived: another version is not migrated but emptied and built again.
 *
 * `seen` has the signatures under which pages were found unchanged later: small rows, so that a checkout that gives every file a new
 * time does not write every page anew.
 *
 * Invariant: row numbers of pages and segments are never used again (AUTOINCREMENT), so caches keyed by them cannot be stale.
 */
import type { IndexManifest } from '../../../domain/index-manifest.js';
import { Fault } from '../../../kernel/errors.js';
import { asNumber, asText, type Database } from './driver.js';
import { markOurs, requireOurs } from './ownership.js';

/** Names the layout of this file; part of the manifest. */
export const INDEX_SCHEMA = 'index@4';
const SCHEMA_VERSION = 4;

export type ManifestVersions = Omit<IndexManifest, 'generation' | 'schema'>;

const TABLES = `
CREATE TABLE manifest (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  generation INTEGER NOT NULL,
  analyzer TEXT NOT NULL, segmenter TEXT NOT NULL, embedder TEXT NOT NULL,
  digest TEXT, digest_generation INTEGER
);
CREATE TABLE lease (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  token INTEGER NOT NULL, holder TEXT, host TEXT, pid INTEGER, expires_at INTEGER
);
CREATE TABLE compartment (
  row INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE, source TEXT NOT NULL, body TEXT NOT NULL,
  pages INTEGER NOT NULL, artifacts INTEGER NOT NULL, content_sum TEXT NOT NULL
);
CREATE TABLE page (
  row INTEGER PRIMARY KEY AUTOINCREMENT,
  compartment INTEGER NOT NULL, source TEXT NOT NULL, path TEXT NOT NULL,
  blob TEXT NOT NULL, signature TEXT, transformation TEXT NOT NULL,
  status TEXT, product_version TEXT, verified_at TEXT, tags TEXT NOT NULL,
  superseded INTEGER NOT NULL, valid_until TEXT, has_problems INTEGER NOT NULL,
  artifacts INTEGER NOT NULL, meta_digest TEXT NOT NULL, content_digest TEXT NOT NULL
);
CREATE UNIQUE INDEX page_by_source ON page (source, path);
CREATE INDEX page_by_compartment ON page (compartment, path);
CREATE INDEX page_by_version ON page (compartment, product_version) WHERE product_version IS NOT NULL;
CREATE INDEX page_retired ON page (compartment, valid_until, superseded) WHERE superseded = 1 OR valid_until IS NOT NULL;
CREATE INDEX page_with_problems ON page (source) WHERE has_problems = 1;
CREATE TABLE seen (page INTEGER PRIMARY KEY, signature TEXT NOT NULL);
CREATE TABLE content (page INTEGER PRIMARY KEY, meta TEXT NOT NULL, body BLOB NOT NULL);
CREATE TABLE artifact (
  id BLOB PRIMARY KEY, compartment INTEGER NOT NULL, page INTEGER NOT NULL, position INTEGER NOT NULL, digest BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE segment (
  row INTEGER PRIMARY KEY AUTOINCREMENT,
  compartment INTEGER NOT NULL, kind TEXT NOT NULL,
  first_page INTEGER NOT NULL, pages INTEGER NOT NULL, documents INTEGER NOT NULL, blocks INTEGER NOT NULL,
  body BLOB NOT NULL
);
CREATE INDEX segment_by_compartment ON segment (compartment, kind, first_page);
CREATE TABLE posting_block (row INTEGER PRIMARY KEY, body BLOB NOT NULL);
CREATE TABLE tombstone (segment INTEGER NOT NULL, page INTEGER NOT NULL, PRIMARY KEY (segment, page)) WITHOUT ROWID;
CREATE TABLE source (
  id TEXT PRIMARY KEY, pending INTEGER NOT NULL, checkpoint TEXT, problems TEXT NOT NULL
) WITHOUT ROWID;
`;

const TABLE_NAMES = [
  'manifest',
  'compartment',
  'page',
  'seen',
  'content',
  'artifact',
  'segment',
  'posting_block',
  'tombstone',
  'source',
  'lease',
] as const;

export function refuseForeignIndex(db: Database): void {
  requireOurs(db, ['manifest', 'lease', 'page']);
}

/** Makes the file ours: creates, or empties and creates, what does not fit this version. Runs inside the caller's transaction. */
export function prepareForWriting(db: Database, versions: ManifestVersions): void {
  const found = versionOf(db);
  if (found !== SCHEMA_VERSION) {
    dropEverything(db);
    markOurs(db);
    db.exec(TABLES);
    db.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
    db.run('INSERT INTO lease (one, token) VALUES (1, 0)');
    insertManifest(db, 1, versions);
    return;
  }
  const manifest = readManifest(db);
  if (isMadeBy(manifest, versions)) return;
  // What another analyzer made cannot be searched with this one's terms.
  for (const table of TABLE_NAMES) if (table !== 'lease') db.exec(`DELETE FROM ${table}`);
  insertManifest(db, manifest.generation + 1, versions);
}

/** True when the file is one of this version, and what it holds was made with these versions. */
export function isPrepared(db: Database, versions: ManifestVersions): boolean {
  return versionOf(db) === SCHEMA_VERSION && isMadeBy(readManifest(db), versions);
}

function isMadeBy(made: ManifestVersions, versions: ManifestVersions): boolean {
  return made.analyzer === versions.analyzer && made.segmenter === versions.segmenter && made.embedder === versions.embedder;
}

function dropEverything(db: Database): void {
  for (const row of db.all("SELECT name, type FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' AND type IN ('table', 'view')")) {
    db.exec(`DROP ${asText(row['type'])} "${asText(row['name']).replaceAll('"', '""')}"`);
  }
}

function insertManifest(db: Database, generation: number, versions: ManifestVersions): void {
  db.run(
    'INSERT INTO manifest (one, generation, analyzer, segmenter, embedder) VALUES (1, ?, ?, ?, ?)',
    generation,
    versions.analyzer,
    versions.segmenter,
    versions.embedder,
  );
}

export function versionOf(db: Database): number {
  return asNumber(db.get('PRAGMA user_version')?.['user_version']);
}

/** Refuses a file that is empty or of another version. */
export function requireReadable(db: Database): void {
  const found = versionOf(db);
  if (found === 0) throw new Fault('index/not-built', { path: db.file });
  if (found !== SCHEMA_VERSION) throw new Fault('index/version-mismatch', { wanted: INDEX_SCHEMA, found: `index@${found}` });
}

export function readManifest(db: Database): IndexManifest {
  const row = db.get('SELECT generation, analyzer, segmenter, embedder FROM manifest WHERE one = 1');
  if (row === undefined) throw new Fault('store/corrupt', { file: db.file, reason: 'it has no manifest' });
  return {
    generation: asNumber(row['generation']),
    schema: INDEX_SCHEMA,
    analyzer: asText(row['analyzer']),
    segmenter: asText(row['segmenter']),
    embedder: asText(row['embedder']),
  };
}
