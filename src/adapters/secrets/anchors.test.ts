import { describe, expect, it } from 'vitest';
import { Anchors } from './anchors.js';

const WORDS = ['.', 'ghp_', 'ghp', 'PRIVATE KEY', '-us', 'aa', 'aaa', '://'];
const anchors = new Anchors(WORDS);
const included = (text: string) => new Set(WORDS.filter((word) => text.includes(word)));

describe('anchors', () => {
  it.each([
    '',
    'g',
    'ghp',
    'ghp_',
    'xghpx',
    'aaa',
    'baab',
    'ends in -u',
    'ends in -us',
    '日本ghp_語',
    '\u20aa',
    'a://b.c',
    'PRIVATE KE\nPRIVATE KEY',
  ])('finds in %j what includes finds', (text) => expect(anchors.in(text)).toEqual(included(text)));

  it('finds the same in any order of its own words and their parts', () => {
    let seed = 1;
    const next = (below: number) => {
      seed = (seed * 48271) % 2147483647;
      return seed % below;
    };
    for (let round = 0; round < 500; round++) {
      const text = Array.from({ length: next(6) }, () => WORDS[next(WORDS.length)]?.slice(0, 1 + next(5)) ?? '').join('');
      expect(anchors.in(text), text).toEqual(included(text));
    }
  });

  it('sees nothing of the text before', () => {
    anchors.in('xxxxxxxxghp_');
    expect(anchors.in('xxxxxxxxghp')).toEqual(included('xxxxxxxxghp'));
  });
});
