/**
 * Strip: what each document and page that holds a term gains from it, laid out by windows in the order they are worked out.
 *
 * `(k1 + 1) × tf / (k1 + tf)`, where tf is the field counts, each boosted and normalised by its field's length. What a question reads of
 * a window lies together, as waiting for memory is most of what a question costs.
 * Invariant: counts are summed as they are stored, per page in document order, and averages are of whole-number sums, so segment
 * layout and compartment numbering cannot change one bit of a gain.
 */
import { FIELDS } from '../domain/fields.js';
import type { RankingPolicy } from '../domain/ranking-policy.js';
import type { Corpus } from './corpus.js';
import { isRepeated } from './page-fields.js';
import { FIELD_COUNT, FIELDS_IN, type Postings } from './postings.js';
import type { TermList } from './term-list.js';
import { type Windows, windowsOf } from './windows.js';

/** A place is a distance times this, and a field mask. */
export const PLACE_STEP = 1 << FIELD_COUNT;
const FAR = 2 ** 16 / PLACE_STEP;

/** Where a window's gains begin that begins at `start` and has so many documents and pages. */
export function gainsAt(start: number, members: number, shift: number): number {
  return start + ((members + 1 + (1 << shift)) >> shift);
}

export type Weights = RankingPolicy['bm25f'];

/** The numbers one text's counts are normalised with: of artifacts, or of pages. */
class Norms {
  readonly boost: Float64Array;
  /** `1 − b` */
  readonly fixed: Float64Array;
  /** `b / average length`; 0 for a field nobody has. */
  readonly perLength: Float64Array;

  constructor({ b, boost }: Weights, lengths: readonly number[], texts: number) {
    this.boost = Float64Array.from(FIELDS, (field) => boost[field]);
    this.fixed = Float64Array.from(FIELDS, (field) => 1 - b[field]);
    this.perLength = Float64Array.from(FIELDS, (field, at) => ((lengths[at] ?? 0) === 0 ? 0 : (b[field] * texts) / (lengths[at] ?? 1)));
  }

  /** A field's part of tf. */
  part(field: number, count: number, length: number): number {
    const norm = (this.fixed[field] ?? 1) + (this.perLength[field] ?? 0) * length;
    return norm > 0 ? ((this.boost[field] ?? 0) * count) / norm : 0;
  }
}

const REPEATED = Uint8Array.from({ length: FIELD_COUNT }, (_, field) => (isRepeated(field) ? 1 : 0));

export class Strip {
  /**
   * For each window its places, as many as fill whole numbers of eight bytes, and then the gain of each. Taken anew after `add`.
   */
  gains: Float64Array;
  /**
   * The same bytes. Of a window: how many documents, how many pages, then each as its distance from the window's first, with the fields
   * that hold the term: `distance * 32 + mask`.
   */
  places: Uint16Array | Uint32Array;
  /** How many places fill eight bytes, as a power of two. */
  readonly shift: number;
  /** Where the next window will begin. */
  filled = 0;
  readonly #corpus: Corpus;
  readonly #windows: Windows;
  readonly #postings: Postings;
  readonly #norms: Norms;
  readonly #pageNorms: Norms;
  readonly #k1: number;
  readonly #pageCounts = new Float64Array(FIELD_COUNT);
  /** The first document and the first count that no window read so far has. */
  #each = 0;
  #count = 0;

  /** With room for all of the list, or as much as is worked out when it is not known how much that will be. */
  constructor(corpus: Corpus, { postings, pageFrequency }: TermList, weights: Weights, isWhole: boolean) {
    const { statistics } = corpus;
    this.#corpus = corpus;
    this.#postings = postings;
    this.#norms = new Norms(weights, statistics.lengths, statistics.documents);
    this.#pageNorms = new Norms(weights, statistics.pageLengths, statistics.pages);
    this.#k1 = weights.k1;
    this.#windows = windowsOf(corpus);
    this.shift = this.#windows.mostDocuments <= FAR ? 2 : 1;
    const members = postings.docs.length + pageFrequency;
    const windows = Math.min(this.#windows.count, pageFrequency);
    this.gains = new Float64Array(isWhole ? members + ((members + 2 * windows) >> this.shift) + windows : FIRST_GAINS);
    this.places = this.#viewed();
  }

  /** The next document of the list; how many there are when all were read. */
  get next(): number {
    return this.#each;
  }

  /** Goes to a document of the list, by its place in it. */
  goTo(each: number, count: number): void {
    this.#each = each;
    this.#count = count;
  }

  /** Lays out the window, in which the next document lies. Says what a document gains at most. */
  add(window: number, idf: number, pageFactor: number): number {
    const { documents, pages } = this.#membersIn(this.#windows.firstDocuments[window + 1] ?? 0);
    const start = this.filled;
    const gain = gainsAt(start, documents + pages, this.shift);
    this.filled = gain + documents + pages;
    this.#reserve();
    const first = start << this.shift;
    this.places[first] = documents;
    this.places[first + 1] = pages;
    return this.#write(window, first + 2, gain, documents, { idf, pageFactor });
  }

  /** How many of the next documents come before `end`, and on how many pages. */
  #membersIn(end: number): { readonly documents: number; readonly pages: number } {
    const { docs } = this.#postings;
    const { pageOf } = this.#corpus;
    let each = this.#each;
    let pages = 0;
    let lastPage = -1;
    for (; each < docs.length && (docs[each] ?? 0) < end; each++) {
      const page = pageOf[docs[each] ?? 0] ?? 0;
      if (page !== lastPage) pages += 1;
      lastPage = page;
    }
    return { documents: each - this.#each, pages };
  }

  /** Page by page: those of a document, then, when its last one was read, those of the page. */
  #write(
    window: number,
    place: number,
    gain: number,
    documents: number,
    rarity: { readonly idf: number; readonly pageFactor: number },
  ): number {
    const { gains, places } = this;
    const { docs, masks } = this.#postings;
    const { pageOf } = this.#corpus;
    const firstDocument = this.#windows.firstDocuments[window] ?? 0;
    const firstPage = this.#windows.firstPages[window] ?? 0;
    const end = this.#each + documents;
    let pagePlace = place + documents;
    let pageGain = gain + documents;
    let best = 0;
    for (let each = this.#each, at = 0; each < end; ) {
      const page = pageOf[docs[each] ?? 0] ?? 0;
      let most = 0;
      this.#pageCounts.fill(0);
      for (; each < end && pageOf[docs[each] ?? 0] === page; each++, at++) {
        const doc = docs[each] ?? 0;
        const mask = masks[each] ?? 0;
        const own = this.#gainOfDocument(doc, mask);
        places[place + at] = (doc - firstDocument) * PLACE_STEP + mask;
        gains[gain + at] = own;
        if (own > most) most = own;
      }
      const whole = this.#gainOfPage(page);
      places[pagePlace++] = (page - firstPage) * PLACE_STEP;
      gains[pageGain++] = whole;
      best = Math.max(best, rarity.idf * most + rarity.pageFactor * whole);
    }
    this.#each = end;
    return best;
  }

