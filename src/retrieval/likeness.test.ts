/** RET-09, RET-10: what counts as the same text, held against a plain reference. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../kernel/digest.js';
import { foldedWords } from '../text/analyze.js';
import { areAlike, type Fingerprint, tell } from './likeness.js';

const textOf = (excerpt: string) => ({ digest: sha256(excerpt), excerpt });
const printsOf = (a: string, b: string): readonly [Fingerprint, Fingerprint] => {
  const [x, y] = tell([a, b], textOf);
  if (x === undefined || y === undefined) throw new Error('a fingerprint is missing');
  return [x.fingerprint, y.fingerprint];
};
const likeIn = (a: string, b: string, wanted: number) => areAlike(...printsOf(a, b), wanted);

function plainShingles(text: string): ReadonlySet<string> {
  const words = foldedWords(text).filter((word) => !/\d/.test(word) && word !== 'not');
  return new Set(Array.from({ length: Math.max(1, words.length - 2) }, (_, at) => words.slice(at, at + 3).join(' ')));
}

function plainJaccard(a: string, b: string): number {
  const [x, y] = [plainShingles(a), plainShingles(b)];
  const common = [...x].filter((each) => y.has(each)).length;
  return common / (x.size + y.size - common);
}

describe('likeness (RET-09, RET-10)', () => {
  it('agrees with the Jaccard of plain shingles, whatever is asked for', () => {
    const word = fc.constantFrom('drain', 'pump', 'gate', 'open', 'Close', 'not', '3', 'v2.1', 'überlauf', '水位');
    const text = fc.array(word, { maxLength: 24 }).map((words) => words.join(' '));
    fc.assert(
      fc.property(text, text, fc.constantFrom(0.1, 0.5, 0.7, 0.9, 1), (a, b, wanted) => {
        expect(likeIn(a, b, wanted)).toBe(plainJaccard(a, b) >= wanted);
      }),
      { numRuns: 2000, seed: 7 },
    );
  });

  it('compares numbers and negations apart from the words', () => {
    const [three, five] = printsOf('It retries 3 times and does not wait.', 'It retries 5 times and does not wait.');
    expect(areAlike(three, five, 1)).toBe(true);
    expect([three.claims, five.claims]).toEqual(['3 not', '5 not']);
  });

  it('stays right when it has met more words than it numbers', () => {
    const text = (at: number) =>
      Array.from(
        { length: 500 },
        (_, word) => `word${'abcdefghij'[word % 10]}${String.fromCharCode(97 + (word % 26))}${spell(at * 500 + word)}`,
      ).join(' ');
    for (let at = 0; at < 400; at += 1) {
      const one = text(at);
      expect(likeIn(one, `${one} and some`, 0.9)).toBe(true);
      expect(likeIn(one, text(at + 1), 0.1)).toBe(false);
    }
  });
});

/** A number in letters, because words with digits are claims. */
function spell(number: number): string {
  return [...String(number)].map((digit) => 'klmnopqrst'[Number(digit)]).join('');
}
