/**
 * Blends: two lists of postings as one, what a document has of both worked out field by field.
 *
 * Invariant: a document of either is in the blend, with every field that either has.
 */
import { FIELD_COUNT, type Postings } from './postings.js';

type Counts = Uint16ArrayConstructor | Float64ArrayConstructor;
type Blend = (a: number, b: number) => number;

/** Reads a list in step with another one. */
class Cursor {
  readonly #list: Postings;
  #at = 0;
  #count = 0;

  constructor(list: Postings) {
    this.#list = list;
  }

  get doc(): number {
    return this.#list.docs[this.#at] ?? Number.MAX_SAFE_INTEGER;
  }

  /** The field mask if this document is next, else none. */
  mask(doc: number): number {
    return this.doc === doc ? (this.#list.masks[this.#at] ?? 0) : 0;
  }

  /** The next count when the mask has the field. */
  count(mask: number, field: number): number {
    return (mask & (1 << field)) === 0 ? 0 : (this.#list.counts[this.#count++] ?? 0);
  }

  pass(doc: number): void {
    if (this.doc === doc) this.#at += 1;
  }
}

/** Documents of both, field by field with the count that `value` gives. */
export function blend(a: Postings, b: Postings, value: Blend, Counts: Counts): Postings {
  const most = a.docs.length + b.docs.length;
  const docs = new Int32Array(most);
  const masks = new Uint8Array(most);
  const counts = new Counts(a.counts.length + b.counts.length);
  const left = new Cursor(a);
  const right = new Cursor(b);
  let filled = 0;
  let written = 0;
  for (;;) {
    const doc = Math.min(left.doc, right.doc);
    if (doc === Number.MAX_SAFE_INTEGER) break;
    const leftMask = left.mask(doc);
    const rightMask = right.mask(doc);
    for (let field = 0; field < FIELD_COUNT; field++) {
      const x = left.count(leftMask, field);
      const y = right.count(rightMask, field);
      if (x + y > 0) counts[filled++] = Math.min(value(x, y), 65_535);
    }
    docs[written] = doc;
    masks[written++] = leftMask | rightMask;
    left.pass(doc);
    right.pass(doc);
  }
  return { docs: docs.slice(0, written), masks: masks.slice(0, written), counts: counts.slice(0, filled) };
}
