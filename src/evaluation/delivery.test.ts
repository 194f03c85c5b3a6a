/** Worked by hand: each measure against a value reached with pencil and paper, and against answers that are worse on purpose. */
import { describe, expect, it } from 'vitest';
import { type DeliveredItem, type Delivery, deliveredScores, type Judgement } from './delivery.js';
import { scoreAnswer } from './scoring.js';

const item = (page: string, tokens: number, more: Partial<DeliveredItem> = {}): DeliveredItem => ({
  page,
  tokens,
  artifact: `${page}#1`,
  copy: false,
  exact: true,
  ...more,
});
const package_ = (items: DeliveredItem[], named: string[] = []): Delivery => ({
  status: 'frozen',
  items,
  tokensUsed: items.reduce((sum, { tokens }) => sum + tokens, 0),
  named,
});
const judgement: Judgement = {
  grades: new Map([
    ['a', 1],
    ['b', 2],
  ]),
  archived: new Set(['old']),
  passages: new Set(['b#1']),
  never: new Set(['secret']),
  against: new Set(['old']),
};
const GOOD = package_([item('a', 100), item('b', 50), item('c', 30)], ['old']);

describe('what a package is worth', () => {
  it('worked by hand', () => {
    expect(deliveredScores(GOOD, judgement)).toEqual({
      goldInPackage: 1,
      goldFirst: 1,
      goldShare: 1,
      answerInPackage: 1,
      tokensToGold: 100,
      tokensToAnswer: 150,
      staleInPackage: 0,
      bothSides: 1,
      leaked: 0,
      duplicates: 0,
      citationExact: 1,
      abstained: 0,
      abstainedRightly: undefined,
      tokensUsed: 180,
      items: 3,
      pages: 3,
    });
  });

  // Each mutant is one way of being worse; the measure that stands for it must see it, and nothing may call it better.
  it.each<[string, Delivery, Partial<Record<keyof ReturnType<typeof deliveredScores>, number>>]>([
    ['the right passage left out', package_([item('a', 100), item('b', 50, { artifact: 'b#2' })], ['old']), { answerInPackage: 0 }],
    ['one of two right pages left out', package_([item('a', 100)], ['old']), { goldShare: 0.5, answerInPackage: 0 }],
    [
      'a wrong page first',
      package_([item('c', 30), item('a', 100), item('b', 50)], ['old']),
      { goldFirst: 0, tokensToGold: 130, tokensToAnswer: 180 },
    ],
    ['an old page in', package_([item('a', 100), item('b', 50), item('old', 30)]), { staleInPackage: 1 }],
    ['silent about the other side', package_([item('a', 100), item('b', 50)]), { bothSides: 0 }],
    ['a forbidden page in', package_([item('a', 100), item('b', 50), item('secret', 9)], ['old']), { leaked: 1 }],
    ['a forbidden page among what was left out', package_([item('a', 100), item('b', 50)], ['old', 'secret']), { leaked: 1 }],
    ['the same text twice', package_([item('a', 100), item('b', 50), item('b', 50, { copy: true })], ['old']), { duplicates: 1 / 3 }],
    [
      'a citation that the file does not bear out',
      package_([item('a', 100), item('b', 50, { exact: false })], ['old']),
      { citationExact: 0.5 },
    ],
    [
      'nothing at all',
      { status: 'no_context', items: [], tokensUsed: 0, named: [] },
      { goldInPackage: 0, answerInPackage: 0, abstained: 1, bothSides: 0 },
    ],
  ])('EVL-16: %s is seen', (_, delivery, expected) => {
    expect(deliveredScores(delivery, judgement)).toMatchObject(expected);
  });

  it('a measure without a meaning is undefined, never perfect', () => {
    const bare = deliveredScores(package_([]), { grades: new Map(), archived: undefined });
    for (const measure of [
      'goldInPackage',
      'goldShare',
      'answerInPackage',
      'bothSides',
      'leaked',
      'duplicates',
      'citationExact',
      'staleInPackage',
    ] as const)
      expect(bare[measure]).toBeUndefined();
  });

  it('passages are ranked by the same measures as pages', () => {
    const scores = (passages: string[]) => scoreAnswer({ query: 'q', ranking: ['b'], passages, delivery: GOOD }, judgement).retrieval;
    expect(scores(['x', 'y', 'b#1'])).toMatchObject({ 'passage@5': 1, 'passageMRR@10': 0.333333 });
    expect(scores(['1', '2', '3', '4', '5', 'b#1'])).toMatchObject({ 'passage@5': 0, 'passageMRR@10': 0.166667 });
    expect(scoreAnswer({ query: 'q', ranking: ['secret'], delivery: GOOD }, judgement).retrieval.leaked).toBe(1);
  });
});
