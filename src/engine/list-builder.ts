/**
 * List builder: puts the lists of a corpus's segments together into one, live documents only. One builder makes many lists.
 *
 * Written postings are read straight into the list: most are short, and arrays for each would cost more than reading them.
 * Invariant: segments are added in the order of the corpus, so documents ascend.
 */
import { DamagedSegment } from './bytes.js';
import type { Corpus } from './corpus.js';
import { NOTHING } from './posting-cache.js';
import { FIELD_COUNT, FIELDS_IN } from './postings.js';
import type { TermList } from './term-list.js';

const FIRST_DOCUMENTS = 1024;
/** Behind the last document. */
const NONE = 2 ** 31 - 1;
const MOST = 65_535;

/** Written postings read out in one go, into arrays that serve for one list after the other. */
class ReadOut {
  docs = new Int32Array(FIRST_DOCUMENTS);
  masks = new Uint8Array(FIRST_DOCUMENTS);
  /** The counts of the fields named by each mask, lowest field first, all in one row. */
  counts = new Int32Array(2 * FIRST_DOCUMENTS);
  documents = 0;
  filled = 0;
  /** The next document to be taken, and its first count. */
  #next = 0;
  #count = 0;
  #bytes: Uint8Array = NOTHING;
  #at = 0;

  read(written: Uint8Array): this {
    this.#bytes = written;
    this.#at = 0;
    const total = written.length === 0 ? 0 : this.#number();
    if (total > written.length) throw new DamagedSegment('more documents than bytes');
    this.#reserve(total + 1, written.length);
    this.documents = total;
    this.filled = this.#readDocuments(total);
    this.docs[total] = NONE;
    this.#next = 0;
    this.#count = 0;
    return this;
  }

  /** NONE when all were taken. */
  get doc(): number {
    return this.docs[this.#next] ?? NONE;
  }

  /** Its fields if it is this one, which is then behind, else none. */
  take(doc: number): number {
    return this.docs[this.#next] === doc ? (this.masks[this.#next++] ?? 0) : 0;
  }

  nextCount(): number {
    return this.counts[this.#count++] ?? 0;
  }

  /** Local variables alone: this is most of what a word met for the first time costs, and runs before anything was compiled. */
  #readDocuments(total: number): number {
    const { docs, masks, counts } = this;
    const bytes = this.#bytes;
    let at = this.#at;
    let doc = 0;
    let filled = 0;
    for (let each = 0; each < total; each++) {
      const distance = bytes[at] ?? 128;
      if (distance < 128) {
        at += 1;
        doc += distance;
      } else {
        this.#at = at;
        doc += this.#number();
        at = this.#at;
      }
      const head = bytes[at++] ?? 0;
      let rest = head & 31;
      if (rest === 0) throw new DamagedSegment('names a document that does not hold the term');
      docs[each] = doc;
      masks[each] = rest;
      if (head > 31) {
        counts[filled++] = head >> FIELD_COUNT;
        rest &= rest - 1;
      }
      for (; rest !== 0; rest &= rest - 1) {
        this.#at = at;
        counts[filled++] = this.#number();
        at = this.#at;
      }
    }
    return filled;
  }

  #number(): number {
    const bytes = this.#bytes;
    let value = 0;
    for (let shift = 0; shift < 32; shift += 7) {
      const next = bytes[this.#at++];
      if (next === undefined) throw new DamagedSegment('ends too early');
      value |= (next & 127) << shift;
      if (next < 128) return value;
    }
    throw new DamagedSegment('number out of range');
  }

  #reserve(documents: number, counts: number): void {
    if (documents > this.docs.length) {
      this.docs = new Int32Array(2 * documents);
      this.masks = new Uint8Array(2 * documents);
    }
    if (counts > this.counts.length) this.counts = new Int32Array(2 * counts);
  }
}

/** One list out of three; `exact` may be the same as `first`. */
interface Merged {
  readonly exact: ReadOut;
  readonly first: ReadOut;
  readonly second: ReadOut;
  readonly weight: number;
}

export class ListBuilder {
  readonly #pageOf: Int32Array;
  readonly #live: Uint8Array;
  readonly #areAllLive: boolean;
  readonly #exact = new ReadOut();
  readonly #first = new ReadOut();
  readonly #second = new ReadOut();
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
    this.#areAllLive = !live.includes(0);
  }

  /** The written postings of a segment whose first document has the number `base`. */
  add(base: number, written: Uint8Array): void {
    if (written.length > 0) this.#addOne(base, this.#first.read(written));
  }

