import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../tests/support/proof-scale.js';
import { idsNamed, shortIds } from './short-id.js';

const id = fc.stringMatching(/^k[ai]_[01]{4,14}$/);

describe('short ids', () => {
  it('are eight digits, and more only where two would be the same', () => {
    const [a, b, c] = [`ka_${'0'.repeat(32)}`, `ka_${'0'.repeat(10)}${'1'.repeat(22)}`, `ka_${'2'.repeat(32)}`];
    expect([...shortIds([c, b, a])]).toEqual([
      [a, `ka_${'0'.repeat(11)}`],
      [b, `ka_${'0'.repeat(10)}1`],
      [c, 'ka_22222222'],
    ]);
  });

  it('name one id of their set each, and are no longer in a smaller set', () => {
    fc.assert(
      fc.property(fc.uniqueArray(id, { maxLength: 12 }), (ids) => {
        const all = shortIds(ids);
        for (const [whole, short] of all) if (short.length >= 11) expect(idsNamed(short, ids)).toEqual([whole]);
        for (const [whole, short] of shortIds(ids.slice(1))) expect(short.length).toBeLessThanOrEqual(all.get(whole)?.length ?? 0);
        expect(new Set(all.values()).size).toBe(ids.length);
      }),
      { numRuns: runs(2_000) },
    );
  });

  it('are not read from less than eight digits', () => {
    expect(idsNamed('ka_0000000', [`ka_${'0'.repeat(32)}`])).toEqual([]);
    expect(idsNamed('ka_00000001', [`ka_${'0'.repeat(32)}`])).toEqual([]);
  });
});
