import { describe, expect, test } from 'vitest';
import type { ListedDocument } from '../../ports/connector.js';
import { portionsOf } from './make-pages.js';

const listed = (sizes: readonly number[]): ListedDocument[] => sizes.map((sizeBytes, at) => ({ path: `p${at}.md`, sizeBytes }));
const KIB = 1024;

describe('portions of a plan', () => {
  test('hold every document once, in order', () => {
    const documents = listed(Array.from({ length: 5_000 }, (_, at) => (at * 7919) % (64 * KIB)));
    const portions = portionsOf(documents);
    expect(portions.flat()).toEqual(documents);
    expect(portions.length).toBeGreaterThan(20);
    expect(portionsOf(documents)).toEqual(portions);
  });

  test('begin small, and stay bounded in bytes and in pages', () => {
    const bytes = portionsOf(listed(Array.from({ length: 2_000 }, () => 16 * KIB))).map((each) => each.length * 16 * KIB);
    expect(bytes[0]).toBe(512 * KIB);
    expect(bytes[1]).toBe(1024 * KIB);
    expect(Math.max(...bytes)).toBe(2 * 1024 * KIB);
    const empty = portionsOf(listed(Array.from({ length: 2_500 }, () => 0))).map((each) => each.length);
    expect(empty).toEqual([1_000, 1_000, 500]);
  });

  test('give a document larger than any portion one of its own', () => {
    const sizes = [KIB, 30 * 1024 * KIB, KIB];
    expect(portionsOf(listed(sizes)).map((each) => each.map(({ path }) => path))).toEqual([['p0.md'], ['p1.md'], ['p2.md']]);
    expect(portionsOf([])).toEqual([]);
  });
});
