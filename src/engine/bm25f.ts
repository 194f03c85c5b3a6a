/**
 * BM25F: how well documents, and the pages they are part of, answer a question.
 *
 * score(artifact) + pageWeight × score(page); a term adds `weight × idf × gain` (impacts.ts).
 * Invariant: every sum over terms is in the question's order, so a score is the same bits whatever the layout of segments.
 */
import type { QueryTerm } from '../domain/query.js';
import type { RankingPolicy } from '../domain/ranking-policy.js';
import type { Corpus } from './corpus.js';
import { impactsOf } from './impacts.js';
import { PAGE_RETIRED, PAGE_SERVING } from './page-states.js';
import { FIELD_COUNT } from './postings.js';
import { Board, type WeighedTerm } from './score-board.js';
import type { TermList } from './term-list.js';
import { TopK } from './top-k.js';
import { HAS_RETIRED, HAS_SERVING, windowStates, windowsOf } from './windows.js';

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
  readonly parts: readonly ({ readonly surface: string; readonly fields: readonly number[]; readonly share: number } & Through)[];
}

/** By which alternatives a document holds a term, and whether it lacks the word itself. */
interface Through {
  readonly via?: readonly string[];
  readonly itself?: false;
}

export interface RankRequest {
  readonly terms: readonly QueryTerm[];
  readonly policy: Pick<RankingPolicy, 'bm25f' | 'pageWeight'>;
  /** PAGE_… (page-states.ts) of every page of the corpus. */
  readonly pageStates: Uint8Array;
  readonly limit: number;
  readonly retiredLimit: number;
  /** Each term's postings in the corpus, stem class applied. */
  readonly lists: readonly TermList[];
  /** Orders documents of equal score, the better first. */
  readonly ties: (a: number, b: number) => number;
}

/** `ln(1 + (N − df + ½) / (df + ½))`; positive whatever the frequency. */
export function inverseFrequency(population: number, frequency: number): number {
  return Math.log(1 + (population - frequency + 0.5) / (frequency + 0.5));
}

export function roundScore(score: number): number {
  return Math.round(score * 1e6) / 1e6;
}

/** Rounding moves a score by less than this, so most need not be rounded at all. */
const ROUNDING = 1e-6;

interface Scored {
  readonly item: number;
  readonly score: number;
}

interface Found {
  readonly hits: readonly Scored[];
  readonly retired: readonly Scored[];
}

export function rank(corpus: Corpus, request: RankRequest): Ranking {
  const terms = weighTerms(corpus, request);
  const board = boardOf(corpus);
  const { hits, retired } = best(corpus, request, terms, board);
  boards.set(corpus, board);
  const describe = (scored: Scored): RankedDocument => describeHit(corpus, scored, terms);
  return { hits: hits.map(describe), retired: retired.map(describe), frequencies: terms.map((term) => term.list.frequency) };
}

/** Every document that matches, with its own score; in no order that means anything. */
export function scoreAll(
  corpus: Corpus,
  request: Pick<RankRequest, 'terms' | 'lists' | 'policy' | 'pageStates'>,
): { readonly document: number; readonly page: number; readonly score: number }[] {
  const { pageOf } = corpus;
  const matches: { document: number; page: number; score: number }[] = [];
  const terms = weighTerms(corpus, request);
  const board = boardOf(corpus);
  board.plan(terms, 0);
  for (const window of board.planned()) {
    const from = board.score(window, terms, 0);
    for (let at = 0; at < board.documents; at++) {
      const document = from + at;
      const page = pageOf[document] ?? 0;
      if (board.seen[at] === 0 || (request.pageStates[page] ?? 0) < PAGE_SERVING) continue;
      matches.push({ document, page, score: board.scores[at] ?? 0 });
    }
  }
  boards.set(corpus, board);
  return matches;
}

function weighTerms(corpus: Corpus, { terms, lists, policy }: Pick<RankRequest, 'terms' | 'lists' | 'policy'>): WeighedTerm[] {
  const { documents, pages } = corpus.statistics;
  return terms.flatMap((term, at): WeighedTerm[] => {
    const list = lists[at];
    if (list === undefined) throw new TypeError(`no list for ${term.surface}`);
    const impacts = impactsOf(corpus, list, policy.bm25f);
    return [
      { term, list, impacts, idf: inverseFrequency(documents, list.frequency), pageIdf: inverseFrequency(pages, list.pageFrequency) },
    ];
  });
}

