import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DEFAULT_RANKING } from '../domain/ranking-policy.js';
import { type NamedPage, nameLikeness } from './name-likeness.js';
import { understand } from './understand.js';

function likenessTo(text: string, frequencyOf: (term: string) => number = () => 5) {
  const { query } = understand(text, {}, DEFAULT_RANKING);
  return nameLikeness(query, { frequencies: query.terms.map(({ term }) => frequencyOf(term)), population: 1000 });
}

function called(title: string, path = 'a/0.md', aliases: readonly string[] = []): NamedPage {
  return { title, path, meta: { aliases } };
}

describe('name likeness', () => {
  test('a name that is nothing but what was asked is wholly like it, in title, alias or file name', () => {
    const likeness = likenessTo('how do I drain the sluice gate?');
    expect(likeness(called('Drain the sluice gate'))).toBe(1);
    expect(likeness(called('Notes', 'a/0.md', ['Sluice gate drain']))).toBe(1);
    expect(likeness(called('Notes', 'a/drain-sluice-gate.md'))).toBe(1);
    expect(likeness(called('Notes', 'a/drainSluiceGate.md'))).toBe(1);
    expect(likeness(called('Notes'))).toBe(0);
  });

  test('every word that was not asked for, and every one that the name lacks, takes something away', () => {
    const likeness = likenessTo('drain the sluice gate');
    const [whole, less, least] = ['Sluice gate', 'Sluice gate paint', 'Gate'].map((title) => likeness(called(title)));
    expect(whole).toBeLessThan(1);
    expect(less).toBeLessThan(whole ?? 0);
    expect(least).toBeLessThan(whole ?? 0);
    expect(least).toBeGreaterThan(0);
  });

  test('an inflection counts half, and function words nothing', () => {
    const likeness = likenessTo('sluice gates');
    expect(likeness(called('Gate'))).toBeGreaterThan(0);
    expect(likeness(called('Gate'))).toBeLessThan(likeness(called('Gates')));
    expect(likeness(called('Sluice gate'))).toBeLessThan(likeness(called('Sluice gates')));
    expect(likeness(called('The sluice gates'))).toBe(likeness(called('Sluice gates')));
    expect(likenessTo('what is it')(called('What is it'))).toBe(0);
  });

  test('the rarer of two words says more', () => {
    const likeness = likenessTo('sluice gate', (term) => (term === 'gate' ? 900 : 2));
    expect(likeness(called('Sluice'))).toBeGreaterThan(likeness(called('Gate')));
  });

  test('T1.1 it lies between 0 and 1 for any question and name, and no other page has a say', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), fc.string({ maxLength: 60 }), fc.string({ maxLength: 20 }), (text, title, path) => {
        const likeness = likenessTo(text);
        const before = likeness(called(title, path));
        likeness(called('Sluice gate', 'b.md', [title]));
        expect(before).toBeGreaterThanOrEqual(0);
        expect(before).toBeLessThanOrEqual(1);
        expect(likeness(called(title, path))).toBe(before);
      }),
      { numRuns: 60 },
    );
  });
});
