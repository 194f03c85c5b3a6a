/**
 * Decoding: what text is in these bytes, and at which byte does each character stand?
 *
 * A byte-order mark decides; else UTF-8 when it is valid; else UTF-16 when half the bytes are NUL in the way UTF-16 has them; else
 * UTF-8 with replacement characters, counted. Bytes that are no text at all are named as such, never guessed at (ING-20).
 *
 * Invariant: `text` has no byte-order mark and as many line feeds as the file has lines to end.
 * Invariant: byte offsets are those of the file on disk, mark included.
 */
export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

export interface DecodedText {
  readonly kind: 'text';
  readonly text: string;
  readonly encoding: Encoding;
  /** Byte sequences that were not valid and stand as U+FFFD now. */
  readonly replaced: number;
  /** 1-based line of the first of them. */
  readonly firstReplacedLine?: number;
  /** Byte in the file of the character at a UTF-16 offset of `text`; the file's length for the end. */
  byteOffset(offset: number): number;
}

export type Decoded = DecodedText | { readonly kind: 'binary'; readonly nulBytes: number };

/** Stray NUL bytes that a text file may hold before it counts as binary: one in this many bytes. */
const BYTES_PER_STRAY_NUL = 1000;
const REPLACEMENT = '\uFFFD';

export function decode(bytes: Uint8Array): Decoded {
  if (startsWith(bytes, [0xff, 0xfe, 0, 0]) || startsWith(bytes, [0, 0, 0xfe, 0xff])) return binary(bytes);
  if (startsWith(bytes, [0xef, 0xbb, 0xbf])) return decodeUtf8(bytes, 3);
  if (startsWith(bytes, [0xff, 0xfe])) return decodeUtf16(bytes, 'utf-16le', 2);
  if (startsWith(bytes, [0xfe, 0xff])) return decodeUtf16(bytes, 'utf-16be', 2);
  const nuls = countNuls(bytes);
  if (nuls.even + nuls.odd > 0) {
    const unmarked = unmarkedUtf16(bytes, nuls);
    if (unmarked !== undefined) return decodeUtf16(bytes, unmarked, 0);
    if (!strayNulsOnly(bytes, nuls)) return binary(bytes);
  }
  return decodeUtf8(bytes, 0);
}

function startsWith(bytes: Uint8Array, mark: readonly number[]): boolean {
  return bytes.length >= mark.length && mark.every((byte, at) => bytes[at] === byte);
}

function binary(bytes: Uint8Array): Decoded {
  const { even, odd } = countNuls(bytes);
  return { kind: 'binary', nulBytes: even + odd };
}

interface Nuls {
  readonly even: number;
  readonly odd: number;
}

function countNuls(bytes: Uint8Array): Nuls {
  let even = 0;
  let odd = 0;
  for (let at = bytes.indexOf(0); at >= 0; at = bytes.indexOf(0, at + 1)) {
    if (at % 2 === 0) even += 1;
    else odd += 1;
  }
  return { even, odd };
}

/** Western text in UTF-16 has a NUL in nearly every second byte and none in the others. */
function unmarkedUtf16(bytes: Uint8Array, { even, odd }: Nuls): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes.length % 2 !== 0 || bytes.length < 4) return undefined;
  const most = (bytes.length / 2) * 0.7;
  if (even === 0 && odd >= most) return 'utf-16le';
  if (odd === 0 && even >= most) return 'utf-16be';
  return undefined;
}

function strayNulsOnly(bytes: Uint8Array, { even, odd }: Nuls): boolean {
  return (even + odd) * BYTES_PER_STRAY_NUL <= Math.max(bytes.length, BYTES_PER_STRAY_NUL) && isUtf8(bytes);
}

function isUtf8(bytes: Uint8Array): boolean {
  return strictUtf8(bytes) !== undefined;
}

function strictUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined; // how the decoder says "not valid"
    throw error;
  }
}

