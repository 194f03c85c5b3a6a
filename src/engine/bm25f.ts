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
import { type ImpactPolicy, impactsOf, mostOf, onDemandOf, rarityOf } from './impacts.js';
import { PAGE_RETIRED, PAGE_SERVING } from './page-states.js';
import { FIELD_COUNT } from './postings.js';
import { Board, NOT_HELD, type WeighedTerm } from './score-board.js';
import type { TermList } from './term-list.js';
import { TopK } from './top-k.js';
import { HAS_RETIRED, HAS_SERVING, type WindowStates, windowStates, windowsOf } from './windows.js';

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

export interface ScoredDocument {
  readonly document: number;
  readonly page: number;
  readonly score: number;
}

export type ScoreRequest = Pick<RankRequest, 'terms' | 'lists' | 'policy' | 'pageStates'> & {
  /** What a document must score, as a share of the best; 0 lets everything through that matches. */
  readonly share: number;
  /** Whether a document of a page that serves counts at all. */
  accepts(document: number): boolean;
};

/** Every document that counts and scores enough, with its own score; in no order that means anything. */
export function scoreAll(corpus: Corpus, request: ScoreRequest): readonly ScoredDocument[] {
  const board = boardOf(corpus);
  board.plan(weighTerms(corpus, request));
  const slack = board.lightMost + board.stepWidth + ROUNDING;
  const found: ScoredDocument[] = [];
  let best = 0;
  for (const window of board.planned()) {
    const bound = board.bounds[window] ?? 0;
    // No window planned later is better by more than a step.
    if (bound + slack < request.share * best) break;
    if (bound + board.lightMost + ROUNDING < request.share * best) continue;
    best = addScored(corpus, request, board, board.score(window, 0), { found, best });
  }
  if (board.lightMost > 0 && board.lightMost + ROUNDING >= request.share * best) {
    for (const window of board.unplanned()) best = addScored(corpus, request, board, board.score(window, 0), { found, best });
  }
  boards.set(corpus, board);
  const least = roundScore(request.share * best);
  return found.filter(({ score }) => roundScore(score) >= least);
}

interface BestSoFar {
  readonly found: ScoredDocument[];
  readonly best: number;
}

/** Says what the best scores, those of the open window counted. */
function addScored(
  { pageOf }: Corpus,
  { pageStates, share, accepts }: ScoreRequest,
  { seen, scores, documents }: Board,
  from: number,
  { found, best: before }: BestSoFar,
): number {
  let best = before;
  for (let at = 0; at < documents; at++) {
    const score = scores[at] ?? 0;
    const page = pageOf[from + at] ?? 0;
    if (seen[at] === 0 || score + ROUNDING < share * best || pageStates[page] !== PAGE_SERVING || !accepts(from + at)) continue;
    if (score > best) best = score;
    found.push({ document: from + at, page, score });
  }
  return best;
}

/** Light terms together give a document no more than this share of what the weightiest term can. */
const MOST_LIGHT = 0.1;
/** Shorter lists, in documents of the corpus for each of the list, are as well worked out as a whole. */
const LONG_LIST = 16;

function weighTerms(corpus: Corpus, { terms, lists, policy }: Pick<RankRequest, 'terms' | 'lists' | 'policy'>): WeighedTerm[] {
  const rarities = lists.map((list) => rarityOf(corpus, list));
  const most = terms.map(({ weight }, at) => Math.max(0, weight) * mostOf(rarities[at] ?? NO_RARITY, policy));
  const light = lightTerms(corpus, lists, most);
  return terms.map((term, at): WeighedTerm => {
    const list = lists[at];
    if (list === undefined) throw new TypeError(`no list for ${term.surface}`);
    const { idf, pageIdf } = rarities[at] ?? NO_RARITY;
    const isLight = light.has(at);
    const gains = isLight ? onDemandOf(corpus, list, policy) : impactsOf(corpus, list, policy);
    return { term, list, idf, factor: term.weight * idf, pageFactor: term.weight * pageIdf, most: most[at] ?? 0, gains, isLight };
  });
}

