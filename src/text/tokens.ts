/**
 * How many tokens a text costs at most, told from its characters alone.
 *
 * The rates were measured against o200k and cl100k: a word costs what the average distinct word of its length costs (frequent
 * ones, which prose is made of, cost less), and more for each pair of letters that English hardly uses, so that random letters
 * are charged as such. `tokens.test.ts` holds the bound against the real tokenizers.
 *
 * Invariant: never below the true count for a text of a sentence or more.
 * Invariant: charges are summed over runs that never cross a line, so a text costs at most what its lines cost one by one.
 */
import { isDigit, isLower, isUpper } from './characters.js';
import { isStopWord } from './stop-words.js';

/** For each first letter, a to z, the letters that often follow it. */
const FREQUENT_PAIRS =
  'bcdfgiklmnprstuvy aeilorsu acehiklorstuy adeilorsu abcdefgilmnopqrstuvwxy aefiloru aehilnorsu aeiorty abcdefglmnoprstvz  eis adeilostuy abeimopsu acdefgiknostuv abcdfgiklmnoprstuvwx aehiloprstu u acdegikmnoprstuvy acehiklmopstuy acehilmorstuy abcdegilmnprst aeio aeio ipt mnps ae'.split(
    ' ',
  );
/** Charge of a word by its length, in tokens. */
const WORD = [0, 1, 1.05, 1.15, 1.2, 1.25, 1.35, 1.45, 1.55, 1.7, 1.9, 2.1, 2.35, 2.65, 3.1, 3.4, 4.1];
const PER_FURTHER_LETTER = 0.45;
/** Distinct words of a text are rarer than the average one; stop words, charged apart, pay this back in English prose. */
const WORD_MARGIN = 1.05;
const RARE_PAIR = 0.75;
const MERGING_SIGN = 0.85;
const MERGING_LINE_END = 0.6;
const CAPITALS = { base: 0.85, perLetter: 0.35, random: 0.66, randomFrom: 8 };
const DIGITS_PER_TOKEN = 3;
/** Tokens of a character outside ASCII, by the last code point of its range. */
const OUTSIDE_ASCII: readonly (readonly [number, number])[] = [
  [0x024f, 1.7], // Latin with accents
  [0x052f, 1.1], // Greek, Cyrillic
  [0x06ff, 1.25], // Armenian, Hebrew, Arabic
  [0x08ff, 2],
  [0x097f, 1.6], // Devanagari
  [0x0dff, 2.5], // other Indic scripts
  [0x0e7f, 1.5], // Thai
  [0x1fff, 3],
  [0x2027, 1], // dashes and quotes
  [0x2fff, 3], // symbols, box drawing
  [0x303f, 1.5], // CJK punctuation
  [0x30ff, 1.4], // kana
  [0x33ff, 3],
  [0x9fff, 1.75], // Han
  [0xabff, 3],
  [0xd7ff, 1.75], // Hangul
  [0xffff, 3],
  [0x10ffff, 3], // emoji
];

const PAIRS = buildPairs();

/** Upper bound of the tokens of `text`. */
export function tokenBound(text: string): number {
  let charge = 0;
  let at = 0;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    const end = runEnd(text, at, unit);
    if (isLetter(unit)) charge += wordCharge(text, at, end);
    else if (isDigit(unit)) charge += Math.ceil((end - at) / DIGITS_PER_TOKEN);
    else if (unit <= 32) charge += spaceCharge(text, at, end);
    else if (unit < 128) charge += punctuationCharge(text, at, end);
    else charge += outsideCharge(text.codePointAt(at) ?? unit);
    at = end;
  }
  return Math.ceil(charge);
}

/** A run: one hump of letters, digits, white space up to and including a line end, punctuation, or one other character. */
function runEnd(text: string, start: number, first: number): number {
  let at = start + 1;
  if (isLetter(first)) return humpEnd(text, start);
  if (isDigit(first)) {
    while (isDigit(text.charCodeAt(at))) at += 1;
  } else if (first <= 32) {
    if (first === 10) return at;
    while (text.charCodeAt(at) <= 32 && text.charCodeAt(at) !== 10) at += 1;
  } else if (first < 128) {
    while (isPunctuation(text.charCodeAt(at))) at += 1;
  } else if (first >= 0xd800 && first <= 0xdbff) {
    const low = text.charCodeAt(at);
    if (low >= 0xdc00 && low <= 0xdfff) at += 1;
  }
  return at;
}

