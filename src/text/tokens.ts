/**
 * How many tokens a text costs at most, for tokenizers that hold the common part of o200k and cl100k.
 *
 * The text is cut where those tokenizers cut it. A frequent word costs what was measured for it in its surroundings; any other piece
 * of ASCII costs the most that byte pair encoding can leave of it (`piece-bound.ts`); other characters cost their bytes, less what
 * is known to merge.
 *
 * Invariant: never below the true count of either tokenizer, for any text (PIT-16).
 * Invariant: a text costs at most what its lines cost one by one.
 */
import { isDigit, isLower, isUpper } from './characters.js';
import { PieceBound } from './piece-bound.js';
import { TAKES_SPACE, TOKENS_MASK, type TokenTables, tokenTables } from './token-tables.js';

/** What stands right before a word, in the same piece. `either`: a sign that one tokenizer takes for the end of a piece. */
const AFTER_SPACE = 0;
const AFTER_NOTHING = 1;
const AFTER_SIGN = 2;
const AFTER_EITHER = 3;
type Before = 0 | 1 | 2 | 3;

const SPACE = 32;
const FEED = 10;
const RETURN = 13;
const APOSTROPHE = 39;
const SLASH = 47;
const DIGITS_PER_TOKEN = 3;
/** A row of this many equal signs or blanks is charged as one. */
const ROW = 4;
/** Up to how many of a sign or blank in a row are one token, for those that reach a row. */
const ROW_TOKENS: Readonly<Record<string, number>> = {
  ' ': 79,
  '\t': 20,
  '\n': 10,
  '-': 16,
  '=': 16,
  '*': 8,
  '#': 6,
  _: 5,
  '.': 9,
  '/': 4,
  '+': 4,
  '<': 4,
  '>': 4,
  '!': 5,
  '?': 4,
  '%': 4,
  ',': 4,
  ';': 4,
  '(': 4,
  ')': 4,
};

/** What a token over the joint of two humps, `xC`, was seen to cost the words it breaks, and no more. */
const TORN_JOINT = 2;

const LETTER = 1;
const DIGIT = 2;
const BLANK = 3;
const SIGN = 4;
const KINDS = buildKinds();
const ROWS = buildRows();

let scanner: Scanner | undefined;

/** Upper bound of the tokens of `text`. */
export function tokenBound(text: string): number {
  scanner ??= new Scanner(tokenTables());
  return scanner.bound(text);
}

class Scanner {
  readonly #tables: TokenTables;
  readonly #piece: PieceBound;
  #text = '';
  #charge = 0;
  #at = 0;
  /** The hump before was a known word. */
  #knewLast = false;

  constructor(tables: TokenTables) {
    this.#tables = tables;
    this.#piece = new PieceBound(tables);
  }

  bound(text: string): number {
    this.#text = text;
    this.#charge = 0;
    this.#at = 0;
    while (this.#at < text.length) {
      const unit = text.charCodeAt(this.#at);
      const kind = unit < 128 ? KINDS[unit] : 0;
      if (kind === LETTER) this.#letters(this.#at > 0 && text.charCodeAt(this.#at - 1) > 127 ? AFTER_EITHER : AFTER_NOTHING);
      else if (kind === BLANK) this.#blanks();
      else if (kind === SIGN) this.#signs(false);
      else if (kind === DIGIT) this.#digits();
      else this.#outside(unit);
    }
    this.#text = '';
    return this.#charge;
  }

  /** The letters from here on; what stands before them in their piece is fed already. */
  #letters(before: Before): void {
    const text = this.#text;
    const rough = this.#isRough(this.#at, before);
    let context: Before = before;
    let at = this.#at;
    do {
      at = this.#hump(at, context, rough);
      context = AFTER_NOTHING;
    } while (isLetter(text.charCodeAt(at)));
    this.#at = at;
    this.#contraction();
    this.#charge += this.#piece.end();
  }

  /** Capitals, then small letters; answers where the next hump begins. */
  #hump(start: number, before: Before, rough: boolean): number {
    const text = this.#text;
    const { children, wordClass } = this.#tables;
    const first = text.charCodeAt(start);
    const capital = isUpper(first);
    let at = start + 1;
    while (capital && isUpper(text.charCodeAt(at))) at += 1;
    let node = rough || at - start > 1 ? 0 : (children[(first | 32) - 97] ?? 0);
    for (let unit = text.charCodeAt(at); isLower(unit); unit = text.charCodeAt(at)) {
      if (node > 0) node = children[node * 26 + unit - 97] ?? 0;
      at += 1;
    }
    const known = node === 0 || isOther(text.charCodeAt(at)) ? 0 : (wordClass[node] ?? 0);
    const isKnown = known > 0;
    // A tokenizer that does not cut between two humps may join what lies on both sides, and break a word by it.
    const seam = (text.charCodeAt(start - 1) << 7) | first;
    if (start > this.#at && (isKnown || this.#knewLast) && this.#tables.joints[seam] === 1) this.#charge += TORN_JOINT;
    this.#knewLast = isKnown;
    if (isKnown) this.#word(known, before, capital);
    else this.#feed(start, at);
    return at;
  }

