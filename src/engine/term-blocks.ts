/**
 * Term blocks: the dictionary of a segment cut into blocks of sorted terms, each with its terms' postings behind it.
 *
 * A reader keeps only the first term of every block and reads one block per term. Terms are front-coded; a block is sealed with
 * a checksum. Invariant: terms ascend by UTF-16 code unit, over all blocks of a segment, without repeats.
 */
import { ByteReader, ByteWriter, DamagedSegment, sealBytes } from './bytes.js';

/** A block is closed when its postings and terms reach this. */
const BLOCK_BYTES = 4096;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export interface TermBlock {
  readonly firstTerm: string;
  readonly body: Uint8Array;
}

/** Takes ascending terms with their written postings and hands out finished blocks. */
export class BlockWriter {
  readonly #emit: (block: TermBlock) => void;
  readonly #terms = new ByteWriter(BLOCK_BYTES);
  readonly #postings = new ByteWriter(BLOCK_BYTES);
  #previous: Uint8Array = new Uint8Array(0);
  #first = '';
  #count = 0;

  constructor(emit: (block: TermBlock) => void) {
    this.#emit = emit;
  }

  add(term: string, postings: Uint8Array): void {
    const bytes = utf8(term);
    if (this.#count === 0) this.#first = term;
    const shared = this.#count === 0 ? 0 : sharedPrefix(this.#previous, bytes);
    this.#terms.varint(shared);
    this.#terms.varint(bytes.length - shared);
    this.#terms.bytes(bytes.subarray(shared));
    this.#terms.varint(postings.length);
    this.#postings.bytes(postings);
    this.#previous = bytes;
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
    this.#emit({ firstTerm: this.#first, body: sealBytes(out.view()) });
    this.#terms.clear();
    this.#postings.clear();
    this.#count = 0;
  }
}

/** UTF-8 of a term. Most are plain ASCII, for which calling out to the encoder costs more than the work. */
function utf8(term: string): Uint8Array {
  const bytes = new Uint8Array(term.length);
  for (let at = 0; at < term.length; at++) {
    const unit = term.charCodeAt(at);
    if (unit >= 128) return encoder.encode(term);
    bytes[at] = unit;
  }
  return bytes;
}

function sharedPrefix(a: Uint8Array, b: Uint8Array): number {
  const most = Math.min(a.length, b.length);
  let at = 0;
  while (at < most && a[at] === b[at]) at++;
  return at;
}

/** Which block may hold the term, by the blocks' first terms; -1 when none can. */
export function blockOf(firstTerms: readonly string[], term: string): number {
  let low = 0;
  let high = firstTerms.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((firstTerms[middle] ?? '') <= term) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The written postings of the term in this opened block, or undefined. */
export function findTerm(body: Uint8Array, term: string): Uint8Array | undefined {
  const wanted = utf8(term);
  const reader = new ByteReader(body);
  const count = reader.varint();
  const termBytes = reader.varint();
  let offset = reader.position + termBytes;
  // How many leading bytes of the wanted term the current term agrees with.
  let agreed = 0;
  for (let at = 0; at < count; at++) {
    const shared = reader.varint();
    const suffix = reader.varint();
    const start = reader.take(suffix);
    const length = reader.varint();
    // It parts from the wanted term earlier than the one before it did: terms ascend, so all that follow lie behind.
    if (shared < agreed) return undefined;
    if (shared === agreed) {
      while (agreed < wanted.length && agreed - shared < suffix && body[start + agreed - shared] === wanted[agreed]) agreed++;
      if (agreed === wanted.length && shared + suffix === wanted.length) return slice(body, offset, length);
    }
    offset += length;
  }
  return undefined;
}

/** Every term of an opened block with its written postings, ascending. */
export function* termsOf(body: Uint8Array): Generator<{ readonly term: string; readonly postings: Uint8Array }> {
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
    yield { term: decoder.decode(next), postings: slice(body, offset, length) };
    current = next;
    offset += length;
  }
}

function slice(body: Uint8Array, offset: number, length: number): Uint8Array {
  if (offset + length > body.length) throw new DamagedSegment('postings end too early');
  return body.subarray(offset, offset + length);
}
