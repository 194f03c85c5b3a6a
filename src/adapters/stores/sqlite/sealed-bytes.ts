/**
 * Sealed bytes: what is stored in blobs, with a checksum in front that says whether it still is what was written, and where.
 *
 * Invariant: any flipped bit leaves another sum, and so do bytes that lie in another place or were cut short.
 */
import * as zlib from 'node:zlib';
import { DamagedSegment } from '../../../engine/bytes.js';

/** What sealing puts in front: as many bytes as a number takes, so that columns of numbers behind it stay aligned. */
export const SEAL_BYTES = 4;

/** The bytes with a checksum in front. `place` is where they will lie: bytes found anywhere else do not hold. */
export function sealBytes(body: Uint8Array, place = 0): Uint8Array {
  const sealed = new Uint8Array(body.length + SEAL_BYTES);
  sealed.set(body, SEAL_BYTES);
  new DataView(sealed.buffer).setUint32(0, checksum(body, place));
  return sealed;
}

/** The bytes behind the checksum, which must hold. */
export function openBytes(sealed: Uint8Array, place = 0): Uint8Array {
  if (sealed.length < SEAL_BYTES) throw new DamagedSegment('ends too early');
  const expected = (((sealed[0] ?? 0) << 24) | ((sealed[1] ?? 0) << 16) | ((sealed[2] ?? 0) << 8) | (sealed[3] ?? 0)) >>> 0;
  const body = sealed.subarray(SEAL_BYTES);
  if (checksum(body, place) !== expected) throw new DamagedSegment('checksum does not hold');
  return body;
}

const tail = new DataView(new ArrayBuffer(12));

/** Ends with the place and the length: of no bytes at all zlib makes no sum. */
function checksum(body: Uint8Array, place: number): number {
  tail.setUint32(0, place % 2 ** 32);
  tail.setUint32(4, Math.floor(place / 2 ** 32));
  tail.setUint32(8, body.length);
  return crc32(tail, crc32(body, 0));
}

/** Node brings one that is many times as quick; its first versions of 20 have none. */
const crc32: (bytes: Uint8Array | DataView, before: number) => number = zlib.crc32 ?? slowCrc32;

const POLYNOMIAL = 0xed_b8_83_20;

/** The same sum, worked out here. */
export function slowCrc32(bytes: Uint8Array | DataView, before: number): number {
  let sum = ~before;
  for (const byte of new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ ((sum & 1) === 0 ? 0 : POLYNOMIAL);
  }
  return ~sum >>> 0;
}
