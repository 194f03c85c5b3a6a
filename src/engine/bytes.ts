/**
 * Bytes: the growing buffer and the variable-length integers every segment is written in.
 *
 * Invariant: only whole numbers from 0 to 2^53-1 are written; what is read back is what was written or a DamagedSegment.
 */

/** Stored index bytes that cannot be what was written. Stores turn it into a fault; it never becomes a wrong answer. */
export class DamagedSegment extends Error {
  override readonly name = 'DamagedSegment';
}

export class ByteWriter {
  #bytes: Uint8Array;
  #length = 0;

  constructor(capacity = 64) {
    this.#bytes = new Uint8Array(capacity);
  }

  get length(): number {
    return this.#length;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  varint(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest >= 128) {
      this.#bytes[this.#length++] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#length++] = rest;
  }

  bytes(source: Uint8Array): void {
    this.#reserve(source.length);
    this.#bytes.set(source, this.#length);
    this.#length += source.length;
  }

  clear(): void {
    this.#length = 0;
  }

  /** A copy of what was written. */
  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  /** What was written, valid until the next write. */
  view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}

export class ByteReader {
  readonly #bytes: Uint8Array;
  position: number;

  constructor(bytes: Uint8Array, position = 0) {
    this.#bytes = bytes;
    this.position = position;
  }

  byte(): number {
    const value = this.#bytes[this.position++];
    if (value === undefined) throw new DamagedSegment('ends too early');
    return value;
  }

  varint(): number {
    let value = this.byte();
    if (value < 128) return value;
    value -= 128;
    let scale = 128;
    for (;;) {
      const next = this.byte();
      if (next < 128) return value + next * scale;
      value += (next - 128) * scale;
      scale *= 128;
      if (scale > Number.MAX_SAFE_INTEGER) throw new DamagedSegment('number out of range');
    }
  }

  bytes(length: number): Uint8Array {
    const start = this.take(length);
    return this.#bytes.subarray(start, start + length);
  }

  /** Steps over `length` bytes and says where they begin. */
  take(length: number): number {
    const start = this.position;
    if (start + length > this.#bytes.length) throw new DamagedSegment('ends too early');
    this.position += length;
    return start;
  }
}

/** What sealing puts in front: as many bytes as a number takes, so that columns of numbers behind it stay aligned. */
export const SEAL_BYTES = 4;

/** The bytes with a checksum in front. `place` is where they will lie: bytes found anywhere else do not hold. */
export function sealBytes(body: Uint8Array, place = 0): Uint8Array {
  const sealed = new Uint8Array(body.length + SEAL_BYTES);
  sealed.set(body, SEAL_BYTES);
  new DataView(sealed.buffer).setUint32(0, checksum(sealed, SEAL_BYTES, place));
  return sealed;
}

/** The bytes behind the checksum, which must hold. */
export function openBytes(sealed: Uint8Array, place = 0): Uint8Array {
  if (sealed.length < SEAL_BYTES) throw new DamagedSegment('ends too early');
  const expected = new DataView(sealed.buffer, sealed.byteOffset, SEAL_BYTES).getUint32(0);
  if (checksum(sealed, SEAL_BYTES, place) !== expected) throw new DamagedSegment('checksum does not hold');
  return sealed.subarray(SEAL_BYTES);
}

const PRIME = 0x01000193;

/**
 * FNV-1a by words of four bytes, seeded with the length and the place. Every step can be taken back, so that one flipped bit always
 * leaves another sum.
 */
function checksum(bytes: Uint8Array, from: number, place: number): number {
  let hash = mix(mix(mix(0x811c9dc5, bytes.length - from), place | 0), Math.floor(place / 4294967296));
  const words = (bytes.length - from) >> 2;
  const end = from + words * 4;
  if ((bytes.byteOffset + from) % 4 === 0) {
    const whole = new Int32Array(bytes.buffer, bytes.byteOffset + from, words);
    for (let at = 0; at < words; at++) {
      hash = Math.imul(hash ^ (whole[at] ?? 0), PRIME);
      hash ^= hash >>> 15;
    }
  } else {
    for (let at = from; at < end; at += 4) {
      const word = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24);
      hash = mix(hash, word);
    }
  }
  for (let at = end; at < bytes.length; at++) hash = mix(hash, bytes[at] ?? 0);
  return hash >>> 0;
}

function mix(hash: number, word: number): number {
  const next = Math.imul(hash ^ word, PRIME);
  return next ^ (next >>> 15);
}
