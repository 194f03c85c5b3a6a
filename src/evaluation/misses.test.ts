import { describe, expect, it } from 'vitest';
import { EXCLUSIONS } from '../domain/context-package.js';
import { type GoldFacts, MISS_SENTENCES, MISSES, type MissInput, missOf } from './misses.js';

const facts = (more: Partial<GoldFacts> = {}): GoldFacts => ({ registered: true, indexed: true, eligible: true, exclusions: [], ...more });
const lost = (gold: readonly GoldFacts[], more: Partial<MissInput> = {}) =>
  missOf({ status: 'frozen', goldInPackage: false, answerInPackage: undefined, apart: false, gold, ...more });

describe('miss taxonomy (EVL-12)', () => {
  it('names the step at which a page was lost', () => {
    expect(lost([facts({ registered: false })])).toBe('not-registered');
    expect(lost([facts({ indexed: false })])).toBe('not-indexed');
    expect(lost([facts({ eligible: false })])).toBe('hidden');
    expect(lost([facts()])).toBe('no-match');
    expect(lost([facts({ rank: 7 })])).toBe('outranked');
    expect(lost([facts({ rank: 1, exclusions: ['below-floor'] })])).toBe('below-floor');
    expect(lost([facts({ exclusions: ['superseded'] })])).toBe('retired');
    expect(lost([facts()], { status: 'blocked' })).toBe('blocked');
  });

  it('lets the passage and the page that came furthest speak', () => {
    expect(lost([facts({ exclusions: ['below-floor', 'budget', 'page-cap'] })])).toBe('budget');
    expect(lost([facts({ indexed: false }), facts({ exclusions: ['below-floor'] })])).toBe('below-floor');
  });

  it('tells the right page with the wrong passage from a delivered answer', () => {
    const delivered = { goldInPackage: true, gold: [facts()] };
    expect(lost([facts()], { ...delivered, answerInPackage: true })).toBeUndefined();
    expect(lost([facts()], { ...delivered, answerInPackage: undefined })).toBeUndefined();
    expect(lost([facts()], { ...delivered, answerInPackage: false })).toBe('wrong-passage');
    expect(lost([facts()], { ...delivered, answerInPackage: false, apart: true })).toBe('chunked-apart');
    expect(lost([])).toBeUndefined();
  });

  it('has a place for every reason a package can give, and words for every miss', () => {
    for (const reason of EXCLUSIONS) expect(MISSES).toContain(lost([facts({ exclusions: [reason] })]));
    for (const miss of MISSES) expect(MISS_SENTENCES[miss].length).toBeGreaterThan(10);
  });
});
