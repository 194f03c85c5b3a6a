/**
 * Classes of code units, as one table look-up: what may be in a word, what may join words into an identifier, and which scripts
 * are written without spaces.
 */
export const BREAK = 0;
export const WORD = 1;
/** Punctuation that can stand inside an identifier. */
export const JOINER = 2;
/** Han, kana, Hangul, Thai, Lao, Myanmar, Khmer. */
export const UNSPACED = 3;

const UNSPACED_RANGES: readonly (readonly [number, number])[] = [
  [0x0e01, 0x0eff],
  [0x1000, 0x109f],
  [0x1100, 0x11ff],
  [0x1780, 0x17d3],
  [0x3005, 0x3007],
  [0x3041, 0x3096],
  [0x3099, 0x309f],
  [0x30a1, 0x30fa],
  [0x30fc, 0x30ff],
  [0x3105, 0x318e],
  [0x31f0, 0x31ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa960, 0xa97f],
  [0xac00, 0xd7ff],
  [0xf900, 0xfaff],
];
const JOINERS = "'_-.:/\\@#+$&";
const LETTER_OR_NUMBER = /[\p{L}\p{M}\p{N}]/u;

/** Not worked out yet: most texts touch few of the blocks, and a process that answers one question should not pay for all. */
const UNKNOWN = 255;
const BLOCK = 256;
const TABLE = new Uint8Array(0x10000).fill(UNKNOWN);

/** Works out the block that holds the unit, and returns the unit's class. */
function learnBlock(unit: number): number {
  const start = unit - (unit % BLOCK);
  for (let at = start; at < start + BLOCK; at += 1) TABLE[at] = slowClassOf(at);
  return TABLE[unit] ?? BREAK;
}

function slowClassOf(unit: number): number {
  if (unit >= 0xd800 && unit < 0xf900) return BREAK;
  const character = String.fromCharCode(unit);
  if (JOINERS.includes(character)) return JOINER;
  if (UNSPACED_RANGES.some(([first, last]) => unit >= first && unit <= last)) return UNSPACED;
  return LETTER_OR_NUMBER.test(character) ? WORD : BREAK;
}

/** Class of one UTF-16 unit below the surrogates or above them; surrogates are told apart by `classAt`. */
export function classOfUnit(unit: number): number {
  const known = TABLE[unit] ?? BREAK;
  return known === UNKNOWN ? learnBlock(unit) : known;
}

/** Class of the code point at an index; a lone surrogate breaks. */
export function classAt(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  if (unit < 0xd800 || unit > 0xdfff) return classOfUnit(unit);
  const point = text.codePointAt(index) ?? 0;
  if (point < 0x10000) return BREAK;
  if (point >= 0x20000 && point <= 0x3ffff) return UNSPACED;
  return LETTER_OR_NUMBER.test(String.fromCodePoint(point)) ? WORD : BREAK;
}

export function isDigit(unit: number): boolean {
  return unit >= 48 && unit <= 57;
}

export function isUpper(unit: number): boolean {
  return unit >= 65 && unit <= 90;
}

export function isLower(unit: number): boolean {
  return unit >= 97 && unit <= 122;
}
