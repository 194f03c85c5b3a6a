import { expect, it } from 'vitest';
import { isPlausibleSlip } from './plausible-slip.js';

it.each([
  ['limts', 'limits', true],
  ['limmits', 'limits', true],
  ['limist', 'limits', true],
  ['kimits', 'limits', true],
  ['limitd', 'limits', true],
  ['seperate', 'separate', true],
  ['analize', 'analyze', true],
  ['dokument', 'document', true],
  ['ключа', 'ключи', true],
  ['tides', 'times', false],
  ['spring', 'string', false],
  ['invented', 'invested', false],
  ['invented', 'indented', false],
])('%s for %s: %s', (written, meant, plausible) => {
  expect(isPlausibleSlip(written, meant)).toBe(plausible);
});