/** `parseXML` is two humps; a capital before lower-case letters belongs to them. */
function humpEnd(text: string, start: number): number {
  let at = start + 1;
  if (isUpper(text.charCodeAt(start)) && isUpper(text.charCodeAt(at))) {
    while (isUpper(text.charCodeAt(at))) at += 1;
    return isLower(text.charCodeAt(at)) ? at - 1 : at;
  }
  while (isLower(text.charCodeAt(at))) at += 1;
  return at;
}

function wordCharge(text: string, start: number, end: number): number {
  const length = end - start;
  if (length === 1) return 1;
  if (isUpper(text.charCodeAt(start + 1))) return capitalsCharge(length);
  if (length <= 8 && isStopWord(text.slice(start, end).toLowerCase())) return 1;
  let charge = (WORD[length] ?? 4.1 + PER_FURTHER_LETTER * (length - 16)) * WORD_MARGIN;
  let previous = letterIndex(text.charCodeAt(start));
  for (let at = start + 1; at < end; at += 1) {
    const letter = letterIndex(text.charCodeAt(at));
    if (PAIRS[previous * 26 + letter] === 0) charge += RARE_PAIR;
    previous = letter;
  }
  return Math.min(length, charge);
}

/** A row of capitals that is longer than words get is taken for random letters. */
function capitalsCharge(length: number): number {
  const further = Math.max(0, length - CAPITALS.randomFrom);
  return Math.min(length, CAPITALS.base + CAPITALS.perLetter * (length - further) + CAPITALS.random * further);
}

/** A space before a word or a sign is part of its token. */
function spaceCharge(text: string, start: number, end: number): number {
  const length = end - start;
  const next = text.charCodeAt(end);
  if (text.charCodeAt(start) === 10) return start > 0 && isMerging(text.charCodeAt(start - 1)) ? MERGING_LINE_END : 1;
  if (length === 1 && text.charCodeAt(start) === 32 && next > 32 && !isDigit(next)) return 0;
  return 1 + Math.floor(length / 16);
}

/** Signs in a row merge often, and so does a sign with the word it touches; a long row of one sign is a few tokens. */
function punctuationCharge(text: string, start: number, end: number): number {
  const merges = end - start > 1 || (isLetter(text.charCodeAt(end)) && !isDigit(text.charCodeAt(start - 1)));
  const each = merges ? MERGING_SIGN : 1;
  let charge = 0;
  let at = start;
  while (at < end) {
    const unit = text.charCodeAt(at);
    let next = at + 1;
    while (next < end && text.charCodeAt(next) === unit) next += 1;
    charge += next - at > 3 ? 1 + (next - at) / 8 : each * (next - at);
    at = next;
  }
  return charge;
}

function outsideCharge(point: number): number {
  for (const [last, charge] of OUTSIDE_ASCII) if (point <= last) return charge;
  return 3;
}

function buildPairs(): Uint8Array {
  const pairs = new Uint8Array(26 * 26);
  FREQUENT_PAIRS.forEach((seconds, first) => {
    for (let at = 0; at < seconds.length; at += 1) pairs[first * 26 + letterIndex(seconds.charCodeAt(at))] = 1;
  });
  return pairs;
}

function letterIndex(unit: number): number {
  return (unit | 32) - 97;
}

function isLetter(unit: number): boolean {
  return isLower(unit) || isUpper(unit);
}

/** A line end merges with a sign or a line end before it. */
function isMerging(unit: number): boolean {
  return unit === 10 || isPunctuation(unit);
}

function isPunctuation(unit: number): boolean {
  return unit > 32 && unit < 128 && !isLetter(unit) && !isDigit(unit);
}
