/**
 * The index writer: every change to index.db goes through here, one transaction a batch, under the single writer's lease.
 *
 * Invariant: a transaction that does not hold the lease's token changes nothing.
 * Invariant: a run that changes nothing writes nothing: where it may, it takes the lease with its first change only.
 */
import { dirname } from 'node:path';
import type { Checkpoint } from '../../../domain/checkpoint.js';
import type { IndexTotals } from '../../../domain/index-manifest.js';
import type { Problem } from '../../../domain/problem.js';
import type { Clock } from '../../../kernel/clock.js';
import { Fault } from '../../../kernel/errors.js';
import type { IndexBatch, IndexWriter, KnownPage } from '../../../ports/index-writer.js';
import { asBytes, asNumber, asText, Database } from './driver.js';
import { dropSums, isLeftInOrder, keepSums } from './file-sums.js';
import { abandonLease, checkLease, checkUntaken, giveBackLease, holdLease, type Lease, lastToken, takeLease } from './index-lease.js';
import { isPrepared, type ManifestVersions, prepareForWriting, refuseForeignIndex } from './index-schema.js';
import { keepContentDigest, readTotals } from './index-totals.js';
import { makeFolder } from './make-folder.js';
import { makePrivate } from './ownership.js';
import { readContent } from './page-content.js';
import { PageFiling } from './page-filing.js';
import { opened as openPacked, packPages } from './page-packing.js';
import { SegmentCompaction } from './segment-compaction.js';
import { SegmentCache, SegmentStore } from './segment-store.js';

const BUSY_TIMEOUT_MS = 3000;
const PAGE_CACHE_KIB = 32_768;
/** Larger than SQLite's own 4096: most values are some kilobytes, and what does not fill a page is lost. */
const PAGE_BYTES = 8192;
/** The log is moved into the file when it has grown to this: pages that were written often meanwhile are moved once. */
const LOG_PAGES = 4096;

export interface IndexWriterOptions {
  /** Path of index.db; its folder is made when it is missing. */
  readonly file: string;
  readonly clock: Clock;
  /** Who is writing, for the message another writer gets. */
  readonly holder: string;
  readonly manifest: ManifestVersions;
  /** Checks the stored text of every known page, so that damaged ones are made again (T4.6). */
  readonly verify?: boolean;
  /** Takes the lease with the first change, where the last writer left the index in order. */
  readonly onChange?: boolean;
}

/** Takes the lease, at once or `onChange`. Throws `index/busy` while another live process has it, or has changed the index meanwhile. */
export async function openIndexWriter(options: IndexWriterOptions): Promise<IndexWriter> {
  const db = openForWriting(options.file);
  try {
    const waits = options.onChange === true && options.verify !== true && isPrepared(db, options.manifest) && isLeftInOrder(db);
    return new SqliteIndexWriter(db, waits ? { seen: lastToken(db) } : take(db, options), options);
  } catch (error) {
    db.close();
    throw error;
  }
}

/** The lease, or the token of who had it last when the index was first looked at. */
type Hold = Lease | { readonly seen: number };

function take(db: Database, options: IndexWriterOptions, seen?: number): Lease {
  return db.transaction(() => {
    if (seen === undefined) prepareForWriting(db, options.manifest);
    else checkUntaken(db, seen);
    const lease = takeLease(db, options.clock, options.holder);
    dropSums(options.file);
    return lease;
  });
}

