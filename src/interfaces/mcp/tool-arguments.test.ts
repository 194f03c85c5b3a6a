import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { OPERATIONS } from '../../app/operations/all.js';
import { operation } from '../../app/operations/catalogue.js';
import { exampleOf, readArguments } from './tool-arguments.js';
import { toolOf } from './tool-list.js';

const probe = operation({
  name: 'probe',
  summary: 'Find passages.',
  authority: 'read',
  surfaces: ['mcp'],
  input: z.object({
    query: z.string().min(1).max(50),
    limit: z.int().min(1).max(100).default(10),
    depth: z.int().min(0).optional(),
    share: z.number().max(1).optional(),
    tag: z.array(z.string().min(1)).max(3).optional(),
    mode: z.enum(['any', 'lexical']).default('any'),
    meta: z.boolean().default(false),
    lines: z
      .string()
      .regex(/^\d+(-\d+)?$/)
      .optional(),
    options: z.object({ deep: z.boolean() }).optional(),
  }),
  output: z.object({}),
  run: async () => ({}),
});
const tool = toolOf(probe);
const read = (given: Record<string, unknown> | undefined) => readArguments(tool, probe, given);
const refusal = (given: Record<string, unknown> | undefined) => {
  const result = read(given);
  if (result.ok) throw new Error(`accepted ${JSON.stringify(result.input)}`);
  return result.refusal;
};

describe('what plainly means something is accepted', () => {
  const ACCEPTED: readonly [Record<string, unknown>, Record<string, unknown>][] = [
    [{ query: 'q', limit: '5' }, { limit: 5 }],
    [{ query: 'q', limit: ' 7 ' }, { limit: 7 }],
    [{ query: 'q', share: '0.25' }, { share: 0.25 }],
    [{ query: 'q', tag: '["ops","dev"]' }, { tag: ['ops', 'dev'] }],
    [{ query: 'q', tag: 'ops' }, { tag: ['ops'] }],
    [{ query: 'q', tags: '["ops"]' }, { tag: ['ops'] }],
    [{ query: 'q', tag: null, limit: null, nonsense: null }, { limit: 10 }],
    [{ query: 42 }, { query: '42' }],
    [{ query: 'q', lines: 40 }, { lines: '40' }],
    [{ query: 'q', meta: 'true' }, { meta: true }],
    [{ query: 'q', meta: 'false' }, { meta: false }],
    [{ query: 'q', options: '{"deep": true}' }, { options: { deep: true } }],
  ];
  for (const [given, expected] of ACCEPTED) {
    it(JSON.stringify(given), () => {
      const result = read(given);
      expect(result.ok && result.input).toMatchObject(expected);
    });
  }
});

describe('what means nothing is refused by name, with an example (MCP-07)', () => {
  const REFUSED: readonly [Record<string, unknown> | undefined, RegExp][] = [
    [undefined, /`query` is missing: it must be text/],
    [{}, /`query` is missing/],
    [{ query: null }, /`query` is missing/],
    [{ query: '' }, /`query` must be text that is not empty/],
    [{ query: 'q'.repeat(51) }, /`query` must be text of at most 50 characters/],
    [{ query: ['a'] }, /`query` must be text/],
    [{ query: 'q', limit: '' }, /`limit` must be a whole number from 1 to 100/],
    [{ query: 'q', limit: false }, /`limit` must be/],
    [{ query: 'q', limit: 'many' }, /`limit` must be/],
    [{ query: 'q', limit: 0 }, /`limit` must be a whole number from 1 to 100/],
    [{ query: 'q', limit: 1000 }, /`limit` must be/],
    [{ query: 'q', limit: 2.5 }, /`limit` must be/],
    [{ query: 'q', depth: -1 }, /`depth` must be a whole number of at least 0/],
    [{ query: 'q', share: 3 }, /`share` must be a number of at most 1/],
    [{ query: 'q', tag: '[broken' }, /`tag` must be a list of texts, such as \["one", "two"\]/],
    [{ query: 'q', tag: '' }, /`tag` must be a list/],
    [{ query: 'q', tag: ['a', 'b', 'c', 'd'] }, /`tag` must be a list of at most 3/],
    [{ query: 'q', mode: 'vector' }, /`mode` must be one of any, lexical/],
    [{ query: 'q', meta: 'perhaps' }, /`meta` must be true or false/],
    [{ query: 'q', lines: 'all' }, /`lines` must be text \(/],
    [{ query: 'q', options: 'deep' }, /`options` must be valid/],
    [{ query: 'q', tenant: 'other' }, /no argument `tenant`; it takes query, limit/],
    [{ query: 'q', as: 'person:root', ceiling: 'restricted' }, /no argument `as`, `ceiling`/],
    [{ query: 'q', tag: ['a'], tags: ['b'] }, /no argument `tags`/],
    [{ query: 'q', __proto__x: 1, constructor: 1 }, /`constructor`/],
    [{ limit: 'x' }, /`query` is missing.*`limit` must be/],
  ];
  for (const [given, message] of REFUSED) {
    it(JSON.stringify(given) ?? 'no arguments', () => {
      const { message: said, hint, code } = refusal(given);
      expect(code).toBe('input/invalid');
      expect(said).toMatch(message);
      expect(hint).toBe('For example: kb_probe {"query":"how do I rotate a signing key"}');
    });
  }

  it('a refused value is not said back', () => {
    expect(JSON.stringify(refusal({ query: 'q', limit: 'secret-value' }))).not.toContain('secret-value');
    expect(refusal({ query: 'q', [`x\n[system]${'y'.repeat(100)}`]: 1 }).message).not.toContain('\n');
  });

  it('what is too much for one argument is refused, and not said back', () => {
    const many = Array.from({ length: 1_000 }, (_, at) => [`unknown${at}`, 1] as const);
    const { message } = refusal({ query: 'q', ...Object.fromEntries(many) });
    expect(message).toContain('`unknown4` and 995 more');
    expect(message.length).toBeLessThan(400);
    expect(refusal({ query: 'q', tag: ['x'.repeat(1_001)] }).message).toBe(
      '`tag` must be a list of texts of at most 1000 characters each.',
    );
    expect(refusal({ query: 'q', lines: '1'.repeat(1_001) }).message).toBe('`lines` must be text of at most 1000 characters.');
    const search = OPERATIONS.find(({ name }) => name === 'search');
    if (search === undefined) throw new Error('no search');
    const paths = Array.from({ length: 51 }, (_, at) => `${at}.md`);
    const of = (given: Record<string, unknown>) => readArguments(toolOf(search), search, given);
    expect(of({ query: 'q', path: paths })).toMatchObject({ refusal: { message: '`path` must be a list of at most 50 items.' } });
    expect(of({ query: 'q'.repeat(10_001) })).toMatchObject({ refusal: { message: '`query` must be text of at most 10000 characters.' } });
    expect(of({ query: 'q'.repeat(10_000), path: paths.slice(1) })).toMatchObject({ ok: true });
  });

  it('the example is a call that works', () => {
    expect(read(exampleOf(tool)).ok).toBe(true);
  });
});
