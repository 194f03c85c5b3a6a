import { describe, expect, it } from 'vitest';
import { compareRuns, type RunQuestion } from './compare-runs.js';
import { direction, MEASURES, mayNeverWorsen } from './measures.js';

const question = (at: number, ndcg: number, more: Partial<RunQuestion> = {}): RunQuestion => ({
  query: `q${at}`,
  text: `question ${at}`,
  retrieval: { 'nDCG@10': ndcg },
  delivered: { goldInPackage: Number(ndcg > 0.5), leaked: 0 },
  ...more,
});
const run = (value: (at: number) => number, more: (at: number) => Partial<RunQuestion> = () => ({})) => ({
  perQuery: Array.from({ length: 40 }, (_, at) => question(at, value(at), more(at))),
});
const middling = (at: number) => (at % 10) / 10;

describe('comparing runs', () => {
  it('a run is even with itself', () => {
    const same = compareRuns(run(middling), run(middling));
    expect(same).toMatchObject({ shared: 40, won: [], lost: [], misses: [], findings: [] });
    expect(same.measures.every(({ verdict }) => verdict === 'even')).toBe(true);
  });

  it('EVL-16: a ranker that is worse on every question fails, one that is better does not', () => {
    const worse = compareRuns(
      run(middling),
      run((at) => middling(at) * 0.8),
    );
    expect(worse.measures.find(({ measure }) => measure === 'retrieval.nDCG@10')).toMatchObject({ verdict: 'worse' });
    expect(worse.findings.join()).toMatch(/nDCG@10/);
    expect(worse.lost[0]).toMatchObject({ before: 0.9 });
    const better = compareRuns(
      run((at) => middling(at) * 0.8),
      run(middling),
    );
    expect(better.findings).toEqual([]);
    expect(better.won).toHaveLength(36);
  });

  it('a single leak fails whatever the interval says', () => {
    const leak = compareRuns(
      run(middling),
      run(middling, (at) => (at === 3 ? { delivered: { leaked: 1 } } : {})),
    );
    expect(leak.findings.join()).toMatch(/leaked.*never/);
  });

  it('names how answers are lost now and were before, and what only one run asked', () => {
    const before = run(middling, (at) => (at === 1 ? { miss: 'below-floor' } : {}));
    const after = { perQuery: [...run(middling, (at) => (at === 2 ? { miss: 'budget' } : {})).perQuery.slice(1), question(99, 1)] };
    const { misses, onlyBefore, onlyAfter } = compareRuns(before, after);
    expect(misses.map(({ query, before: was, after: is }) => [query, was, is])).toEqual([
      ['q1', 'below-floor', 'delivered'],
      ['q2', 'delivered', 'budget'],
    ]);
    expect([onlyBefore, onlyAfter]).toEqual([['q0'], ['q99']]);
  });

  it('knows which way every measure is better', () => {
    for (const measure of ['delivered.leaked', 'delivered.tokensToAnswer', 'retrieval.stale@5', 'delivered.abstained'])
      expect(direction(measure)).toBe(-1);
    for (const measure of ['retrieval.nDCG@10', 'delivered.abstainedRightly', 'delivered.citationExact'])
      expect(direction(measure)).toBe(1);
    expect(MEASURES.filter(mayNeverWorsen)).toEqual([
      'retrieval.stale@5',
      'retrieval.leaked',
      'delivered.staleInPackage',
      'delivered.leaked',
      'delivered.citationExact',
    ]);
  });
});
