import { describe, expect, it } from 'vitest';
import { meanInterval, pairedDifference, quantile } from './bootstrap.js';

describe('bootstrap', () => {
  it('gives the same interval every time (EVL-02), and it holds the mean', () => {
    const values = Array.from({ length: 200 }, (_, index) => (index * 37) % 100);
    const first = meanInterval(values);
    expect(meanInterval(values)).toEqual(first);
    expect(first?.low).toBeLessThan(49.5);
    expect(first?.high).toBeGreaterThan(49.5);
  });

  it('is as wide as theory says: 1.96 standard errors on either side for coin flips', () => {
    const interval = meanInterval(Array.from({ length: 400 }, (_, index) => index % 2));
    const error = Math.sqrt(0.25 / 400);
    expect(interval?.low).toBeCloseTo(0.5 - 1.96 * error, 2);
    expect(interval?.high).toBeCloseTo(0.5 + 1.96 * error, 2);
  });

  it('has no interval for no values, and a point for equal ones', () => {
    expect(meanInterval([])).toBeUndefined();
    expect(meanInterval([0.25, 0.25])).toEqual({ low: 0.25, high: 0.25 });
  });

  it('interpolates quantiles', () => {
    expect(quantile([0, 10], 0.25)).toBe(2.5);
    expect(quantile([1, 2, 3], 1)).toBe(3);
  });

  it('pairs by question: a steady small gain is significant although the two means overlap', () => {
    const before = new Map(Array.from({ length: 100 }, (_, index) => [`q${index}`, (index % 10) / 10]));
    const after = new Map([...before].map(([query, value]) => [query, value + 0.02]));
    const difference = pairedDifference(before, after);
    expect(difference?.mean).toBeCloseTo(0.02, 10);
    expect(difference?.significant).toBe(true);
    expect(pairedDifference(before, before)?.significant).toBe(false);
    expect(pairedDifference(before, new Map([['other', 1]]))).toBeUndefined();
  });
});
