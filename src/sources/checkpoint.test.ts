import { expect, test } from 'vitest';
import type { Instant } from '../kernel/clock.js';
import { sha256 } from '../kernel/digest.js';
import { checkpointOf, sourceDigest } from './checkpoint.js';

const base = {
  source: 's',
  connectorVersion: 'git@1',
  listing: { cursor: 'c', commit: 'c', walk: 'complete' },
  transformation: sha256('t'),
  pages: new Map([
    ['a', { blob: '1' }],
    ['b', { blob: '2' }],
  ]),
  at: 1 as Instant,
} as const;

test('ING-03 binds connector version, cursor, schema, transformation and content digest', () => {
  const one = checkpointOf(base);
  expect(one).toMatchObject({ connectorVersion: 'git@1', cursor: 'c', schemaVersion: 'checkpoint@1', transformation: sha256('t') });
  expect(one.contentDigest).toMatch(/^[0-9a-f]{64}$/);
  expect({ ...checkpointOf({ ...base, at: 2 as Instant }), at: 1 }).toEqual(one);
});

test('the content digest is over path and blob, whatever order they came in', () => {
  const swapped = new Map([...base.pages].reverse());
  expect(sourceDigest(swapped)).toBe(sourceDigest(base.pages));
  expect(
    sourceDigest(
      new Map([
        ['a', { blob: '2' }],
        ['b', { blob: '1' }],
      ]),
    ),
  ).not.toBe(sourceDigest(base.pages));
});