/** Kept with the corpus between questions. */
const boards = new WeakMap<Corpus, Board>();

/** Taken while in use: should a question ever be asked inside another, it gets a board of its own. */
function boardOf(corpus: Corpus): Board {
  const known = boards.get(corpus);
  boards.delete(corpus);
  return known ?? new Board(windowsOf(corpus));
}

/** Opens windows from the most promising on, until no other can hold anything better than what was found. */
function best(corpus: Corpus, request: RankRequest, terms: readonly WeighedTerm[], board: Board): Found {
  const { limit, retiredLimit, pageStates, ties } = request;
  const { pageWeight } = request.policy;
  const states = windowStates(corpus, pageStates);
  const required = terms.reduce((sum, { term }) => sum + (term.required ? 1 : 0), 0);
  const hits = new TopK(Math.min(limit, corpus.documents), ties);
  const retired = new TopK(Math.min(retiredLimit, corpus.documents), ties);
  board.plan(terms, pageWeight);
  for (const window of board.planned()) {
    const state = states[window] ?? 0;
    const bound = (board.bounds[window] ?? 0) + ROUNDING;
    const mayServe = (state & HAS_SERVING) !== 0 && bound > hits.worst;
    if (!mayServe && ((state & HAS_RETIRED) === 0 || bound <= retired.worst)) continue;
    const from = board.score(window, terms, required);
    offerOpen(corpus, { board, from, firstPage: board.firstPage(window), required, pageWeight, pageStates, hits, retired });
  }
  return { hits: hits.take(), retired: retired.take() };
}

interface OpenWindow {
  readonly board: Board;
  readonly from: number;
  readonly firstPage: number;
  /** How many terms a page must hold. */
  readonly required: number;
  readonly pageWeight: number;
  readonly pageStates: Uint8Array;
  readonly hits: TopK;
  readonly retired: TopK;
}

function offerOpen({ pageOf }: Corpus, { board, from, firstPage, required, pageWeight, pageStates, hits, retired }: OpenWindow): void {
  for (let at = 0; at < board.documents; at++) {
    if (board.seen[at] === 0) continue;
    const page = pageOf[from + at] ?? 0;
    const state = pageStates[page] ?? 0;
    if (state < PAGE_SERVING || (required > 0 && (board.required[page - firstPage] ?? 0) < required)) continue;
    const score = (board.scores[at] ?? 0) + pageWeight * (board.pageScores[page - firstPage] ?? 0);
    const heap = state === PAGE_RETIRED ? retired : hits;
    if (score + ROUNDING > heap.worst) heap.offer(from + at, roundScore(score));
  }
}

function describeHit(corpus: Corpus, { item, score }: Scored, terms: readonly WeighedTerm[]): RankedDocument {
  const page = corpus.pageOf[item] ?? 0;
  let own = 0;
  let mass = 0;
  let covered = 0;
  const held: { readonly surface: string; readonly gain: number; readonly mask: number; readonly through: Through }[] = [];
  for (const { term, list, impacts, idf } of terms) {
    if (term.content) {
      mass += idf;
      if (indexOf(impacts.pages, page) >= 0) covered += idf;
    }
    const index = indexOf(list.postings.docs, item);
    if (index < 0) continue;
    const gain = term.weight * idf * (impacts.gains[index] ?? 0);
    own += gain;
    held.push({ surface: term.surface, gain, mask: list.postings.masks[index] ?? 0, through: throughOf(list, item) });
  }
  const coverage = mass > 0 ? roundScore(covered / mass) : 0;
  const parts = held.map(({ surface, gain, mask, through }) => {
    return { surface, fields: fieldsIn(mask), share: own > 0 ? Math.round((gain / own) * 100) / 100 : 0, ...through };
  });
  return { document: item, page, score, coverage: Math.min(1, coverage), parts };
}

function throughOf({ own, alternatives }: TermList, item: number): Through {
  const via = (alternatives ?? []).filter(({ docs }) => indexOf(docs, item) >= 0).map(({ label }) => label);
  const lacks = own !== undefined && indexOf(own, item) < 0;
  return { ...(via.length === 0 ? {} : { via }), ...(lacks ? { itself: false } : {}) };
}

function fieldsIn(mask: number): number[] {
  const fields: number[] = [];
  for (let field = 0; field < FIELD_COUNT; field++) if ((mask & (1 << field)) !== 0) fields.push(field);
  return fields;
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