  /** Where nothing measured holds: beside other scripts, after a control character, after an apostrophe that may take letters. */
  #isRough(start: number, before: Before): boolean {
    if (start === 0) return false;
    const previous = this.#text.charCodeAt(start - 1);
    return isOther(previous) || (before !== AFTER_NOTHING && (previous === APOSTROPHE || (previous < SPACE && previous !== 9)));
  }

  #word(known: number, before: Before, capital: boolean): void {
    const { costs } = this.#tables;
    const base = known * 6 + (capital ? 3 : 0);
    const fed = this.#piece.end();
    const cost =
      before === AFTER_EITHER ? Math.max(costs[base + AFTER_NOTHING] ?? 0, costs[base + AFTER_SIGN] ?? 0) : (costs[base + before] ?? 0);
    this.#charge += cost + (before === AFTER_SPACE ? 0 : fed);
  }

  /** Letters that are no known word; some tokenizers cut before and after a hump, and after `'s`. */
  #feed(start: number, end: number): void {
    const text = this.#text;
    const piece = this.#piece;
    if (start > this.#at) piece.seam();
    const cut = text.charCodeAt(start - 1) === APOSTROPHE ? start + contractionLength(text, start) : -1;
    for (let at = start; at < end; at += 1) {
      if (at === cut) piece.seam();
      piece.feed(text.charCodeAt(at));
    }
  }

  /** `'s` and the like right after a word. */
  #contraction(): void {
    const text = this.#text;
    const at = this.#at;
    if (text.charCodeAt(at) !== APOSTROPHE) return;
    const length = contractionLength(text, at + 1);
    if (length === 0) return;
    this.#piece.seam();
    for (let next = at; next <= at + length; next += 1) this.#piece.feed(text.charCodeAt(next));
    this.#at = at + 1 + length;
    if (isLetter(text.charCodeAt(this.#at))) {
      this.#piece.seam();
      let end = this.#at;
      while (isLetter(text.charCodeAt(end))) {
        if (isUpper(text.charCodeAt(end))) this.#piece.seam();
        this.#piece.feed(text.charCodeAt(end));
        end += 1;
      }
      this.#at = end;
    }
  }

  #digits(): void {
    const start = this.#at;
    let at = start + 1;
    while (isDigit(this.#text.charCodeAt(at))) at += 1;
    this.#charge += Math.ceil((at - start) / DIGITS_PER_TOKEN);
    // A number of another script before them may shift the groups.
    if (start > 0 && this.#text.charCodeAt(start - 1) > 127) this.#charge += 1;
    this.#at = at;
  }

  /** Blanks and line ends; the last blank before a word or a sign belongs to its piece, and before anything else stands alone. */
  #blanks(): void {
    const text = this.#text;
    const start = this.#at;
    let end = start;
    while (KINDS[text.charCodeAt(end)] === BLANK) end += 1;
    this.#at = end;
    if (end === text.length || isLineEnd(text.charCodeAt(end - 1))) {
      this.#rows(start, end);
      return;
    }
    this.#rows(start, end - 1);
    this.#lastBlank(text.charCodeAt(end - 1), text.charCodeAt(end));
  }

  #lastBlank(blank: number, next: number): void {
    const kind = next > 127 ? 0 : KINDS[next];
    if (kind === LETTER) {
      this.#piece.feed(blank);
      this.#letters(blank === SPACE ? AFTER_SPACE : AFTER_SIGN);
    } else if (kind === SIGN && blank === SPACE) {
      this.#piece.feed(blank);
      this.#signs(true);
    } else if (blank !== SPACE || next < 128 || (this.#tables.characters[next] ?? 0) < TAKES_SPACE) this.#charge += 1;
  }

  /** Each line end, or row of them, closes what is before it, so that lines add up. */
  #rows(start: number, end: number): void {
    const text = this.#text;
    for (let at = start; at < end; ) {
      at = this.#sign(at, text.charCodeAt(at), end);
      if (isLineEnd(text.charCodeAt(at - 1)) && !(at < end && isLineEnd(text.charCodeAt(at)))) this.#charge += this.#piece.end();
    }
    this.#charge += this.#piece.end();
  }

  /** Signs, with the line ends right after them; a single one before a word belongs to its piece. */
  #signs(afterSpace: boolean): void {
    const text = this.#text;
    const start = this.#at;
    const previous = start > 0 ? text.charCodeAt(start - 1) : FEED;
    let at = start;
    // Some tokenizers take slashes after a line end for a part of it.
    const slashes = isLineEnd(previous) && !afterSpace;
    while (slashes && text.charCodeAt(at) === SLASH) {
      this.#piece.feed(SLASH);
      this.#piece.seam();
      at += 1;
    }
    for (let unit = text.charCodeAt(at); KINDS[unit] === SIGN; unit = text.charCodeAt(at)) at = this.#sign(at, unit, text.length);
    this.#at = at;
    const next = text.charCodeAt(at);
    if (at - start === 1 && !afterSpace && isLetter(next)) {
      const either = previous > 127 || (slashes && text.charCodeAt(start) === SLASH);
      if (either) this.#piece.seam();
      this.#letters(either ? AFTER_EITHER : AFTER_SIGN);
      return;
    }
    for (let unit = next; isLineEnd(unit); unit = text.charCodeAt(at)) at = this.#sign(at, unit, text.length);
    this.#at = at;
    this.#charge += this.#piece.end();
  }

  /** One sign or blank, or a row of it; answers where the next begins. */
  #sign(at: number, unit: number, limit: number): number {
    const text = this.#text;
    const most = ROWS[unit] ?? 0;
    let end = at + 1;
    if (most >= ROW) while (end < limit && text.charCodeAt(end) === unit) end += 1;
    if (end - at >= ROW) {
      // Of two neighbours within a row, one is longer than half of the longest token. Two signs beside it may be torn by it.
      const torn = (this.#piece.most > 0 && this.#isTorn(at - 2, unit) ? 1 : 0) + (end + 1 < limit && this.#isTorn(end, unit) ? 1 : 0);
      this.#charge += this.#piece.end() + 1 + 2 * Math.floor((end - at) / (most + 1)) + torn;
      return end;
    }
    this.#piece.feed(unit);
    return at + 1;
  }

  /** The two characters at `at`, beside a row of `unit`, may be in its piece. */
  #isTorn(at: number, unit: number): boolean {
    const first = this.#text.charCodeAt(at);
    const second = this.#text.charCodeAt(at + 1);
    if (isLineEnd(first)) return isLineEnd(second);
    const kind = KINDS[first];
    return (first === SPACE || kind === KINDS[unit] || (kind === SIGN && isLineEnd(unit))) && (KINDS[second] ?? 0) >= BLANK;
  }

  /** A blank or sign before a character may take its first byte, and leave the others one token each. */
  #losesItsFirstByte(): boolean {
    const before = this.#at === 0 ? FEED : this.#text.charCodeAt(this.#at - 1);
    return before < 128 && !isLineEnd(before);
  }

  /** One character outside ASCII. */
  #outside(unit: number): void {
    const { characters, blocks } = this.#tables;
    const torn = this.#losesItsFirstByte();
    if (unit < 0xd800 || unit > 0xdfff) {
      this.#charge += Math.max((characters[unit] ?? 3) & TOKENS_MASK, torn && unit >= 0x800 ? 2 : 1);
      this.#at += 1;
      return;
    }
    const point = this.#text.codePointAt(this.#at) ?? 0xfffd;
    this.#at += point > 0xffff ? 2 : 1;
    if (point < 0x10000) this.#charge += (characters[0xfffd] ?? 3) & TOKENS_MASK;
    else this.#charge += blocks.has(point >> 6) ? (torn ? 3 : 2) : point >> 12 === 0x1f ? 3 : 4;
  }
}