  /** Counts it to its page. */
  #gainOfDocument(doc: number, mask: number): number {
    const { counts } = this.#postings;
    const { lengths } = this.#corpus;
    const { boost, fixed, perLength } = this.#norms;
    const pageCounts = this.#pageCounts;
    let count = this.#count;
    let tf = 0;
    for (let rest = mask; rest !== 0; rest &= rest - 1) {
      const field = 31 - Math.clz32(rest & -rest);
      const times = counts[count++] ?? 0;
      const norm = (fixed[field] ?? 1) + (perLength[field] ?? 0) * (lengths[doc * FIELD_COUNT + field] ?? 0);
      if (norm > 0) tf += ((boost[field] ?? 0) * times) / norm;
      const before = pageCounts[field] ?? 0;
      // Prefix fields are the same in every artifact of a page, so they count once.
      pageCounts[field] = REPEATED[field] === 1 ? Math.max(before, times) : before + times;
    }
    this.#count = count;
    return ((this.#k1 + 1) * tf) / (this.#k1 + tf);
  }

  /** Of what was counted of it. */
  #gainOfPage(page: number): number {
    let tf = 0;
    for (let field = 0; field < FIELD_COUNT; field++) {
      const count = this.#pageCounts[field] ?? 0;
      if (count > 0) tf += this.#pageNorms.part(field, count, this.#corpus.pageLengths[page * FIELD_COUNT + field] ?? 0);
    }
    return ((this.#k1 + 1) * tf) / (this.#k1 + tf);
  }

  #reserve(): void {
    if (this.filled <= this.gains.length) return;
    const before = this.gains;
    this.gains = new Float64Array(2 * this.filled);
    this.gains.set(before);
    this.places = this.#viewed();
  }

  #viewed(): Uint16Array | Uint32Array {
    return this.shift === 2 ? new Uint16Array(this.gains.buffer) : new Uint32Array(this.gains.buffer);
  }
}

const FIRST_GAINS = 1024;
/** How many documents of a list lie between two whose first counts are known. */
const APART = 64;

/** The strip of a list of which only those windows are worked out that are asked for. */
export class StripOnDemand {
  readonly strip: Strip;
  readonly #docs: Int32Array;
  readonly #masks: Uint8Array;
  readonly #firstDocuments: Int32Array;
  /** Where each window begins in the strip, counted from 1; 0 before it was asked for, -1 where no document holds the term. */
  readonly #begins: Int32Array;
  /** First count of every so many-th document. */
  readonly #counts: Uint32Array;

  constructor(corpus: Corpus, list: TermList, weights: Weights) {
    const { docs, masks } = list.postings;
    const { firstDocuments, count } = windowsOf(corpus);
    this.strip = new Strip(corpus, list, weights, false);
    this.#docs = docs;
    this.#masks = masks;
    this.#firstDocuments = firstDocuments;
    this.#begins = new Int32Array(count);
    this.#counts = new Uint32Array(Math.ceil(docs.length / APART));
    for (let each = 0, counted = 0; each < docs.length; each++) {
      if (each % APART === 0) this.#counts[each / APART] = counted;
      counted += FIELDS_IN[masks[each] ?? 0] ?? 0;
    }
  }

  /** Where the window begins in the strip, counted from 1; 0 where it does not. */
  begin(window: number): number {
    const known = this.#begins[window] ?? 0;
    if (known !== 0) return Math.max(0, known);
    const each = this.#firstIn(window);
    const doc = this.#docs[each] ?? Number.POSITIVE_INFINITY;
    const holds = doc < (this.#firstDocuments[window + 1] ?? 0);
    const begin = holds ? this.strip.filled + 1 : -1;
    if (holds) {
      this.strip.goTo(each, this.#countOf(each));
      this.strip.add(window, 0, 0);
    }
    this.#begins[window] = begin;
    return Math.max(0, begin);
  }

  /** The first document of the list that is not before the window. */
  #firstIn(window: number): number {
    const first = this.#firstDocuments[window] ?? 0;
    let low = 0;
    let high = this.#docs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#docs[middle] ?? 0) < first) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #countOf(each: number): number {
    let counted = this.#counts[Math.floor(each / APART)] ?? 0;
    for (let at = each - (each % APART); at < each; at++) counted += FIELDS_IN[this.#masks[at] ?? 0] ?? 0;
    return counted;
  }
}