const NO_RARITY = { idf: 0, pageIdf: 0 };

/** Long lists of words that hardly count: function words above all. Which they are decides what is worked out, never what is answered. */
function lightTerms({ documents }: Corpus, lists: readonly TermList[], most: readonly number[]): ReadonlySet<number> {
  let left = MOST_LIGHT * Math.max(0, ...most);
  const light = new Set<number>();
  const ascending = most.map((_, at) => at).sort((a, b) => (most[a] ?? 0) - (most[b] ?? 0));
  for (const at of ascending) {
    left -= most[at] ?? 0;
    if (left < 0) break;
    if ((lists[at]?.frequency ?? 0) * LONG_LIST > documents) light.add(at);
  }
  return light;
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
  for (const { term, idf } of terms) if (term.content) mass += idf;
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
  const hits = new TopK(Math.min(limit, corpus.documents), ties);
  const retired = new TopK(Math.min(retiredLimit, corpus.documents), ties);
  board.plan(terms);
  const { lightMost, stepWidth } = board;
  const looksFirst = areMostlyLight(terms);
  const open = { corpus, board, states, required: countRequired(terms), pageWeight: policy.pageWeight, pageStates, hits, retired };
  for (const window of board.planned()) {
    const bound = (board.bounds[window] ?? 0) + lightMost;
    // No window planned later is better by more than a step.
    if (!mayHold(open, bound + stepWidth)) break;
    if (!mayMatter(open, window, bound)) continue;
    if (looksFirst && !mayMatter(open, window, board.mostIn(window, corpus.pageOf, Math.max(0, policy.pageWeight)))) continue;
    offerOpen(open, board.score(window, open.required), board.firstPage(window));
  }
  // Windows of light terms alone: there are hardly ever so few hits that one of them is among the best.
  if (lightMost > 0 && mayHold(open, lightMost)) {
    for (const window of board.unplanned()) {
      if (mayMatter(open, window, lightMost)) offerOpen(open, board.score(window, open.required), board.firstPage(window));
    }
  }
  return { hits: hits.take(), retired: retired.take() };
}

/** Then it pays to add up the others of a window first, most often in vain, and all in their order only where those reach far enough. */
function areMostlyLight(terms: readonly WeighedTerm[]): boolean {
  let light = 0;
  for (const { isLight } of terms) if (isLight) light += 1;
  return light * 2 > terms.length;
}

/** Whether any window, of which no document scores more, may still change what was found. */
function mayHold({ states, hits, retired }: OpenWindow, most: number): boolean {
  return most + ROUNDING > hits.worst || (states.anyRetired && most + ROUNDING > retired.worst);
}

/** Whether this one may. */
function mayMatter({ states, hits, retired }: OpenWindow, window: number, most: number): boolean {
  const state = states.ofWindow[window] ?? 0;
  return ((state & HAS_SERVING) !== 0 && most + ROUNDING > hits.worst) || ((state & HAS_RETIRED) !== 0 && most + ROUNDING > retired.worst);
}

interface OpenWindow {
  readonly corpus: Corpus;
  readonly board: Board;
  readonly states: WindowStates;
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
  board.look(item, page);
  const { heldMasks, heldGains } = board;
  let own = 0;
  let covered = 0;
  for (let at = 0; at < terms.length; at++) {
    const weighed = terms[at];
    if (weighed === undefined || heldMasks[at] === NOT_HELD) continue;
    if (weighed.term.content) covered += weighed.idf;
    own += weighed.factor * (heldGains[at] ?? 0);
  }
  const coverage = mass > 0 ? roundScore(covered / mass) : 0;
  const parts: TermPart[] = [];
  for (let at = 0; at < terms.length; at++) {
    const weighed = terms[at];
    const mask = heldMasks[at] ?? NOT_HELD;
    if (weighed === undefined || mask <= 0) continue;
    const share = own > 0 ? Math.round(((weighed.factor * (heldGains[at] ?? 0)) / own) * 100) / 100 : 0;
    parts.push(partOf(weighed, item, share, FIELDS_OF[mask] ?? []));
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