function decodeUtf8(bytes: Uint8Array, markBytes: number): DecodedText {
  const body = bytes.subarray(markBytes);
  const strict = strictUtf8(body);
  if (strict !== undefined)
    return { kind: 'text', text: strict, encoding: 'utf-8', replaced: 0, byteOffset: utf8Offsets(strict, bytes, markBytes) };
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(body);
  const written = countReplacementsWritten(body);
  const firstAt = firstInvalid(text, body);
  return {
    kind: 'text',
    text,
    encoding: 'utf-8',
    replaced: Math.max(1, text.split(REPLACEMENT).length - 1 - written),
    firstReplacedLine: firstAt,
    byteOffset: utf8Offsets(text, bytes, markBytes),
  };
}

/** How often the author wrote U+FFFD himself (EF BF BD). */
function countReplacementsWritten(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(0xef); at >= 0; at = bytes.indexOf(0xef, at + 1)) {
    if (bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd) count += 1;
  }
  return count;
}

/** 1-based line of the first line whose bytes are not valid. */
function firstInvalid(text: string, bytes: Uint8Array): number {
  let line = 1;
  let start = 0;
  while (start < bytes.length) {
    const feed = bytes.indexOf(0x0a, start);
    const end = feed < 0 ? bytes.length : feed;
    if (!isUtf8(bytes.subarray(start, end))) return line;
    start = end + 1;
    line += 1;
  }
  return Math.max(1, text.slice(0, text.indexOf(REPLACEMENT)).split('\n').length);
}

function decodeUtf16(bytes: Uint8Array, encoding: 'utf-16le' | 'utf-16be', markBytes: number): DecodedText {
  const body = bytes.subarray(markBytes, bytes.length - ((bytes.length - markBytes) % 2));
  const text = new TextDecoder('utf-16le', { ignoreBOM: true }).decode(encoding === 'utf-16le' ? body : swapped(body));
  const cut = (bytes.length - markBytes) % 2;
  return {
    kind: 'text',
    text,
    encoding,
    replaced: cut,
    ...(cut > 0 ? { firstReplacedLine: text.split('\n').length } : {}),
    byteOffset: (offset) => (offset >= text.length ? bytes.length : markBytes + 2 * offset),
  };
}

function swapped(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(bytes.length);
  for (let at = 0; at + 1 < bytes.length; at += 2) {
    out[at] = bytes[at + 1] ?? 0;
    out[at + 1] = bytes[at] ?? 0;
  }
  return out;
}

/**
 * Line starts are found in the bytes, so that what was replaced in one line shifts nothing in the next; within a line the offset is
 * counted from the characters.
 */
function utf8Offsets(text: string, bytes: Uint8Array, markBytes: number): (offset: number) => number {
  if (text.length + markBytes === bytes.length) return (offset) => Math.min(markBytes + offset, bytes.length);
  let lineBytes: number[] | undefined;
  let lineChars: number[] | undefined;
  let last = { char: 0, byte: markBytes, line: -1 };
  return (offset) => {
    if (offset >= text.length) return bytes.length;
    lineBytes ??= lineStarts((from) => bytes.indexOf(0x0a, from), markBytes);
    lineChars ??= lineStarts((from) => text.indexOf('\n', from), 0);
    const line = lastAtOrBefore(lineChars, offset);
    const startsAt = { char: lineChars[line] ?? 0, byte: lineBytes[line] ?? markBytes, line };
    const from = last.line === line && last.char <= offset ? last : startsAt;
    const byte = from.byte + utf8Length(text, from.char, offset);
    last = { char: offset, byte, line };
    return Math.min(byte, lineBytes[line + 1] ?? bytes.length);
  };
}

function lineStarts(next: (from: number) => number, first: number): number[] {
  const starts = [first];
  for (let at = next(first); at >= 0; at = next(at + 1)) starts.push(at + 1);
  return starts;
}

function utf8Length(text: string, from: number, to: number): number {
  let length = 0;
  for (let at = from; at < to; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) length += 1;
    else if (unit < 0x800) length += 2;
    else if (unit >= 0xd800 && unit <= 0xdfff)
      length += 2; // half of a pair that takes four
    else length += 3;
  }
  return length;
}

/** Index of the last element that is not above `value`; 0 when all are. */
export function lastAtOrBefore(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((sorted[middle] ?? 0) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}
