/**
 * BM25F: how well documents, and the pages they are part of, answer a question.
 *
 * score(artifact) + pageWeight × score(page); a term adds `weight × idf × gain` (impacts.ts).
 * Invariant: every sum over terms is in the question's order, so a score is the same bits whatever the layout of segments.
 */
import type { QueryTerm } from '../domain/query.js';
import type { RankingPolicy } from '../domain/ranking-policy.js';
import type { Corpus } from './corpus.js';
import { ID_WORDS } from './doc-table.js';
import { type Impacts, impactsOf } from './impacts.js';
import { FIELD_COUNT } from './postings.js';
import type { TermList } from './term-reader.js';
import { TopK } from './top-k.js';

/** What a page is to one question. */
export const PAGE_ABSENT = 0;
export const PAGE_OUTSIDE = 1;
export const PAGE_SERVING = 2;
export const PAGE_RETIRED = 3;

export interface Ranking {
  readonly hits: readonly RankedDocument[];
  readonly retired: readonly RankedDocument[];
  readonly frequencies: readonly number[];
}

export interface RankedDocument {
  readonly document: number;
  readonly page: number;
  readonly score: number;
  readonly coverage: number;
  readonly parts: readonly { readonly surface: string; readonly fields: readonly number[]; readonly share: number }[];
}

export interface RankRequest {
  readonly terms: readonly QueryTerm[];
  readonly policy: Pick<RankingPolicy, 'bm25f' | 'pageWeight'>;
  /** PAGE_… of every page of the corpus. */
  readonly pageStates: Uint8Array;
  readonly limit: number;
  readonly retiredLimit: number;
  /** A term's postings in the corpus, stem class applied. */
  readonly list: (term: QueryTerm) => TermList;
}

/** `ln(1 + (N − df + ½) / (df + ½))`; positive whatever the frequency. */
export function inverseFrequency(population: number, frequency: number): number {
  return Math.log(1 + (population - frequency + 0.5) / (frequency + 0.5));
}

export function roundScore(score: number): number {
  return Math.round(score * 1e6) / 1e6;
}

interface WeighedTerm {
  readonly term: QueryTerm;
  readonly list: TermList;
  readonly impacts: Impacts;
  readonly idf: number;
  readonly pageIdf: number;
}

export function rank(corpus: Corpus, request: RankRequest): Ranking {
  const terms = request.terms.map((term) => weighTerm(corpus, request, term));
  const board = new Board(corpus, request);
  try {
    for (const term of terms) board.add(term);
    const { hits, retired } = board.best();
    const describe = ({ item, score }: Scored): RankedDocument => board.describe(item, score, terms);
    return { hits: hits.map(describe), retired: retired.map(describe), frequencies: terms.map((term) => term.list.frequency) };
  } finally {
    board.wipe();
  }
}

/** Every document that matches, with its own score; in no order that means anything. */
export function scoreAll(
  corpus: Corpus,
  request: RankRequest,
): { readonly document: number; readonly page: number; readonly score: number }[] {
  const board = new Board(corpus, request);
  try {
    for (const term of request.terms) board.add(weighTerm(corpus, request, term));
    return board.all();
  } finally {
    board.wipe();
  }
}

function weighTerm(corpus: Corpus, request: RankRequest, term: QueryTerm): WeighedTerm {
  const list = request.list(term);
  const { documents, pages } = corpus.statistics;
  return {
    term,
    list,
    impacts: impactsOf(corpus, list, request.policy.bm25f),
    idf: inverseFrequency(documents, list.frequency),
    pageIdf: inverseFrequency(pages, list.pageFrequency),
  };
}

interface Scored {
  readonly item: number;
  readonly score: number;
}

/** The arrays scores add up in; as long as the corpus, so they are kept with it and wiped after each question. */
interface Sheet {
  readonly scores: Float64Array;
  readonly seen: Uint8Array;
  readonly touched: Int32Array;
  readonly pageScores: Float64Array;
  readonly covered: Float64Array;
  readonly required: Uint16Array;
}

const sheets = new WeakMap<Corpus, Sheet>();

function sheetOf({ documents, pages }: Corpus): Sheet {
  return {
    scores: new Float64Array(documents),
    seen: new Uint8Array(documents),
    touched: new Int32Array(documents),
    pageScores: new Float64Array(pages),
    covered: new Float64Array(pages),
    required: new Uint16Array(pages),
  };
}

/** Where scores add up while the terms come in. */
class Board {
  readonly #corpus: Corpus;
  readonly #request: RankRequest;
  readonly #sheet: Sheet;
  #touched = 0;
  #requiredTerms = 0;
  #contentMass = 0;

  constructor(corpus: Corpus, request: RankRequest) {
    this.#corpus = corpus;
    this.#request = request;
    // Taken while in use: should a question ever be asked inside another, it gets a sheet of its own.
    this.#sheet = sheets.get(corpus) ?? sheetOf(corpus);
    sheets.delete(corpus);
  }

  add(weighed: WeighedTerm): void {
    if (weighed.term.required) this.#requiredTerms += 1;
    if (weighed.term.content) this.#contentMass += weighed.idf;
    this.#addDocuments(weighed);
    this.#addPages(weighed);
  }

