import { describe, expect, it } from 'vitest';
import { rankPages } from './page-ranking.js';
import { type Answer, DELIVERED_METRICS, RETRIEVAL_METRICS, scoreAnswer, summarise } from './scoring.js';

const frozen = (...items: [string, number][]): Answer['delivery'] => ({
  status: 'frozen',
  items: items.map(([page, tokens]) => ({ page, tokens })),
  tokensUsed: items.reduce((sum, [, tokens]) => sum + tokens, 0),
});
const nothing: Answer['delivery'] = { status: 'no_context', items: [], tokensUsed: 0 };
const judgement = (grades: Record<string, number>, archived?: string[]) => ({
  grades: new Map(Object.entries(grades)),
  archived: archived === undefined ? undefined : new Set(archived),
});

describe('page ranking', () => {
  it('puts a page where its best artifact is, leaves out absent pages, and fills the depth from below', () => {
    const artifacts = ['a', 'b', 'a', 'c', 'd'].map((page) => ({ page }));
    expect(rankPages(artifacts, new Set(['b']), 2)).toEqual(['a', 'c']);
    expect(rankPages(artifacts)).toEqual(['a', 'b', 'c', 'd']);
  });
});

describe('scoring', () => {
  it('judges what was delivered by what an agent would read', () => {
    const score = scoreAnswer(
      { query: 'q', ranking: ['x', 'a'], delivery: frozen(['x', 300], ['a', 200], ['a', 100]) },
      judgement({ a: 1 }, ['x']),
    );
    expect(score.goldRank).toBe(2);
    expect(score.retrieval['stale@5']).toBe(1);
    expect(score.delivered).toEqual({
      goldInPackage: 1,
      goldFirst: 0,
      goldShare: 1,
      tokensToGold: 500,
      staleInPackage: 1,
      abstained: 0,
      tokensUsed: 600,
      items: 3,
      pages: 2,
    });
  });

  it('a ranking that holds the page does not make a package that does not', () => {
    const score = scoreAnswer({ query: 'q', ranking: ['a'], delivery: frozen(['x', 300]) }, judgement({ a: 1 }));
    expect(score.retrieval['P@1']).toBe(1);
    expect(score.delivered.goldInPackage).toBe(0);
    expect(score.delivered.tokensToGold).toBeUndefined();
  });

  it('EVL-17: a question without an answer is scored for abstention and for nothing else', () => {
    const silent = scoreAnswer({ query: 'q', ranking: ['a'], delivery: nothing }, judgement({ a: 0 }));
    expect(silent.retrieval).toEqual({});
    expect(silent.delivered).toEqual({ abstainedRightly: 1, tokensUsed: 0, items: 0, pages: 0 });
    const talkative = scoreAnswer({ query: 'q', ranking: ['a'], delivery: frozen(['a', 10]) }, judgement({ a: 0 }));
    expect(talkative.delivered.abstainedRightly).toBe(0);
  });

  it('EVL-16: reversing every ranking lowers every rank-sensitive mean', () => {
    const pages = Array.from({ length: 120 }, (_, index) => `p${index}`);
    const answers = Array.from({ length: 30 }, (_, index) => ({
      answer: { query: `q${index}`, ranking: pages.slice(0, 100), delivery: nothing },
      judgement: judgement({ [`p${index % 8}`]: 1 }),
    }));
    const good = summarise(
      RETRIEVAL_METRICS,
      answers.map((one) => scoreAnswer(one.answer, one.judgement).retrieval),
    );
    const bad = summarise(
      RETRIEVAL_METRICS,
      answers.map((one) => scoreAnswer({ ...one.answer, ranking: [...one.answer.ranking].reverse() }, one.judgement).retrieval),
    );
    for (const name of ['nDCG@10', 'Recall@5', 'MRR@10', 'P@1', 'success@5'] as const) {
      expect(bad.metrics[name]).toBeLessThan(good.metrics[name] ?? 0);
      expect(bad.ci95[name]?.[1]).toBeLessThan(good.ci95[name]?.[0] ?? 0);
    }
  });

  it('means are over the questions that have the measure, and say so', () => {
    const section = summarise(DELIVERED_METRICS, [{ goldInPackage: 1, tokensUsed: 10 }, { tokensUsed: 30 }]);
    expect(section.metrics).toEqual({ goldInPackage: 1, tokensUsed: 20 });
    expect(section.counts).toEqual({ goldInPackage: 1, tokensUsed: 2 });
    expect(summarise(RETRIEVAL_METRICS, []).metrics).toEqual({});
  });
});
