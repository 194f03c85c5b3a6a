/**
 * Near terms: words of a dictionary that are spelt nearly like one that is not in it.
 *
 * Distance is the number of letters left out, put in, exchanged, or swapped with their neighbour. The first letter must be the same:
 * few slips are there, and a dictionary is read by its first letter.
 */
import { keyBytes } from './term-keys.js';

export interface NearWord {
  readonly term: string;
  readonly distance: number;
}

/** A word made of letters alone; codes, numbers and what is joined by signs are nobody's slip. */
const LETTERS = /^\p{L}+$/u;

/** Those within `mostEdits`, the nearest first, then by code unit, without repeats. */
export function nearWords(dictionary: Iterable<string>, word: string, mostEdits: number): NearWord[] {
  const found = new Map<string, number>();
  const letters = lettersOf(word);
  for (const term of dictionary) {
    if (Math.abs(term.length - word.length) > mostEdits || term === word) continue;
    // An edit takes away one letter and brings in another, at the most.
    if (bitsIn(letters ^ lettersOf(term)) > 2 * mostEdits) continue;
    const distance = editDistance(word, term, mostEdits);
    if (distance <= mostEdits) found.set(term, distance);
  }
  return [...found].map(([term, distance]) => ({ term, distance })).sort((a, b) => a.distance - b.distance || (a.term < b.term ? -1 : 1));
}

/** Which letters a word has, as bits; some share one. */
function lettersOf(word: string): number {
  let letters = 0;
  for (let at = 0; at < word.length; at++) letters |= 1 << (word.charCodeAt(at) & 31);
  return letters;
}

function bitsIn(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

export function isPlainWord(term: string): boolean {
  return LETTERS.test(term);
}

/** First key of the words that begin like this one, and of those that come after them. */
export function keyRange(first: string): { readonly from: Uint8Array; readonly to: Uint8Array } {
  return { from: keyBytes(first), to: keyBytes(String.fromCharCode(first.charCodeAt(0) + 1)) };
}

/** As soon as it must be more than `most`, `most + 1`. */
export function editDistance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let before = new Array<number>(b.length + 1).fill(0);
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let row = 1; row <= a.length; row++) {
    const next = new Array<number>(b.length + 1).fill(most + 1);
    next[0] = row;
    let least = row;
    const end = Math.min(b.length, row + most);
    for (let column = Math.max(1, row - most); column <= end; column++) {
      const same = a.charCodeAt(row - 1) === b.charCodeAt(column - 1);
      let cost = Math.min((last[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1, (last[column - 1] ?? 0) + (same ? 0 : 1));
      if (isSwap(a, b, row, column)) cost = Math.min(cost, (before[column - 2] ?? 0) + 1);
      next[column] = cost;
      if (cost < least) least = cost;
    }
    if (least > most) return most + 1;
    before = last;
    last = next;
  }
  return Math.min(last[b.length] ?? most + 1, most + 1);
}

function isSwap(a: string, b: string, row: number, column: number): boolean {
  return (
    row > 1 &&
    column > 1 &&
    a.charCodeAt(row - 1) === b.charCodeAt(column - 2) &&
    a.charCodeAt(row - 2) === b.charCodeAt(column - 1) &&
    a.charCodeAt(row - 1) !== b.charCodeAt(column - 1)
  );
}
