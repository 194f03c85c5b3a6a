/** PKG-01: one value, one canonical text, held against the reference implementation of RFC 8785. */
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, digestOf, digestOfFrozen } from './digest.js';

const key = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('10', '9', 'b', 'B', 'é', '__proto__', 'toJSON', '\\ud800'));

describe('canonicalJson (PKG-01)', () => {
  it('writes what the reference writes, whatever the value', () => {
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.constant(null),
        fc.boolean(),
        fc.double({ noDefaultInfinity: true, noNaN: true }),
        fc.string({ unit: 'grapheme' }),
        fc.array(tie('tree'), { maxLength: 5 }),
        fc.dictionary(key, tie('tree'), { maxKeys: 6 }),
      ),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        expect(canonicalJson(value)).toBe(canonicalize(value));
      }),
      { numRuns: 2000, seed: 11 },
    );
  });

  it('leaves out what is undefined', () => {
    expect(canonicalJson({ b: 1, a: undefined })).toBe('{"b":1}');
  });

  it.each([
    ['a lone surrogate', { a: ['\ud800'] }],
    ['one in a key', { '\udc00': 1 }],
    ['no number', [Number.NaN]],
    ['an endless number', { a: { b: Number.POSITIVE_INFINITY } }],
    ['nothing', undefined],
  ])('refuses %s', (_, value) => {
    expect(() => canonicalJson(value)).toThrow(TypeError);
  });

  it('takes the letters of an escape for letters', () => {
    expect(canonicalJson('\\ud800')).toBe('"\\\\ud800"');
  });

  it('freezes what it remembers the text of', () => {
    const body = { b: [1, { c: 2 }], a: 'x' };
    const { digest, value } = digestOfFrozen(body);
    expect(digest).toBe(digestOf({ a: 'x', b: [1, { c: 2 }] }));
    expect(() => Reflect.apply(Array.prototype.push, value.b, [3])).toThrow(TypeError);
    expect(canonicalJson(value)).toBe('{"a":"x","b":[1,{"c":2}]}');
  });
});
