/**
 * A text as numbers: to read one unit after the other from a row of numbers costs a third of asking a string for each.
 *
 * Invariant: what is returned holds until the next call.
 */

/** Longer texts are rare, and get a row that is not kept. */
const KEPT_UNITS = 65_536;
/** Stands behind the last unit: neither letter, digit, blank nor sign to anyone who asks. */
const AFTER_END = 0x2010;
const LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

interface Row {
  readonly units: Uint16Array;
  readonly bytes: Buffer;
}

let kept: Row | undefined;

/** The units of the text, and one more behind them that is none of it. */
export function unitsOf(text: string): Uint16Array {
  const { length } = text;
  if (length <= KEPT_UNITS) kept ??= rowOf(KEPT_UNITS);
  const { units, bytes } = length <= KEPT_UNITS && kept !== undefined ? kept : rowOf(length);
  bytes.write(text, 0, 'utf16le');
  if (!LITTLE_ENDIAN) bytes.subarray(0, length * 2).swap16();
  units[length] = AFTER_END;
  return units;
}

function rowOf(length: number): Row {
  const units = new Uint16Array(length + 1);
  return { units, bytes: Buffer.from(units.buffer) };
}

export function unitAt(units: Uint16Array, at: number): number {
  return units[at] ?? AFTER_END;
}