  #addDocuments({ term, list, impacts, idf }: WeighedTerm): void {
    const { docs } = list.postings;
    const { gains } = impacts;
    const { pageOf } = this.#corpus;
    const { pageStates } = this.#request;
    const { scores, seen, touched } = this.#sheet;
    const factor = term.weight * idf;
    let count = this.#touched;
    for (let each = 0; each < docs.length; each++) {
      const doc = docs[each] ?? 0;
      if ((pageStates[pageOf[doc] ?? 0] ?? 0) < PAGE_SERVING) continue;
      scores[doc] = (scores[doc] ?? 0) + factor * (gains[each] ?? 0);
      if (seen[doc] === 1) continue;
      seen[doc] = 1;
      touched[count++] = doc;
    }
    this.#touched = count;
  }

  #addPages({ term, impacts, idf, pageIdf }: WeighedTerm): void {
    const { pages, pageGains } = impacts;
    const { pageStates } = this.#request;
    const { pageScores, covered, required } = this.#sheet;
    const factor = term.weight * pageIdf;
    const mass = term.content ? idf : 0;
    const need = term.required ? 1 : 0;
    for (let each = 0; each < pages.length; each++) {
      const page = pages[each] ?? 0;
      if ((pageStates[page] ?? 0) < PAGE_SERVING) continue;
      pageScores[page] = (pageScores[page] ?? 0) + factor * (pageGains[each] ?? 0);
      covered[page] = (covered[page] ?? 0) + mass;
      required[page] = (required[page] ?? 0) + need;
    }
  }

  best(): { readonly hits: Scored[]; readonly retired: Scored[] } {
    const { pageOf, ids } = this.#corpus;
    const { pageStates, limit, retiredLimit, policy } = this.#request;
    const { scores, touched, pageScores, required } = this.#sheet;
    const ties = (a: number, b: number): number => compareIds(ids, a, b);
    const hits = new TopK(Math.min(limit, this.#touched), ties);
    const retired = new TopK(Math.min(retiredLimit, this.#touched), ties);
    for (let each = 0; each < this.#touched; each++) {
      const doc = touched[each] ?? 0;
      const page = pageOf[doc] ?? 0;
      if ((required[page] ?? 0) < this.#requiredTerms) continue;
      const score = (scores[doc] ?? 0) + policy.pageWeight * (pageScores[page] ?? 0);
      const heap = pageStates[page] === PAGE_RETIRED ? retired : hits;
      // Rounding moves a score by less than this, so most need not be rounded at all.
      if (score > heap.worst - 1e-6) heap.offer(doc, roundScore(score));
    }
    return { hits: hits.take(), retired: retired.take() };
  }

  all(): { readonly document: number; readonly page: number; readonly score: number }[] {
    const { scores, touched } = this.#sheet;
    return Array.from(touched.subarray(0, this.#touched), (document) => ({
      document,
      page: this.#corpus.pageOf[document] ?? 0,
      score: scores[document] ?? 0,
    }));
  }

  describe(document: number, score: number, terms: readonly WeighedTerm[]): RankedDocument {
    const page = this.#corpus.pageOf[document] ?? 0;
    const own = this.#sheet.scores[document] ?? 0;
    const coverage = this.#contentMass > 0 ? roundScore((this.#sheet.covered[page] ?? 0) / this.#contentMass) : 0;
    const parts: { surface: string; fields: number[]; share: number }[] = [];
    for (const { term, list, impacts, idf } of terms) {
      const index = indexOf(list.postings.docs, document);
      if (index < 0) continue;
      const gain = term.weight * idf * (impacts.gains[index] ?? 0);
      const share = own > 0 ? Math.round((gain / own) * 100) / 100 : 0;
      parts.push({ surface: term.surface, fields: fieldsIn(list.postings.masks[index] ?? 0), share });
    }
    return { document, page, score, coverage: Math.min(1, coverage), parts };
  }

  /** Gives the sheet back as it was. */
  wipe(): void {
    const { pageOf } = this.#corpus;
    const { scores, seen, touched, pageScores, covered, required } = this.#sheet;
    for (let each = 0; each < this.#touched; each++) {
      const doc = touched[each] ?? 0;
      const page = pageOf[doc] ?? 0;
      scores[doc] = 0;
      seen[doc] = 0;
      pageScores[page] = 0;
      covered[page] = 0;
      required[page] = 0;
    }
    sheets.set(this.#corpus, this.#sheet);
  }
}

function fieldsIn(mask: number): number[] {
  const fields: number[] = [];
  for (let field = 0; field < FIELD_COUNT; field++) if ((mask & (1 << field)) !== 0) fields.push(field);
  return fields;
}

function compareIds(ids: Uint32Array, a: number, b: number): number {
  for (let word = 0; word < ID_WORDS; word++) {
    const difference = (ids[a * ID_WORDS + word] ?? 0) - (ids[b * ID_WORDS + word] ?? 0);
    if (difference !== 0) return difference;
  }
  return a - b;
}

function indexOf(docs: Int32Array, doc: number): number {
  let low = 0;
  let high = docs.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = docs[middle] ?? 0;
    if (found === doc) return middle;
    if (found < doc) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
