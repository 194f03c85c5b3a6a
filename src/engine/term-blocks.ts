/**
 * Term blocks: the dictionary of a segment cut into blocks of sorted keys, each with its keys' postings behind it.
 *
 * A reader keeps only the first key of every block and reads one block per word. Keys are front-coded.
 * Invariant: keys ascend by UTF-16 code unit, over all blocks of a segment, without repeats.
 */
import { ByteReader, ByteWriter, DamagedSegment } from './bytes.js';
import type { Directory } from './doc-table.js';
import { keyText } from './term-keys.js';

/** A block is closed when its postings and terms reach this. */
const BLOCK_BYTES = 4096;

export interface TermBlock {
  readonly firstKey: Uint8Array;
  readonly body: Uint8Array;
}

/** Takes ascending keys with their written postings and hands out finished blocks. */
export class BlockWriter {
  readonly #emit: (block: TermBlock) => void;
  readonly #terms = new ByteWriter(BLOCK_BYTES);
  readonly #postings = new ByteWriter(BLOCK_BYTES);
  /** The key before, and how much of it counts. */
  #previous: Uint8Array = new Uint8Array(64);
  #previousLength = 0;
  #first: Uint8Array = new Uint8Array(0);
  #count = 0;

  constructor(emit: (block: TermBlock) => void) {
    this.#emit = emit;
  }

