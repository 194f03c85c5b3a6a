/**
 * Stored parts: what belongs to a segment beside its table, as it lies in the file. Posting blocks, then artifact ids and link
 * targets some hundred at a time, so that an answer reads those of its hits alone.
 *
 * Blocks and targets are compressed one by one, but unpacked many at once: to begin unpacking costs more than a block.
 * Invariant: what is read back is what was written, or a DamagedSegment.
 */
import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import { ByteReader, ByteWriter, DamagedSegment } from '../../../engine/bytes.js';
import { ID_BYTES } from '../../../engine/doc-table.js';
import type { WrittenSegment } from '../../../engine/segment.js';

/** Parts of segment s are numbered from s × this: its blocks first. */
export const PARTS_PER_SEGMENT = 2 ** 20;
const IDS_AT = 2 ** 18;
const TARGETS_AT = 2 ** 19;
/** Two parts fill a page of the file. */
const IDS_A_PART = 250;
const TARGETS_A_PART = 256;
/** Higher levels gain a twentieth and cost half as much again. */
const LEVEL = 1;

/** A segment ready to be stored. */
export interface StorableSegment {
  readonly segment: Pick<WrittenSegment, 'pages' | 'documents' | 'firstPage' | 'lastPage' | 'table'> & { readonly blocks: number };
  readonly parts: readonly StoredPart[];
}

export interface StoredPart {
  /** Its number within the segment. */
  readonly at: number;
  readonly body: Uint8Array;
}

export function storable({ blocks, ids, targets, ...rest }: WrittenSegment): StorableSegment {
  const parts = blocks.map((block, at): StoredPart => ({ at, body: squeezed(block) }));
  for (let first = 0; first < ids.length; first += IDS_A_PART * ID_BYTES) {
    parts.push({ at: IDS_AT + first / (IDS_A_PART * ID_BYTES), body: Uint8Array.from(ids.subarray(first, first + IDS_A_PART * ID_BYTES)) });
  }
  for (let first = 0; first < targets.length; first += TARGETS_A_PART) {
    parts.push({ at: TARGETS_AT + first / TARGETS_A_PART, body: squeezed(writeTexts(targets.slice(first, first + TARGETS_A_PART))) });
  }
  return { segment: { ...rest, blocks: blocks.length }, parts };
}

/** The segment that `storable` was given. */
export function restored({ segment: { blocks, ...rest }, parts }: StorableSegment): WrittenSegment {
  const bodies = (from: number, to: number) => parts.flatMap(({ at, body }) => (at >= from && at < to ? [body] : []));
  return {
    ...rest,
    blocks: unsqueezed(bodies(0, blocks)),
    ids: Buffer.concat(bodies(IDS_AT, TARGETS_AT)),
    targets: unsqueezed(bodies(TARGETS_AT, PARTS_PER_SEGMENT)).flatMap(readTexts),
  };
}

/** In which part the id of a document is, and where in it. */
export function placeOfId(document: number): { readonly at: number; readonly offset: number } {
  return { at: IDS_AT + Math.floor(document / IDS_A_PART), offset: (document % IDS_A_PART) * ID_BYTES };
}

/** In which part a target is, counted from 0, and the how many-th of it. */
export function placeOfTarget(target: number): { readonly at: number; readonly offset: number } {
  return { at: TARGETS_AT + Math.floor(target / TARGETS_A_PART), offset: target % TARGETS_A_PART };
}

export function partsOfIds(documents: number): number[] {
  return Array.from({ length: Math.ceil(documents / IDS_A_PART) }, (_, part) => IDS_AT + part);
}

export function partsOfTargets(targets: number): number[] {
  return Array.from({ length: Math.ceil(targets / TARGETS_A_PART) }, (_, part) => TARGETS_AT + part);
}

/** The end of what has been packed so far, of which the packer is told to leave nothing over. */
const FLUSHED = Uint8Array.of(0, 0, 255, 255);
/** An empty last block: the end of everything packed. */
const END = Uint8Array.of(3, 0);

/** Length when unpacked, then the packed bytes without what they all end with. */
function squeezed(bytes: Uint8Array): Uint8Array {
  const packed = deflateRawSync(bytes, { level: LEVEL, finishFlush: constants.Z_SYNC_FLUSH });
  const out = new ByteWriter(packed.length + 4);
  out.varint(bytes.length);
  out.bytes(packed.subarray(0, packed.length - FLUSHED.length));
  return out.finish();
}

/** All of them unpacked in one go. */
export function unsqueezed(parts: readonly Uint8Array[]): Uint8Array[] {
  if (parts.length === 0) return [];
  const lengths: number[] = [];
  const packed: Uint8Array[] = [];
  let total = 0;
  for (const part of parts) {
    const reader = new ByteReader(part);
    const length = reader.varint();
    lengths.push(length);
    total += length;
    packed.push(part.subarray(reader.position), FLUSHED);
  }
  const bytes = unpack(Buffer.concat([...packed, END]), total);
  let end = 0;
  return lengths.map((length) => {
    end += length;
    return bytes.subarray(end - length, end);
  });
}

function unpack(packed: Uint8Array, length: number): Uint8Array {
  let bytes: Uint8Array;
  try {
    const { buffer, byteOffset, byteLength } = inflateRawSync(packed, { chunkSize: Math.max(length + 1, 64) });
    // No Buffer: to take parts of one is slow, and its slices are no copies.
    bytes = new Uint8Array(buffer, byteOffset, byteLength);
  } catch (error) {
    throw new DamagedSegment('a block cannot be unpacked', { cause: error });
  }
  if (bytes.length !== length) throw new DamagedSegment('a block has another length');
  return bytes;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function writeTexts(texts: readonly string[]): Uint8Array {
  const out = new ByteWriter(1024);
  out.varint(texts.length);
  for (const text of texts) {
    const bytes = encoder.encode(text);
    out.varint(bytes.length);
    out.bytes(bytes);
  }
  return out.finish();
}

export function readTexts(bytes: Uint8Array): string[] {
  const reader = new ByteReader(bytes);
  const texts: string[] = [];
  const count = reader.varint();
  for (let at = 0; at < count; at++) texts.push(decoder.decode(reader.bytes(reader.varint())));
  return texts;
}
