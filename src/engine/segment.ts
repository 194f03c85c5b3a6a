/**
 * A segment: some pages' documents and postings, written once and never changed. Built from a batch, or merged from others.
 *
 * Invariant: what a segment answers does not depend on how its documents came to lie together.
 */
import { ByteWriter } from './bytes.js';
import { type DocEntry, type DocRun, type DocTable, encodeDocTable, ID_BYTES, idBytes, type WrittenTable } from './doc-table.js';
import { decodePostings, FIELD_COUNT, writePlaces, writeRenumbered, writeShifted } from './postings.js';
import { BlockWriter, keysOf, type TermBlock } from './term-blocks.js';
import { keyOf } from './term-keys.js';

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
  readonly #runs: DocRun[] = [];
  #documents = 0;

  get isEmpty(): boolean {
    return this.#runs.length === 0;
  }

  /** Adds one page's documents. Page rows must ascend. */
  add(pageRow: number, documents: readonly NewDocument[]): void {
    if (documents.length === 0) return;
    for (const { fields } of documents) {
      for (let field = 0; field < fields.length; field++) this.#addField(fields[field] ?? [], this.#documents * PLACE_FIELDS + field);
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
      writer.add(key, scratch.view());
    }
    writer.finish();
    return written(this.#runs, this.#documents, blocks);
  }

  #addField(terms: readonly string[], place: number): void {
    for (const term of terms) {
      let id = this.#ids.get(term);
      if (id === undefined) {
        id = this.#ids.size;
        this.#ids.set(term, id);
      }
      this.#termOf.push(id);
      this.#places.push(place);
    }
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

function written(runs: readonly DocRun[], documents: number, blocks: readonly TermBlock[]): WrittenSegment {
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

/** A segment to be merged: its parts, which of its pages are dead, and its opened blocks in order. */
export interface MergeInput {
  readonly table: DocTable;
  readonly ids: Uint8Array;
  readonly targets: readonly string[];
  readonly deadPages: ReadonlySet<number>;
  readonly blocks: Iterable<Uint8Array>;
}

/** One segment holding the live documents of all, or undefined when none is left. Inputs ascend by page row and do not overlap. */
export function mergeSegments(inputs: readonly MergeInput[]): WrittenSegment | undefined {
  const runs: DocRun[] = [];
  let documents = 0;
  const renumbered = inputs.map((input) => {
    const map = new Int32Array(input.table.documents).fill(-1);
    for (let run = 0; run < input.table.pages; run++) {
      const pageRow = input.table.pageRows[run] ?? 0;
      if (input.deadPages.has(pageRow)) continue;
      const entries: DocEntry[] = [];
      for (let doc = input.table.starts[run] ?? 0; doc < (input.table.starts[run + 1] ?? 0); doc++) {
        map[doc] = documents++;
        entries.push(storedEntry(input, doc));
      }
      runs.push({ pageRow, documents: entries });
    }
    return map;
  });
  if (runs.length === 0) return undefined;
  return written(runs, documents, mergeTerms(inputs, renumbered));
}

function storedEntry({ table, ids, targets }: MergeInput, doc: number): DocEntry {
  const lengths = table.lengths.subarray(doc * FIELD_COUNT, (doc + 1) * FIELD_COUNT);
  if (table.hasIds) return { lengths, id: ids.subarray(doc * ID_BYTES, (doc + 1) * ID_BYTES) };
  const target = targets[(table.targetOf[doc] ?? 0) - 1];
  return target === undefined ? { lengths } : { lengths, target };
}

function mergeTerms(inputs: readonly MergeInput[], renumbered: readonly Int32Array[]): TermBlock[] {
  const blocks: TermBlock[] = [];
  const writer = new BlockWriter((block) => blocks.push(block));
  const sources = inputs.map(({ blocks: own, deadPages }, at) => {
    const keys = allKeys(own);
    return { keys, head: keys.next(), map: renumbered[at] ?? new Int32Array(0), isWhole: deadPages.size === 0 };
  });
  const scratch = new ByteWriter(256);
  for (;;) {
    let key: string | undefined;
    for (const { head } of sources) if (!head.done && (key === undefined || head.value.key < key)) key = head.value.key;
    if (key === undefined) break;
    const lists: MergedList[] = [];
    for (const source of sources) {
      if (source.head.done || source.head.value.key !== key) continue;
      lists.push({ postings: source.head.value.postings, map: source.map, isWhole: source.isWhole });
      source.head = source.keys.next();
    }
    scratch.clear();
    if (writeMerged(scratch, lists)) writer.add(key, scratch.view());
  }
  writer.finish();
  return blocks;
}

interface MergedList {
  readonly postings: Uint8Array;
  readonly map: Int32Array;
  /** No page of its segment is gone, so that all its documents move by the same distance. */
  readonly isWhole: boolean;
}

/** False when no document of the lists is left. Most terms are in one segment only, and are copied. */
function writeMerged(out: ByteWriter, lists: readonly MergedList[]): boolean {
  const [only] = lists;
  if (lists.length === 1 && only?.isWhole === true) {
    writeShifted(out, only.postings, only.map[0] ?? 0);
    return true;
  }
  return writeRenumbered(
    out,
    lists.map(({ postings, map }) => ({ postings: decodePostings(postings), map })),
  );
}

function* allKeys(blocks: Iterable<Uint8Array>): Generator<{ readonly key: string; readonly postings: Uint8Array }> {
  for (const block of blocks) yield* keysOf(block);
}
