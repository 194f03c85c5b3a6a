import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { areaUnderCurve, neededFor, type Observation, operatingPoint, proposeTable, worthOf } from './calibration.js';

const seen = (words: number, gold: number, best = gold): Observation => ({ words, gold, best });

describe('calibration (EVL-13)', () => {
  it('the area is the share of pairs in the right order, ties by half', () => {
    expect(areaUnderCurve([1, 1], [0, 0])).toBe(1);
    expect(areaUnderCurve([0], [1])).toBe(0);
    expect(areaUnderCurve([0.5], [0.5])).toBe(0.5);
    expect(areaUnderCurve([], [1])).toBeUndefined();
    const grid = fc.array(
      fc.integer({ min: 0, max: 8 }).map((value) => value / 8),
      { minLength: 1, maxLength: 30 },
    );
    fc.assert(
      fc.property(grid, grid, (answered, unanswered) => {
        const pairs = answered.flatMap((a) => unanswered.map((u): number => (a > u ? 1 : a === u ? 0.5 : 0)));
        expect(areaUnderCurve(answered, unanswered)).toBeCloseTo(pairs.reduce((sum, each) => sum + each, 0) / pairs.length, 10);
      }),
    );
  });

  it('tells what a floor loses by the right page, and what it keeps silent about by any page', () => {
    const table = [1, 0.6, 0.5, 0.4];
    const answered = [seen(1, 1), seen(2, 0.5, 0.9), seen(5, 0.4)];
    expect(operatingPoint(table, answered, [seen(3, 0, 0.49), seen(9, 0, 0.5)])).toEqual({ lost: 1 / 3, silent: 0.5 });
    expect([0, 1, 4, 40].map((words) => neededFor(words, table))).toEqual([1, 1, 0.4, 0.4]);
  });

  const fill = (count: number, gold: number, best = gold) => Array.from({ length: count }, () => seen(4, gold, best));

  it('proposes the threshold that is worth most among those that lose no more than allowed', () => {
    const evidence = { answered: [...fill(2, 0.1), ...fill(98, 0.55), seen(1, 0)], hard: fill(50, 0, 0.48), foreign: fill(30, 0, 0.2) };
    const proposed = proposeTable([1, 0.6, 0.5, 0.4], evidence, 0.03);
    expect(proposed).toEqual([1, 0.6, 0.5, 0.5]);
    expect(worthOf(proposed, evidence)).toBeGreaterThan(worthOf([1, 0.6, 0.5, 0.4], evidence));
    expect(operatingPoint(proposed, evidence.answered.slice(0, 100), evidence.hard)).toEqual({ lost: 0.02, silent: 1 });
  });

  it('takes no floor away for the sake of a few answers when that would answer every foreign question', () => {
    const evidence = { answered: [...fill(10, 0.05), ...fill(90, 0.6)], hard: fill(50, 0, 0.6), foreign: fill(30, 0, 0.2) };
    expect(proposeTable([1, 0.6, 0.5, 0.4], evidence, 0.03)).toEqual([1, 0.6, 0.5, 0.4]);
  });

  it('buys no silence with answers beyond what may be lost, nor beyond what is lost already', () => {
    const evidence = { answered: [...fill(30, 0.5), ...fill(70, 0.7)], hard: fill(50, 0, 0.55), foreign: fill(30, 0, 0.2) };
    expect(proposeTable([1, 0.6, 0.5, 0.4], evidence, 0.03)).toEqual([1, 0.6, 0.5, 0.4]);
    expect(proposeTable([1, 0.6, 0.5, 0.4], evidence, 0.3)).toEqual([1, 0.6, 0.5, 0.6]);
  });

  it('leaves rare lengths alone', () => {
    expect(proposeTable([1, 0.6, 0.5, 0.4], { answered: [seen(1, 0.2)], hard: [], foreign: [] }, 0)).toEqual([1, 0.6, 0.5, 0.4]);
  });
});
