/**
 * Doc table: what a segment's documents are. Documents of one page lie together as a run, runs ascend by page row.
 *
 * Artifact segments carry the artifacts' ids (for answers and ties), link segments the links' targets; the rest is the same.
 * Invariant: a page lies wholly in one segment of a kind, so removing a page removes one run.
 */
import { ByteReader, ByteWriter, DamagedSegment, openBytes, sealBytes } from './bytes.js';
import { FIELD_COUNT } from './postings.js';

/** An artifact id is `ka_` and 32 hexadecimal digits; four big-endian words keep its order. */
export const ID_WORDS = 4;

export interface DocTable {
  readonly documents: number;
  readonly pages: number;
  /** Page row of each run, ascending. */
  readonly pageRows: Float64Array;
  /** First document of each run; one more at the end. */
  readonly starts: Int32Array;
  /** Field lengths, `document * 5 + field`. */
  readonly lengths: Int32Array;
  /** Artifact ids, four words each; empty in other kinds. */
  readonly ids: Uint32Array;
  /** Link targets, each once; empty in other kinds. */
  readonly targets: readonly string[];
  /** Target of each document. */
  readonly targetOf: Int32Array;
  /** First term of each block of the segment. */
  readonly firstTerms: readonly string[];
}

export interface DocEntry {
  readonly lengths: readonly number[];
  readonly id?: string;
  readonly target?: string;
}

export interface DocRun {
  readonly pageRow: number;
  readonly documents: readonly DocEntry[];
}

const ID = /^ka_[0-9a-f]{32}$/;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

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

/** Two hexadecimal digits of each byte. */
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

export function idAt(table: { readonly ids: Uint32Array }, doc: number): string {
  let text = 'ka_';
  for (let at = doc * ID_WORDS; at < (doc + 1) * ID_WORDS; at++) {
    const word = table.ids[at] ?? 0;
    text += `${HEX[word >>> 24]}${HEX[(word >>> 16) & 255]}${HEX[(word >>> 8) & 255]}${HEX[word & 255]}`;
  }
  return text;
}

/** The document that has the id, or -1. Every id is looked at until it is found, so one that is not there takes the same time always. */
export function findId({ ids }: { readonly ids: Uint32Array }, id: string): number {
  const [first = 0, ...rest] = Array.from({ length: ID_WORDS }, (_, word) => Number.parseInt(id.slice(3 + word * 8, 11 + word * 8), 16));
  for (let at = 0; at < ids.length; at += ID_WORDS) {
    if (ids[at] === first && rest.every((word, next) => ids[at + 1 + next] === word)) return at / ID_WORDS;
  }
  return -1;
}

export function encodeDocTable(runs: readonly DocRun[], firstTerms: readonly string[]): Uint8Array {
  const out = new ByteWriter(1024);
  const targets = new Map<string, number>();
  out.varint(runs.length);
  let previous = 0;
  for (const run of runs) {
    out.varint(run.pageRow - previous);
    out.varint(run.documents.length);
    previous = run.pageRow;
  }
  const withIds = runs.some((run) => run.documents.some((document) => document.id !== undefined));
  out.byte(withIds ? 1 : 0);
  for (const run of runs) {
    for (const document of run.documents) {
      for (let field = 0; field < FIELD_COUNT; field++) out.varint(document.lengths[field] ?? 0);
      if (document.id !== undefined) out.bytes(idBytes(document.id));
      else out.varint(internTarget(targets, document.target));
    }
  }
  writeStrings(out, [...targets.keys()]);
  writeStrings(out, firstTerms);
  return sealBytes(out.view());
}

function internTarget(targets: Map<string, number>, target: string | undefined): number {
  if (target === undefined) return 0;
  const known = targets.get(target);
  if (known !== undefined) return known + 1;
  targets.set(target, targets.size);
  return targets.size;
}

function writeStrings(out: ByteWriter, strings: readonly string[]): void {
  out.varint(strings.length);
  for (const text of strings) {
    const bytes = encoder.encode(text);
    out.varint(bytes.length);
    out.bytes(bytes);
  }
}

function readStrings(reader: ByteReader): string[] {
  const strings: string[] = [];
  const count = reader.varint();
  for (let at = 0; at < count; at++) strings.push(decoder.decode(reader.bytes(reader.varint())));
  return strings;
}

/** The same table with every page row moved up: rows are written as distances, so only the first one is touched. */
export function shiftPageRows(sealed: Uint8Array, by: number): Uint8Array {
  const body = openBytes(sealed);
  const reader = new ByteReader(body);
  const pages = reader.varint();
  if (pages === 0) return sealed;
  const first = reader.varint();
  const out = new ByteWriter(body.length + 16);
  out.varint(pages);
  out.varint(first + by);
  out.bytes(body.subarray(reader.position));
  return sealBytes(out.view());
}

export function decodeDocTable(sealed: Uint8Array): DocTable {
  const reader = new ByteReader(openBytes(sealed));
  const pages = reader.varint();
  if (pages > sealed.length) throw new DamagedSegment('more pages than bytes');
  const pageRows = new Float64Array(pages);
  const starts = new Int32Array(pages + 1);
  let row = 0;
  for (let run = 0; run < pages; run++) {
    row += reader.varint();
    pageRows[run] = row;
    starts[run + 1] = (starts[run] ?? 0) + reader.varint();
  }
  const documents = starts[pages] ?? 0;
  if (documents > sealed.length) throw new DamagedSegment('more documents than bytes');
  const withIds = reader.byte() === 1;
  const lengths = new Int32Array(documents * FIELD_COUNT);
  const ids = new Uint32Array(withIds ? documents * ID_WORDS : 0);
  const targetOf = new Int32Array(withIds ? 0 : documents);
  for (let doc = 0; doc < documents; doc++) {
    for (let field = 0; field < FIELD_COUNT; field++) lengths[doc * FIELD_COUNT + field] = reader.varint();
    if (withIds) for (let word = 0; word < ID_WORDS; word++) ids[doc * ID_WORDS + word] = reader.uint32();
    else targetOf[doc] = reader.varint() - 1;
  }
  const targets = readStrings(reader);
  const firstTerms = readStrings(reader);
  return { documents, pages, pageRows, starts, lengths, ids, targets, targetOf, firstTerms };
}

export function docTableBytes(table: DocTable): number {
  return (
    table.pageRows.byteLength +
    table.starts.byteLength +
    table.lengths.byteLength +
    table.ids.byteLength +
    table.targetOf.byteLength +
    (table.targets.length + table.firstTerms.length) * 64 +
    256
  );
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
