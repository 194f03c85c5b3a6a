/**
 * Segments in the file: written whole, read by (compartment, kind); of their parts, those a question needs, all in one statement.
 *
 * Every table and part is sealed with the place it lies in. Invariant: only rows of the segments asked for are read.
 */
import { DamagedSegment } from '../../../engine/bytes.js';
import { type DocTable, decodeDocTable, ID_BYTES } from '../../../engine/doc-table.js';
import type { MergeInput } from '../../../engine/merge-segments.js';
import { isPlainWord, keyRange } from '../../../engine/near-terms.js';
import { NOTHING, PostingCache } from '../../../engine/posting-cache.js';
import type { SegmentKind } from '../../../engine/segment.js';
import { blockOf, findKey, keysOf } from '../../../engine/term-blocks.js';
import { keyBytes, keyOf } from '../../../engine/term-keys.js';
import type { Loaded } from '../../../engine/term-reader.js';
import { Fault } from '../../../kernel/errors.js';
import { asBytes, asNumber, type Database } from './driver.js';
import { openBytes, sealBytes } from './sealed-bytes.js';
import {
  PARTS_PER_SEGMENT,
  partsOfIds,
  partsOfTargets,
  placeOfId,
  placeOfTarget,
  readTexts,
  type StorableSegment,
  unsqueezed,
} from './stored-blocks.js';

/** What lists over whole corpora are made from; those are kept apart (reading.ts), and with more room, since questions use them. */
const POSTING_CACHE_BYTES = 48 * 1024 * 1024;
const SEGMENT_CACHE_BYTES = 192 * 1024 * 1024;
/** Segments of no more documents keep the blocks that were read. */
const SMALL_DOCUMENTS = 64;
/** Blocks unpacked at a time: as many as a question over many compartments has, and no more memory than some megabytes. */
const BLOCKS_AT_ONCE = 1024;

export interface StoredSegment {
  readonly row: number;
  readonly compartment: number;
  readonly table: DocTable;
  readonly deadPages: readonly number[];
}

interface WantedKey {
  readonly key: string;
  readonly bytes: Uint8Array;
}
const NO_KEY: WantedKey = { key: '', bytes: NOTHING };

interface Held {
  readonly table: DocTable;
  /** Blocks of a small segment that were read: they hold many of its words. */
  readonly blocks: Map<number, Uint8Array>;
  /** Ids and targets that were read, by their part. */
  readonly ids: Map<number, Ids>;
  readonly targets: Map<number, readonly string[]>;
}

