import { expect, test } from 'vitest';
import { gapScan, isClean } from './gap-scan.js';

const documents = ['a', 'b', 'c'].map((path) => ({ path, sizeBytes: 1, blob: `${path}1` }));

test('ING-08 names what is missing, what is too much, and what is out of date', () => {
  const known = new Map([
    ['a', { blob: 'a1' }],
    ['b', { blob: 'b0' }],
    ['x', { blob: 'x' }],
    ['closed/y', { blob: 'y' }],
  ]);
  const gaps = gapScan({ documents, unseen: ['closed/'] }, known, new Set());
  expect(gaps).toEqual({ missing: ['c'], extra: ['x'], outdated: ['b'] });
  expect(isClean(gaps)).toBe(false);
});

test('ING-08 a page that was refused or could not be read is no gap', () => {
  const known = new Map([
    ['a', { blob: 'a1' }],
    ['b', { blob: 'b0' }],
  ]);
  expect(isClean(gapScan({ documents, unseen: [] }, known, new Set(['b', 'c'])))).toBe(true);
});
