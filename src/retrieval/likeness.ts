/**
 * Likeness: how much two passages say the same, and whether they differ in what matters.
 *
 * Compared by three-word shingles of folded words. Numbers, versions, dates and negations are taken out first and compared on
 * their own: "retries 3 times" and "retries 5 times" are alike, and contradict each other.
 *
 * Invariant: a fingerprint depends on the text alone, and is remembered under the text's digest alone.
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

export interface Fingerprint {
  /** Hashes of the shingles, each once, ascending. */
  readonly shingles: Float64Array;
  /** Numbers and negations in reading order. */
  readonly claims: string;
}

const MOST_REMEMBERED = 8192;
const remembered = new BoundedCache<string, Fingerprint>(MOST_REMEMBERED);

/** Of an artifact's excerpt. */
export function fingerprintOf({ digest, excerpt }: Pick<Artifact, 'digest' | 'excerpt'>): Fingerprint {
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
    if (isClaim(word)) claims.push(word);
    else pushHash(word, words);
  }
  return { shingles: shinglesOf(words), claims: claims.join(' ') };
}

function isClaim(word: string): boolean {
  for (let at = 0; at < word.length; at += 1) {
    const unit = word.charCodeAt(at);
    if (unit >= 48 && unit <= 57) return true;
  }
  return NEGATIONS.has(word);
}

const FNV_BASIS = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
const OTHER_BASIS = 0x9dc5811c;
const OTHER_PRIME = 0x85ebca6b;

/** Two hashes of 32 bits: what one takes for equal, the other tells apart. */
function pushHash(word: string, into: number[]): void {
  let hash = FNV_BASIS;
  let other = OTHER_BASIS;
  for (let at = 0; at < word.length; at += 1) {
    const unit = word.charCodeAt(at);
    hash = Math.imul(hash ^ unit, FNV_PRIME);
    other = Math.imul((other << 5) ^ (other >>> 27) ^ unit, OTHER_PRIME);
  }
  into.push(hash, other);
}

const UPPER = 2 ** 21;

/** One number of 53 bits per run of three words; a shorter text is one shingle. */
function shinglesOf(hashes: readonly number[]): Float64Array {
  const words = hashes.length / 2;
  const shingles = new Float64Array(Math.max(1, words - SHINGLE_WORDS + 1));
  for (let at = 0; at < shingles.length; at += 1) {
    let hash = FNV_BASIS;
    let other = OTHER_BASIS;
    for (let word = at; word < Math.min(words, at + SHINGLE_WORDS); word += 1) {
      hash = Math.imul((hash << 7) ^ (hash >>> 25) ^ (hashes[word * 2] ?? 0), FNV_PRIME);
      other = Math.imul((other << 9) ^ (other >>> 23) ^ (hashes[word * 2 + 1] ?? 0), OTHER_PRIME);
    }
    shingles[at] = (hash >>> 0) * UPPER + (other >>> 11);
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
