import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Grades, ndcgAt, precisionAt, recallAt, reciprocalRankAt, staleAt, successAt } from './metrics.js';

const grades = (entries: Record<string, number>): Grades => new Map(Object.entries(entries));

/** Worked by hand: a has grade 3, c grade 1, e grade 2; the ranking is a b c d. */
const GRADES = grades({ a: 3, b: 0, c: 1, e: 2 });
const RANKING = ['a', 'b', 'c', 'd'];

describe('metrics against hand-computed values (EVL-01)', () => {
  it('nDCG: gains 3/1 + 1/2 over the ideal 3/1 + 2/log2(3) + 1/2', () => {
    expect(ndcgAt(RANKING, GRADES, 10)).toBeCloseTo(3.5 / 4.7618595071429155, 12);
    expect(ndcgAt(RANKING, GRADES, 2)).toBeCloseTo(3 / 4.261859507142915, 12);
  });

  it('nDCG: one right page at place 3 is 1/2, at place 7 is 1/3, at place 11 of 10 is 0', () => {
    const one = grades({ x: 1 });
    expect(ndcgAt(['p', 'q', 'x'], one, 10)).toBeCloseTo(0.5, 12);
    expect(ndcgAt(['1', '2', '3', '4', '5', '6', 'x'], one, 10)).toBeCloseTo(1 / 3, 12);
    expect(ndcgAt(['1', '2', '3', '4', '5', '6', '7', '8', '9', '10', 'x'], one, 10)).toBe(0);
  });

  it('nDCG: the ideal is cut at the depth, so fifteen right pages in the first ten places are perfect', () => {
    const pages = Array.from({ length: 15 }, (_, index) => `p${index}`);
    const all = new Map(pages.map((page) => [page, 1]));
    expect(ndcgAt(pages.slice(0, 10), all, 10)).toBeCloseTo(1, 12);
  });

  it('recall, precision, reciprocal rank, success', () => {
    expect(recallAt(RANKING, GRADES, 5)).toBeCloseTo(2 / 3, 12);
    expect(recallAt(RANKING, GRADES, 2)).toBeCloseTo(1 / 3, 12);
    expect(precisionAt(RANKING, GRADES, 4)).toBe(0.5);
    expect(precisionAt(['a'], GRADES, 5)).toBe(0.2);
    expect(reciprocalRankAt(['b', 'd', 'c'], GRADES, 10)).toBeCloseTo(1 / 3, 12);
    expect(reciprocalRankAt(['b', 'd', 'c'], GRADES, 2)).toBe(0);
    expect(successAt(['b', 'd', 'c'], GRADES, 3)).toBe(1);
    expect(successAt(['b', 'd', 'c'], GRADES, 2)).toBe(0);
  });

  it('stale: counts only questions whose right pages are all live', () => {
    const archived = new Set(['old']);
    expect(staleAt(['a', 'old'], grades({ a: 1 }), archived, 5)).toBe(1);
    expect(staleAt(['a', 'b', 'c', 'd', 'e', 'old'], grades({ a: 1 }), archived, 5)).toBe(0);
    expect(staleAt(['old'], grades({ old: 1 }), archived, 5)).toBeUndefined();
    expect(staleAt(['old'], grades({}), archived, 5)).toBeUndefined();
  });
});

/** Rankings and grades drawn at random, and figures worked out by a separate program from the formulas alone. */
const APART: readonly [string, Record<string, number>, readonly [number, number, number, number, number]][] = [
  ['d2 d6 d10 d0 d1 d8 d9 d13 d4 d11 d7 d5', { d6: 3 }, [0.63093, 1.0, 1.0, 0.5, 0]],
  ['d3 d1 d8', { d0: 1, d9: 1 }, [0.0, 0.0, 0.0, 0, 0]],
  ['d9 d13 d6', { d3: 1 }, [0.0, 0.0, 0.0, 0, 0]],
  ['d4 d6 d2 d8 d1 d13 d11 d0', { d9: 1, d10: 1, d3: 1, d5: 1 }, [0.0, 0.0, 0.0, 0, 0]],
  ['d10 d8 d6 d5 d7 d9 d13 d2 d1 d12 d4 d0 d3 d11', { d11: 2, d7: 1 }, [0.14704, 0.5, 1.0, 0.2, 0]],
  ['d8 d6 d2', { d2: 3, d7: 1 }, [0.413117, 0.5, 0.5, 0.333333, 0]],
];

