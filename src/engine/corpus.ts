/**
 * A corpus: the segments one question may read, seen as one numbered row of documents and pages, with the statistics over them.
 *
 * Invariant: statistics are sums over live documents of these segments and nothing else, so they are what they would be if no
 * other compartment existed. Invariant: they are whole numbers, so the order of segments cannot change them.
 */
import { type DocTable, runOf } from './doc-table.js';
import { FIELD_COUNT } from './postings.js';

export interface CorpusSegment {
  readonly id: number;
  readonly source: string;
  readonly table: DocTable;
  /** Page rows removed since the segment was written. */
  readonly deadPages: readonly number[];
}

export interface PlacedSegment extends CorpusSegment {
  /** Number of its first document, and of its first page, in the corpus. */
  readonly base: number;
  readonly firstPage: number;
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
  readonly statistics: CorpusStatistics;
}

/** Additive: the statistics of two compartments together are their sums. */
export interface CorpusStatistics {
  readonly documents: number;
  readonly pages: number;
  readonly lengths: readonly number[];
  readonly pageLengths: readonly number[];
}

export function corpusOf(segments: readonly CorpusSegment[]): Corpus {
  const documents = segments.reduce((sum, segment) => sum + segment.table.documents, 0);
  const pages = segments.reduce((sum, segment) => sum + segment.table.pages, 0);
  const pageOf = new Int32Array(documents);
  const pageRows = new Float64Array(pages);
  const starts = new Int32Array(pages + 1);
  const live = new Uint8Array(pages).fill(1);
  const lengths = new Int32Array(documents * FIELD_COUNT);
  const pageLengths = new Int32Array(pages * FIELD_COUNT);
  const placed: PlacedSegment[] = [];
  let base = 0;
  let firstPage = 0;
  for (const segment of segments) {
    const { table } = segment;
    placed.push({ ...segment, base, firstPage });
    lengths.set(table.lengths, base * FIELD_COUNT);
    pageLengths.set(table.pageLengths, firstPage * FIELD_COUNT);
    pageRows.set(table.pageRows, firstPage);
    placePages(table, base, firstPage, starts, pageOf);
    for (const row of segment.deadPages) {
      const run = runOf(table, row);
      if (run >= 0) live[firstPage + run] = 0;
    }
    base += table.documents;
    firstPage += table.pages;
  }
  const statistics = statisticsOf(placed, { live, starts, lengths, pageLengths });
  const sources = [...new Set(segments.map((segment) => segment.source))].sort();
  return { segments: placed, sources, documents, pages, pageOf, pageRows, starts, live, lengths, pageLengths, statistics };
}

function placePages(table: DocTable, base: number, firstPage: number, starts: Int32Array, pageOf: Int32Array): void {
  let doc = base;
  for (let run = 0; run < table.pages; run++) {
    const end = base + (table.starts[run + 1] ?? 0);
    starts[firstPage + run + 1] = end;
    for (; doc < end; doc++) pageOf[doc] = firstPage + run;
  }
}

/** What the segments say of themselves, less what was removed since. */
function statisticsOf(
  segments: readonly PlacedSegment[],
  { live, starts, lengths, pageLengths }: Pick<Corpus, 'live' | 'starts' | 'lengths' | 'pageLengths'>,
): CorpusStatistics {
  const sums = new Float64Array(FIELD_COUNT);
  const pageSums = new Float64Array(FIELD_COUNT);
  let documents = 0;
  let pages = 0;
  for (const { table, firstPage, deadPages } of segments) {
    documents += table.documents;
    pages += table.pages;
    addLengths(sums, table.sums, 0, 1, 1);
    addLengths(pageSums, table.pageSums, 0, 1, 1);
    if (deadPages.length === 0) continue;
    for (let page = firstPage; page < firstPage + table.pages; page++) {
      if (live[page] === 1) continue;
      const from = starts[page] ?? 0;
      const to = starts[page + 1] ?? 0;
      pages -= 1;
      documents -= to - from;
      addLengths(sums, lengths, from, to, -1);
      addLengths(pageSums, pageLengths, page, page + 1, -1);
    }
  }
  return { documents, pages, lengths: [...sums], pageLengths: [...pageSums] };
}

function addLengths(sums: Float64Array, lengths: Int32Array | Uint32Array, from: number, to: number, times: 1 | -1): void {
  for (let at = from * FIELD_COUNT; at < to * FIELD_COUNT; at += FIELD_COUNT) {
    for (let field = 0; field < FIELD_COUNT; field++) sums[field] = (sums[field] ?? 0) + times * (lengths[at + field] ?? 0);
  }
}

/** Which segment a document of the corpus lies in. */
export function segmentAt({ segments }: Corpus, document: number): PlacedSegment | undefined {
  let low = 0;
  let high = segments.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((segments[middle]?.base ?? 0) <= document) low = middle + 1;
    else high = middle;
  }
  return segments[low - 1];
}
