/**
 * Impacts: what each document and page holding a term gains from it, before the term's own weight and rarity.
 *
 * `(k1 + 1) × tf / (k1 + tf)`, where tf is the field counts, each boosted and normalised by its field's length. It depends on the
 * list, the corpus and the policy alone, so it is worked out once and kept with the list. It is laid out by windows: what a question
 * reads of one lies together, as waiting for memory is most of what a question costs.
 * Invariant: counts are summed as they are stored, per page in document order, and averages are of whole-number sums, so segment
 * layout and compartment numbering cannot change one bit of a gain.
 */
import { FIELDS } from '../domain/fields.js';
import type { RankingPolicy } from '../domain/ranking-policy.js';
import type { Corpus } from './corpus.js';
import { isRepeated } from './page-fields.js';
import { FIELD_COUNT, type Postings } from './postings.js';
import type { TermList } from './term-list.js';
import { type Windows, windowsOf } from './windows.js';

export interface Impacts {
  readonly idf: number;
  readonly pageIdf: number;
  /** The windows that hold the term, ascending. */
  readonly windows: Int32Array;
  /** The most that a document of each gains from the term and its page, rarity included. */
  readonly most: Float64Array;
  /** Where each begins in `strip`. */
  readonly starts: Int32Array;
  /** For each window its places, as many as fill whole numbers of eight bytes, and then the gain of each. */
  readonly strip: Float64Array;
  /**
   * The same bytes. Of a window: how many documents, how many pages, then each as its distance from the window's first, with the fields
   * that hold the term: `distance * 32 + mask`.
   */
  readonly places: Uint16Array | Uint32Array;
  /** How many places fill eight bytes, as a power of two. */
  readonly shift: number;
}

/** A place is a distance times this, and a field mask. */
export const PLACE_STEP = 1 << FIELD_COUNT;
const FAR = 2 ** 16 / PLACE_STEP;

/** Where a window's gains begin that begins at `start` and has so many documents and pages. */
export function gainsAt(start: number, members: number, shift: number): number {
  return start + ((members + 1 + (1 << shift)) >> shift);
}

/** Bytes the impacts of a list take, give or take. */
export function impactBytes(list: TermList): number {
  return (list.frequency + list.pageFrequency) * 10 + Math.min(list.pageFrequency, list.frequency / 8) * 20 + 512;
}

/** What impacts depend on beside the list and its corpus. */
export type ImpactPolicy = Pick<RankingPolicy, 'bm25f' | 'pageWeight'>;

const kept = new WeakMap<TermList, ImpactPolicy & { readonly impacts: Impacts }>();

export function impactsOf(corpus: Corpus, list: TermList, policy: ImpactPolicy): Impacts {
  const known = kept.get(list);
  if (known !== undefined && known.bm25f === policy.bm25f && known.pageWeight === policy.pageWeight) return known.impacts;
  const impacts = workOut(corpus, list, policy);
  kept.set(list, { bm25f: policy.bm25f, pageWeight: policy.pageWeight, impacts });
  return impacts;
}

/** `ln(1 + (N − df + ½) / (df + ½))`; positive whatever the frequency. */
function inverseFrequency(population: number, frequency: number): number {
  return Math.log(1 + (population - frequency + 0.5) / (frequency + 0.5));
}

type Weights = RankingPolicy['bm25f'];

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

function workOut(corpus: Corpus, list: TermList, policy: ImpactPolicy): Impacts {
  const { statistics } = corpus;
  const idf = inverseFrequency(statistics.documents, list.frequency);
  const pageIdf = inverseFrequency(statistics.pages, list.pageFrequency);
  return { idf, pageIdf, ...new Layout(corpus, list, policy.bm25f).layOut(idf, Math.max(0, policy.pageWeight * pageIdf)) };
}

/** Goes through a list once, page by page and window by window. */
class Layout {
  readonly #corpus: Corpus;
  readonly #postings: Postings;
  readonly #norms: Norms;
  readonly #pageNorms: Norms;
  readonly #windows: Windows;
  readonly #shift: number;
  readonly #strip: Float64Array;
  readonly #places: Uint16Array | Uint32Array;
  /** The next document of the list, its first count, and the next free number of the strip. */
  #each = 0;
  #count = 0;
  #filled = 0;
  /** Of the window at hand. */
  readonly #docs = new Members();
  readonly #pages = new Members();
  readonly #pageCounts = new Float64Array(FIELD_COUNT);

