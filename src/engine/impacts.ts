/**
 * Impacts: what each document and page holding a term gains from it, before the term's own weight and rarity.
 *
 * `(k1 + 1) × tf / (k1 + tf)`, where tf is the field counts, each boosted and normalised by its field's length. It depends on the
 * list, the corpus and the policy alone, so it is worked out once and kept with the list.
 * Invariant: counts are summed as they are stored, per page in document order, and averages are of whole-number sums, so segment
 * layout and compartment numbering cannot change one bit of a gain.
 */
import { FIELDS } from '../domain/fields.js';
import type { RankingPolicy } from '../domain/ranking-policy.js';
import type { Corpus } from './corpus.js';
import { isRepeated } from './page-fields.js';
import { FIELD_COUNT, FIELDS_IN } from './postings.js';
import type { TermList } from './term-list.js';
import { windowsOf } from './windows.js';

export interface Impacts {
  /** Gain of each document of the list. */
  readonly gains: Float64Array;
  /** The pages that hold the term, in the order of the list, and their gains as one text. */
  readonly pages: Int32Array;
  readonly pageGains: Float64Array;
  /** The windows that hold the term, ascending. */
  readonly windows: Int32Array;
  /** Where each window's documents, and pages, begin in the list; one more at the end. */
  readonly documentsFrom: Int32Array;
  readonly pagesFrom: Int32Array;
  /** The most that a document, and a page, of each window gains. */
  readonly mostGain: Float64Array;
  readonly mostPageGain: Float64Array;
}

/** Bytes the impacts of a list take, give or take. */
export function impactBytes(list: TermList): number {
  return list.frequency * 8 + list.pageFrequency * 12 + Math.min(list.pageFrequency, list.frequency / 8) * 28 + 512;
}

type Weights = RankingPolicy['bm25f'];

const kept = new WeakMap<TermList, { readonly weights: Weights; readonly impacts: Impacts }>();

export function impactsOf(corpus: Corpus, list: TermList, weights: Weights): Impacts {
  const known = kept.get(list);
  if (known !== undefined && known.weights === weights) return known.impacts;
  const impacts = workOut(corpus, list, weights);
  kept.set(list, { weights, impacts });
  return impacts;
}

/** The numbers one text's counts are normalised with: of artifacts, or of pages. */
class Norms {
  readonly #k1: number;
  readonly #boost: readonly number[];
  /** `1 − b` */
  readonly #fixed: readonly number[];
  /** `b / average length`; 0 for a field nobody has. */
  readonly #perLength: readonly number[];

  constructor({ k1, b, boost }: Weights, lengths: readonly number[], texts: number) {
    this.#k1 = k1;
    this.#boost = FIELDS.map((field) => boost[field]);
    this.#fixed = FIELDS.map((field) => 1 - b[field]);
    this.#perLength = FIELDS.map((field, at) => ((lengths[at] ?? 0) === 0 ? 0 : (b[field] * texts) / (lengths[at] ?? 1)));
  }

  /** A field's part of tf. */
  part(field: number, count: number, length: number): number {
    const norm = (this.#fixed[field] ?? 1) + (this.#perLength[field] ?? 0) * length;
    return norm > 0 ? ((this.#boost[field] ?? 0) * count) / norm : 0;
  }

  gain(tf: number): number {
    return ((this.#k1 + 1) * tf) / (this.#k1 + tf);
  }
}

function workOut(corpus: Corpus, { postings, pageFrequency }: TermList, weights: Weights): Impacts {
  const { pageOf, lengths, pageLengths, statistics } = corpus;
  const { docs, masks, counts } = postings;
  const norms = new Norms(weights, statistics.lengths, statistics.documents);
  const pageNorms = new Norms(weights, statistics.pageLengths, statistics.pages);
  const gains = new Float64Array(docs.length);
  const pages = new Int32Array(pageFrequency);
  const pageGains = new Float64Array(pageFrequency);
  const pageCounts = new Float64Array(FIELD_COUNT);
  let filled = 0;
  let at = 0;

  const finishPage = (page: number): void => {
    let tf = 0;
    for (let field = 0; field < FIELD_COUNT; field++) {
      const count = pageCounts[field] ?? 0;
      if (count > 0) tf += pageNorms.part(field, count, pageLengths[page * FIELD_COUNT + field] ?? 0);
    }
    pages[filled] = page;
    pageGains[filled++] = pageNorms.gain(tf);
    pageCounts.fill(0);
  };

  for (let each = 0; each < docs.length; each++) {
    const doc = docs[each] ?? 0;
    const mask = masks[each] ?? 0;
    let tf = 0;
    let count = at;
    for (let rest = mask; rest !== 0; rest &= rest - 1) {
      const field = 31 - Math.clz32(rest & -rest);
      const times = counts[count++] ?? 0;
      tf += norms.part(field, times, lengths[doc * FIELD_COUNT + field] ?? 0);
      pageCounts[field] = addToPage(field, pageCounts[field] ?? 0, times);
    }
    at += FIELDS_IN[mask] ?? 0;
    gains[each] = norms.gain(tf);
    const next = docs[each + 1];
    if (next === undefined || pageOf[next] !== pageOf[doc]) finishPage(pageOf[doc] ?? 0);
  }
  return { gains, pages, pageGains, ...inWindows(corpus, docs, gains, pages, pageGains) };
}

type InWindows = Pick<Impacts, 'windows' | 'documentsFrom' | 'pagesFrom' | 'mostGain' | 'mostPageGain'>;

function inWindows(corpus: Corpus, docs: Int32Array, gains: Float64Array, pages: Int32Array, pageGains: Float64Array): InWindows {
  const { count, firstDocuments, firstPages } = windowsOf(corpus);
  const most = Math.min(count, pages.length);
  const windows = new Int32Array(most);
  const documentsFrom = new Int32Array(most + 1);
  const pagesFrom = new Int32Array(most + 1);
  const mostGain = new Float64Array(most);
  const mostPageGain = new Float64Array(most);
  let [filled, doc, page, window] = [0, 0, 0, 0];
  while (doc < docs.length) {
    while ((firstDocuments[window + 1] ?? 0) <= (docs[doc] ?? 0)) window += 1;
    windows[filled] = window;
    let best = 0;
    for (const end = firstDocuments[window + 1] ?? 0; doc < docs.length && (docs[doc] ?? 0) < end; doc++) {
      best = Math.max(best, gains[doc] ?? 0);
    }
    let bestPage = 0;
    for (const end = firstPages[window + 1] ?? 0; page < pages.length && (pages[page] ?? 0) < end; page++) {
      bestPage = Math.max(bestPage, pageGains[page] ?? 0);
    }
    mostGain[filled] = best;
    mostPageGain[filled++] = bestPage;
    documentsFrom[filled] = doc;
    pagesFrom[filled] = page;
  }
  return {
    windows: windows.slice(0, filled),
    documentsFrom: documentsFrom.slice(0, filled + 1),
    pagesFrom: pagesFrom.slice(0, filled + 1),
    mostGain: mostGain.slice(0, filled),
    mostPageGain: mostPageGain.slice(0, filled),
  };
}

/** Prefix fields are the same in every artifact of a page, so they count once. */
function addToPage(field: number, before: number, times: number): number {
  return isRepeated(field) ? Math.max(before, times) : before + times;
}
