/**
 * The index reader: hands out snapshots and answers operators.
 *
 * The file is opened with the first question, never written, and opened anew when it was replaced underneath.
 * Invariant: a missing or empty file is `index/not-built`; another format is `index/version-mismatch`.
 */
import { statSync } from 'node:fs';
import type { Checkpoint } from '../../../domain/checkpoint.js';
import type { IndexTotals } from '../../../domain/index-manifest.js';
import type { Problem } from '../../../domain/problem.js';
import type { Clock } from '../../../kernel/clock.js';
import { Fault } from '../../../kernel/errors.js';
import type { IndexReader, IndexSnapshot } from '../../../ports/index-reader.js';
import { asBytes, asNumber, asText, type Database } from './driver.js';
import { readManifest, requireReadable } from './index-schema.js';
import { SqliteSnapshot } from './index-snapshot.js';
import { readTotals } from './index-totals.js';
import { openToRead } from './open-to-read.js';
import { readContent, readMeta } from './page-content.js';
import { ReadingCache, readCompartments } from './reading.js';
import { SegmentStore } from './segment-store.js';

const BUSY_TIMEOUT_MS = 2000;
const MOST_IDLE = 4;

export interface IndexReaderOptions {
  /** Path of index.db. */
  readonly file: string;
  readonly clock: Clock;
}

/** Opens nothing yet, so that a library without an index can be asked what it needs. */
export function openIndexReader(options: IndexReaderOptions): IndexReader {
  return new SqliteIndexReader(options.file);
}

class SqliteIndexReader implements IndexReader {
  readonly #file: string;
  #idle: Database[] = [];
  #identity = '';
  #cache = new ReadingCache();

  constructor(file: string) {
    this.#file = file;
  }

  async snapshot(): Promise<IndexSnapshot> {
    const db = this.#borrow();
    const identity = this.#identity;
    try {
      db.exec('BEGIN');
      requireReadable(db);
      const manifest = readManifest(db);
      return new SqliteSnapshot(db, this.#cache, manifest, () => this.#giveBack(db, identity));
    } catch (error) {
      db.close();
      throw error;
    }
  }

  async totals(): Promise<IndexTotals> {
    return this.#read(readTotals);
  }

  async checkpoints(): Promise<readonly Checkpoint[]> {
    return this.#read((db) =>
      db
        .all('SELECT checkpoint FROM source WHERE checkpoint IS NOT NULL ORDER BY id')
        .map((row) => JSON.parse(asText(row['checkpoint'])) as Checkpoint),
    );
  }

  async pending(): Promise<number> {
    return this.#read((db) => asNumber(db.get('SELECT coalesce(sum(pending), 0) AS pending FROM source')?.['pending']));
  }

  async problems(source?: string): Promise<readonly Problem[]> {
    return this.#read((db) => {
      const only = source ?? null;
      const walk = db.all('SELECT problems AS found FROM source WHERE ? IS NULL OR id = ? ORDER BY id', only, only);
      const pages = db.all(
        `SELECT json_extract(meta, '$.problems') AS found FROM page
         WHERE has_problems = 1 AND (? IS NULL OR source = ?) ORDER BY source, path`,
        only,
        only,
      );
      return [...walk, ...pages].flatMap((row) => JSON.parse(asText(row['found'])) as Problem[]);
    });
  }

  async integrity(): Promise<{ readonly ok: boolean; readonly damaged: readonly string[] }> {
    return this.#read((db) => {
      const damaged = damagedPages(db);
      const check = db.get('PRAGMA quick_check(1)')?.['quick_check'];
      if (check !== 'ok') damaged.push(this.#file);
      try {
        new SegmentStore(db, new ReadingCache().segments).verify();
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        damaged.push(`${this.#file} (postings)`);
      }
      return { ok: damaged.length === 0, damaged };
    });
  }

  async close(): Promise<void> {
    for (const db of this.#idle) db.close();
    this.#idle = [];
    this.#identity = '';
  }

  #read<T>(work: (db: Database) => T): T {
    const db = this.#borrow();
    const identity = this.#identity;
    let done = false;
    try {
      db.exec('BEGIN');
      requireReadable(db);
      const result = work(db);
      done = true;
      return result;
    } finally {
      if (done) this.#giveBack(db, identity);
      else db.close();
    }
  }

  #borrow(): Database {
    const identity = identityOf(this.#file);
    if (identity !== this.#identity) {
      for (const db of this.#idle) db.close();
      this.#idle = [];
      this.#cache = new ReadingCache();
      this.#identity = identity;
    }
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle;
    const db = openToRead(this.#file, BUSY_TIMEOUT_MS);
    db.exec('PRAGMA query_only = ON; PRAGMA cache_size = -32768');
    return db;
  }

  #giveBack(db: Database, identity: string): void {
    db.exec('ROLLBACK');
    if (identity === this.#identity && this.#idle.length < MOST_IDLE) this.#idle.push(db);
    else db.close();
  }
}

/** Tells a file from one that took its place. */
function identityOf(file: string): string {
  try {
    const stat = statSync(file, { bigint: true });
    if (stat.isDirectory()) throw new Fault('store/unavailable', { file, reason: 'it is a folder' });
    if (stat.size === 0n) throw new Fault('index/not-built', { path: file });
    return `${stat.dev}:${stat.ino}`;
  } catch (error) {
    if (error instanceof Fault) throw error;
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') throw new Fault('index/not-built', { path: file }, { cause: error });
    throw new Fault('store/unavailable', { file, reason: 'it cannot be looked at' }, { cause: error });
  }
}

function damagedPages(db: Database): string[] {
  const compartments = new Map(readCompartments(db).map((each) => [each.row, each.compartment] as const));
  const damaged: string[] = [];
  const rows = db.all(
    `SELECT p.source AS source, p.path AS path, p.compartment AS compartment, p.meta AS meta, p.meta_digest AS meta_digest, p.row AS row
     FROM page AS p ORDER BY p.source, p.path`,
  );
  for (const row of rows) {
    const compartment = compartments.get(asNumber(row['compartment']));
    const meta = compartment && readMeta(asText(row['meta']), asText(row['meta_digest']), compartment);
    const body = db.get('SELECT body FROM content WHERE page = ?', asNumber(row['row']))?.['body'];
    const content = meta && readContent(asBytes(body), meta.content);
    if (content === undefined) damaged.push(`${asText(row['source'])}:${asText(row['path'])}`);
  }
  return damaged;
}
