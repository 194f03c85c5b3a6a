/**
 * A segment: some pages' documents and postings, written once and never changed. Built from a batch, or merged from others.
 *
 * Invariant: what a segment answers does not depend on how its documents came to lie together.
 */
import { ByteWriter } from './bytes.js';
import { type DocEntry, type DocRun, type DocTable, encodeDocTable, idAt } from './doc-table.js';
import { decodePostings, FIELD_COUNT, type Postings, PostingWriter, writeRenumbered } from './postings.js';
import { BlockWriter, type TermBlock, termsOf } from './term-blocks.js';

export const SEGMENT_KINDS = ['artifact', 'link', 'name'] as const;
export type SegmentKind = (typeof SEGMENT_KINDS)[number];

export interface WrittenSegment {
  readonly pages: number;
  readonly documents: number;
  readonly firstPage: number;
  readonly lastPage: number;
  readonly table: Uint8Array;
  readonly blocks: readonly Uint8Array[];
}

/** One document as it comes in: its terms per field, in reading order. */
export interface NewDocument {
  readonly fields: readonly (readonly string[])[];
  readonly lengths: readonly number[];
  readonly id?: string;
  readonly target?: string;
}

export class SegmentBuilder {
  readonly #terms = new Map<string, PostingWriter>();
  readonly #runs: DocRun[] = [];
  #documents = 0;

  get isEmpty(): boolean {
    return this.#runs.length === 0;
  }

  /** Adds one page's documents. Page rows must ascend. */
  add(pageRow: number, documents: readonly NewDocument[]): void {
    if (documents.length === 0) return;
    for (const document of documents) {
      document.fields.forEach((terms, field) => {
        for (const term of terms) this.#postingsOf(term).add(this.#documents, field);
      });
      this.#documents += 1;
    }
    this.#runs.push({ pageRow, documents: documents.map(entryOf) });
  }

  finish(): WrittenSegment {
    const blocks: TermBlock[] = [];
    const writer = new BlockWriter((block) => blocks.push(block));
    const scratch = new ByteWriter(256);
    for (const term of [...this.#terms.keys()].sort()) {
      scratch.clear();
      this.#postingsOf(term).finishInto(scratch);
      writer.add(term, scratch.view());
    }
    writer.finish();
    return written(this.#runs, this.#documents, blocks);
  }

  #postingsOf(term: string): PostingWriter {
    const known = this.#terms.get(term);
    if (known !== undefined) return known;
    const fresh = new PostingWriter();
    this.#terms.set(term, fresh);
    return fresh;
  }
}

function entryOf(document: NewDocument): DocEntry {
  return {
    lengths: document.lengths,
    ...(document.id === undefined ? {} : { id: document.id }),
    ...(document.target === undefined ? {} : { target: document.target }),
  };
}

function written(runs: readonly DocRun[], documents: number, blocks: readonly TermBlock[]): WrittenSegment {
  return {
    pages: runs.length,
    documents,
    firstPage: runs[0]?.pageRow ?? 0,
    lastPage: runs.at(-1)?.pageRow ?? 0,
    table: encodeDocTable(
      runs,
      blocks.map((block) => block.firstTerm),
    ),
    blocks: blocks.map((block) => block.body),
  };
}

/** A segment to be merged: its table, which of its pages are dead, and its opened blocks in order. */
export interface MergeInput {
  readonly table: DocTable;
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
        entries.push(storedEntry(input.table, doc));
      }
      runs.push({ pageRow, documents: entries });
    }
    return map;
  });
  if (runs.length === 0) return undefined;
  return written(runs, documents, mergeTerms(inputs, renumbered));
}

function storedEntry(table: DocTable, doc: number): DocEntry {
  const lengths = Array.from(table.lengths.subarray(doc * FIELD_COUNT, (doc + 1) * FIELD_COUNT));
  if (table.ids.length > 0) return { lengths, id: idAt(table, doc) };
  const target = table.targets[table.targetOf[doc] ?? -1];
  return target === undefined ? { lengths } : { lengths, target };
}

function mergeTerms(inputs: readonly MergeInput[], renumbered: readonly Int32Array[]): TermBlock[] {
  const blocks: TermBlock[] = [];
  const writer = new BlockWriter((block) => blocks.push(block));
  const cursors = inputs.map((input) => allTerms(input.blocks));
  const heads = cursors.map((cursor) => cursor.next());
  const scratch = new ByteWriter(256);
  for (;;) {
    let term: string | undefined;
    for (const head of heads) if (!head.done && (term === undefined || head.value.term < term)) term = head.value.term;
    if (term === undefined) break;
    const lists: { readonly postings: Postings; readonly map: Int32Array }[] = [];
    for (const [at, head] of heads.entries()) {
      const cursor = cursors[at];
      const map = renumbered[at];
      if (cursor === undefined || map === undefined || head.done || head.value.term !== term) continue;
      lists.push({ postings: decodePostings(head.value.postings), map });
      heads[at] = cursor.next();
    }
    scratch.clear();
    if (writeRenumbered(scratch, lists)) writer.add(term, scratch.view());
  }
  writer.finish();
  return blocks;
}

function* allTerms(blocks: Iterable<Uint8Array>): Generator<{ readonly term: string; readonly postings: Uint8Array }> {
  for (const block of blocks) yield* termsOf(block);
}
