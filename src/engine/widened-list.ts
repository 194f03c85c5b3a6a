/**
 * Widened lists: a term's postings together with those of its alternatives, each occurrence of which counts for less.
 *
 * `count + Σ weight × alternative`, field by field. An alternative of several words counts as often as the rarest of them, in fields
 * that hold them all; whether they stand one after the other only the text can say.
 */
import { blend } from './blend.js';
import type { Corpus } from './corpus.js';
import { FIELD_COUNT, FIELDS_IN, NO_POSTINGS, type Postings } from './postings.js';
import type { TermList } from './term-list.js';

export interface WeighedAlternative {
  readonly label: string;
  readonly weight: number;
  /** Of each of its words. */
  readonly lists: readonly TermList[];
}

export function widened({ pageOf }: Corpus, own: TermList, alternatives: readonly WeighedAlternative[]): TermList {
  const named: { readonly label: string; readonly docs: Int32Array }[] = [];
  let postings = own.postings;
  for (const { label, weight, lists } of alternatives) {
    const held = lists.map((list) => list.postings).reduce((a, b) => intersect(a, b));
    named.push({ label, docs: held.docs });
    postings = blend(postings, held, (count, other) => count + weight * other, Float64Array);
  }
  return {
    postings,
    frequency: postings.docs.length,
    pageFrequency: pagesIn(postings.docs, pageOf),
    own: own.postings.docs,
    alternatives: named,
  };
}

/** Fields that both hold, with the lesser count; documents without such a field are left out. */
function intersect(a: Postings, b: Postings): Postings {
  const most = Math.min(a.docs.length, b.docs.length);
  if (most === 0) return NO_POSTINGS;
  const docs = new Int32Array(most);
  const masks = new Uint8Array(most);
  const counts = new Float64Array(most * FIELD_COUNT);
  let [left, right, leftCount, rightCount, written, filled] = [0, 0, 0, 0, 0, 0];
  while (left < a.docs.length && right < b.docs.length) {
    const [x = 0, y = 0] = [a.docs[left], b.docs[right]];
    const [xMask, yMask] = [a.masks[left] ?? 0, b.masks[right] ?? 0];
    if (x === y && (xMask & yMask) !== 0) {
      docs[written] = x;
      masks[written++] = xMask & yMask;
      filled = lesser(counts, filled, [a, leftCount, xMask], [b, rightCount, yMask]);
    }
    if (x <= y) {
      leftCount += FIELDS_IN[xMask] ?? 0;
      left += 1;
    }
    if (y <= x) {
      rightCount += FIELDS_IN[yMask] ?? 0;
      right += 1;
    }
  }
  return { docs: docs.slice(0, written), masks: masks.slice(0, written), counts: counts.slice(0, filled) };
}

type Place = readonly [postings: Postings, count: number, mask: number];

function lesser(counts: Float64Array, from: number, [a, atA, maskA]: Place, [b, atB, maskB]: Place): number {
  let [filled, left, right] = [from, atA, atB];
  for (let bit = 1; bit < 1 << FIELD_COUNT; bit <<= 1) {
    if ((maskA & maskB & bit) !== 0) counts[filled++] = Math.min(a.counts[left] ?? 0, b.counts[right] ?? 0);
    if ((maskA & bit) !== 0) left += 1;
    if ((maskB & bit) !== 0) right += 1;
  }
  return filled;
}

function pagesIn(docs: Int32Array, pageOf: Int32Array): number {
  let pages = 0;
  let last = -1;
  for (const doc of docs) {
    const page = pageOf[doc] ?? 0;
    if (page !== last) pages += 1;
    last = page;
  }
  return pages;
}
