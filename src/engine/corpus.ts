/**
 * A corpus: the segments one question may read, seen as one numbered row of documents and pages, with the statistics over them.
 *
 * Invariant: statistics are sums over live documents of these segments and nothing else, so they are what they would be if no
 * other compartment existed. Invariant: they are whole numbers, so the order of segments cannot change them.
 */
import { FIELDS } from '../domain/fields.js';
import { type DocTable, ID_WORDS, runOf } from './doc-table.js';
import { FIELD_COUNT } from './postings.js';

export interface CorpusSegment {
  readonly id: number;
  readonly source: string;
  readonly table: DocTable;
  /** Page rows removed since the segment was written. */
  readonly deadPages: readonly number[];
}

export interface PlacedSegment extends CorpusSegment {
  /** Number of its first document in the corpus. */
  readonly base: number;
}

export interface Corpus {
  readonly segments: readonly PlacedSegment[];
  /** Sources of the segments, each once, sorted. */
  readonly sources: readonly string[];
  readonly documents: number;
  readonly pages: number;
  /** Page of each document. */
  readonly pageOf: Int32Array;
  readonly pageRows: Float64Array;
  /** First document of each page; one more at the end. */
  readonly starts: Int32Array;
  /** 1 for pages that are still there. */
  readonly live: Uint8Array;
  /** `document * 5 + field`. */
  readonly lengths: Int32Array;
  /** `page * 5 + field`. */
  readonly pageLengths: Int32Array;
  readonly ids: Uint32Array;
  readonly statistics: CorpusStatistics;
}

/** Additive: the statistics of two compartments together are their sums. */
export interface CorpusStatistics {
  readonly documents: number;
  readonly pages: number;
  readonly lengths: readonly number[];
  readonly pageLengths: readonly number[];
}

/** Fields repeated in every artifact of a page; they count once for the page. */
const REPEATED: readonly boolean[] = FIELDS.map((field) => field === 'title' || field === 'headings' || field === 'summary');

export function isRepeated(field: number): boolean {
  return REPEATED[field] ?? false;
}

export function corpusOf(segments: readonly CorpusSegment[]): Corpus {
  const documents = segments.reduce((sum, segment) => sum + segment.table.documents, 0);
  const pages = segments.reduce((sum, segment) => sum + segment.table.pages, 0);
  const withIds = segments.some((segment) => segment.table.ids.length > 0);
  const pageOf = new Int32Array(documents);
  const pageRows = new Float64Array(pages);
  const starts = new Int32Array(pages + 1);
  const live = new Uint8Array(pages).fill(1);
  const lengths = new Int32Array(documents * FIELD_COUNT);
  const ids = new Uint32Array(withIds ? documents * ID_WORDS : 0);
  const placed: PlacedSegment[] = [];
  let base = 0;
  let firstPage = 0;
  for (const segment of segments) {
    const { table } = segment;
    placed.push({ ...segment, base });
    lengths.set(table.lengths, base * FIELD_COUNT);
    if (withIds) ids.set(table.ids, base * ID_WORDS);
    pageRows.set(table.pageRows, firstPage);
    for (let run = 0; run < table.pages; run++) {
      starts[firstPage + run + 1] = base + (table.starts[run + 1] ?? 0);
      pageOf.fill(firstPage + run, base + (table.starts[run] ?? 0), base + (table.starts[run + 1] ?? 0));
    }
    for (const row of segment.deadPages) {
      const run = runOf(table, row);
      if (run >= 0) live[firstPage + run] = 0;
    }
    base += table.documents;
    firstPage += table.pages;
  }
  const pageLengths = lengthsOfPages(pageOf, lengths, pages);
  const statistics = statisticsOf(live, starts, lengths, pageLengths);
  const sources = [...new Set(segments.map((segment) => segment.source))].sort();
  return { segments: placed, sources, documents, pages, pageOf, pageRows, starts, live, lengths, pageLengths, ids, statistics };
}

/** Field by field: the inner loop is over numbers alone, and this is done for every document of a corpus. */
function lengthsOfPages(pageOf: Int32Array, lengths: Int32Array, pages: number): Int32Array {
  const sums = new Int32Array(pages * FIELD_COUNT);
  for (let field = 0; field < FIELD_COUNT; field++) {
    const repeated = isRepeated(field);
    for (let doc = 0, at = field; doc < pageOf.length; doc++, at += FIELD_COUNT) {
      const length = lengths[at] ?? 0;
      if (length === 0) continue;
      const page = (pageOf[doc] ?? 0) * FIELD_COUNT + field;
      const before = sums[page] ?? 0;
      sums[page] = repeated ? Math.max(before, length) : before + length;
    }
  }
  return sums;
}

function statisticsOf(live: Uint8Array, starts: Int32Array, lengths: Int32Array, pageLengths: Int32Array): CorpusStatistics {
  const sums = new Float64Array(FIELD_COUNT);
  const pageSums = new Float64Array(FIELD_COUNT);
  let documents = 0;
  let pages = 0;
  for (let page = 0; page < live.length; page++) {
    if (live[page] === 0) continue;
    const from = starts[page] ?? 0;
    const to = starts[page + 1] ?? 0;
    pages += 1;
    documents += to - from;
    addLengths(sums, lengths, from, to);
    addLengths(pageSums, pageLengths, page, page + 1);
  }
  return { documents, pages, lengths: [...sums], pageLengths: [...pageSums] };
}

function addLengths(sums: Float64Array, lengths: Int32Array, from: number, to: number): void {
  for (let at = from * FIELD_COUNT; at < to * FIELD_COUNT; at += FIELD_COUNT) {
    for (let field = 0; field < FIELD_COUNT; field++) sums[field] = (sums[field] ?? 0) + (lengths[at + field] ?? 0);
  }
}
