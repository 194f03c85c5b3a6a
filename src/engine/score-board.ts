/**
 * The score board: which windows a question may open, in what order, and the sums of one window while it is open.
 *
 * As small as one window, so that it stays in the processor's cache. Invariant: within a window every sum over terms is in the
 * question's order, whatever the order of windows.
 */
import type { QueryTerm } from '../domain/query.js';
import { Impacts } from './impacts.js';
import { FIELD_COUNT } from './postings.js';
import { gainsAt, PLACE_STEP, type Strip, type StripOnDemand } from './strip.js';
import type { TermList } from './term-list.js';
import { type Windows, windowAt } from './windows.js';

export interface WeighedTerm {
  readonly term: QueryTerm;
  readonly list: TermList;
  readonly idf: number;
  /** Weight times rarity, among documents and among pages. */
  readonly factor: number;
  readonly pageFactor: number;
  /** The most that a document can gain from it, weight included. */
  readonly most: number;
  /** Of a light term, windows that hold it are found and worked out when they are opened. */
  readonly gains: Impacts | StripOnDemand;
  readonly isLight: boolean;
}

/** Windows are put in order of their bounds by as many steps. */
const STEPS = 256;
const UNTOUCHED = -1;

export class Board {
  readonly #windows: Windows;
  /** The most that a document of each window can score, light terms apart; negative where no other term is. */
  readonly bounds: Float64Array;
  readonly #order: Int32Array;
  readonly #stepEnds = new Int32Array(STEPS);
  #planned = 0;
  #terms: readonly WeighedTerm[] = [];
  /** Bounds of one step differ by no more. */
  stepWidth = 0;
  /** The most that light terms add to a document anywhere: bounds are without it. */
  lightMost = 0;

  /** Of the open window, numbered from its first document and page. */
  readonly scores: Float64Array;
  readonly seen: Uint8Array;
  readonly pageScores: Float64Array;
  /** How many of the required terms each page holds. */
  readonly required: Uint16Array;
  documents = 0;
  #pages = 0;

  /** Of the document looked at last, for each term: the fields that hold it, 0 where its page alone does; and what it gains. */
  heldMasks = new Int32Array(0);
  heldGains = new Float64Array(0);

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