  #addOne(base: number, { docs, masks, counts, documents, filled }: ReadOut): void {
    this.#reserve(documents, filled);
    if (this.#areAllLive) {
      this.#masks.set(masks.subarray(0, documents), this.#documents);
      this.#counts().set(counts.subarray(0, filled), this.#filled);
      this.#filled += filled;
      this.#number(base, docs, documents);
      return;
    }
    let count = 0;
    for (let each = 0; each < documents; each++) {
      const mask = masks[each] ?? 0;
      const end = count + (FIELDS_IN[mask] ?? 0);
      if (this.#take(base + (docs[each] ?? 0), mask)) {
        this.#counts().set(counts.subarray(count, end), this.#filled);
        this.#filled += end - count;
      }
      count = end;
    }
  }

  /** Documents that are all there, whose masks and counts were written already. */
  #number(base: number, from: Int32Array, documents: number): void {
    const docs = this.#docs;
    const pageOf = this.#pageOf;
    let to = this.#documents;
    let pages = this.#pages;
    let lastPage = this.#lastPage;
    for (let each = 0; each < documents; each++) {
      const doc = base + (from[each] ?? 0);
      const page = pageOf[doc] ?? 0;
      if (page !== lastPage) pages += 1;
      lastPage = page;
      docs[to++] = doc;
    }
    this.#documents = to;
    this.#pages = pages;
    this.#lastPage = lastPage;
  }

  /** Counts of both lists together. */
  addBoth(base: number, written: Uint8Array, more: Uint8Array): void {
    if (more.length === 0 || written.length === 0) {
      this.add(base, more.length === 0 ? written : more);
      return;
    }
    const first = this.#first.read(written);
    this.#addMerged(base, { exact: first, first, second: this.#second.read(more), weight: 1 });
  }

  /**
   * `exact + weight × (first + second − exact)`, field by field: both lists together are the class of a stem, the word spelt like it and
   * every word that has it as stem.
   */
  addWeighed(base: number, exact: Uint8Array, first: Uint8Array, second: Uint8Array, weight: number): void {
    if (first.length === 0 && second.length === 0) return;
    // The word is its own stem, and no other word has it: each document counts as it does without inflections.
    if (exact === first && second.length === 0) {
      this.add(base, exact);
      return;
    }
    this.#startFractions();
    const read = this.#first.read(first);
    const own = exact === first ? read : this.#exact.read(exact);
    this.#addMerged(base, { exact: own, first: read, second: this.#second.read(second), weight });
  }

  #startFractions(): void {
    if (this.#areFractions) return;
    this.#areFractions = true;
    if (this.#fractions.length < this.#whole.length) this.#fractions = new Float64Array(this.#whole.length);
    this.#fractions.set(this.#whole.subarray(0, this.#filled));
  }

  #addMerged(base: number, lists: Merged): void {
    const { exact, first, second } = lists;
    this.#reserve(exact.documents + first.documents + second.documents, exact.filled + first.filled + second.filled);
    for (;;) {
      const doc = Math.min(exact.doc, first.doc, second.doc);
      if (doc === NONE) return;
      const firstMask = first.take(doc);
      const exactMask = exact === first ? firstMask : exact.take(doc);
      const secondMask = second.take(doc);
      const filled = this.#writeCounts(lists, exactMask, firstMask, secondMask);
      // What was written of a document that is gone is written over.
      if (this.#take(base + doc, exactMask | firstMask | secondMask)) this.#filled = filled;
    }
  }

  /** Of the document that was taken last; says where the counts of the next one begin. */
  #writeCounts({ exact, first, second, weight }: Merged, exactMask: number, firstMask: number, secondMask: number): number {
    const into = this.#counts();
    let to = this.#filled;
    for (let rest = exactMask | firstMask | secondMask; rest !== 0; rest &= rest - 1) {
      const field = rest & -rest;
      const own = (firstMask & field) === 0 ? 0 : first.nextCount();
      const exactly = exact === first ? own : (exactMask & field) === 0 ? 0 : exact.nextCount();
      const whole = Math.min(own + ((secondMask & field) === 0 ? 0 : second.nextCount()), MOST);
      into[to++] = Math.min(exactly + weight * Math.max(0, whole - exactly), MOST);
    }
    return to;
  }

  #counts(): Uint16Array | Float64Array {
    return this.#areFractions ? this.#fractions : this.#whole;
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

  /** Takes a document in that is still there, and counts its page. */
  #take(doc: number, mask: number): boolean {
    const page = this.#pageOf[doc] ?? 0;
    if (this.#live[page] === 0) return false;
    if (page !== this.#lastPage) this.#pages += 1;
    this.#lastPage = page;
    this.#docs[this.#documents] = doc;
    this.#masks[this.#documents++] = mask;
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