  /** Keeps neither of them. */
  add(key: Uint8Array, postings: Uint8Array): void {
    if (this.#count === 0) this.#first = Uint8Array.from(key);
    const shared = this.#count === 0 ? 0 : sharedPrefix(this.#previous, this.#previousLength, key);
    this.#terms.varint(shared);
    this.#terms.varint(key.length - shared);
    this.#terms.bytes(key.subarray(shared));
    this.#terms.varint(postings.length);
    this.#postings.bytes(postings);
    if (this.#previous.length < key.length) this.#previous = new Uint8Array(key.length * 2);
    this.#previous.set(key);
    this.#previousLength = key.length;
    this.#count += 1;
    if (this.#terms.length + this.#postings.length >= BLOCK_BYTES) this.finish();
  }

  finish(): void {
    if (this.#count === 0) return;
    const out = new ByteWriter(this.#terms.length + this.#postings.length + 16);
    out.varint(this.#count);
    out.varint(this.#terms.length);
    out.bytes(this.#terms.view());
    out.bytes(this.#postings.view());
    this.#emit({ firstKey: this.#first, body: out.finish() });
    this.#terms.clear();
    this.#postings.clear();
    this.#count = 0;
  }
}

function sharedPrefix(a: Uint8Array, length: number, b: Uint8Array): number {
  const most = Math.min(length, b.length);
  let at = 0;
  while (at < most && a[at] === b[at]) at++;
  return at;
}

/** Which block may hold the key, by the blocks' first keys; -1 when none can. */
export function blockOf({ offsets, bytes }: Directory, key: Uint8Array): number {
  let low = 0;
  let high = offsets.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareAt(bytes, offsets[middle] ?? 0, offsets[middle + 1] ?? 0, key) <= 0) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function compareAt(bytes: Uint8Array, from: number, to: number, key: Uint8Array): number {
  const most = Math.min(to - from, key.length);
  for (let at = 0; at < most; at++) {
    const difference = (bytes[from + at] ?? 0) - (key[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return to - from - key.length;
}

/** The written postings of the key in this opened block, or undefined. */
export function findKey(body: Uint8Array, wanted: Uint8Array): Uint8Array | undefined {
  const reader = new ByteReader(body);
  const count = reader.varint();
  const termBytes = reader.varint();
  let offset = reader.position + termBytes;
  // How many leading bytes of the wanted key the current key agrees with.
  let agreed = 0;
  for (let at = 0; at < count; at++) {
    const shared = reader.varint();
    const suffix = reader.varint();
    const start = reader.take(suffix);
    const length = reader.varint();
    // It parts from the wanted key earlier than the one before it did: keys ascend, so all that follow lie behind.
    if (shared < agreed) return undefined;
    if (shared === agreed) {
      while (agreed < wanted.length && agreed - shared < suffix && body[start + agreed - shared] === wanted[agreed]) agreed++;
      if (agreed === wanted.length && shared + suffix === wanted.length) return slice(body, offset, length);
    }
    offset += length;
  }
  return undefined;
}

/** Every key of an opened block with its written postings, ascending. */
export function* keysOf(body: Uint8Array): Generator<{ readonly key: string; readonly postings: Uint8Array }> {
  const reader = new ByteReader(body);
  const count = reader.varint();
  const termBytes = reader.varint();
  let offset = reader.position + termBytes;
  let current = new Uint8Array(0);
  for (let at = 0; at < count; at++) {
    const shared = reader.varint();
    const suffix = reader.bytes(reader.varint());
    const next = new Uint8Array(shared + suffix.length);
    next.set(current.subarray(0, shared));
    next.set(suffix, shared);
    const length = reader.varint();
    yield { key: keyText(next), postings: slice(body, offset, length) };
    current = next;
    offset += length;
  }
}

const NO_BYTES = new Uint8Array(0);
/** Bytes of a key that make its rank: what a number holds exactly. */
const RANKED = 6;

/** Steps over all keys of a segment's opened blocks in order, and makes nothing of them: what it stands at is overwritten by the next. */
export class KeyCursor {
  readonly #blocks: Iterator<Uint8Array>;
  #reader = new ByteReader(NO_BYTES);
  #left = 0;
  #key = new Uint8Array(64);
  #length = 0;
  /** The first bytes of the key as a number: of two keys with other ranks, the lower one comes first. */
  #rank = -1;
  body: Uint8Array = NO_BYTES;
  /** Where in `body` the key's written postings are. */
  start = 0;
  end = 0;
  isDone = false;

  constructor(blocks: Iterable<Uint8Array>) {
    this.#blocks = blocks[Symbol.iterator]();
    this.next();
  }

  get key(): Uint8Array {
    return this.#key.subarray(0, this.#length);
  }

  next(): void {
    while (this.#left === 0) {
      const { done, value } = this.#blocks.next();
      if (done === true) {
        this.isDone = true;
        return;
      }
      this.#open(value);
    }
    this.#left -= 1;
    const shared = this.#reader.varint();
    const suffix = this.#reader.varint();
    const from = this.#reader.take(suffix);
    const postings = this.#reader.varint();
    this.#take(shared, from, suffix);
    this.start = this.end;
    this.end += postings;
    if (this.end > this.body.length) throw new DamagedSegment('postings end too early');
  }

  /** Below 0 when this key comes first, 0 when they are the same. */
  compare(other: KeyCursor): number {
    if (this.#rank !== other.#rank) return this.#rank - other.#rank;
    const most = Math.min(this.#length, other.#length);
    for (let at = RANKED; at < most; at++) {
      const difference = (this.#key[at] ?? 0) - (other.#key[at] ?? 0);
      if (difference !== 0) return difference;
    }
    return this.#length - other.#length;
  }

  #open(body: Uint8Array): void {
    this.body = body;
    this.#reader = new ByteReader(body);
    this.#left = this.#reader.varint();
    const termBytes = this.#reader.varint();
    this.end = this.#reader.position + termBytes;
    this.#length = 0;
  }

  #take(shared: number, from: number, suffix: number): void {
    if (shared > this.#length) throw new DamagedSegment('a key shares more than there is');
    const length = shared + suffix;
    if (length > this.#key.length) {
      const grown = new Uint8Array(length * 2);
      grown.set(this.#key.subarray(0, shared));
      this.#key = grown;
    }
    for (let at = 0; at < suffix; at++) this.#key[shared + at] = this.body[from + at] ?? 0;
    this.#length = length;
    if (shared >= RANKED) return;
    let rank = 0;
    for (let at = 0; at < RANKED; at++) rank = rank * 256 + (at < length ? (this.#key[at] ?? 0) : 0);
    this.#rank = rank;
  }
}

function slice(body: Uint8Array, offset: number, length: number): Uint8Array {
  if (offset + length > body.length) throw new DamagedSegment('postings end too early');
  return body.subarray(offset, offset + length);
}
