import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { candidate } from '../../tests/support/candidates.js';
import type { UnderstoodQuery } from '../domain/query.js';
import { DEFAULT_RANKING } from '../domain/ranking-policy.js';
import type { Draft } from './draft.js';
import { measureEvidence, shareNeeded, strengthOf } from './evidence.js';
import { understand } from './understand.js';

/** A passage that matched these words, with this score. */
function drafted(words: readonly string[], lexical: number): Draft {
  const { artifact, page } = candidate();
  const matched = words.map((surface) => ({ surface, fields: ['body' as const], share: 1 / words.length }));
  return {
    ...{ artifact: { ...artifact, page: { ...page, problems: [] } }, ranks: { lexical: 1 }, legScores: { lexical }, matched, coverage: 0 },
    ...{ attained: 0, literal: 0, score: 1, labels: [], demotions: {}, duplicates: [] },
  };
}

const asked = (text: string): UnderstoodQuery => understand(text, {}, DEFAULT_RANKING).query;

function attained(question: string, held: readonly string[], lexical: number, frequencies: readonly number[], population = 1000) {
  const [draft] = measureEvidence([drafted(held, lexical)], asked(question), { frequencies, population }, DEFAULT_RANKING);
  return draft?.attained ?? Number.NaN;
}

describe('RET-05 evidence', () => {
  it('is a share of the most that could be scored: more score is more, and never above one', () => {
    const weak = attained('gate sluice agent', ['gate'], 5, [10, 10, 10]);
    const strong = attained('gate sluice agent', ['gate', 'sluice', 'agent'], 20, [10, 10, 10]);
    expect(weak).toBeGreaterThan(0);
    expect(strong).toBeGreaterThan(weak);
    expect(attained('gate sluice agent', ['gate'], 1e6, [10, 10, 10])).toBe(1);
  });

  it('a word that no page holds counts among what could be scored', () => {
    const all = attained('gate sluice agent', ['gate'], 10, [10, 10, 10]);
    expect(attained('gate sluice agent', ['gate'], 10, [10, 10, 0])).toBeLessThan(all);
  });

  it('a word that was read as another counts as one that nobody knows', () => {
    const [draft] = [drafted(['gate', 'sluice', 'agent'], 10)];
    const index = { frequencies: [10, 10, 10], population: 1000 };
    const [read] = measureEvidence([draft], asked('gate sluice agent'), index, DEFAULT_RANKING);
    const written = { query: asked('gate sluice agnet'), frequencies: [10, 10, 0] };
    const [respelt] = measureEvidence([draft], asked('gate sluice agent'), index, DEFAULT_RANKING, written);
    expect(respelt?.attained).toBeGreaterThan(0);
    expect(respelt?.attained).toBeLessThan(read?.attained ?? 0);
  });

  it('a passage that holds the one word or both words asked for attains everything, however seldom it says them', () => {
    expect(attained('gate sluice', ['gate', 'sluice'], 0.5, [300, 300])).toBe(1);
    expect(attained('gate sluice', ['gate'], 0.5, [300, 300])).toBeLessThan(0.1);
    expect(attained('gate sluice agent', ['gate', 'sluice', 'agent'], 0.5, [300, 300, 300])).toBeLessThan(0.1);
  });

  it('in a tiny library a word that is on every page still tells something', () => {
    const score = 2 * Math.log(1 + 0.5 / 2.5);
    expect(attained('gate sluice agent', ['gate', 'sluice'], score, [2, 2, 0], 2)).toBeGreaterThan(
      shareNeeded(DEFAULT_RANKING.floor.strength, 3, 2),
    );
  });

  it('a long question and a large library are held to what chance attains there; share and strength are one another’s inverse', () => {
    expect(shareNeeded(0.05, 9, 1000)).toBeLessThan(shareNeeded(0.05, 3, 1000));
    expect(shareNeeded(0.05, 3, 100_000)).toBeGreaterThan(shareNeeded(0.05, 3, 1000));
    expect(shareNeeded(0.05, 0, 1000)).toBe(shareNeeded(0.05, 1, 1000));
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 128 }), fc.integer({ min: 0, max: 1e7 }), (words, population) => {
        expect(strengthOf(shareNeeded(0.058, words, population), words, population)).toBeCloseTo(0.058, 12);
      }),
    );
  });
});
