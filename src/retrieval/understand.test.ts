import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DEFAULT_RANKING } from '../domain/ranking-policy.js';
import { MAX_TERMS, MAX_UNITS, understand } from './understand.js';

const of = (text: string) => understand(text, {}, DEFAULT_RANKING);
const term = (text: string, name: string) => of(text).query.terms.find((each) => each.term === name);

describe('RET-01 understanding', () => {
  test('content words weigh 1, stop words little, and only content counts for coverage', () => {
    expect(term('how is the tariff', 'tariff')).toMatchObject({ weight: 1, content: true, required: false });
    expect(term('how is the tariff', 'the')).toMatchObject({ weight: DEFAULT_RANKING.stopWordWeight, content: false });
  });

  test('stop words count in full when there is nothing else', () => {
    expect(of('who is it').query.terms.every(({ weight, content }) => weight === 1 && content)).toBe(true);
  });

  test('RET-03 a whole identifier outweighs its parts, and the parts prove nothing alone', () => {
    expect(term('what is ERR-4012', '#err-4012')).toMatchObject({ weight: DEFAULT_RANKING.identifierWeight, content: true });
    expect(term('what is ERR-4012', '4012')).toMatchObject({ weight: DEFAULT_RANKING.partWeight, content: false });
  });

  test('words joined by a hyphen carry their meaning', () => {
    expect(term('pre-commit', 'commit')).toMatchObject({ weight: 1, content: true });
    expect(term('pre-commit', '#pre-commit')).toMatchObject({ content: false });
  });

  test('a quoted phrase requires its words, in order', () => {
    const { query } = of('find "Winter Berth rule" now');
    expect(query.phrases).toEqual([['winter', 'berth', 'rule']]);
    expect(query.terms.filter(({ required }) => required).map((each) => each.term)).toEqual(['winter', 'berth', 'rule']);
  });

  test('a quoted identifier is required as it stands', () => {
    const { query } = of('"1.0.21"');
    expect(query.terms.filter(({ required }) => required).map((each) => each.term)).toEqual(['#1.0.21']);
  });

  test('+word is required; a plus elsewhere is not an operator', () => {
    expect(term('gate +sluice', 'sluice')?.required).toBe(true);
    expect(term('gate +sluice', 'gate')?.required).toBe(false);
    expect(of('C++ client').query.terms.some(({ required }) => required)).toBe(false);
    expect(of('1 + 1').query.terms.some(({ required }) => required)).toBe(false);
  });

  test('operator words of other query languages are words', () => {
    for (const text of ['sluice AND open', 'NOT sluice', 'NEAR(sluice open, 5)', 'title:sluice', '"sluice', 'sluice*', '(sluice']) {
      const { query } = of(text);
      expect(query.terms.map((each) => each.term)).toContain('sluice');
      expect(query.terms.some(({ required }) => required)).toBe(false);
      expect(query.phrases).toEqual([]);
    }
  });

  test('time words hint, they are not asked for', () => {
    expect(term('latest tariff', 'latest')).toMatchObject({ content: false });
  });

  test('symbols alone give no terms', () => {
    expect(of('%%%%%%%% 🚀 "" + ++').query.terms).toEqual([]);
  });

  test('any text is understood, with bounded work and consistent terms', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string()), (text) => {
        const { query } = of(text);
        expect(query.terms.length).toBeLessThanOrEqual(MAX_TERMS);
        expect(new Set(query.terms.map((each) => each.term)).size).toBe(query.terms.length);
        for (const each of query.terms) expect(each.weight).toBeGreaterThan(0);
      }),
      { numRuns: 300 },
    );
  });

  test('a ten-megabyte question and ten thousand words are cut, and say so', () => {
    const long = of('tariff '.repeat(1_500_000));
    expect(long.query.terms).toHaveLength(1);
    expect(long.notes.join()).toContain(String(MAX_UNITS));
    const many = of(Array.from({ length: 10_000 }, (_, at) => `w${at}`).join(' '));
    expect(many.query.terms).toHaveLength(MAX_TERMS);
    expect(many.notes.join()).toContain('different terms');
  });
});
