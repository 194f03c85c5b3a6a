/**
 * Likeness: how much two passages say the same, and whether they differ in what matters.
 *
 * Compared by three-word shingles of folded words. Numbers, versions, dates and negations are taken out first and compared on
 * their own: "retries 3 times" and "retries 5 times" are alike, and contradict each other.
 *
 * Invariant: what two fingerprints say of each other depends on the two texts alone. Each is remembered under its text's digest.
 */
import type { Artifact } from '../domain/artifact.js';
import { BoundedCache } from '../kernel/bounded-cache.js';
import { foldedWords } from '../text/analyze.js';

const SHINGLE_WORDS = 3;
const NEGATIONS: ReadonlySet<string> = new Set(
  'not no never none without cannot cant dont doesnt isnt arent wasnt wont shouldnt mustnt disabled forbidden deprecated unsupported'.split(
    ' ',
  ),
);
const NUMERAL = /[0-9]/;

export interface Fingerprint {
  /** One number for each different shingle, ascending. */
  readonly shingles: Float64Array;
  /** Numbers and negations in reading order. */
  readonly claims: string;
}

/** Eight bytes each: the passages that a server's questions lead to again and again, of a library of tens of thousands. */
const MOST_SHINGLES = 4_000_000;
/** What a fingerprint takes besides its shingles. */
const ENTRY_SHINGLES = 32;
/** Three numbers of words fit into one double. */
const WORD_BITS = 17;
const MOST_WORDS = 2 ** WORD_BITS;

/** Words as numbers from 1, in the order they were met; claims as 0. Begun anew, with no fingerprint left, when they run out. */
let numbers = new Map<string, number>();
let remembered = emptyMemory();

function emptyMemory(): BoundedCache<string, Fingerprint> {
  return new BoundedCache(MOST_SHINGLES, ({ shingles }) => ENTRY_SHINGLES + shingles.length);
}

type Text = Pick<Artifact, 'digest' | 'excerpt'>;

/** Something with the fingerprint of its text. */
export interface Told<T> {
  readonly item: T;
  readonly fingerprint: Fingerprint;
}

/** The items in their order; their fingerprints can be compared with each other and with no others. */
export function tell<T>(items: readonly T[], textOf: (item: T) => Text): readonly Told<T>[] {
  const told = items.map((item) => ({ item, fingerprint: fingerprintOf(textOf(item)) }));
  if (numbers.size < MOST_WORDS) return told;
  numbers = new Map();
  remembered = emptyMemory();
  return items.map((item) => ({ item, fingerprint: fingerprintOf(textOf(item)) }));
}

function fingerprintOf({ digest, excerpt }: Text): Fingerprint {
  return remembered.get(digest, () => fingerprint(excerpt));
}

/** True when the Jaccard likeness of the shingles, 0 to 1, is at least `wanted`. Stops as soon as it cannot be. */
export function areAlike({ shingles: a }: Fingerprint, { shingles: b }: Fingerprint, wanted: number): boolean {
  const total = a.length + b.length;
  if (total === 0) return false;
  let common = 0;
  let left = 0;
  let right = 0;
  for (;;) {
    const most = common + Math.min(a.length - left, b.length - right);
    if (most / (total - most) < wanted) return false;
    if (left === a.length || right === b.length) return true;
    const [x = 0, y = 0] = [a[left], b[right]];
    if (x === y) common += 1;
    if (x <= y) left += 1;
    if (x >= y) right += 1;
  }
}

function fingerprint(text: string): Fingerprint {
  const words: number[] = [];
  const claims: string[] = [];
  for (const word of foldedWords(text.replaceAll("'", ''))) {
    const number = numbers.get(word) ?? numberOf(word);
    if (number === 0) claims.push(word);
    else words.push(number);
  }
  return { shingles: shinglesOf(words), claims: claims.join(' ') };
}

function numberOf(word: string): number {
  // Texts with more words than there are numbers let the rest share the last one.
  const number = NUMERAL.test(word) || NEGATIONS.has(word) ? 0 : Math.min(numbers.size + 1, MOST_WORDS - 1);
  numbers.set(word, number);
  return number;
}

/** One number per run of three words; a shorter text is one shingle. */
function shinglesOf(words: readonly number[]): Float64Array {
  const shingles = new Float64Array(Math.max(1, words.length - SHINGLE_WORDS + 1));
  for (let at = 0; at < shingles.length; at += 1) {
    shingles[at] = ((words[at] ?? 0) * MOST_WORDS + (words[at + 1] ?? 0)) * MOST_WORDS + (words[at + 2] ?? 0);
  }
  return distinctOf(shingles.sort());
}

function distinctOf(sorted: Float64Array): Float64Array {
  let kept = 0;
  for (let at = 0; at < sorted.length; at += 1) {
    const value = sorted[at] ?? 0;
    if (at === 0 || value !== sorted[kept - 1]) sorted[kept++] = value;
  }
  return sorted.slice(0, kept);
}
