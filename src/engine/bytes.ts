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
