/**
 * Segments in the file: written whole, read by (compartment, kind), posting blocks fetched one by one.
 *
 * A segment of few documents keeps its blocks in its own row; a larger one has a row per block, numbered
 * so that a segment's blocks lie together. Invariant: only rows of the segments asked for are read.
 */
import { DamagedSegment, openBytes } from '../../../engine/bytes.js';
import { type DocTable, decodeDocTable, docTableBytes } from '../../../engine/doc-table.js';
import { PostingCache } from '../../../engine/posting-cache.js';
import { decodePostings, NO_POSTINGS, type Postings } from '../../../engine/postings.js';
import { mergeSegments, type SegmentKind } from '../../../engine/segment.js';
import { blockOf, findTerm } from '../../../engine/term-blocks.js';
import { Fault } from '../../../kernel/errors.js';
import { asBytes, asNumber, type Database } from './driver.js';
import { type StorableSegment, storable, unpackBlocks, unsqueezeBlock } from './stored-blocks.js';

/** Blocks of segment s are numbered from s × this. */
const BLOCKS_PER_SEGMENT = 2 ** 20;
/** More segments of a kind in a compartment than this are merged, those apart that are full. */
const MOST_SEGMENTS = 8;
/** A segment of this many documents is left alone: merging it again would cost much memory and time, and gain little. */
const FULL_DOCUMENTS = 32_768;
/** A segment with more than this share of removed pages is written anew. */
const MOST_DEAD = 0.25;
/** What lists over whole corpora are made from; those are kept apart (reading.ts), and with more room, since questions use them. */
const POSTING_CACHE_BYTES = 48 * 1024 * 1024;
const SEGMENT_CACHE_BYTES = 192 * 1024 * 1024;

export interface StoredSegment {
  readonly row: number;
  readonly compartment: number;
  readonly table: DocTable;
  readonly deadPages: readonly number[];
}

interface Held {
  readonly table: DocTable;
  /** The sealed blocks of a small segment; undefined until needed, or for a large one. */
  packed: readonly Uint8Array[] | undefined;
  /** Those of them that were opened. */
  readonly opened: Uint8Array[];
  readonly packedBytes: number;
}

/** Decoded parts of segments, shared by all snapshots of one file. */
export class SegmentCache {
  readonly postings = new PostingCache(POSTING_CACHE_BYTES);
  #held = new Map<number, Held>();
  #bytes = 0;

  held(row: number): Held | undefined {
    return this.#held.get(row);
  }

  drop(row: number): void {
    const held = this.#held.get(row);
    if (held === undefined) return;
    this.#bytes -= bytesOf(held);
    this.#held.delete(row);
  }

  hold(row: number, held: Held): void {
    const bytes = bytesOf(held);
    this.#bytes += bytes;
    if (this.#bytes > SEGMENT_CACHE_BYTES) {
      this.#held = new Map();
      this.#bytes = bytes;
    }
    this.#held.set(row, held);
  }
}

function bytesOf({ table, packedBytes }: Held): number {
  return docTableBytes(table) + packedBytes;
}

/** Turns damage found while decoding into the fault people see. */
export function guardDamage<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof DamagedSegment)) throw error;
    throw new Fault('store/corrupt', { file, reason: `a posting segment ${error.message}` }, { cause: error });
  }
}

export class SegmentStore {
  readonly #db: Database;
  readonly #cache: SegmentCache;

  constructor(db: Database, cache: SegmentCache) {
    this.#db = db;
    this.#cache = cache;
  }

