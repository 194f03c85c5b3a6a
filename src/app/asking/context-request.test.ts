import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { context } from '../operations/context.js';
import { factsOf } from './context-request.js';
import { REQUEST_SCHEMA_FILE, requestJsonSchema } from './context-request-json-schema.js';

describe('the request to context', () => {
  it('is what the published schema says (run `node scripts/write-schemas.mjs`)', () => {
    expect(readFileSync(new URL(`../../../${REQUEST_SCHEMA_FILE}`, import.meta.url), 'utf8')).toBe(requestJsonSchema());
  });

  it('reads off a fact what it is, unless it is said', () => {
    const facts = [
      'keys.md',
      'ops/keys.md#when',
      'concept:key',
      'retry_backoff_ms',
      'ERR-4012',
      'who signs?',
      'owner',
      'page: Keys',
      'question: keys.md',
    ];
    expect(factsOf(facts).map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      'page keys.md',
      'page ops/keys.md#when',
      'page concept:key',
      'identifier retry_backoff_ms',
      'identifier ERR-4012',
      'question who signs?',
      'question owner',
      'page Keys',
      'question keys.md',
    ]);
  });

  it.each([
    ['a class of the library’s own', { class: 'governing' }],
    ['no origin', { origin: undefined }],
    ['a time without a zone', { at: '2026-03-31T14:00:00' }],
    ['a digest that is none', { digest: 'abc' }],
    ['a field nobody knows', { trusted: true }],
  ])('refuses an item with %s', (_, change) => {
    const item = { class: 'history', text: 'x', origin: 'chat' };
    expect(context.input.safeParse({ query: 'x', items: [item] }).success).toBe(true);
    expect(context.input.safeParse({ query: 'x', items: [{ ...item, ...change }] }).success).toBe(false);
  });
});