  /** Finds the windows that hold any of the terms, light ones apart, and puts the most promising first. */
  plan(terms: readonly WeighedTerm[]): void {
    const { bounds } = this;
    this.#terms = terms;
    bounds.fill(UNTOUCHED);
    this.lightMost = 0;
    let highest = 0;
    for (const weighed of terms) {
      if (weighed.isLight) this.lightMost += weighed.most;
      if (!(weighed.gains instanceof Impacts)) continue;
      const { windows, most } = weighed.gains;
      const weight = Math.max(0, weighed.term.weight);
      for (let at = 0; at < windows.length; at++) {
        const window = windows[at] ?? 0;
        const bound = Math.max(0, bounds[window] ?? 0) + weight * (most[at] ?? 0);
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

  /** The windows that were not. */
  unplanned(): Int32Array {
    const { bounds } = this;
    const found = this.#order.subarray(this.#planned);
    let filled = 0;
    for (let window = 0; window < bounds.length; window++) if (bounds[window] === UNTOUCHED) found[filled++] = window;
    return found;
  }

  #sort(highest: number): void {
    const { bounds } = this;
    const order = this.#order;
    const ends = this.#stepEnds.fill(0);
    const scale = highest > 0 ? (STEPS - 1) / highest : 0;
    this.stepWidth = highest / (STEPS - 1);
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
  score(window: number, requiredTerms: number): number {
    const firstDocument = this.#open(window);
    if (requiredTerms > 0) this.required.fill(0, 0, this.#pages);
    for (const weighed of this.#terms) {
      const begin = weighed.gains.begin(window);
      if (begin > 0) this.#add(weighed, begin - 1);
    }
    return firstDocument;
  }

  /** The most that a document of the window scores, give or take a rounding, if it has all that light terms can give. */
  mostIn(window: number, pageOf: Int32Array, pageWeight: number): number {
    const from = this.#open(window);
    const firstPage = this.firstPage(window);
    for (const weighed of this.#terms) {
      const begin = weighed.isLight ? 0 : weighed.gains.begin(window);
      if (begin > 0) this.#add(weighed, begin - 1);
    }
    const { scores, pageScores, documents } = this;
    let most = 0;
    for (let at = 0; at < documents; at++) {
      most = Math.max(most, (scores[at] ?? 0) + pageWeight * (pageScores[(pageOf[from + at] ?? 0) - firstPage] ?? 0));
    }
    return most + this.lightMost;
  }

  #open(window: number): number {
    const { firstDocuments, firstPages } = this.#windows;
    const firstDocument = firstDocuments[window] ?? 0;
    this.#clear();
    this.documents = (firstDocuments[window + 1] ?? 0) - firstDocument;
    this.#pages = (firstPages[window + 1] ?? 0) - (firstPages[window] ?? 0);
    return firstDocument;
  }

  #add({ term, gains: { strip }, factor, pageFactor }: WeighedTerm, start: number): void {
    const { gains, places, shift } = strip;
    const { scores, seen, pageScores, required } = this;
    const first = (start << shift) + 2;
    const split = first + (places[first - 2] ?? 0);
    const end = split + (places[first - 1] ?? 0);
    let gain = gainsAt(start, end - first, shift);
    for (let at = first; at < split; at++) {
      const doc = (places[at] ?? 0) >>> FIELD_COUNT;
      scores[doc] = (scores[doc] ?? 0) + factor * (gains[gain++] ?? 0);
      seen[doc] = 1;
    }
    for (let at = split; at < end; at++) {
      const page = (places[at] ?? 0) >>> FIELD_COUNT;
      pageScores[page] = (pageScores[page] ?? 0) + pageFactor * (gains[gain++] ?? 0);
      if (term.required) required[page] = (required[page] ?? 0) + 1;
    }
  }

  /** What the window opened last has left; most are too short for `fill` to be quicker. */
  #clear(): void {
    const { scores, seen, pageScores } = this;
    for (let at = 0; at < this.documents; at++) {
      scores[at] = 0;
      seen[at] = 0;
    }
    for (let at = 0; at < this.#pages; at++) pageScores[at] = 0;
  }

  /** Finds out what the document has of each term planned. */
  look(document: number, page: number): void {
    const window = windowAt(this.#windows, document);
    const doc = document - (this.#windows.firstDocuments[window] ?? 0);
    const place = (page - this.firstPage(window)) * PLACE_STEP;
    const terms = this.#terms;
    if (this.heldMasks.length < terms.length) {
      this.heldMasks = new Int32Array(terms.length);
      this.heldGains = new Float64Array(terms.length);
    }
    for (let number = 0; number < terms.length; number++) {
      const gains = terms[number]?.gains;
      const begin = gains?.begin(window) ?? 0;
      this.heldMasks[number] = NOT_HELD;
      if (gains !== undefined && begin > 0) this.#lookIn(gains.strip, begin - 1, number, doc, place);
    }
  }

  #lookIn({ gains, places, shift }: Strip, start: number, number: number, doc: number, page: number): void {
    const first = (start << shift) + 2;
    const split = first + (places[first - 2] ?? 0);
    const end = split + (places[first - 1] ?? 0);
    this.heldGains[number] = 0;
    for (let at = first; at < split; at++) {
      const place = places[at] ?? 0;
      if (place >>> FIELD_COUNT !== doc) continue;
      this.heldMasks[number] = place & (PLACE_STEP - 1);
      this.heldGains[number] = gains[gainsAt(start, end - first, shift) + at - first] ?? 0;
      return;
    }
    for (let at = split; at < end; at++) if (places[at] === page) this.heldMasks[number] = 0;
  }
}

/** Neither the document nor its page holds the term. */
export const NOT_HELD = -1;
