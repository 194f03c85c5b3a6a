import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { areaUnderCurve, floorForAll, type Observation, operatingPoint, proposeFloor, worthOf } from './calibration.js';

const seen = (strength: number, found = true): Observation => ({ strength, found });
const fill = (count: number, strength: number, found = true) => Array.from({ length: count }, () => seen(strength, found));

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

  it('tells what a floor loses of what was found, and what it keeps silent about', () => {
    const answered = [seen(0.05), seen(0.06), seen(0.01, false)];
    expect(operatingPoint(0.06, answered, [seen(0.059), seen(0.06)])).toEqual({ lost: 0.5, silent: 0.5 });
    expect(operatingPoint(0, answered, [])).toEqual({ lost: 0, silent: 0 });
  });

  it('proposes the floor that is worth most among those that lose no more than allowed', () => {
    const evidence = { answered: [...fill(2, 0.02), ...fill(98, 0.1)], hard: fill(50, 0.09, false), foreign: fill(30, 0.04, false) };
    const proposed = proposeFloor(0.058, evidence, 0.03);
    expect(proposed).toBeGreaterThan(0.09);
    expect(worthOf(proposed, evidence)).toBeGreaterThan(worthOf(0.058, evidence));
    expect(operatingPoint(proposed, evidence.answered, evidence.hard)).toEqual({ lost: 0.02, silent: 1 });
  });

  it('buys no silence with answers beyond what may be lost, nor beyond what is lost already', () => {
    const evidence = { answered: [...fill(30, 0.1), ...fill(70, 0.15)], hard: fill(50, 0.11, false), foreign: fill(30, 0.04, false) };
    expect(proposeFloor(0.058, evidence, 0.03)).toBe(0.058);
    expect(proposeFloor(0.058, evidence, 0.3)).toBeGreaterThan(0.11);
  });

  it('leaves a floor alone that few questions speak of, or that another is hardly better than', () => {
    expect(proposeFloor(0.058, { answered: fill(9, 0.2), hard: fill(9, 0.1, false), foreign: [] }, 0)).toBe(0.058);
    expect(proposeFloor(0.058, { answered: fill(90, 0.2), hard: fill(99, 0.04, false), foreign: fill(99, 0.04, false) }, 0)).toBe(0.058);
  });

  it('for all sets: within what each may lose, and half of it on the mean', () => {
    const set = (weak: number) => ({ answered: [...fill(weak, 0.05), ...fill(100 - weak, 0.1)] });
    expect(floorForAll([set(0), set(3)], 0.03)).toBe(0.1);
    expect(floorForAll([set(0), set(4)], 0.03)).toBe(0.05);
    expect(floorForAll([set(2), set(2)], 0.03)).toBe(0.05);
  });
});