  constructor(corpus: Corpus, { postings, pageFrequency }: TermList, weights: Weights) {
    const { statistics } = corpus;
    this.#corpus = corpus;
    this.#postings = postings;
    this.#norms = new Norms(weights, statistics.lengths, statistics.documents);
    this.#pageNorms = new Norms(weights, statistics.pageLengths, statistics.pages);
    this.#windows = windowsOf(corpus);
    const members = postings.docs.length + pageFrequency;
    const windows = Math.min(this.#windows.count, pageFrequency);
    this.#shift = this.#windows.mostDocuments <= FAR ? 2 : 1;
    this.#strip = new Float64Array(members + ((members + 2 * windows) >> this.#shift) + windows);
    this.#places = this.#shift === 2 ? new Uint16Array(this.#strip.buffer) : new Uint32Array(this.#strip.buffer);
  }

  layOut(idf: number, pageFactor: number): Omit<Impacts, 'idf' | 'pageIdf'> {
    const { docs } = this.#postings;
    const { firstDocuments } = this.#windows;
    const windows: number[] = [];
    const most: number[] = [];
    const starts: number[] = [];
    let window = 0;
    while (this.#each < docs.length) {
      while ((firstDocuments[window + 1] ?? 0) <= (docs[this.#each] ?? 0)) window += 1;
      windows.push(window);
      starts.push(this.#filled);
      most.push(this.#readWindow(window, idf, pageFactor));
      this.#write();
    }
    return {
      windows: Int32Array.from(windows),
      most: Float64Array.from(most),
      starts: Int32Array.from(starts),
      strip: this.#strip,
      places: this.#places,
      shift: this.#shift,
    };
  }

  /** Says what a document gains at most. */
  #readWindow(window: number, idf: number, pageFactor: number): number {
    const { docs } = this.#postings;
    const { pageOf } = this.#corpus;
    const firstDocument = this.#windows.firstDocuments[window] ?? 0;
    const firstPage = this.#windows.firstPages[window] ?? 0;
    const end = this.#windows.firstDocuments[window + 1] ?? 0;
    let best = 0;
    while (this.#each < docs.length && (docs[this.#each] ?? 0) < end) {
      const page = pageOf[docs[this.#each] ?? 0] ?? 0;
      let gain = 0;
      this.#pageCounts.fill(0);
      for (; this.#each < docs.length && pageOf[docs[this.#each] ?? 0] === page; this.#each++) {
        gain = Math.max(gain, this.#readDocument(firstDocument));
      }
      const pageGain = this.#gainOfPage(page);
      this.#pages.add((page - firstPage) * PLACE_STEP, pageGain);
      best = Math.max(best, idf * gain + pageFactor * pageGain);
    }
    return best;
  }

  #readDocument(firstDocument: number): number {
    const { docs, masks, counts } = this.#postings;
    const { lengths } = this.#corpus;
    const doc = docs[this.#each] ?? 0;
    const mask = masks[this.#each] ?? 0;
    let tf = 0;
    for (let rest = mask; rest !== 0; rest &= rest - 1) {
      const field = 31 - Math.clz32(rest & -rest);
      const times = counts[this.#count++] ?? 0;
      tf += this.#norms.part(field, times, lengths[doc * FIELD_COUNT + field] ?? 0);
      this.#pageCounts[field] = addToPage(field, this.#pageCounts[field] ?? 0, times);
    }
    const gain = this.#norms.gain(tf);
    this.#docs.add((doc - firstDocument) * PLACE_STEP + mask, gain);
    return gain;
  }

  /** Of what was counted of it. */
  #gainOfPage(page: number): number {
    let tf = 0;
    for (let field = 0; field < FIELD_COUNT; field++) {
      const count = this.#pageCounts[field] ?? 0;
      if (count > 0) tf += this.#pageNorms.part(field, count, this.#corpus.pageLengths[page * FIELD_COUNT + field] ?? 0);
    }
    return this.#pageNorms.gain(tf);
  }

  #write(): void {
    let place = this.#filled << this.#shift;
    this.#filled = gainsAt(this.#filled, this.#docs.length + this.#pages.length, this.#shift);
    this.#places[place++] = this.#docs.length;
    this.#places[place++] = this.#pages.length;
    for (const members of [this.#docs, this.#pages]) {
      members.copyTo(this.#places, place, this.#strip, this.#filled);
      place += members.length;
      this.#filled += members.length;
      members.length = 0;
    }
  }
}

/** Documents, or pages, of one window with their gains. */
class Members {
  readonly #places: number[] = [];
  readonly #gains: number[] = [];
  length = 0;

  add(place: number, gain: number): void {
    this.#places[this.length] = place;
    this.#gains[this.length++] = gain;
  }

  copyTo(places: Uint16Array | Uint32Array, place: number, gains: Float64Array, gain: number): void {
    for (let at = 0; at < this.length; at++) {
      places[place + at] = this.#places[at] ?? 0;
      gains[gain + at] = this.#gains[at] ?? 0;
    }
  }
}

/** Prefix fields are the same in every artifact of a page, so they count once. */
function addToPage(field: number, before: number, times: number): number {
  return isRepeated(field) ? Math.max(before, times) : before + times;
}