describe('metrics against figures that another program worked out (EVL-01)', () => {
  it.each(APART)('%s', (pages, gold, expected) => {
    const ranking = pages.split(' ');
    const judged = grades(gold);
    const figures = [
      ndcgAt(ranking, judged, 10),
      recallAt(ranking, judged, 5),
      recallAt(ranking, judged, 100),
      reciprocalRankAt(ranking, judged, 10),
      precisionAt(ranking, judged, 1),
    ];
    figures.forEach((figure, at) => {
      expect(figure).toBeCloseTo(expected[at] ?? Number.NaN, 5);
    });
  });
});

const ALL = [ndcgAt, recallAt, precisionAt, reciprocalRankAt, successAt];

describe('metrics can fail (EVL-16)', () => {
  it('an empty gold set has no score at any measure', () => {
    for (const metric of ALL) {
      expect(metric(['a', 'b'], grades({}), 10)).toBeUndefined();
      expect(metric(['a', 'b'], grades({ a: 0 }), 10)).toBeUndefined();
      expect(metric([], grades({}), 10)).toBeUndefined();
    }
  });

  it('an empty answer scores 0, not 1', () => {
    for (const metric of ALL) expect(metric([], grades({ a: 1 }), 10)).toBe(0);
  });

  it('words in common with the right page are worth nothing', () => {
    for (const metric of ALL) expect(metric(['guide/setup.md'], grades({ 'guide/set-up.md': 1 }), 10)).toBe(0);
  });

  it('naming the right page ten times gains nothing over naming it once', () => {
    const gold = grades({ a: 1, b: 1 });
    expect(ndcgAt(Array(10).fill('a'), gold, 10)).toBe(ndcgAt(['a'], gold, 10));
    expect(recallAt(Array(10).fill('a'), gold, 10)).toBe(0.5);
    expect(precisionAt(Array(10).fill('a'), gold, 10)).toBe(0.1);
  });

  const page = fc.integer({ min: 0, max: 30 }).map(String);
  const ranking = fc.uniqueArray(page, { minLength: 2, maxLength: 20 });
  const judged = fc.dictionary(page, fc.integer({ min: 0, max: 3 })).map(grades);

  it('stays within 0 and 1, and 1 is reached by the ideal order', () => {
    fc.assert(
      fc.property(ranking, judged, (pages, gold) => {
        for (const metric of ALL) {
          const value = metric(pages, gold, 10);
          if (value !== undefined) expect(value >= 0 && value <= 1 + 1e-12).toBe(true);
        }
        const ideal = [...gold].sort((a, b) => b[1] - a[1]).map(([id]) => id);
        const best = ndcgAt(ideal, gold, 10);
        if (best !== undefined) expect(best).toBeCloseTo(1, 10);
      }),
    );
  });

  it('a worse ranker never scores better: moving a better page behind a worse one lowers nDCG', () => {
    fc.assert(
      fc.property(ranking, judged, fc.nat(18), (pages, gold, at) => {
        const place = at % (Math.min(pages.length, 10) - 1);
        const here = pages[place] ?? '';
        const below = pages[place + 1] ?? '';
        if ((gold.get(here) ?? 0) <= (gold.get(below) ?? 0)) return;
        const worse = [...pages.slice(0, place), below, here, ...pages.slice(place + 2)];
        expect(ndcgAt(worse, gold, 10)).toBeLessThan(ndcgAt(pages, gold, 10) ?? 0);
        expect(reciprocalRankAt(worse, gold, 10)).toBeLessThanOrEqual(reciprocalRankAt(pages, gold, 10) ?? 0);
      }),
    );
  });
});
