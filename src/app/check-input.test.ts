import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { checkInput } from './check-input.js';

const entry = { input: z.object({ query: z.string().min(1), limit: z.int().max(100).default(10) }) };

describe('check input', () => {
  it('fills in defaults', () => {
    expect(checkInput(entry, { query: 'tern' })).toEqual({ query: 'tern', limit: 10 });
  });

  it.each([
    [{ qurey: 'tern' }, 'qurey must be left out or spelled query.'],
    [{ query: 'tern', colour: 'red' }, 'colour must be left out; there is query, limit.'],
    [{}, 'query must be a string.'],
    [{ query: '' }, 'query must be filled in.'],
    [{ query: 'tern', limit: 1000 }, 'limit must be at most 100.'],
  ])('%j: %s', (given, words) => {
    expect(() => checkInput(entry, given)).toThrow(words);
  });
});
