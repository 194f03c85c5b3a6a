/**
 * BM25F: how well documents, and the pages they are part of, answer a question.
 *
 * score(artifact) + pageWeight × score(page); a term adds `weight × idf × tf / (k1 + tf) × (k1 + 1)` where tf is the field
 * counts, each boosted and normalised by its field's length. Invariant: every sum over documents is of whole numbers and every
 * sum over terms is in the question's order, so segment layout and compartment numbering cannot change one bit of a score.
 */
import { FIELDS } from '../domain/fields.js';
import type { QueryTerm } from '../domain/query.js';
import type { RankingPolicy } from '../domain/ranking-policy.js';
import { type Corpus, isRepeated } from './corpus.js';
import { ID_WORDS } from './doc-table.js';
import { countsAt, FIELD_COUNT, FIELDS_IN, type Postings } from './postings.js';
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

/** The numbers one text's counts are normalised with: of artifacts, or of pages. */
interface Norms {
  readonly k1: number;
  readonly boost: readonly number[];
  /** `1 − b` */
  readonly fixed: readonly number[];
  /** `b / average length`; 0 for a field nobody has. */
  readonly perLength: readonly number[];
}

function normsOf(policy: RankRequest['policy'], lengths: readonly number[], texts: number): Norms {
  const { k1, b, boost } = policy.bm25f;
  return {
    k1,
    boost: FIELDS.map((field) => boost[field]),
    fixed: FIELDS.map((field) => 1 - b[field]),
    perLength: FIELDS.map((field, at) => ((lengths[at] ?? 0) === 0 ? 0 : (b[field] * texts) / (lengths[at] ?? 1))),
  };
}

interface WeighedTerm {
  readonly term: QueryTerm;
  readonly list: TermList;
  readonly idf: number;
  readonly pageIdf: number;
}

export function rank(corpus: Corpus, request: RankRequest): Ranking {
  const terms = request.terms.map((term) => weighTerm(corpus, request, term));
  const board = new Board(corpus, request);
  for (const term of terms) board.add(term);
  const { hits, retired } = board.best();
  const describe = (doc: { readonly item: number; readonly score: number }): RankedDocument => board.describe(doc.item, doc.score, terms);
  return { hits: hits.map(describe), retired: retired.map(describe), frequencies: terms.map((term) => term.list.frequency) };
}

/** Every document that matches, with its own score; in no order that means anything. */
export function scoreAll(
  corpus: Corpus,
  request: RankRequest,
): { readonly document: number; readonly page: number; readonly score: number }[] {
  const board = new Board(corpus, request);
  for (const term of request.terms) board.add(weighTerm(corpus, request, term));
  return board.all();
}

function weighTerm(corpus: Corpus, request: RankRequest, term: QueryTerm): WeighedTerm {
  const list = request.list(term);
  const { documents, pages } = corpus.statistics;
  return { term, list, idf: inverseFrequency(documents, list.frequency), pageIdf: inverseFrequency(pages, list.pageFrequency) };
}

/** Where scores add up while the terms come in. */
class Board {
  readonly #corpus: Corpus;
  readonly #request: RankRequest;
  readonly #norms: Norms;
  readonly #pageNorms: Norms;
  readonly #scores: Float64Array;
  readonly #pageScores: Float64Array;
  readonly #covered: Float64Array;
  readonly #required: Uint16Array;
  readonly #seen: Uint8Array;
  readonly #touched: number[] = [];
  readonly #pageCounts = new Float64Array(FIELD_COUNT);
  #requiredTerms = 0;
  #contentMass = 0;

  constructor(corpus: Corpus, request: RankRequest) {
    const { statistics } = corpus;
    this.#corpus = corpus;
    this.#request = request;
    this.#norms = normsOf(request.policy, statistics.lengths, statistics.documents);
    this.#pageNorms = normsOf(request.policy, statistics.pageLengths, statistics.pages);
    this.#scores = new Float64Array(corpus.documents);
    this.#pageScores = new Float64Array(corpus.pages);
    this.#covered = new Float64Array(corpus.pages);
    this.#required = new Uint16Array(corpus.pages);
    this.#seen = new Uint8Array(corpus.documents);
  }

  add(weighed: WeighedTerm): void {
    if (weighed.term.required) this.#requiredTerms += 1;
    if (weighed.term.content) this.#contentMass += weighed.idf;
    const list = weighed.list.postings;
    const { docs, masks } = list;
    const { pageOf } = this.#corpus;
    const { pageStates } = this.#request;
    const { k1 } = this.#norms;
    const factor = weighed.term.weight * weighed.idf * (k1 + 1);
    let current = -1;
    let at = 0;
    for (let each = 0; each < docs.length; each++) {
      const doc = docs[each] ?? 0;
      const page = pageOf[doc] ?? 0;
      const mask = masks[each] ?? 0;
      const from = at;
      at += FIELDS_IN[mask] ?? 0;
      if ((pageStates[page] ?? 0) < PAGE_SERVING) continue;
      if (page !== current) {
        if (current >= 0) this.#addPage(weighed, current);
        current = page;
        this.#pageCounts.fill(0);
      }
      const tf = this.#weigh(list, mask, from, doc);
      this.#scores[doc] = (this.#scores[doc] ?? 0) + (factor * tf) / (k1 + tf);
      if (this.#seen[doc] === 0) {
        this.#seen[doc] = 1;
        this.#touched.push(doc);
      }
    }
    if (current >= 0) this.#addPage(weighed, current);
  }

