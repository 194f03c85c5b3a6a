import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DamagedSegment } from '../../../engine/bytes.js';
import { SegmentBuilder } from '../../../engine/segment.js';
import { openBytes, sealBytes, slowCrc32 } from './sealed-bytes.js';

describe('sealed bytes', () => {
  it('T4.6: any flipped bit is noticed', () => {
    const builder = new SegmentBuilder();
    builder.add(1, [{ fields: [['a'], [], [], ['b', 'ab'], []], lengths: [1, 0, 0, 2, 0], id: `ka_${'0'.repeat(32)}` }]);
    const segment = builder.finish();
    for (const [place, body] of [segment.table, segment.ids, ...segment.blocks].entries()) {
      const sealed = sealBytes(body, place);
      expect([...openBytes(sealed, place)]).toEqual([...body]);
      for (let bit = 0; bit < sealed.length * 8; bit++) {
        const flipped = Uint8Array.from(sealed);
        flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        expect(() => openBytes(flipped, place)).toThrow(DamagedSegment);
      }
    }
  });

  it('T4.6: bytes that lie in another place, or are cut short, are noticed', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.maxSafeNat(), fc.maxSafeNat(), (body, place, other) => {
        const sealed = sealBytes(body, place);
        expect([...openBytes(sealed, place)]).toEqual([...body]);
        if (other !== place) expect(() => openBytes(sealed, other)).toThrow(DamagedSegment);
        if (body.length > 0) expect(() => openBytes(sealed.subarray(0, -1), place)).toThrow(DamagedSegment);
      }),
    );
  });

  it('have the same sum where Node has no quick one', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.nat(), (bytes, before) => {
        expect(slowCrc32(bytes, before)).toBe(crc32(bytes, before));
      }),
    );
  });
});
