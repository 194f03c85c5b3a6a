/**
 * List builder: puts the lists of a corpus's segments together into one, live documents only. One builder makes many lists.
 *
 * Written postings are read straight into the list: most are short, and arrays for each would cost more than reading them.
 * Invariant: segments are added in the order of the corpus, so documents ascend.
 */
import { DamagedSegment } from './bytes.js';
import type { Corpus } from './corpus.js';
import { NOTHING } from './posting-cache.js';
import { FIELD_COUNT } from './postings.js';
import type { TermList } from './term-list.js';

const FIRST_DOCUMENTS = 1024;
const NONE = Number.MAX_SAFE_INTEGER;
const MOST = 65_535;

/** Reads written postings one document after the other. */
class Cursor {
  #bytes: Uint8Array = new Uint8Array(0);
  #at = 0;
  #left = 0;
  /** The document, and its fields; NONE at the end. Counts of other fields are left over from others. */
  doc = NONE;
  mask = 0;
  readonly #counts = new Int32Array(FIELD_COUNT);

  /** Says how many documents there are. */
  open(bytes: Uint8Array): number {
    this.#bytes = bytes;
    this.#at = 0;
    this.#left = bytes.length === 0 ? 0 : this.#number();
    if (this.#left > bytes.length) throw new DamagedSegment('more documents than bytes');
    const documents = this.#left;
    this.doc = 0;
    this.next();
    return documents;
  }

  /** Its fields if it stands at this document, else none. */
  maskOf(doc: number): number {
    return this.doc === doc ? this.mask : 0;
  }

  /** The field's count when the mask has it. */
  countOf(mask: number, field: number): number {
    return (mask & (1 << field)) === 0 ? 0 : (this.#counts[field] ?? 0);
  }

  next(): void {
    if (this.#left === 0) {
      this.doc = NONE;
      this.mask = 0;
      return;
    }
    this.#left -= 1;
    this.doc += this.#number();
    const head = this.#bytes[this.#at++] ?? 0;
    this.mask = head & 31;
    if (this.mask === 0) throw new DamagedSegment('names a document that does not hold the term');
    const small = head >> FIELD_COUNT;
    let rest = this.mask;
    if (small > 0) {
      this.#counts[31 - Math.clz32(rest & -rest)] = small;
      rest &= rest - 1;
    }
    for (; rest !== 0; rest &= rest - 1) this.#counts[31 - Math.clz32(rest & -rest)] = this.#number();
  }

  #number(): number {
    const bytes = this.#bytes;
    const first = bytes[this.#at] ?? 128;
    if (first < 128) {
      this.#at += 1;
      return first;
    }
    let value = 0;
    for (let shift = 0; shift < 32; shift += 7) {
      const next = bytes[this.#at++];
      if (next === undefined) throw new DamagedSegment('ends too early');
      value |= (next & 127) << shift;
      if (next < 128) return value;
    }
    throw new DamagedSegment('number out of range');
  }
}

export class ListBuilder {
  readonly #pageOf: Int32Array;
  readonly #live: Uint8Array;
  readonly #exact = new Cursor();
  readonly #first = new Cursor();
  readonly #second = new Cursor();
  #docs = new Int32Array(FIRST_DOCUMENTS);
  #masks = new Uint8Array(FIRST_DOCUMENTS);
  #whole = new Uint16Array(2 * FIRST_DOCUMENTS);
  #fractions = new Float64Array(0);
  #areFractions = false;
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
    if (written.length > 0) this.addBoth(base, written, NOTHING);
  }

  /** Counts of both lists together. */
  addBoth(base: number, written: Uint8Array, more: Uint8Array): void {
    const first = this.#first;
    const second = this.#second;
    const most = first.open(written) + second.open(more);
    this.#reserve(most, written.length + more.length);
    while (first.doc !== NONE || second.doc !== NONE) {
      const doc = Math.min(first.doc, second.doc);
      const firstMask = first.maskOf(doc);
      const secondMask = second.maskOf(doc);
      if (this.#take(base + doc)) this.#push(base + doc, firstMask, secondMask);
      if (firstMask !== 0) first.next();
      if (secondMask !== 0) second.next();
    }
  }

  /** A document that the cursors stand at, or one of them. */
  #push(doc: number, firstMask: number, secondMask: number): void {
    const mask = firstMask | secondMask;
    this.#docs[this.#documents] = doc;
    this.#masks[this.#documents++] = mask;
    const first = this.#first;
    const second = this.#second;
    const counts = this.#areFractions ? this.#fractions : this.#whole;
    for (let rest = mask; rest !== 0; rest &= rest - 1) {
      const field = 31 - Math.clz32(rest & -rest);
      counts[this.#filled++] = Math.min(first.countOf(firstMask, field) + second.countOf(secondMask, field), MOST);
    }
  }

  /**
   * `exact + weight × (first + second − exact)`, field by field: both lists together are the class of a stem, the word spelt like it and
   * every word that has it as stem.
   */
  addWeighed(base: number, exact: Uint8Array, first: Uint8Array, second: Uint8Array, weight: number): void {
    if (first.length === 0 && second.length === 0) return;
    if (!this.#areFractions) {
      this.#areFractions = true;
      if (this.#fractions.length < this.#whole.length) this.#fractions = new Float64Array(this.#whole.length);
      this.#fractions.set(this.#whole.subarray(0, this.#filled));
    }
    const [own, one, other] = [this.#exact, this.#first, this.#second];
    const most = own.open(exact) + one.open(first) + other.open(second);
    this.#reserve(most, exact.length + first.length + second.length);
    for (;;) {
      const doc = Math.min(own.doc, one.doc, other.doc);
      if (doc === NONE) return;
      const [ownMask, oneMask, otherMask] = [own.maskOf(doc), one.maskOf(doc), other.maskOf(doc)];
      if (this.#take(base + doc)) {
        const mask = ownMask | oneMask | otherMask;
        this.#docs[this.#documents] = base + doc;
        this.#masks[this.#documents++] = mask;
        for (let rest = mask; rest !== 0; rest &= rest - 1) {
          const field = 31 - Math.clz32(rest & -rest);
          const exactly = own.countOf(ownMask, field);
          const whole = Math.min(one.countOf(oneMask, field) + other.countOf(otherMask, field), MOST);
          this.#fractions[this.#filled++] = Math.min(exactly + weight * Math.max(0, whole - exactly), MOST);
        }
      }
      if (ownMask !== 0) own.next();
      if (oneMask !== 0) one.next();
      if (otherMask !== 0) other.next();
    }
  }

  /** The list, after which the builder is as new. */
  finish(): TermList {
    const postings = {
      docs: this.#docs.slice(0, this.#documents),
      masks: this.#masks.slice(0, this.#documents),
      counts: (this.#areFractions ? this.#fractions : this.#whole).slice(0, this.#filled),
    };
    const list = { postings, frequency: this.#documents, pageFrequency: this.#pages };
    this.#areFractions = false;
    this.#documents = 0;
    this.#filled = 0;
    this.#pages = 0;
    this.#lastPage = -1;
    return list;
  }

  /** Whether the document is still there; counts its page. */
  #take(doc: number): boolean {
    const page = this.#pageOf[doc] ?? 0;
    if (this.#live[page] === 0) return false;
    if (page !== this.#lastPage) this.#pages += 1;
    this.#lastPage = page;
    return true;
  }

  #reserve(documents: number, counts: number): void {
    const needed = this.#documents + documents;
    if (needed > this.#docs.length) {
      this.#docs = grown(this.#docs, new Int32Array(2 * needed));
      this.#masks = grown(this.#masks, new Uint8Array(2 * needed));
    }
    const room = this.#filled + counts;
    if (room > this.#whole.length) this.#whole = grown(this.#whole, new Uint16Array(2 * room));
    if (this.#areFractions && room > this.#fractions.length) this.#fractions = grown(this.#fractions, new Float64Array(2 * room));
  }
}

function grown<T extends Int32Array | Uint8Array | Uint16Array | Float64Array>(from: ArrayLike<number>, to: T): T {
  to.set(from);
  return to;
}
