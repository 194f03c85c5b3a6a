/** T7.5: what a request may say, and what is refused before it costs anything. */
import { describe, expect, it } from 'vitest';
import { networkInput } from '../../app/input-bounds.js';
import type { Operation } from '../../app/operations/catalogue.js';
import { packageVerify } from '../../app/operations/package-verify.js';
import { search } from '../../app/operations/search.js';
import { inputFromAddress, inputFromBody, readJson, requireBareAddress } from './read-input.js';

const post = (body: string, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
  new Request('http://127.0.0.1/', { method: 'POST', body, headers });
const code = async (run: () => unknown) => {
  try {
    await run();
    return 'let in';
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
};

describe('a body', () => {
  it.each([
    ['[[[[', 'input/invalid'],
    ['{"a":1', 'input/invalid'],
    ['', 'input/invalid'],
    ['"\\', 'input/invalid'],
    [`{"query":${'['.repeat(500_000)}${']'.repeat(500_000)}}`, 'input/invalid'],
    [`{"query":"${'x'.repeat(2_000_000)}"}`, 'limit/too-large'],
    [`{"query":"${'[{'.repeat(1_000)}"}`, 'let in'],
  ])('%.20s is read within its bounds', async (text, expected) => {
    expect(await code(() => readJson(post(text), 1_048_576))).toBe(expected);
  });

  it('is JSON and says so', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'application/jsonp', ''])
      expect(await code(() => readJson(post('{}', { 'content-type': type }), 100)), type).toBe('http/media-type');
    for (const type of ['application/json', 'application/json; charset=utf-8', 'Application/JSON', 'application/vnd.x+json'])
      expect(await code(() => readJson(post('{}', { 'content-type': type }), 100)), type).toBe('let in');
  });

  it('that is not UTF-8 is refused', async () => {
    const request = new Request('http://127.0.0.1/', {
      method: 'POST',
      body: new Uint8Array([0x22, 0xff, 0x22]),
      headers: { 'content-type': 'application/json' },
    });
    expect(await code(() => readJson(request, 100))).toBe('input/invalid');
  });
});

const INHERITED = ['__proto__', 'toString', 'hasOwnProperty', '__proto__[limit]', '%5F_proto__', 'prototype', 'as'];

describe('fields', () => {
  const operation = search as unknown as Operation;
  const schema = networkInput(operation);
  const from = (body: unknown) => code(() => inputFromBody(operation, schema, body));
  it('are used or refused, within bounds', async () => {
    expect(await from({ query: 'x' })).toBe('let in');
    for (const bad of [
      null,
      [],
      'x',
      {},
      { query: 'x', __proto__x: 1 },
      { query: 'x', as: 'person:ana' },
      { query: ['x'] },
      { query: 'y '.repeat(10_000) },
      { query: 'x', tag: Array.from({ length: 1_000 }, () => 'a') },
      { query: 'x', tag: ['a'.repeat(1_001)] },
      { query: 'x', limit: 1e9 },
      JSON.parse('{"query":"x","__proto__":{"limit":5}}'),
    ])
      expect(await from(bad), JSON.stringify(bad)?.slice(0, 60)).toBe('input/invalid');
  });

  it('of an address are read by their types', async () => {
    const at = (text: string) => inputFromAddress(operation, schema, new URLSearchParams(text));
    expect(at('query=a+b&limit=3&tag=x&tag=y')).toMatchObject({ query: 'a b', limit: 3, tag: ['x', 'y'] });
    for (const bad of [
      'query=a&query=b',
      'query=a&limit=3x',
      'query=a&limit=',
      'limit=3',
      'query=a&constructor=1',
      ...INHERITED.map((name) => `query=a&${name}=1`),
    ])
      expect(await code(() => at(bad)), bad).toBe('input/invalid');
  });

  it('that stand in the address of a POST are refused, not ignored', () => {
    expect(() => requireBareAddress(new URLSearchParams(''))).not.toThrow();
    for (const text of ['limit=1', 'as=person:ana', '__proto__=1', 'x'])
      expect(() => requireBareAddress(new URLSearchParams(text)), text).toThrow(/said in the body/);
  });

  it('that name files of the machine do not exist over a network', async () => {
    const verify = packageVerify as unknown as Operation;
    expect(await code(() => inputFromBody(verify, networkInput(verify), { bundle: '/etc/passwd' }))).toBe('input/invalid');
  });
});
