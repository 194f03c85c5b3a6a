/**
 * Doc table: what a segment's documents are. Documents of one page lie together as a run, runs ascend by page row.
 *
 * Written as columns of numbers of one width, and read as views of the stored bytes: to open a segment costs next to nothing,
 * however many documents it has. What only answers need (artifact ids, link targets) is stored apart.
 * Invariant: a page lies wholly in one segment of a kind, so removing a page removes one run.
 */
import { ByteWriter, DamagedSegment } from './bytes.js';
import { isRepeated } from './page-fields.js';
import { FIELD_COUNT } from './postings.js';

/** Whole numbers in the least width that holds the largest of them. */
export type Column = Uint8Array | Uint16Array | Uint32Array;

export interface DocTable {
  readonly documents: number;
  readonly pages: number;
  /** Page row of each run, ascending. */
  readonly pageRows: Float64Array;
  /** First document of each run; one more at the end. */
  readonly starts: Uint32Array;
  /** Field lengths, `document * 5 + field`. */
  readonly lengths: Column;
  /** The same of each page as one text, `page * 5 + field`. */
  readonly pageLengths: Column;
  /** Sums of both over all documents, and all pages, field by field. */
  readonly sums: Uint32Array;
  readonly pageSums: Uint32Array;
  readonly hasIds: boolean;
  /** How many different targets there are. */
  readonly targets: number;
  /** Target of each document, counted from 1; 0 is none. Empty when there are no targets. */
  readonly targetOf: Column;
  readonly directory: Directory;
  readonly bytes: number;
}

/** First key of each posting block, one after the other. */
export interface Directory {
  /** Where each begins in `bytes`; one more at the end. */
  readonly offsets: Uint32Array;
  readonly bytes: Uint8Array;
}

export interface DocEntry {
  readonly lengths: ArrayLike<number>;
  readonly id?: Uint8Array;
  readonly target?: string;
}

export interface DocRun {
  readonly pageRow: number;
  readonly documents: readonly DocEntry[];
}

export interface WrittenTable {
  readonly table: Uint8Array;
  /** Artifact ids, one after the other; empty in other kinds than artifacts. */
  readonly ids: Uint8Array;
  readonly targets: readonly string[];
}

const ID = /^ka_[0-9a-f]{32}$/;

export const ID_BYTES = 16;