/** Letters of `s`, `d`, `m`, `t`, `ll`, `ve`, `re` at `at`; 0 for none. */
function contractionLength(text: string, at: number): number {
  const first = text.charCodeAt(at) | 32;
  if (first === 115 || first === 100 || first === 109 || first === 116) return 1;
  const second = text.charCodeAt(at + 1) | 32;
  if (first === 108 && second === 108) return 2;
  return (first === 118 || first === 114) && second === 101 ? 2 : 0;
}

/** A letter of another script, maybe: neither ASCII nor a dash, quotation mark or the like. */
function isOther(unit: number): boolean {
  return unit > 127 && (unit < 0x2010 || unit > 0x2027);
}

function isLineEnd(unit: number): boolean {
  return unit === FEED || unit === RETURN;
}

function isLetter(unit: number): boolean {
  return isLower(unit) || isUpper(unit);
}

function buildKinds(): Uint8Array {
  const kinds = new Uint8Array(128).fill(SIGN);
  for (let unit = 9; unit <= 13; unit += 1) kinds[unit] = BLANK;
  kinds[SPACE] = BLANK;
  for (let unit = 48; unit <= 57; unit += 1) kinds[unit] = DIGIT;
  for (let unit = 65; unit <= 90; unit += 1) {
    kinds[unit] = LETTER;
    kinds[unit | 32] = LETTER;
  }
  return kinds;
}

function buildRows(): Uint8Array {
  const rows = new Uint8Array(128);
  for (const [sign, most] of Object.entries(ROW_TOKENS)) rows[sign.charCodeAt(0)] = most;
  return rows;
}
