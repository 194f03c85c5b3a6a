import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { checkInput } from './check-input.js';
import { OPERATIONS } from './operations/all.js';

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

describe('every field of every operation', () => {
  const BAD = ['\u0000?!', '', -1.5, true, {}, [''], null];
  const said = OPERATIONS.flatMap(({ name, input }) => {
    if (!('shape' in input)) return [];
    const fields = Object.entries(input.shape as Record<string, z.ZodType>);
    return fields.flatMap(([field, schema]) =>
      BAD.flatMap((value) => {
        try {
          checkInput({ input: z.object({ [field]: schema }) }, { [field]: value });
          return [];
        } catch (error) {
          return [{ where: `${name} ${field}`, words: (error as Error).message }];
        }
      }),
    );
  });

  it('says in words of its own what it must be', () => {
    expect(said.length).toBeGreaterThan(200);
    expect(said.filter(({ words }) => /Invalid|pattern|regex|undefined/.test(words))).toEqual([]);
    const ranges = said.filter(({ words }) => words.includes('40-80')).map(({ where }) => where);
    expect([...new Set(ranges)]).toEqual(['get lines']);
  });

  it.each([
    ['audit verify', 'expect', 'deadbeef', 'expect must be a digest that an earlier `audit verify` gave.'],
    ['token revoke', 'id', 'nope', 'id must be an id that `colophon token list` shows.'],
    ['token create', 'workload', 'A b', 'workload must be lower-case letters, digits, `.`, `_`, `-` or `/`.'],
    ['audit query', 'since', 'today', 'since must be a day or a time, such as 2026-03-31 or 2026-03-31T14:00:00Z.'],
    ['audit query', 'until', '2026-02-30', 'until must be a day or a time, such as 2026-03-31 or 2026-03-31T14:00:00Z.'],
  ])('%s --%s %s', (verb, field, value, words) => {
    const found = OPERATIONS.find(({ name }) => name === verb);
    if (found === undefined) throw new Error(`there is no ${verb}`);
    expect(() => checkInput(found, { [field]: value })).toThrow(words);
  });
});
