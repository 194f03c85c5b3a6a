/**
 * Likeness: how much two passages say the same, and whether they differ in what matters.
 *
 * Compared by three-word shingles of folded words. Numbers, versions, dates and negations are taken out first and compared on
 * their own: "retries 3 times" and "retries 5 times" are alike, and contradict each other.
 */
import { foldedWords } from '../text/analyze.js';

const SHINGLE_WORDS = 3;
const NEGATIONS: ReadonlySet<string> = new Set(
  'not no never none without cannot cant dont doesnt isnt arent wasnt wont shouldnt mustnt disabled forbidden deprecated unsupported'.split(
    ' ',
  ),
);

export interface Fingerprint {
  readonly shingles: ReadonlySet<string>;
  /** Numbers and negations in reading order. */
  readonly claims: string;
}

function fingerprint(text: string): Fingerprint {
  const words: string[] = [];
  const claims: string[] = [];
  for (const word of foldedWords(text.replaceAll("'", ''))) {
    if (/\d/.test(word) || NEGATIONS.has(word)) claims.push(word);
    else words.push(word);
  }
  const shingles = new Set<string>();
  const last = Math.max(0, words.length - SHINGLE_WORDS);
  for (let at = 0; at <= last; at += 1) shingles.add(words.slice(at, at + SHINGLE_WORDS).join(' '));
  return { shingles, claims: claims.join(' ') };
}

/** Jaccard of the shingles, 0 to 1. */
export function likeness(a: Fingerprint, b: Fingerprint): number {
  const [small, large] = a.shingles.size <= b.shingles.size ? [a.shingles, b.shingles] : [b.shingles, a.shingles];
  let common = 0;
  for (const shingle of small) if (large.has(shingle)) common += 1;
  const union = small.size + large.size - common;
  return union === 0 ? 0 : common / union;
}

/** True when the sizes alone allow a likeness of at least `wanted`; saves most comparisons. */
export function mayBeAlike(a: Fingerprint, b: Fingerprint, wanted: number): boolean {
  const [small, large] = [Math.min(a.shingles.size, b.shingles.size), Math.max(a.shingles.size, b.shingles.size)];
  return large > 0 && small / large >= wanted;
}

/** Fingerprints, each made once. */
export function fingerprints(): (text: string) => Fingerprint {
  const made = new Map<string, Fingerprint>();
  return (text) => {
    const known = made.get(text);
    if (known !== undefined) return known;
    const fresh = fingerprint(text);
    made.set(text, fresh);
    return fresh;
  };
}