function openForWriting(file: string): Database {
  makeFolder(dirname(file));
  makePrivate(file);
  const db = Database.open(file, { readOnly: false, busyTimeoutMs: BUSY_TIMEOUT_MS });
  try {
    refuseForeignIndex(db);
    db.exec(`PRAGMA page_size = ${PAGE_BYTES}; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
       PRAGMA cache_size = -${PAGE_CACHE_KIB}; PRAGMA wal_autocheckpoint = ${LOG_PAGES}`);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

class SqliteIndexWriter implements IndexWriter {
  readonly #db: Database;
  readonly #options: IndexWriterOptions;
  #hold: Hold;
  #cache = new SegmentCache();

  constructor(db: Database, hold: Hold, options: IndexWriterOptions) {
    this.#db = db;
    this.#hold = hold;
    this.#options = options;
  }

  async known(source: string): Promise<ReadonlyMap<string, KnownPage>> {
    this.#check();
    const known = new Map<string, KnownPage>();
    for (const row of this.#db.all(
      `SELECT row, path, blob, coalesce(s.signature, p.signature) AS signature, transformation
       FROM page AS p LEFT JOIN seen AS s ON s.page = p.row WHERE source = ?`,
      source,
    )) {
      if (this.#options.verify === true && !this.#isWhole(asNumber(row['row']))) continue;
      known.set(asText(row['path']), {
        blob: asText(row['blob']),
        transformation: asText(row['transformation']),
        ...(row['signature'] === null ? {} : { signature: asText(row['signature']) }),
      });
    }
    return known;
  }

  async apply(batch: IndexBatch): Promise<{ readonly writes: number }> {
    const packs = [
      ...(batch.packed === undefined ? [] : [batch.packed]),
      ...(batch.upserts.length === 0 ? [] : [packPages(batch.upserts)]),
    ];
    const opened = packs.map(openPacked);
    if (opened.some(({ pages }) => pages.some(({ columns }) => columns['source'] !== batch.source))) {
      throw new TypeError(`a batch of ${batch.source} holds a page of another source`);
    }
    return this.#change(() => {
      const filing = new PageFiling(this.#db, this.#cache);
      const removed = batch.removals.filter((path) => filing.remove(batch.source, path)).length;
      const outcomes = opened.map((packed) => filing.put(batch.source, packed, batch.transformation));
      const changed = outcomes.reduce((sum, each) => sum + each.changed, removed);
      const touched = outcomes.reduce((sum, each) => sum + each.touched, 0);
      if (opened.length + batch.removals.length > 0) {
        const paths = opened.flatMap(({ pages }) => pages.map(({ path }) => path));
        this.#forgetSeen(batch.source, paths);
      }
      const signed = touched + this.#sign(batch);
      if (changed > 0) this.#settle(filing);
      return { writes: changed + signed };
    });
  }

  async pending(source: string, documents: number): Promise<void> {
    const stored = this.#db.get('SELECT pending FROM source WHERE id = ?', source);
    if (asNumber(stored?.['pending']) === documents) return this.#check();
    this.#change(() => {
      this.#db.run(
        `INSERT INTO source (id, pending, problems) VALUES (?, ?, '[]') ON CONFLICT (id) DO UPDATE SET pending = excluded.pending`,
        source,
        documents,
      );
    });
  }

  async checkpoint(source: string): Promise<Checkpoint | undefined> {
    const text = asText(this.#db.get('SELECT checkpoint FROM source WHERE id = ?', source)?.['checkpoint']);
    return text === '' ? undefined : (JSON.parse(text) as Checkpoint);
  }

  async close(checkpoint: Checkpoint, walkProblems: readonly Problem[]): Promise<{ readonly writes: number }> {
    const stored = this.#db.get('SELECT checkpoint, problems FROM source WHERE id = ?', checkpoint.source);
    const problems = JSON.stringify(walkProblems);
    const before = asText(stored?.['checkpoint']);
    if (before !== '' && sameState(JSON.parse(before) as Checkpoint, checkpoint) && stored?.['problems'] === problems) {
      this.#check();
      return { writes: 0 };
    }
    return this.#change(() => {
      this.#db.run(
        `INSERT INTO source (id, pending, checkpoint, problems) VALUES (?, 0, ?, ?)
         ON CONFLICT (id) DO UPDATE SET checkpoint = excluded.checkpoint, problems = excluded.problems`,
        checkpoint.source,
        JSON.stringify(checkpoint),
        problems,
      );
      keepContentDigest(this.#db);
      return { writes: 1 };
    });
  }

  async forget(source: string): Promise<{ readonly writes: number }> {
    return this.#change(() => {
      const filing = new PageFiling(this.#db, this.#cache);
      const paths = this.#db.all('SELECT path FROM page WHERE source = ?', source).map((row) => asText(row['path']));
      for (const path of paths) filing.remove(source, path);
      if (paths.length > 0) {
        this.#forgetSeen(source, []);
        this.#settle(filing);
      }
      const { changes } = this.#db.run('DELETE FROM source WHERE id = ?', source);
      return { writes: paths.length + changes };
    });
  }

  async sources(): Promise<readonly string[]> {
    const rows = this.#db.all('SELECT source AS id FROM compartment UNION SELECT id FROM source ORDER BY id');
    return rows.map((row) => asText(row['id']));
  }

  async totals(): Promise<IndexTotals> {
    return readTotals(this.#db);
  }

  async release(): Promise<void> {
    try {
      if ('token' in this.#hold) this.#giveBack(this.#hold);
    } finally {
      this.#db.close();
    }
  }

  #giveBack(lease: Lease): void {
    try {
      this.#tidy();
      this.#db.transaction(() => giveBackLease(this.#db, lease));
      this.#db.settle();
      this.#keepSums();
    } catch (error) {
      abandonLease(this.#db, lease);
      throw error;
    }
  }

  /** Refuses when what this writer has read may no longer be so. */
  #check(): void {
    if ('token' in this.#hold) checkLease(this.#db, this.#hold);
    else checkUntaken(this.#db, this.#hold.seen);
  }

  /** Readers tell segments by the generation; what they hold is the same. */
  #tidy(): void {
    unlessItPasses(() =>
      this.#change(() => {
        if (!new SegmentCompaction(this.#db, new SegmentStore(this.#db, this.#cache)).tidy()) return;
        this.#db.run(
          `UPDATE manifest SET generation = generation + 1,
           digest_generation = CASE digest_generation WHEN generation THEN generation + 1 ELSE digest_generation END WHERE one = 1`,
        );
      }),
    );
  }

  #keepSums(): void {
    unlessItPasses(() => keepSums(this.#db));
  }

  /** Stores new signatures of pages whose bytes are the same; says how many. */
  #sign({ source, signatures = [] }: IndexBatch): number {
    if (signatures.length === 0) return 0;
    const { changes } = this.#db.run(
      `INSERT OR REPLACE INTO seen (page, signature)
       SELECT page.row, value ->> 1 FROM json_each(?) CROSS JOIN page ON page.source = ? AND page.path = value ->> 0`,
      JSON.stringify(signatures.map(({ path, signature }) => [path, signature])),
      source,
    );
    return changes;
  }

  /** Of pages that are gone, or were stored again with a signature of their own. */
  #forgetSeen(source: string, stored: readonly string[]): void {
    this.#db.run('DELETE FROM seen WHERE page NOT IN (SELECT row FROM page)');
    this.#db.run(
      'DELETE FROM seen WHERE page IN (SELECT page.row FROM json_each(?) CROSS JOIN page ON page.source = ? AND page.path = value)',
      JSON.stringify(stored),
      source,
    );
  }

  #settle(filing: PageFiling): void {
    filing.settle();
    this.#db.run('UPDATE manifest SET generation = generation + 1 WHERE one = 1');
  }

  #change<T>(work: () => T): T {
    const lease = 'token' in this.#hold ? this.#hold : take(this.#db, this.#options, this.#hold.seen);
    this.#hold = lease;
    try {
      return this.#db.transaction(() => {
        holdLease(this.#db, this.#options.clock, lease);
        return work();
      });
    } catch (error) {
      // Row numbers of a transaction that was undone are given out again.
      this.#cache = new SegmentCache();
      throw error;
    }
  }

  #isWhole(page: number): boolean {
    const stored = this.#db.get(
      'SELECT c.body AS body, content_digest FROM page LEFT JOIN content AS c ON c.page = row WHERE row = ?',
      page,
    );
    return readContent(asBytes(stored?.['body']), asText(stored?.['content_digest'])) !== undefined;
  }
}

/** Work without which nothing is wrong; the next run tries again. */
function unlessItPasses(work: () => void): void {
  try {
    work();
  } catch (error) {
    const isPassing = error instanceof Fault || (error instanceof Error && 'code' in error);
    if (!isPassing) throw error;
  }
}

/** Equal in everything but the time it was taken. */
function sameState(a: Checkpoint, b: Checkpoint): boolean {
  const state = ({ at: _, ...rest }: Checkpoint): string => JSON.stringify(Object.entries(rest).sort(([x], [y]) => (x < y ? -1 : 1)));
  return state(a) === state(b);
}
