/**
 * Postings: which documents of a segment hold a term, and how often in each field.
 *
 * Written per document: distance to the one before, a byte (field mask; the first field's count when it is below 8), then the
 * other counts. Invariant: documents ascend; a document in the list holds the term at least once.
 */
import { ByteReader, ByteWriter, DamagedSegment } from './bytes.js';

export const FIELD_COUNT = 5;
/** Counts above this are written as this: saturation has long made them equal. */
const MOST = 65_535;
const SMALL = 8;

export interface Postings {
  /** Local document ordinals, ascending. */
  readonly docs: Int32Array;
  /** Bit f is set when field f holds the term. */
  readonly masks: Uint8Array;
  /** The counts of the set fields, lowest field first, all documents in one row. */
  readonly counts: Uint16Array | Float64Array;
}

/** How many fields a mask names. */
export const FIELDS_IN = Uint8Array.from({ length: 1 << FIELD_COUNT }, (_, mask) => mask.toString(2).replaceAll('0', '').length);

export const NO_POSTINGS: Postings = { docs: new Int32Array(0), masks: new Uint8Array(0), counts: new Uint16Array(0) };

export function postingBytes(postings: Postings): number {
  return postings.docs.byteLength + postings.masks.byteLength + postings.counts.byteLength + 128;
}

/** Writes one document: its distance, then its field counts, the lowest field's first. */
function writeDocument(out: ByteWriter, distance: number, mask: number, counts: ArrayLike<number>, from: number): void {
  const first = Math.min(counts[from] ?? 0, MOST);
  out.varint(distance);
  out.byte(mask | (first < SMALL ? first << FIELD_COUNT : 0));
  const end = from + (FIELDS_IN[mask] ?? 0);
  for (let at = first < SMALL ? from + 1 : from; at < end; at++) out.varint(Math.min(counts[at] ?? 0, MOST));
}

/** Writes one term's occurrences, given as ascending places `document * perDocument + field`: number of documents, then the documents. */
export function writePlaces(out: ByteWriter, places: Int32Array, perDocument: number): void {
  let documents = 0;
  for (let at = 0, last = -1; at < places.length; at++) {
    const doc = Math.floor((places[at] ?? 0) / perDocument);
    if (doc !== last) documents += 1;
    last = doc;
  }
  out.varint(documents);
  const counts: number[] = [];
  let previous = 0;
  for (let at = 0; at < places.length; ) {
    const doc = Math.floor((places[at] ?? 0) / perDocument);
    const end = (doc + 1) * perDocument;
    let mask = 0;
    counts.length = 0;
    while (at < places.length && (places[at] ?? 0) < end) {
      const place = places[at] ?? 0;
      const from = at;
      while (at < places.length && places[at] === place) at++;
      mask |= 1 << (place % perDocument);
      counts.push(at - from);
    }
    writeDocument(out, doc - previous, mask, counts, 0);
    previous = doc;
  }
}

/** Writes lists of one term after each other under new document numbers; what maps to none (-1) is left out. False when all was. */
export function writeRenumbered(out: ByteWriter, lists: readonly { readonly postings: Postings; readonly map: Int32Array }[]): boolean {
  const documents = new ByteWriter(64);
  let total = 0;
  let previous = 0;
  for (const { postings, map } of lists) {
    let at = 0;
    for (let each = 0; each < postings.docs.length; each++) {
      const doc = map[postings.docs[each] ?? 0] ?? -1;
      const mask = postings.masks[each] ?? 0;
      if (doc >= 0) {
        writeDocument(documents, doc - previous, mask, postings.counts, at);
        previous = doc;
        total += 1;
      }
      at += FIELDS_IN[mask] ?? 0;
    }
  }
  out.varint(total);
  out.bytes(documents.view());
  return total > 0;
}

/** A written list: where its bytes lie, and by how much its document numbers move up. */
export interface MovedList {
  readonly body: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly by: number;
}

/** Writes lists of one term after each other. Distances within a list stay as they are, so only the first of each is touched. */
export function writeJoined(out: ByteWriter, lists: readonly MovedList[]): void {
  let total = 0;
  for (const { body, start } of lists) total += new ByteReader(body, start).varint();
  out.varint(total);
  let previous = 0;
  for (const [at, { body, start, end, by }] of lists.entries()) {
    const reader = new ByteReader(body, start);
    const documents = reader.varint();
    const first = reader.varint() + by;
    out.varint(first - previous);
    out.bytes(body.subarray(reader.position, end));
    if (at + 1 < lists.length) previous = lastOf(reader, documents, first);
  }
}

/** The last document of a list whose first one was just read. */
function lastOf(reader: ByteReader, documents: number, first: number): number {
  let doc = first;
  for (let left = documents; ; ) {
    const head = reader.byte();
    let counts = FIELDS_IN[head & 31] ?? 0;
    if (head >> FIELD_COUNT > 0) counts -= 1;
    for (; counts > 0; counts--) reader.varint();
    left -= 1;
    if (left <= 0) return doc;
    doc += reader.varint();
  }
}

export function decodePostings(bytes: Uint8Array): Postings {
  const reader = new ByteReader(bytes);
  const total = reader.varint();
  if (total > bytes.length) throw new DamagedSegment('more documents than bytes');
  const docs = new Int32Array(total);
  const masks = new Uint8Array(total);
  const counts = new Uint16Array(Math.max(bytes.length - total, total));
  let doc = 0;
  let filled = 0;
  for (let at = 0; at < total; at++) {
    doc += reader.varint();
    const head = reader.byte();
    const mask = head & 31;
    docs[at] = doc;
    masks[at] = mask;
    const small = head >> FIELD_COUNT;
    let rest = mask;
    if (small > 0) {
      counts[filled++] = small;
      rest &= rest - 1;
    }
    for (; rest !== 0; rest &= rest - 1) counts[filled++] = reader.varint();
  }
  return { docs, masks, counts: counts.slice(0, filled) };
}
