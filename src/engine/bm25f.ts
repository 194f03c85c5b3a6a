/**
 * BM25F: how well documents, and the pages they are part of, answer a question.
 *
 * score(artifact) + pageWeight × score(page); a term adds `weight × idf × gain` (impacts.ts).
 * Invariant: every sum over terms is in the question's order, so a score is the same bits whatever the layout of segments.
 */
import { FIELDS, type Field } from '../domain/fields.js';
import type { QueryTerm } from '../domain/query.js';
import type { TermPart } from '../ports/index-reader.js';
import type { Corpus } from './corpus.js';
import { type ImpactPolicy, impactsOf } from './impacts.js';
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
  readonly parts: readonly TermPart[];
}

export interface RankRequest {
  readonly terms: readonly QueryTerm[];
  readonly policy: ImpactPolicy;
  /** PAGE_… (page-states.ts) of every page of the corpus. */
  readonly pageStates: Uint8Array;
  readonly limit: number;
  readonly retiredLimit: number;
  /** Each term's postings in the corpus, stem class applied. */
  readonly lists: readonly TermList[];
  /** Orders documents of equal score, the better first. */
  readonly ties: (a: number, b: number) => number;
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
  const mass = contentMass(terms);
  const describe = (scored: Scored): RankedDocument => describeHit(corpus, scored, terms, board, mass);
  const ranking = { hits: hits.map(describe), retired: retired.map(describe), frequencies: terms.map((term) => term.list.frequency) };
  boards.set(corpus, board);
  return ranking;
}

/** Shows every document that matches, with its own score; in no order that means anything. */
export function scoreAll(
  corpus: Corpus,
  request: Pick<RankRequest, 'terms' | 'lists' | 'policy' | 'pageStates'>,
  show: (document: number, page: number, score: number) => void,
): void {
  const { pageOf } = corpus;
  const { pageStates } = request;
  const board = boardOf(corpus);
  board.plan(weighTerms(corpus, request));
  for (const window of board.planned()) {
    const from = board.score(window, 0);
    for (let at = 0; at < board.documents; at++) {
      const page = pageOf[from + at] ?? 0;
      if (board.seen[at] === 0 || (pageStates[page] ?? 0) < PAGE_SERVING) continue;
      show(from + at, page, board.scores[at] ?? 0);
    }
  }
  boards.set(corpus, board);
}

function weighTerms(corpus: Corpus, { terms, lists, policy }: Pick<RankRequest, 'terms' | 'lists' | 'policy'>): WeighedTerm[] {
  return terms.map((term, at): WeighedTerm => {
    const list = lists[at];
    if (list === undefined) throw new TypeError(`no list for ${term.surface}`);
    const impacts = impactsOf(corpus, list, policy);
    return { term, list, impacts, factor: term.weight * impacts.idf, pageFactor: term.weight * impacts.pageIdf };
  });
}

/** Loops, here and below: `reduce` and the like make the compiler throw away what it made, question after question. */
function countRequired(terms: readonly WeighedTerm[]): number {
  let required = 0;
  for (const { term } of terms) if (term.required) required += 1;
  return required;
}

/** Rarity of what was asked for, all together. */
function contentMass(terms: readonly WeighedTerm[]): number {
  let mass = 0;
  for (const { term, impacts } of terms) if (term.content) mass += impacts.idf;
  return mass;
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
  const { limit, retiredLimit, pageStates, ties, policy } = request;
  const states = windowStates(corpus, pageStates);
  const required = countRequired(terms);
  const hits = new TopK(Math.min(limit, corpus.documents), ties);
  const retired = new TopK(Math.min(retiredLimit, corpus.documents), ties);
  board.plan(terms);
  const slack = board.stepWidth + ROUNDING;
  const open = { corpus, board, required, pageWeight: policy.pageWeight, pageStates, hits, retired };
  for (const window of board.planned()) {
    const bound = board.bounds[window] ?? 0;
    // No window planned later is better by more than a step.
    if (bound + slack <= hits.worst && (bound + slack <= retired.worst || !states.anyRetired)) break;
    const state = states.ofWindow[window] ?? 0;
    const mayServe = (state & HAS_SERVING) !== 0 && bound + ROUNDING > hits.worst;
    if (!mayServe && ((state & HAS_RETIRED) === 0 || bound + ROUNDING <= retired.worst)) continue;
    offerOpen(open, board.score(window, required), board.firstPage(window));
  }
  return { hits: hits.take(), retired: retired.take() };
}

interface OpenWindow {
  readonly corpus: Corpus;
  readonly board: Board;
  /** How many terms a page must hold. */
  readonly required: number;
  readonly pageWeight: number;
  readonly pageStates: Uint8Array;
  readonly hits: TopK;
  readonly retired: TopK;
}

function offerOpen(open: OpenWindow, from: number, firstPage: number): void {
  const { corpus, board, required, pageWeight, pageStates, hits, retired } = open;
  const { pageOf } = corpus;
  const { seen, scores, pageScores, documents } = board;
  for (let at = 0; at < documents; at++) {
    if (seen[at] === 0) continue;
    const page = pageOf[from + at] ?? 0;
    const state = pageStates[page] ?? 0;
    if (state < PAGE_SERVING || (required > 0 && (board.required[page - firstPage] ?? 0) < required)) continue;
    const score = (scores[at] ?? 0) + pageWeight * (pageScores[page - firstPage] ?? 0);
    const heap = state === PAGE_RETIRED ? retired : hits;
    if (score + ROUNDING > heap.worst) heap.offer(from + at, roundScore(score));
  }
}

function describeHit(corpus: Corpus, { item, score }: Scored, terms: readonly WeighedTerm[], board: Board, mass: number): RankedDocument {
  const page = corpus.pageOf[item] ?? 0;
  const held = board.held(item, page);
  let own = 0;
  let covered = 0;
  for (let at = 0; at < terms.length; at++) {
    const weighed = terms[at];
    const has = held[at];
    if (weighed === undefined || has === undefined) continue;
    if (weighed.term.content) covered += weighed.impacts.idf;
    own += weighed.factor * has.gain;
  }
  const coverage = mass > 0 ? roundScore(covered / mass) : 0;
  const parts: TermPart[] = [];
  for (let at = 0; at < terms.length; at++) {
    const weighed = terms[at];
    const has = held[at];
    if (weighed === undefined || has === undefined || has.mask === 0) continue;
    const share = own > 0 ? Math.round(((weighed.factor * has.gain) / own) * 100) / 100 : 0;
    parts.push(partOf(weighed, item, share, FIELDS_OF[has.mask] ?? []));
  }
  return { document: item, page, score, coverage: Math.min(1, coverage), parts };
}

function partOf({ term: { surface }, list }: WeighedTerm, item: number, share: number, fields: readonly Field[]): TermPart {
  if (list.own === undefined && list.alternatives === undefined) return { surface, share, fields };
  const via = (list.alternatives ?? []).filter(({ docs }) => indexOf(docs, item) >= 0).map(({ label }) => label);
  const lacks = list.own !== undefined && indexOf(list.own, item) < 0;
  return { surface, share, fields, ...(via.length === 0 ? {} : { via }), ...(lacks ? { itself: false } : {}) };
}

/** The fields a mask names. */
const FIELDS_OF: readonly (readonly Field[])[] = Array.from({ length: 1 << FIELD_COUNT }, (_, mask) =>
  FIELDS.filter((_field, at) => (mask & (1 << at)) !== 0),
);

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