  /** The segments of these compartments, in the order they were written. */
  segments(compartments: readonly number[], kind: SegmentKind): StoredSegment[] {
    const wanted = JSON.stringify(compartments);
    const rows = this.#db.all(
      `SELECT s.row AS row, s.compartment AS compartment FROM json_each(?) AS e
       CROSS JOIN segment AS s ON s.compartment = e.value AND s.kind = ? ORDER BY s.row`,
      wanted,
      kind,
    );
    const dead = new Map<number, number[]>();
    for (const row of this.#db.all(
      `SELECT t.segment AS segment, t.page AS page FROM json_each(?) AS e
       CROSS JOIN segment AS s ON s.compartment = e.value AND s.kind = ?
       CROSS JOIN tombstone AS t ON t.segment = s.row ORDER BY t.segment, t.page`,
      wanted,
      kind,
    )) {
      const segment = asNumber(row['segment']);
      const pages = dead.get(segment) ?? [];
      pages.push(asNumber(row['page']));
      dead.set(segment, pages);
    }
    return rows.map((each) => {
      const row = asNumber(each['row']);
      return { row, compartment: asNumber(each['compartment']), table: this.#held(row).table, deadPages: dead.get(row) ?? [] };
    });
  }

  /** Decoded postings of a term in a segment. Those of large segments are kept: they outlive the lists made from them. */
  load(row: number, term: string): Postings {
    const held = this.#held(row);
    if (held.packedBytes > 0) return this.#decode(row, held, term);
    return this.#cache.postings.get(row, term, () => this.#decode(row, held, term));
  }

  #decode(row: number, held: Held, term: string): Postings {
    const at = blockOf(held.table.firstTerms, term);
    if (at < 0) return NO_POSTINGS;
    return guardDamage(this.#db.file, () => {
      const found = findTerm(this.#block(row, held, at), term);
      return found === undefined ? NO_POSTINGS : decodePostings(found);
    });
  }

  write(compartment: number, kind: SegmentKind, { segment, packed, squeezed }: StorableSegment): void {
    const { lastRow } = this.#db.run(
      'INSERT INTO segment (compartment, kind, first_page, pages, documents, blocks, body, packed) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      compartment,
      kind,
      segment.firstPage,
      segment.pages,
      segment.documents,
      segment.blocks,
      segment.table,
      packed ?? null,
    );
    squeezed.forEach((block, at) => {
      this.#db.run('INSERT INTO posting_block (row, body) VALUES (?, ?)', lastRow * BLOCKS_PER_SEGMENT + at, block);
    });
  }

  /** Marks a page as removed in the segment that holds it; nothing happens when none does. */
  bury(compartment: number, kind: SegmentKind, page: number): void {
    const row = this.#db.get(
      'SELECT row FROM segment WHERE compartment = ? AND kind = ? AND first_page <= ? ORDER BY first_page DESC LIMIT 1',
      compartment,
      kind,
      page,
    );
    if (row === undefined) return;
    this.#db.run('INSERT OR IGNORE INTO tombstone (segment, page) VALUES (?, ?)', asNumber(row['row']), page);
  }

  /** Keeps the compartment's segments few and mostly alive. Neighbours are merged, so page ranges never overlap. */
  compact(compartment: number, kind: SegmentKind): void {
    const stored = this.#sizes(compartment, kind);
    const open = stored.slice(stored.findLastIndex((each) => each.live >= FULL_DOCUMENTS) + 1);
    const from = stored.length - open.length + (open.length > MOST_SEGMENTS ? mergeFrom(open.map((each) => each.live)) : open.length);
    for (const each of stored.slice(0, from)) if (each.dead > each.pages * MOST_DEAD) this.#merge(compartment, kind, [each.row]);
    const tail = stored.slice(from).map((each) => each.row);
    if (tail.length > 0) this.#merge(compartment, kind, tail);
  }

  /** Removes every segment of a compartment. */
  drop(compartment: number): void {
    for (const row of this.#db.all('SELECT row FROM segment WHERE compartment = ?', compartment)) this.#remove(asNumber(row['row']));
  }

  /** Reads every block and table, throwing `store/corrupt` at the first that is damaged. */
  verify(): void {
    for (const row of this.#db.all('SELECT row, blocks FROM segment ORDER BY row')) {
      const segment = asNumber(row['row']);
      const held = this.#held(segment);
      guardDamage(this.#db.file, () => {
        for (let at = 0; at < asNumber(row['blocks']); at++) findTerm(this.#block(segment, held, at), '');
      });
    }
  }

  #sizes(
    compartment: number,
    kind: SegmentKind,
  ): { readonly row: number; readonly pages: number; readonly dead: number; readonly live: number }[] {
    return this.#db
      .all(
        `SELECT row, pages, documents, (SELECT count(*) FROM tombstone AS t WHERE t.segment = s.row) AS dead
         FROM segment AS s WHERE compartment = ? AND kind = ? ORDER BY first_page`,
        compartment,
        kind,
      )
      .map((row) => {
        const pages = asNumber(row['pages']);
        const dead = asNumber(row['dead']);
        return { row: asNumber(row['row']), pages, dead, live: (asNumber(row['documents']) * (pages - dead)) / Math.max(1, pages) };
      });
  }

  #merge(compartment: number, kind: SegmentKind, rows: readonly number[]): void {
    const merged = guardDamage(this.#db.file, () =>
      mergeSegments(
        rows.map((row) => {
          const held = this.#held(row);
          const dead = this.#db.all('SELECT page FROM tombstone WHERE segment = ?', row).map((each) => asNumber(each['page']));
          return { table: held.table, deadPages: new Set(dead), blocks: this.#blocks(row, held) };
        }),
      ),
    );
    for (const row of rows) this.#remove(row);
    if (merged !== undefined) this.write(compartment, kind, storable(merged));
  }

  #remove(row: number): void {
    const first = row * BLOCKS_PER_SEGMENT;
    this.#db.run('DELETE FROM posting_block WHERE row >= ? AND row < ?', first, first + BLOCKS_PER_SEGMENT);
    this.#db.run('DELETE FROM tombstone WHERE segment = ?', row);
    this.#db.run('DELETE FROM segment WHERE row = ?', row);
    this.#cache.drop(row);
  }

  #held(row: number): Held {
    const known = this.#cache.held(row);
    if (known !== undefined) return known;
    const stored = this.#db.get('SELECT body, length(packed) AS packed_bytes FROM segment WHERE row = ?', row);
    const table = guardDamage(this.#db.file, () => decodeDocTable(asBytes(stored?.['body'])));
    const held: Held = { table, packed: undefined, opened: [], packedBytes: asNumber(stored?.['packed_bytes']) };
    this.#cache.hold(row, held);
    return held;
  }

  /** A block, its checksum checked when it is read first. */
  #block(row: number, held: Held, at: number): Uint8Array {
    if (held.packedBytes === 0) {
      return unsqueezeBlock(asBytes(this.#db.get('SELECT body FROM posting_block WHERE row = ?', row * BLOCKS_PER_SEGMENT + at)?.['body']));
    }
    const known = held.opened[at];
    if (known !== undefined) return known;
    held.packed ??= unpackBlocks(asBytes(this.#db.get('SELECT packed FROM segment WHERE row = ?', row)?.['packed']));
    const opened = openBytes(held.packed[at] ?? new Uint8Array(0));
    held.opened[at] = opened;
    return opened;
  }

  *#blocks(row: number, held: Held): Generator<Uint8Array> {
    for (let at = 0; at < held.table.firstTerms.length; at++) yield this.#block(row, held, at);
  }
}

/** Where the tail to merge begins: it takes in older segments as long as they are not much larger than all that follow. */
function mergeFrom(sizes: readonly number[]): number {
  let from = sizes.length - 2;
  let tail = (sizes[from] ?? 0) + (sizes[from + 1] ?? 0);
  while (from > 0 && ((sizes[from - 1] ?? 0) <= tail || from > MOST_SEGMENTS)) {
    from -= 1;
    tail += sizes[from] ?? 0;
  }
  return from;
}
