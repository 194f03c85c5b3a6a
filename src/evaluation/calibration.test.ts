import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { areaUnderCurve, neededFor, type Observation, operatingPoint, proposeTable } from './calibration.js';

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

  it('proposes the highest threshold that loses no more than allowed, and leaves rare lengths alone', () => {
    const answered = [...Array.from({ length: 100 }, (_, at) => seen(4, at < 3 ? 0.1 : 0.5)), seen(1, 0)];
    expect(proposeTable([1, 0.6, 0.5, 0.4], answered, 0.03)).toEqual([1, 0.6, 0.5, 0.5]);
    expect(proposeTable([1, 0.6, 0.5, 0.4], answered, 0)).toEqual([1, 0.6, 0.5, 0.1]);
    expect(operatingPoint(proposeTable([1, 0.6, 0.5, 0.4], answered, 0.03), answered.slice(0, 100), []).lost).toBeLessThanOrEqual(0.03);
  });
});
