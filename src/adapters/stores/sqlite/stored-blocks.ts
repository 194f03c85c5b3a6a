/**
 * Stored blocks: a segment's posting blocks as they lie in the file.
 *
 * A small segment's blocks are packed into one value, so that a tiny compartment is one row. A large one's are compressed one by
 * one: half the bytes, for some microseconds when a block is first read.
 * Invariant: what is read back is what was written, or a DamagedSegment.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { ByteReader, ByteWriter, DamagedSegment, openBytes, sealBytes } from '../../../engine/bytes.js';
import type { WrittenSegment } from '../../../engine/segment.js';

const PACKED_DOCUMENTS = 64;
/** Higher levels gain a twentieth and cost half as much again. */
const LEVEL = 1;
/** What most blocks need when unpacked; the default sets aside twice as much, for each of hundreds of blocks. */
const BLOCK_ROOM = 8192;

/** A segment ready to be stored: its blocks in one value, or one by one. */
export interface StorableSegment {
  readonly segment: Omit<WrittenSegment, 'blocks'> & { readonly blocks: number };
  readonly packed?: Uint8Array;
  readonly squeezed: readonly Uint8Array[];
}

export function storable({ blocks, ...rest }: WrittenSegment): StorableSegment {
  const segment = { ...rest, blocks: blocks.length };
  if (rest.documents <= PACKED_DOCUMENTS) return { segment, packed: packBlocks(blocks), squeezed: [] };
  return { segment, squeezed: blocks.map(squeezeBlock) };
}

/** The segment that `storable` was given. */
export function restored({ segment, packed, squeezed }: StorableSegment): WrittenSegment {
  const blocks = packed === undefined ? squeezed.map((block) => sealBytes(unsqueezeBlock(block))) : unpackBlocks(packed);
  return { ...segment, blocks };
}

function squeezeBlock(sealed: Uint8Array): Uint8Array {
  return sealBytes(deflateRawSync(openBytes(sealed), { level: LEVEL }));
}

/** The opened block. */
export function unsqueezeBlock(stored: Uint8Array): Uint8Array {
  const compressed = openBytes(stored);
  try {
    return inflateRawSync(compressed, { chunkSize: BLOCK_ROOM });
  } catch (error) {
    throw new DamagedSegment('a block cannot be unpacked', { cause: error });
  }
}

function packBlocks(blocks: readonly Uint8Array[]): Uint8Array {
  const out = new ByteWriter(1024);
  out.varint(blocks.length);
  for (const block of blocks) out.varint(block.length);
  for (const block of blocks) out.bytes(block);
  return out.finish();
}

export function unpackBlocks(packed: Uint8Array): Uint8Array[] {
  const reader = new ByteReader(packed);
  const lengths: number[] = [];
  const count = reader.varint();
  if (count > packed.length) throw new DamagedSegment('more blocks than bytes');
  for (let at = 0; at < count; at++) lengths.push(reader.varint());
  return lengths.map((length) => reader.bytes(length));
}
