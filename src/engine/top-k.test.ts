import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addMember, EMPTY_SUM, removeMember } from './multiset-hash.js';
import { TopK } from './top-k.js';

it('keeps the best k, whatever the order they come in', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20), { maxLength: 60 }), fc.nat(12), (scores, size) => {
      const best = new TopK(size, (a, b) => a - b);
      for (const [item, score] of scores.entries()) best.offer(item, score);
      const sorted = scores.map((score, item) => ({ item, score })).sort((a, b) => b.score - a.score || a.item - b.item);
      expect(best.take()).toEqual(sorted.slice(0, size));
    }),
  );
});

it('sums members in any order, and takes them out again', () => {
  const digest = fc.stringMatching(/^[0-9a-f]{64}$/);
  fc.assert(
    fc.property(fc.array(digest, { maxLength: 8 }), digest, (members, extra) => {
      const sum = members.reduce(addMember, EMPTY_SUM);
      expect([...members].reverse().reduce(addMember, EMPTY_SUM)).toBe(sum);
      expect(removeMember(addMember(sum, extra), extra)).toBe(sum);
      expect(members.reduce(removeMember, sum)).toBe(EMPTY_SUM);
    }),
  );
});
