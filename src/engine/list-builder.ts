/**
 * List builder: puts the lists of a corpus's segments together into one, live documents only.
 *
 * Invariant: segments are added in the order of the corpus, so documents ascend.
 */
import type { Corpus } from './corpus.js';
import { decodePostings, FIELDS_IN, NO_POSTINGS, type Postings } from './postings.js';
import { unite, weigh } from './stem-class.js';
import type { TermList } from './term-list.js';

const FIRST_DOCUMENTS = 64;

export class ListBuilder {
  readonly #pageOf: Int32Array;
  readonly #live: Uint8Array;
  #docs = new Int32Array(FIRST_DOCUMENTS);
  #masks = new Uint8Array(FIRST_DOCUMENTS);
  #counts: Uint16Array | Float64Array = new Uint16Array(2 * FIRST_DOCUMENTS);
  #documents = 0;
  #filled = 0;
  #pages = 0;
  #lastPage = -1;

  constructor({ pageOf, live }: Corpus) {
    this.#pageOf = pageOf;
    this.#live = live;
  }

  /** The written postings of a segment whose first document has the number `base`. */
  add(base: number, written: Uint8Array): void {
    if (written.length > 0) this.#append(base, decodePostings(written));
  }

  addBoth(base: number, first: Uint8Array, second: Uint8Array): void {
    if (first.length > 0 || second.length > 0) this.#append(base, unite(decoded(first), decoded(second)));
  }

  /** `exact + weight × (first + second − exact)` */
  addWeighed(base: number, exact: Uint8Array, first: Uint8Array, second: Uint8Array, weight: number): void {
    if (first.length > 0 || second.length > 0) {
      this.#append(base, weigh(decoded(exact), unite(decoded(first), decoded(second)), weight));
    }
  }

  finish(): TermList {
    const postings = {
      docs: this.#docs.slice(0, this.#documents),
      masks: this.#masks.slice(0, this.#documents),
      counts: this.#counts.slice(0, this.#filled),
    };
    return { postings, frequency: this.#documents, pageFrequency: this.#pages };
  }

  #append(base: number, { docs, masks, counts }: Postings): void {
    this.#reserve(docs.length, counts.length, counts instanceof Float64Array);
    const [ownDocs, ownMasks, ownCounts, pageOf, live] = [this.#docs, this.#masks, this.#counts, this.#pageOf, this.#live];
    let [documents, filled, pages, lastPage, at] = [this.#documents, this.#filled, this.#pages, this.#lastPage, 0];
    for (let each = 0; each < docs.length; each++) {
      const doc = base + (docs[each] ?? 0);
      const page = pageOf[doc] ?? 0;
      const mask = masks[each] ?? 0;
      const end = at + (FIELDS_IN[mask] ?? 0);
      if (live[page] === 0) {
        at = end;
        continue;
      }
      ownDocs[documents] = doc;
      ownMasks[documents++] = mask;
      while (at < end) ownCounts[filled++] = counts[at++] ?? 0;
      if (page !== lastPage) pages += 1;
      lastPage = page;
    }
    this.#documents = documents;
    this.#filled = filled;
    this.#pages = pages;
    this.#lastPage = lastPage;
  }

  #reserve(documents: number, counts: number, areFractions: boolean): void {
    if (this.#documents + documents > this.#docs.length) {
      const room = Math.max(this.#documents + documents, 2 * this.#docs.length);
      this.#docs = grown(this.#docs, new Int32Array(room));
      this.#masks = grown(this.#masks, new Uint8Array(room));
    }
    const needed = this.#filled + counts;
    const isFull = needed > this.#counts.length;
    const room = isFull ? 2 * needed : this.#counts.length;
    if (areFractions && !(this.#counts instanceof Float64Array)) this.#counts = grown(this.#counts, new Float64Array(room));
    else if (isFull && this.#counts instanceof Float64Array) this.#counts = grown(this.#counts, new Float64Array(room));
    else if (isFull) this.#counts = grown(this.#counts, new Uint16Array(room));
  }
}

function grown<T extends Int32Array | Uint8Array | Uint16Array | Float64Array>(from: ArrayLike<number>, to: T): T {
  to.set(from);
  return to;
}

function decoded(written: Uint8Array): Postings {
  return written.length === 0 ? NO_POSTINGS : decodePostings(written);
}
