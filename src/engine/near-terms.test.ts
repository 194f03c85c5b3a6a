import { describe, expect, it } from 'vitest';
import { editDistance, isPlainWord, nearWords } from './near-terms.js';

describe('near terms', () => {
  it.each([
    ['limit', 'limit', 0],
    ['limts', 'limits', 1],
    ['agnet', 'agent', 1],
    ['rotaton', 'rotation', 1],
    ['confgiure', 'configure', 1],
    ['kuberntes', 'kubernetes', 1],
    ['kubrentes', 'kubernetes', 2],
    ['ca', 'abc', 3],
    ['limit', 'quota', 3],
  ])('counts %s and %s as %i edits, none beyond two', (a, b, distance) => {
    expect(editDistance(a, b, 2)).toBe(distance);
    expect(editDistance(b, a, 2)).toBe(distance);
  });

  it('gives the nearest first, then by code unit, each once', () => {
    const dictionary = ['limits', 'lamps', 'limit', 'limes', 'limits', 'limts', 'quota'];
    expect(nearWords(dictionary, 'limts', 2)).toEqual(
      [
        { term: 'limes', distance: 1 },
        { term: 'limits', distance: 1 },
        { term: 'lamps', distance: 2 },
        { term: 'limit', distance: 2 },
      ].sort((a, b) => a.distance - b.distance || (a.term < b.term ? -1 : 1)),
    );
  });

  it('takes letters of any script for a word, and neither codes, numbers nor stems', () => {
    expect(['café', 'ключ', 'gate'].every(isPlainWord)).toBe(true);
    expect(['#err-4012', '~agent', '^液压', 'v2', '1.2', 'agent\u0001'].some(isPlainWord)).toBe(false);
  });
});