/** Artifact ids one after the other, and the same in hexadecimal once anything was answered with one. */
interface Ids {
  readonly bytes: Uint8Array;
  hex?: string;
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
    this.#bytes -= held.table.bytes;
    this.#held.delete(row);
  }

  hold(row: number, table: DocTable): Held {
    const held = { table, blocks: new Map(), ids: new Map(), targets: new Map() };
    this.#bytes += table.bytes;
    if (this.#bytes > SEGMENT_CACHE_BYTES) {
      this.#held = new Map();
      this.#bytes = table.bytes;
    }
    this.#held.set(row, held);
    return held;
  }
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
    const held = this.#holdAll(rows.map((each) => asNumber(each['row'])));
    return rows.map((each, at) => {
      const row = asNumber(each['row']);
      const table = (held[at] ?? this.#held(row)).table;
      return { row, compartment: asNumber(each['compartment']), table, deadPages: dead.get(row) ?? [] };
    });
  }

  /** Written postings of all these terms in all these segments; nothing is read twice, and nothing that is kept. */
  load(segments: readonly number[], terms: readonly string[]): Loaded {
    return guardDamage(this.#db.file, () => this.#load(segments, terms));
  }

  #load(segments: readonly number[], terms: readonly string[]): Loaded {
    const keys = terms.map((term) => ({ key: keyOf(term), bytes: keyBytes(keyOf(term)) }));
    const found: Uint8Array[] = new Array(segments.length * keys.length).fill(NOTHING);
    const wanted = new Map<number, number[]>();
    for (const [at, segment] of segments.entries()) this.#look(segment, keys, at * keys.length, found, wanted);
    const parts = [...wanted.keys()];
    for (let from = 0; from < parts.length; from += BLOCKS_AT_ONCE) {
      const some = parts.slice(from, from + BLOCKS_AT_ONCE);
      for (const [at, block] of this.#unpacked(some).entries()) {
        const part = some[at] ?? 0;
        const segment = Math.floor(part / PARTS_PER_SEGMENT);
        this.#find(segment, block, keys, wanted.get(part) ?? [], found);
        const { table, blocks } = this.#held(segment);
        if (table.documents <= SMALL_DOCUMENTS) blocks.set(part % PARTS_PER_SEGMENT, block.slice());
      }
    }
    return (segment, term) => found[segment * keys.length + term] ?? NOTHING;
  }

  /** Puts what is kept of a segment into `found` from `first` on, and the blocks that may hold the rest into `wanted`. */
  #look(segment: number, keys: readonly WantedKey[], first: number, found: Uint8Array[], wanted: Map<number, number[]>): void {
    const { table, blocks } = this.#held(segment);
    for (const [at, { key, bytes }] of keys.entries()) {
      const known = this.#cache.postings.get(segment, key);
      if (known !== undefined) found[first + at] = known;
      const block = known === undefined ? blockOf(table.directory, bytes) : -1;
      if (block < 0) continue;
      const opened = blocks.get(block);
      if (opened !== undefined) {
        this.#find(segment, opened, keys, [first + at], found);
        continue;
      }
      const part = segment * PARTS_PER_SEGMENT + block;
      const places = wanted.get(part);
      if (places === undefined) wanted.set(part, [first + at]);
      else places.push(first + at);
    }
  }

  #find(segment: number, block: Uint8Array, keys: readonly WantedKey[], places: readonly number[], found: Uint8Array[]): void {
    for (const place of places) {
      const { key, bytes } = keys[place % keys.length] ?? NO_KEY;
      // A copy: a view would keep all that was unpacked with it.
      const postings = findKey(block, bytes)?.slice() ?? NOTHING;
      found[place] = postings;
      this.#cache.postings.keep(segment, key, postings);
    }
  }

  /** The plain words of these segments that begin with the letter, each once. */
  words(segments: readonly number[], letter: string): readonly string[] {
    const { from, to } = keyRange(letter);
    const words = new Set<string>();
    const read = (block: Uint8Array): void => {
      guardDamage(this.#db.file, () => {
        for (const { key } of keysOf(block)) if (key.startsWith(letter) && isPlainWord(key)) words.add(key);
      });
    };
    const missing: number[] = [];
    for (const segment of segments) {
      const { table, blocks } = this.#held(segment);
      const last = blockOf(table.directory, to);
      for (let at = Math.max(0, blockOf(table.directory, from)); at <= last; at++) {
        const opened = blocks.get(at);
        if (opened === undefined) missing.push(segment * PARTS_PER_SEGMENT + at);
        else read(opened);
      }
    }
    for (let at = 0; at < missing.length; at += BLOCKS_AT_ONCE)
      for (const block of this.#unpacked(missing.slice(at, at + BLOCKS_AT_ONCE))) read(block);
    return [...words];
  }

  /** The sixteen bytes of a document's artifact id. */
  id(segment: number, document: number): Uint8Array {
    const { at, offset } = placeOfId(document);
    return this.#idsAt(segment, at).bytes.subarray(offset, offset + ID_BYTES);
  }

  /** The same as text. */
  idText(segment: number, document: number): string {
    const { at, offset } = placeOfId(document);
    const ids = this.#idsAt(segment, at);
    ids.hex ??= Buffer.from(ids.bytes.buffer, ids.bytes.byteOffset, ids.bytes.length).toString('hex');
    return `ka_${ids.hex.slice(2 * offset, 2 * (offset + ID_BYTES))}`;
  }

  #idsAt(segment: number, at: number): Ids {
    const { ids } = this.#held(segment);
    const known = ids.get(at);
    if (known !== undefined) return known;
    const read: Ids = { bytes: this.#part(segment, at) };
    ids.set(at, read);
    return read;
  }

  /** All artifact ids of a segment, in the order of its documents. */
  ids(segment: number): Uint8Array {
    const { table, ids } = this.#held(segment);
    const parts = table.hasIds ? partsOfIds(table.documents) : [];
    const missing = parts.filter((at) => !ids.has(at));
    const read = this.#parts(missing.map((at) => segment * PARTS_PER_SEGMENT + at));
    for (const [at, part] of missing.entries()) ids.set(part, { bytes: read[at] ?? NOTHING });
    return Buffer.concat(parts.map((at) => ids.get(at)?.bytes ?? NOTHING));
  }

  /** Reads what `target` will be asked for, all in one go. */
  holdTargets(wanted: Iterable<{ readonly segment: number; readonly target: number }>): void {
    const missing = new Set<number>();
    for (const { segment, target } of wanted) {
      const { at } = placeOfTarget(target);
      if (!this.#held(segment).targets.has(at)) missing.add(segment * PARTS_PER_SEGMENT + at);
    }
    const rows = [...missing];
    for (let from = 0; from < rows.length; from += BLOCKS_AT_ONCE) {
      const some = rows.slice(from, from + BLOCKS_AT_ONCE);
      for (const [at, part] of this.#unpacked(some).entries()) {
        const row = some[at] ?? 0;
        this.#held(Math.floor(row / PARTS_PER_SEGMENT)).targets.set(row % PARTS_PER_SEGMENT, readTexts(part));
      }
    }
  }

  /** A target of a segment, counted from 0. */
  target(segment: number, target: number): string | undefined {
    const { targets } = this.#held(segment);
    const { at, offset } = placeOfTarget(target);
    let part = targets.get(at);
    if (part === undefined) {
      part = this.#unpacked([segment * PARTS_PER_SEGMENT + at]).flatMap(readTexts);
      targets.set(at, part);
    }
    return part[offset];
  }

  /** All targets of a segment. */
  targets(segment: number): readonly string[] {
    const { table, targets } = this.#held(segment);
    const parts = partsOfTargets(table.targets);
    const missing = parts.filter((at) => !targets.has(at));
    const read = this.#unpacked(missing.map((at) => segment * PARTS_PER_SEGMENT + at)).map(readTexts);
    for (const [at, part] of missing.entries()) targets.set(part, read[at] ?? []);
    return parts.flatMap((at) => targets.get(at) ?? []);
  }

  write(compartment: number, kind: SegmentKind, { segment, parts }: StorableSegment): void {
    const { lastRow } = this.#db.run(
      'INSERT INTO segment (compartment, kind, first_page, pages, documents, blocks, body) VALUES (?, ?, ?, ?, ?, ?, ?)',
      compartment,
      kind,
      segment.firstPage,
      segment.pages,
      segment.documents,
      segment.blocks,
      sealBytes(segment.table),
    );
    for (const { at, body } of parts) {
      const row = lastRow * PARTS_PER_SEGMENT + at;
      this.#db.run('INSERT INTO posting_block (row, body) VALUES (?, ?)', row, sealBytes(body, row));
    }
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

  /** Removes every segment of a compartment. */
  drop(compartment: number): void {
    for (const row of this.#db.all('SELECT row FROM segment WHERE compartment = ?', compartment)) this.remove(asNumber(row['row']));
  }

  /** Reads every block and table, throwing `store/corrupt` at the first that is damaged. */
  verify(): void {
    for (const row of this.#db.all('SELECT row FROM segment ORDER BY row')) {
      const segment = asNumber(row['row']);
      for (const block of this.#blocks(segment)) guardDamage(this.#db.file, () => findKey(block, NOTHING));
      this.ids(segment);
      this.targets(segment);
    }
  }

  /** All of a segment, to be merged; its blocks are opened as they are asked for. */
  mergeInput(row: number): MergeInput {
    const dead = this.#db.all('SELECT page FROM tombstone WHERE segment = ?', row).map((each) => asNumber(each['page']));
    return {
      table: this.#held(row).table,
      ids: this.ids(row),
      targets: this.targets(row),
      deadPages: new Set(dead),
      blocks: this.#blocks(row),
    };
  }

  remove(row: number): void {
    const first = row * PARTS_PER_SEGMENT;
    this.#db.run('DELETE FROM posting_block WHERE row >= ? AND row < ?', first, first + PARTS_PER_SEGMENT);
    this.#db.run('DELETE FROM tombstone WHERE segment = ?', row);
    this.#db.run('DELETE FROM segment WHERE row = ?', row);
    this.#cache.drop(row);
  }

  #held(row: number): Held {
    return this.#cache.held(row) ?? this.#hold(row, asBytes(this.#db.get('SELECT body FROM segment WHERE row = ?', row)?.['body']));
  }

  #hold(row: number, body: Uint8Array): Held {
    return this.#cache.hold(
      row,
      guardDamage(this.#db.file, () => decodeDocTable(openBytes(body))),
    );
  }

  /** Those not held are read in one statement. */
  #holdAll(rows: readonly number[]): (Held | undefined)[] {
    const held = rows.map((row) => this.#cache.held(row));
    const missing = rows.filter((_, at) => held[at] === undefined);
    if (missing.length === 0) return held;
    const read = new Map<number, Held>();
    for (const row of this.#db.all(
      'SELECT s.row AS row, s.body AS body FROM json_each(?) AS e CROSS JOIN segment AS s ON s.row = e.value',
      JSON.stringify(missing),
    )) {
      read.set(asNumber(row['row']), this.#hold(asNumber(row['row']), asBytes(row['body'])));
    }
    return held.map((each, at) => each ?? read.get(rows[at] ?? 0));
  }

  #part(segment: number, at: number): Uint8Array {
    const row = segment * PARTS_PER_SEGMENT + at;
    const stored = asBytes(this.#db.get('SELECT body FROM posting_block WHERE row = ?', row)?.['body']);
    return guardDamage(this.#db.file, () => openBytes(stored, row));
  }

  /** Parts by their row, opened, in the order asked for. One that is missing is damage. */
  #parts(rows: readonly number[]): Uint8Array[] {
    if (rows.length === 0) return [];
    const stored = new Map<number, Uint8Array>();
    for (const row of this.#db.all(
      'SELECT p.row AS row, p.body AS body FROM json_each(?) AS e CROSS JOIN posting_block AS p ON p.row = e.value',
      JSON.stringify(rows),
    )) {
      stored.set(asNumber(row['row']), asBytes(row['body']));
    }
    return guardDamage(this.#db.file, () => rows.map((row) => openBytes(stored.get(row) ?? NOTHING, row)));
  }

  #unpacked(rows: readonly number[]): Uint8Array[] {
    return guardDamage(this.#db.file, () => unsqueezed(this.#parts(rows)));
  }

  *#blocks(segment: number): Generator<Uint8Array> {
    const blocks = this.#held(segment).table.directory.offsets.length - 1;
    for (let from = 0; from < blocks; from += BLOCKS_AT_ONCE) {
      const some = Array.from({ length: Math.min(BLOCKS_AT_ONCE, blocks - from) }, (_, at) => segment * PARTS_PER_SEGMENT + from + at);
      yield* this.#unpacked(some);
    }
  }
}
