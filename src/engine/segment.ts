/**
 * A segment: some pages' documents and postings, written once and never changed. Built from a batch here, or merged from others.
 *
 * Invariant: what a segment answers does not depend on how its documents came to lie together.
 */
import { ByteWriter } from './bytes.js';
import { type DocEntry, type DocRun, encodeDocTable, idBytes, type WrittenTable } from './doc-table.js';
import { writePlaces } from './postings.js';
import { BlockWriter, type TermBlock } from './term-blocks.js';
import { keyBytes, keyOf } from './term-keys.js';

export const SEGMENT_KINDS = ['artifact', 'link', 'name'] as const;
export type SegmentKind = (typeof SEGMENT_KINDS)[number];

export interface WrittenSegment extends WrittenTable {
  readonly pages: number;
  readonly documents: number;
  readonly firstPage: number;
  readonly lastPage: number;
  readonly blocks: readonly Uint8Array[];
}

/** One document as it comes in: its terms per field, in reading order. */
export interface NewDocument {
  readonly fields: readonly (readonly string[])[];
  readonly lengths: readonly number[];
  readonly id?: string;
  readonly target?: string;
}

/** Fields of a document are told apart in the low bits of a place. */
const PLACE_FIELDS = 8;

export class SegmentBuilder {
  readonly #ids = new Map<string, number>();
  /** Every occurrence in the order it came: which term, and where (`document * PLACE_FIELDS + field`). */
  readonly #termOf = new IntList();
  readonly #places = new IntList();
  /** Terms that all of a page's documents have are one row: where its terms begin in `#termOf`. */
  readonly #known = new Map<readonly string[], number>();
  readonly #runs: DocRun[] = [];
  #documents = 0;

  get isEmpty(): boolean {
    return this.#runs.length === 0;
  }

  /** Adds one page's documents. Page rows must ascend. */
  add(pageRow: number, documents: readonly NewDocument[]): void {
    if (documents.length === 0) return;
    this.#known.clear();
    for (const { fields } of documents) {
      for (const [field, terms] of fields.entries()) this.#addField(terms, this.#documents * PLACE_FIELDS + field);
      this.#documents += 1;
    }
    this.#runs.push({ pageRow, documents: documents.map(entryOf) });
  }

  finish(): WrittenSegment {
    const blocks: TermBlock[] = [];
    const writer = new BlockWriter((block) => blocks.push(block));
    const scratch = new ByteWriter(256);
    const { starts, places } = this.#byTerm();
    const byKey = new Map([...this.#ids].map(([term, id]) => [keyOf(term), id]));
    const keys = [...byKey.keys()].sort();
    for (const key of keys) {
      const id = byKey.get(key) ?? 0;
      scratch.clear();
      writePlaces(scratch, places.subarray(starts[id], starts[id + 1]), PLACE_FIELDS);
      writer.add(keyBytes(key), scratch.view());
    }
    writer.finish();
    return written(this.#runs, this.#documents, blocks);
  }

  #addField(terms: readonly string[], place: number): void {
    const start = this.#known.get(terms);
    if (start === undefined) {
      this.#known.set(terms, this.#termOf.length);
      for (const term of terms) {
        this.#termOf.push(this.#idOf(term));
        this.#places.push(place);
      }
      return;
    }
    for (let at = 0; at < terms.length; at++) {
      this.#termOf.push(this.#termOf.at(start + at));
      this.#places.push(place);
    }
  }

  #idOf(term: string): number {
    const known = this.#ids.get(term);
    if (known !== undefined) return known;
    const id = this.#ids.size;
    this.#ids.set(term, id);
    return id;
  }

  /** The places of each term together, in the order they came. */
  #byTerm(): { readonly starts: Int32Array; readonly places: Int32Array } {
    const termOf = this.#termOf.view();
    const came = this.#places.view();
    const starts = new Int32Array(this.#ids.size + 1);
    for (const id of termOf) starts[id + 1] = (starts[id + 1] ?? 0) + 1;
    for (let id = 0; id < this.#ids.size; id++) starts[id + 1] = (starts[id + 1] ?? 0) + (starts[id] ?? 0);
    const next = starts.slice();
    const places = new Int32Array(came.length);
    for (let at = 0; at < came.length; at++) {
      const id = termOf[at] ?? 0;
      const to = next[id] ?? 0;
      places[to] = came[at] ?? 0;
      next[id] = to + 1;
    }
    return { starts, places };
  }
}

/** A growing row of 32-bit numbers: one allocation where an array would have a million. */
class IntList {
  #items = new Int32Array(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  at(place: number): number {
    return this.#items[place] ?? 0;
  }

  push(item: number): void {
    if (this.#length === this.#items.length) {
      const grown = new Int32Array(this.#items.length * 2);
      grown.set(this.#items);
      this.#items = grown;
    }
    this.#items[this.#length++] = item;
  }

  view(): Int32Array {
    return this.#items.subarray(0, this.#length);
  }
}

function entryOf(document: NewDocument): DocEntry {
  return {
    lengths: document.lengths,
    ...(document.id === undefined ? {} : { id: idBytes(document.id) }),
    ...(document.target === undefined ? {} : { target: document.target }),
  };
}

export function written(runs: readonly DocRun[], documents: number, blocks: readonly TermBlock[]): WrittenSegment {
  return {
    pages: runs.length,
    documents,
    firstPage: runs[0]?.pageRow ?? 0,
    lastPage: runs.at(-1)?.pageRow ?? 0,
    ...encodeDocTable(
      runs,
      blocks.map((block) => block.firstKey),
    ),
    blocks: blocks.map((block) => block.body),
  };
}
