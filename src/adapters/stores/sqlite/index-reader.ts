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
import type { HeldVersion, IndexReader, IndexSnapshot } from '../../../ports/index-reader.js';
import { asBytes, asNumber, asText, type Cell, type Database } from './driver.js';
import { matchesSums, type SummedPart } from './file-sums.js';
import { readManifest, requireReadable } from './index-schema.js';
import { SqliteSnapshot } from './index-snapshot.js';
import { isDigestKept, readTotals } from './index-totals.js';
import { openToRead } from './open-to-read.js';
import { readContent, readMeta } from './page-content.js';
import { ReadingCache, readCompartments } from './reading.js';
import { SegmentStore } from './segment-store.js';
import { pageAndSections } from './withheld-pages.js';

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
  #checked: { readonly token: string; readonly done: Promise<void> } | undefined;

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
      const sound = this.#sound(db);
      return new CheckedSnapshot(db, this.#cache, manifest, () => this.#giveBack(db, identity), sound);
    } catch (error) {
      db.close();
      throw error;
    }
  }

  async totals(): Promise<IndexTotals> {
    const [totals, isKept] = await this.#readSound((db) => [readTotals(db), isDigestKept(db)] as const);
    if (isKept || (await this.#isAsLeft('all'))) return totals;
    throw this.#altered();
  }

  async checkpoints(): Promise<readonly Checkpoint[]> {
    return this.#readSound((db) =>
      db
        .all('SELECT checkpoint FROM source WHERE checkpoint IS NOT NULL ORDER BY id')
        .map((row) => parsed(db, asText(row['checkpoint'])) as Checkpoint),
    );
  }

  async pending(): Promise<number> {
    return this.#readSound((db) => asNumber(db.get('SELECT coalesce(sum(pending), 0) AS pending FROM source')?.['pending']));
  }

  async problems(source?: string): Promise<readonly Problem[]> {
    return this.#readSound((db) => {
      const only = source ?? null;
      const walk = db.all('SELECT problems AS found FROM source WHERE ? IS NULL OR id = ? ORDER BY id', only, only);
      const pages = pagesIn(db, 'AND p.has_problems = 1 AND (? IS NULL OR p.source = ?)', only, only);
      return [...walk.flatMap((row) => parsed(db, asText(row['found'])) as Problem[]), ...pages.flatMap((each) => problemsOf(db, each))];
    });
  }

  async held(source: string, path: string): Promise<HeldVersion | undefined> {
    const rows = this.#read((db) => pageAndSections(db, source, path));
    const page = rows.find((row) => row['path'] === path);
    if (page === undefined) return undefined;
    const texts = [...new Set(rows.map((row) => asText(row['blob'])))].sort();
    return { blob: asText(page['blob']), texts, transformation: asText(page['transformation']) };
  }

  async integrity(): Promise<{ readonly ok: boolean; readonly damaged: readonly string[] }> {
    const isAsLeft = await this.#isAsLeft('all');
    return this.#read((db) => {
      const damaged = damagedPages(db);
      if (!isAsLeft) damaged.push(this.#file);
      const check = db.get('PRAGMA quick_check(1)')?.['quick_check'];
      if (check !== 'ok') damaged.push(this.#file);
      try {
        verifyPostings(db);
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        damaged.push(`${this.#file} (postings)`);
      }
      return { ok: damaged.length === 0, damaged };
    });
  }

  /** As `#read`, and only what a sound file says. */
  async #readSound<T>(work: (db: Database) => T): Promise<T> {
    const [result, sound] = this.#read((db) => [work(db), this.#sound(db)] as const);
    await sound;
    return result;
  }

  async #isAsLeft(part: SummedPart): Promise<boolean> {
    const db = this.#borrow();
    try {
      requireReadable(db);
      return matchesSums(db, part);
    } finally {
      db.close();
    }
  }

  /**
   * Whether the file is as its last writer left it: looked at once for each state of the file, and told when the answer is done. Damage
   * to what carries a digest of its own is found, left out and named where it is read: it stops nothing else.
   */
  #sound(view: Database): Promise<void> {
    const token = `${this.#identity} ${asNumber(view.get('SELECT token FROM lease WHERE one = 1')?.['token'])}`;
    if (this.#checked?.token !== token) {
      const done = this.#check();
      done.catch(() => undefined);
      this.#checked = { token, done };
    }
    return this.#checked.done;
  }

  async #check(): Promise<void> {
    const db = openToRead(this.#file, BUSY_TIMEOUT_MS);
    try {
      if (matchesSums(db, 'unsealed') || isSealedDamage(db)) return;
      throw this.#altered();
    } finally {
      db.close();
    }
  }

  #altered(): Fault {
    return new Fault('store/corrupt', { file: this.#file, reason: 'it is not what was last written' });
  }

  async close(): Promise<void> {
    this.#checked = undefined;
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

/** Its answers are not out before it is closed, and it closes only when the file proved sound. */
class CheckedSnapshot extends SqliteSnapshot {
  readonly #sound: Promise<void>;

  constructor(...[db, cache, manifest, giveBack, sound]: [...ConstructorParameters<typeof SqliteSnapshot>, Promise<void>]) {
    super(db, cache, manifest, giveBack);
    this.#sound = sound;
  }

  override async close(): Promise<void> {
    await super.close();
    await this.#sound;
  }
}

/** What is kept of sources has no digest of its own. */
function parsed(db: Database, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Fault('store/corrupt', { file: db.file, reason: 'what is kept of a source cannot be read' }, { cause: error });
  }
}

/** True for damage that whoever reads it finds: the stored text of a page, or postings. */
function isSealedDamage(db: Database): boolean {
  if (pagesIn(db).some(({ meta, isWhole }) => meta !== undefined && !isWhole())) return true;
  try {
    verifyPostings(db);
    return false;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return true;
  }
}

function verifyPostings(db: Database): void {
  new SegmentStore(db, new ReadingCache().segments).verify();
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
  return pagesIn(db).flatMap(({ name, isWhole }) => (isWhole() ? [] : [name]));
}

function problemsOf(db: Database, { name, meta }: ReturnType<typeof pagesIn>[number]): readonly Problem[] {
  if (meta === undefined)
    throw new Fault('store/corrupt', { file: db.file, reason: `what is stored of ${name} does not match its digest` });
  return meta.page.problems;
}

/** Every page, or those of a condition, with what is undefined where it is damaged. */
function pagesIn(db: Database, condition = '', ...values: readonly Cell[]) {
  const compartments = new Map(readCompartments(db).map((each) => [each.row, each.compartment] as const));
  const rows = db.all(
    `SELECT p.source AS source, p.path AS path, p.compartment AS compartment, c.meta AS meta, p.meta_digest AS meta_digest, p.row AS row
     FROM page AS p LEFT JOIN content AS c ON c.page = p.row WHERE 1 ${condition} ORDER BY p.source, p.path`,
    ...values,
  );
  return rows.map((row) => {
    const compartment = compartments.get(asNumber(row['compartment']));
    const meta = compartment && readMeta(asText(row['meta']), asText(row['meta_digest']), compartment);
    const body = () => asBytes(db.get('SELECT body FROM content WHERE page = ?', asNumber(row['row']))?.['body']);
    return {
      name: `${asText(row['source'])}:${asText(row['path'])}`,
      meta,
      isWhole: () => meta !== undefined && readContent(body(), meta.content) !== undefined,
    };
  });
}