/** The id in these 16 bytes. */
export function idText(bytes: Uint8Array): string {
  return `ka_${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}

/** The 16 bytes of an artifact id. */
export function idBytes(id: string): Uint8Array {
  if (!ID.test(id)) throw new TypeError(`${id} is not an artifact id`);
  return Buffer.from(id.slice(3), 'hex');
}

/** Also tells a table that was written on a machine of the other byte order. */
const MAGIC = 0x43_54_33_01;
/** Magic, documents, pages, first page row (two numbers), three widths in one, targets, blocks, bytes of the directory, has ids. */
const HEAD = 10;
const SUMS = 2 * FIELD_COUNT;

export function encodeDocTable(runs: readonly DocRun[], firstKeys: readonly Uint8Array[]): WrittenTable {
  const documents = runs.reduce((sum, run) => sum + run.documents.length, 0);
  const starts = new Uint32Array(runs.length + 1);
  const rows = new Uint32Array(runs.length);
  const firstRow = runs[0]?.pageRow ?? 0;
  const lengths = new Uint32Array(documents * FIELD_COUNT);
  const targetOf = new Uint32Array(documents);
  const targets = new Map<string, number>();
  const ids: Uint8Array[] = [];
  let doc = 0;
  for (const [run, { pageRow, documents: own }] of runs.entries()) {
    rows[run] = pageRow - firstRow;
    for (const each of own) {
      for (let field = 0; field < FIELD_COUNT; field++) lengths[doc * FIELD_COUNT + field] = each.lengths[field] ?? 0;
      if (each.id !== undefined) ids.push(each.id);
      if (each.target !== undefined) targetOf[doc] = intern(targets, each.target);
      doc += 1;
    }
    starts[run + 1] = doc;
  }
  const pageLengths = lengthsOfPages(starts, lengths);
  const narrow = [lengths, pageLengths, targets.size === 0 ? new Uint32Array(0) : targetOf].map(narrowed);
  const { offsets, bytes } = directoryOf(firstKeys);
  const head = Uint32Array.of(
    MAGIC,
    documents,
    runs.length,
    firstRow % 2 ** 32,
    Math.floor(firstRow / 2 ** 32),
    narrow.reduce((widths, column, at) => widths | (column.BYTES_PER_ELEMENT << (8 * at)), 0),
    targets.size,
    firstKeys.length,
    bytes.length,
    ids.length > 0 ? 1 : 0,
  );
  const out = new ByteWriter(1024);
  for (const column of [head, sumsOf(lengths), sumsOf(pageLengths), starts, rows, offsets, ...narrow, bytes]) writeColumn(out, column);
  return { table: out.finish(), ids: Buffer.concat(ids), targets: [...targets.keys()] };
}

function intern(targets: Map<string, number>, target: string): number {
  const known = targets.get(target);
  if (known !== undefined) return known;
  targets.set(target, targets.size + 1);
  return targets.size;
}

/** Fields that are the same in every artifact of a page count once for the page. */
function lengthsOfPages(starts: Uint32Array, lengths: Uint32Array): Uint32Array {
  const sums = new Uint32Array((starts.length - 1) * FIELD_COUNT);
  for (let page = 0; page + 1 < starts.length; page++) {
    for (let doc = starts[page] ?? 0; doc < (starts[page + 1] ?? 0); doc++) {
      for (let field = 0; field < FIELD_COUNT; field++) {
        const before = sums[page * FIELD_COUNT + field] ?? 0;
        const length = lengths[doc * FIELD_COUNT + field] ?? 0;
        sums[page * FIELD_COUNT + field] = isRepeated(field) ? Math.max(before, length) : before + length;
      }
    }
  }
  return sums;
}

function sumsOf(lengths: Uint32Array): Uint32Array {
  const sums = new Uint32Array(FIELD_COUNT);
  for (let at = 0; at < lengths.length; at++) sums[at % FIELD_COUNT] = (sums[at % FIELD_COUNT] ?? 0) + (lengths[at] ?? 0);
  return sums;
}

function narrowed(column: Uint32Array): Column {
  let most = 0;
  for (const value of column) if (value > most) most = value;
  return most < 2 ** 8 ? Uint8Array.from(column) : most < 2 ** 16 ? Uint16Array.from(column) : column;
}

function directoryOf(firstKeys: readonly Uint8Array[]): Directory {
  const offsets = new Uint32Array(firstKeys.length + 1);
  for (const [at, key] of firstKeys.entries()) offsets[at + 1] = (offsets[at] ?? 0) + key.length;
  return { offsets, bytes: Buffer.concat(firstKeys) };
}

/** Each column begins where a number of any width may. */
function writeColumn(out: ByteWriter, column: Column): void {
  out.bytes(new Uint8Array(column.buffer, column.byteOffset, column.byteLength));
  while (out.length % 4 !== 0) out.byte(0);
}

/** The same table with every page row moved up: rows are written as distances from the first, so only that is touched. */
export function shiftPageRows(table: Uint8Array, by: number): Uint8Array {
  const moved = table.slice();
  const head = new Uint32Array(moved.buffer, 0, HEAD);
  const firstRow = (head[3] ?? 0) + (head[4] ?? 0) * 2 ** 32 + by;
  head[3] = firstRow % 2 ** 32;
  head[4] = Math.floor(firstRow / 2 ** 32);
  return moved;
}

/** Steps over columns in the order they were written. */
class Columns {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  }

  words(count: number): Uint32Array {
    return new Uint32Array(this.#bytes.buffer, this.#take(count * 4), count);
  }

  column(count: number, width: number): Column {
    const at = this.#take(count * width);
    const { buffer } = this.#bytes;
    if (width === 1) return new Uint8Array(buffer, at, count);
    if (width === 2) return new Uint16Array(buffer, at, count);
    if (width === 4) return new Uint32Array(buffer, at, count);
    throw new DamagedSegment('columns of no known width');
  }

  #take(bytes: number): number {
    const from = this.#at;
    if (from + bytes > this.#bytes.length) throw new DamagedSegment('ends too early');
    this.#at = from + bytes + ((4 - (bytes % 4)) % 4);
    return this.#bytes.byteOffset + from;
  }
}

/** Views of the given bytes, which must not change afterwards. */
export function decodeDocTable(bytes: Uint8Array): DocTable {
  const columns = new Columns(bytes);
  const head = columns.words(HEAD);
  const [magic, documents = 0, pages = 0, low = 0, high = 0, widths = 0, targets = 0, blocks = 0, directoryBytes = 0, hasIds] = head;
  if (magic !== MAGIC) throw new DamagedSegment('is not a segment of this version and byte order');
  const both = columns.words(SUMS);
  const starts = columns.words(pages + 1);
  const rows = columns.words(pages);
  const offsets = columns.words(blocks + 1);
  const lengths = columns.column(documents * FIELD_COUNT, widths & 255);
  const pageLengths = columns.column(pages * FIELD_COUNT, (widths >> 8) & 255);
  const targetOf = columns.column(targets === 0 ? 0 : documents, widths >> 16);
  const pageRows = new Float64Array(pages);
  const firstRow = low + high * 2 ** 32;
  for (let page = 0; page < pages; page++) pageRows[page] = firstRow + (rows[page] ?? 0);
  return {
    documents,
    pages,
    pageRows,
    starts,
    lengths,
    pageLengths,
    sums: both.subarray(0, FIELD_COUNT),
    pageSums: both.subarray(FIELD_COUNT),
    hasIds: hasIds === 1,
    targets,
    targetOf,
    directory: { offsets, bytes: columns.column(directoryBytes, 1) as Uint8Array },
    bytes: bytes.length + pageRows.byteLength,
  };
}

/** The run of a page row, or -1. */
export function runOf(table: DocTable, pageRow: number): number {
  let low = 0;
  let high = table.pages - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = table.pageRows[middle] ?? 0;
    if (found === pageRow) return middle;
    if (found < pageRow) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