  /** The document's boosted, normalised count; its counts are added to its page's on the way. */
  #weigh(list: Postings, mask: number, from: number, doc: number): number {
    const pageCounts = this.#pageCounts;
    let tf = 0;
    let at = from;
    for (let rest = mask; rest !== 0; rest &= rest - 1) {
      const field = 31 - Math.clz32(rest & -rest);
      const count = list.counts[at++] ?? 0;
      tf += this.#normalized(field, count, doc);
      const before = pageCounts[field] ?? 0;
      pageCounts[field] = isRepeated(field) ? Math.max(before, count) : before + count;
    }
    return tf;
  }

  #normalized(field: number, count: number, doc: number): number {
    const { boost, fixed, perLength } = this.#norms;
    const norm = (fixed[field] ?? 1) + (perLength[field] ?? 0) * (this.#corpus.lengths[doc * FIELD_COUNT + field] ?? 0);
    return norm > 0 ? ((boost[field] ?? 0) * count) / norm : 0;
  }

  #addPage(weighed: WeighedTerm, page: number): void {
    const { k1, boost, fixed, perLength } = this.#pageNorms;
    const { pageLengths } = this.#corpus;
    let tf = 0;
    for (let field = 0; field < FIELD_COUNT; field++) {
      const count = this.#pageCounts[field] ?? 0;
      if (count === 0) continue;
      const norm = (fixed[field] ?? 1) + (perLength[field] ?? 0) * (pageLengths[page * FIELD_COUNT + field] ?? 0);
      tf += norm > 0 ? ((boost[field] ?? 0) * count) / norm : 0;
    }
    const gain = (weighed.term.weight * weighed.pageIdf * (k1 + 1) * tf) / (k1 + tf);
    this.#pageScores[page] = (this.#pageScores[page] ?? 0) + gain;
    if (weighed.term.content) this.#covered[page] = (this.#covered[page] ?? 0) + weighed.idf;
    if (weighed.term.required) this.#required[page] = (this.#required[page] ?? 0) + 1;
  }

  best(): { readonly hits: { item: number; score: number }[]; readonly retired: { item: number; score: number }[] } {
    const { pageOf, ids } = this.#corpus;
    const { pageStates, limit, retiredLimit, policy } = this.#request;
    const ties = (a: number, b: number): number => compareIds(ids, a, b);
    const hits = new TopK(Math.min(limit, this.#touched.length), ties);
    const retired = new TopK(Math.min(retiredLimit, this.#touched.length), ties);
    for (const doc of this.#touched) {
      const page = pageOf[doc] ?? 0;
      if ((this.#required[page] ?? 0) < this.#requiredTerms) continue;
      const score = roundScore((this.#scores[doc] ?? 0) + policy.pageWeight * (this.#pageScores[page] ?? 0));
      (pageStates[page] === PAGE_RETIRED ? retired : hits).offer(doc, score);
    }
    return { hits: hits.take(), retired: retired.take() };
  }

  all(): { readonly document: number; readonly page: number; readonly score: number }[] {
    return this.#touched.map((document) => ({
      document,
      page: this.#corpus.pageOf[document] ?? 0,
      score: this.#scores[document] ?? 0,
    }));
  }

  describe(document: number, score: number, terms: readonly WeighedTerm[]): RankedDocument {
    const page = this.#corpus.pageOf[document] ?? 0;
    const own = this.#scores[document] ?? 0;
    const coverage = this.#contentMass > 0 ? roundScore((this.#covered[page] ?? 0) / this.#contentMass) : 0;
    const parts: { surface: string; fields: number[]; share: number }[] = [];
    for (const weighed of terms) {
      const found = this.#contribution(weighed, document);
      if (found === undefined) continue;
      parts.push({ surface: weighed.term.surface, fields: found.fields, share: own > 0 ? Math.round((found.gain / own) * 100) / 100 : 0 });
    }
    return { document, page, score, coverage: Math.min(1, coverage), parts };
  }

  #contribution(weighed: WeighedTerm, document: number): { readonly fields: number[]; readonly gain: number } | undefined {
    const list = weighed.list.postings;
    const index = indexOf(list.docs, document);
    if (index < 0) return undefined;
    const { k1 } = this.#norms;
    const fields: number[] = [];
    let position = countsAt(list, index);
    let tf = 0;
    for (let mask = list.masks[index] ?? 0; mask !== 0; mask &= mask - 1) {
      const field = 31 - Math.clz32(mask & -mask);
      fields.push(field);
      tf += this.#normalized(field, list.counts[position++] ?? 0, document);
    }
    return { fields, gain: (weighed.term.weight * weighed.idf * (k1 + 1) * tf) / (k1 + tf) };
  }
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
