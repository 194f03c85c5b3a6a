/**
 * The score board: which windows a question may open, in what order, and the sums of one window while it is open.
 *
 * As small as one window, so that it stays in the processor's cache. Invariant: within a window every sum over terms is in the
 * question's order, whatever the order of windows.
 */
import type { QueryTerm } from '../domain/query.js';
import type { Impacts } from './impacts.js';
import type { TermList } from './term-list.js';
import type { Windows } from './windows.js';

export interface WeighedTerm {
  readonly term: QueryTerm;
  readonly list: TermList;
  readonly impacts: Impacts;
  readonly idf: number;
  readonly pageIdf: number;
}

/** Windows are put in order of their bounds by as many steps. */
const STEPS = 256;
const UNTOUCHED = -1;

export class Board {
  readonly #windows: Windows;
  /** The most that a document of each window can score; negative where no term is. */
  readonly bounds: Float64Array;
  readonly #order: Int32Array;
  readonly #stepEnds = new Int32Array(STEPS);
  #planned = 0;

  /** Of the open window, numbered from its first document and page. */
  readonly scores: Float64Array;
  readonly seen: Uint8Array;
  readonly pageScores: Float64Array;
  /** How many of the required terms each page holds. */
  readonly required: Uint16Array;
  documents = 0;

  constructor(windows: Windows) {
    this.#windows = windows;
    this.bounds = new Float64Array(windows.count);
    this.#order = new Int32Array(windows.count);
    this.scores = new Float64Array(windows.mostDocuments);
    this.seen = new Uint8Array(windows.mostDocuments);
    this.pageScores = new Float64Array(windows.mostPages);
    this.required = new Uint16Array(windows.mostPages);
  }

  firstPage(window: number): number {
    return this.#windows.firstPages[window] ?? 0;
  }

  /** Finds the windows that hold any of the terms and puts the most promising first. */
  plan(terms: readonly WeighedTerm[], pageWeight: number): void {
    const { bounds } = this;
    bounds.fill(UNTOUCHED);
    let highest = 0;
    for (const { term, impacts, idf, pageIdf } of terms) {
      const { windows, mostGain, mostPageGain } = impacts;
      const factor = Math.max(0, term.weight * idf);
      const pageFactor = Math.max(0, pageWeight * term.weight * pageIdf);
      for (let at = 0; at < windows.length; at++) {
        const window = windows[at] ?? 0;
        const bound = Math.max(0, bounds[window] ?? 0) + factor * (mostGain[at] ?? 0) + pageFactor * (mostPageGain[at] ?? 0);
        bounds[window] = bound;
        if (bound > highest) highest = bound;
      }
    }
    this.#sort(highest);
  }

  /** The windows found, in the order planned. */
  planned(): Int32Array {
    return this.#order.subarray(0, this.#planned);
  }

  #sort(highest: number): void {
    const { bounds } = this;
    const order = this.#order;
    const ends = this.#stepEnds.fill(0);
    const scale = highest > 0 ? (STEPS - 1) / highest : 0;
    for (let window = 0; window < bounds.length; window++) {
      const bound = bounds[window] ?? 0;
      if (bound === UNTOUCHED) continue;
      const step = STEPS - 1 - Math.trunc(bound * scale);
      ends[step] = (ends[step] ?? 0) + 1;
    }
    let before = 0;
    for (let step = 0; step < STEPS; step++) {
      const here = ends[step] ?? 0;
      ends[step] = before;
      before += here;
    }
    this.#planned = before;
    for (let window = 0; window < bounds.length; window++) {
      const bound = bounds[window] ?? 0;
      if (bound === UNTOUCHED) continue;
      const step = STEPS - 1 - Math.trunc(bound * scale);
      const place = ends[step] ?? 0;
      order[place] = window;
      ends[step] = place + 1;
    }
  }

  /** Adds up the window's scores; says which document is its first.  */
  score(window: number, terms: readonly WeighedTerm[], requiredTerms: number): number {
    const { firstDocuments, firstPages } = this.#windows;
    const firstDocument = firstDocuments[window] ?? 0;
    const firstPage = firstPages[window] ?? 0;
    this.documents = (firstDocuments[window + 1] ?? 0) - firstDocument;
    this.scores.fill(0, 0, this.documents);
    this.seen.fill(0, 0, this.documents);
    const pages = (firstPages[window + 1] ?? 0) - firstPage;
    this.pageScores.fill(0, 0, pages);
    if (requiredTerms > 0) this.required.fill(0, 0, pages);
    for (const weighed of terms) {
      const at = placeOf(weighed.impacts.windows, window);
      if (at < 0) continue;
      this.#addDocuments(weighed, at, firstDocument);
      this.#addPages(weighed, at, firstPage);
    }
    return firstDocument;
  }

  #addDocuments({ term, list, impacts, idf }: WeighedTerm, at: number, firstDocument: number): void {
    const { docs } = list.postings;
    const { gains, documentsFrom } = impacts;
    const { scores, seen } = this;
    const factor = term.weight * idf;
    const end = documentsFrom[at + 1] ?? 0;
    for (let each = documentsFrom[at] ?? 0; each < end; each++) {
      const doc = (docs[each] ?? 0) - firstDocument;
      scores[doc] = (scores[doc] ?? 0) + factor * (gains[each] ?? 0);
      seen[doc] = 1;
    }
  }

  #addPages({ term, impacts, pageIdf }: WeighedTerm, at: number, firstPage: number): void {
    const { pages, pageGains, pagesFrom } = impacts;
    const { pageScores, required } = this;
    const factor = term.weight * pageIdf;
    const end = pagesFrom[at + 1] ?? 0;
    for (let each = pagesFrom[at] ?? 0; each < end; each++) {
      const page = (pages[each] ?? 0) - firstPage;
      pageScores[page] = (pageScores[page] ?? 0) + factor * (pageGains[each] ?? 0);
      if (term.required) required[page] = (required[page] ?? 0) + 1;
    }
  }
}

/** Where the window stands in this ascending row, or -1. */
function placeOf(windows: Int32Array, window: number): number {
  let low = 0;
  let high = windows.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = windows[middle] ?? 0;
    if (found === window) return middle;
    if (found < window) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
