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
import { hashed, LONGEST_RUN, RunCosts } from './run-costs.js';
import { TAKES_SPACE, TOKENS_MASK, type TokenTables, tokenTables } from './token-tables.js';
import { unitAt, unitsOf } from './units.js';

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

const NO_UNITS = new Uint16Array(1);

let scanner: Scanner | undefined;

/** Upper bound of the tokens of `text`. */
export function tokenBound(text: string): number {
  scanner ??= new Scanner(tokenTables());
  return scanner.bound(text);
}

class Scanner {
  readonly #tables: TokenTables;
  readonly #piece: PieceBound;
  readonly #runs = new RunCosts();
  #units: Uint16Array = NO_UNITS;
  #length = 0;
  #charge = 0;
  #at = 0;
  /** The hump before was a known word. */
  #knewLast = false;

  constructor(tables: TokenTables) {
    this.#tables = tables;
    this.#piece = new PieceBound(tables);
  }

  bound(text: string): number {
    const units = unitsOf(text);
    const { length } = text;
    this.#units = units;
    this.#length = length;
    this.#charge = 0;
    this.#at = 0;
    while (this.#at < length) {
      const unit = unitAt(units, this.#at);
      const kind = unit < 128 ? KINDS[unit] : 0;
      if (kind === LETTER) this.#begin();
      else if (kind === BLANK) this.#blanks();
      else if (kind === SIGN) this.#signs(false);
      else if (kind === DIGIT) this.#digits();
      else this.#outside(unit);
    }
    this.#units = NO_UNITS;
    return this.#charge;
  }

  /** Letters that begin a piece. */
  #begin(): void {
    const previous = this.#at > 0 ? unitAt(this.#units, this.#at - 1) : FEED;
    if (previous > 127) this.#letters(AFTER_EITHER);
    else if (previous === APOSTROPHE) this.#letters(AFTER_NOTHING);
    else this.#run(this.#at, this.#at, AFTER_NOTHING);
  }

  /**
   * A piece of letters, with the blank or sign before them, if any. What it costs hangs on its characters alone, unless something
   * after it may be a part of it.
   */
  #run(start: number, letters: number, before: Before): void {
    const units = this.#units;
    let hash = start === letters ? 0 : hashed(0, unitAt(units, start));
    let end = letters;
    let unit = unitAt(units, end);
    for (; isLetter(unit); unit = unitAt(units, end)) {
      hash = hashed(hash, unit);
      end += 1;
    }
    const depends = unit === APOSTROPHE || isOther(unit) || end - start > LONGEST_RUN;
    const known = depends ? -1 : this.#runs.get(units, start, end, hash);
    if (known >= 0) {
      this.#charge += known;
      this.#at = end;
      return;
    }
    const charged = this.#charge;
    if (start < letters) this.#piece.feed(unitAt(units, start));
    this.#at = letters;
    this.#letters(before);
    if (!depends) this.#runs.keep(units, start, end, hash, this.#charge - charged);
  }

  /** The letters from here on; what stands before them in their piece is fed already. */
  #letters(before: Before): void {
    const units = this.#units;
    const rough = this.#isRough(this.#at, before);
    let context: Before = before;
    let at = this.#at;
    do {
      at = this.#hump(at, context, rough);
      context = AFTER_NOTHING;
    } while (isLetter(unitAt(units, at)));
    this.#at = at;
    this.#contraction();
    this.#charge += this.#piece.end();
  }

  /** Capitals, then small letters; answers where the next hump begins. */
  #hump(start: number, before: Before, rough: boolean): number {
    const units = this.#units;
    const { children, wordClass } = this.#tables;
    const first = unitAt(units, start);
    const capital = isUpper(first);
    let at = start + 1;
    while (capital && isUpper(unitAt(units, at))) at += 1;
    let node = rough || at - start > 1 ? 0 : (children[(first | 32) - 97] ?? 0);
    for (let unit = unitAt(units, at); isLower(unit); unit = unitAt(units, at)) {
      if (node > 0) node = children[node * 26 + unit - 97] ?? 0;
      at += 1;
    }
    const known = node === 0 || isOther(unitAt(units, at)) ? 0 : (wordClass[node] ?? 0);
    const isKnown = known > 0;
    // A tokenizer that does not cut between two humps may join what lies on both sides, and break a word by it.
    const seam = (unitAt(units, start - 1) << 7) | first;
    if (start > this.#at && (isKnown || this.#knewLast) && this.#tables.joints[seam] === 1) this.#charge += TORN_JOINT;
    this.#knewLast = isKnown;
    if (isKnown) this.#word(known, before, capital);
    else this.#feed(start, at);
    return at;
  }

  /** Where nothing measured holds: beside other scripts, after a control character, after an apostrophe that may take letters. */
  #isRough(start: number, before: Before): boolean {
    if (start === 0) return false;
    const previous = unitAt(this.#units, start - 1);
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
    const units = this.#units;
    const piece = this.#piece;
    if (start > this.#at) piece.seam();
    const cut = unitAt(units, start - 1) === APOSTROPHE ? start + contractionLength(units, start) : -1;
    for (let at = start; at < end; at += 1) {
      if (at === cut) piece.seam();
      piece.feed(unitAt(units, at));
    }
  }

  /** `'s` and the like right after a word. */
  #contraction(): void {
    const units = this.#units;
    const at = this.#at;
    if (unitAt(units, at) !== APOSTROPHE) return;
    const length = contractionLength(units, at + 1);
    if (length === 0) return;
    this.#piece.seam();
    for (let next = at; next <= at + length; next += 1) this.#piece.feed(unitAt(units, next));
    this.#at = at + 1 + length;
    if (isLetter(unitAt(units, this.#at))) {
      this.#piece.seam();
      let end = this.#at;
      while (isLetter(unitAt(units, end))) {
        if (isUpper(unitAt(units, end))) this.#piece.seam();
        this.#piece.feed(unitAt(units, end));
        end += 1;
      }
      this.#at = end;
    }
  }

  #digits(): void {
    const start = this.#at;
    let at = start + 1;
    while (isDigit(unitAt(this.#units, at))) at += 1;
    this.#charge += Math.ceil((at - start) / DIGITS_PER_TOKEN);
    // A number of another script before them may shift the groups.
    if (start > 0 && unitAt(this.#units, start - 1) > 127) this.#charge += 1;
    this.#at = at;
  }

  /** Blanks and line ends; the last blank before a word or a sign belongs to its piece, and before anything else stands alone. */
  #blanks(): void {
    const units = this.#units;
    const start = this.#at;
    let end = start;
    while (KINDS[unitAt(units, end)] === BLANK) end += 1;
    this.#at = end;
    if (end === this.#length || isLineEnd(unitAt(units, end - 1))) {
      this.#rows(start, end);
      return;
    }
    this.#rows(start, end - 1);
    this.#lastBlank(unitAt(units, end - 1), unitAt(units, end));
  }

  #lastBlank(blank: number, next: number): void {
    const kind = next > 127 ? 0 : KINDS[next];
    if (kind === LETTER) this.#run(this.#at - 1, this.#at, blank === SPACE ? AFTER_SPACE : AFTER_SIGN);
    else if (kind === SIGN && blank === SPACE) {
      this.#piece.feed(blank);
      this.#signs(true);
    } else if (blank !== SPACE || next < 128 || (this.#tables.characters[next] ?? 0) < TAKES_SPACE) this.#charge += 1;
  }

  /** Each line end, or row of them, closes what is before it, so that lines add up. */
  #rows(start: number, end: number): void {
    const units = this.#units;
    for (let at = start; at < end; ) {
      at = this.#sign(at, unitAt(units, at), end);
      if (isLineEnd(unitAt(units, at - 1)) && !(at < end && isLineEnd(unitAt(units, at)))) this.#charge += this.#piece.end();
    }
    this.#charge += this.#piece.end();
  }

  /** Signs, with the line ends right after them; a single one before a word belongs to its piece. */
  #signs(afterSpace: boolean): void {
    const units = this.#units;
    const start = this.#at;
    const previous = start > 0 ? unitAt(units, start - 1) : FEED;
    let at = start;
    // Some tokenizers take slashes after a line end for a part of it.
    const slashes = isLineEnd(previous) && !afterSpace;
    if (!afterSpace && previous <= 127 && isLetter(unitAt(units, start + 1)) && !(slashes && unitAt(units, start) === SLASH)) {
      this.#run(start, start + 1, AFTER_SIGN);
      return;
    }
    while (slashes && unitAt(units, at) === SLASH) {
      this.#piece.feed(SLASH);
      this.#piece.seam();
      at += 1;
    }
    for (let unit = unitAt(units, at); KINDS[unit] === SIGN; unit = unitAt(units, at)) at = this.#sign(at, unit, this.#length);
    this.#at = at;
    const next = unitAt(units, at);
    if (at - start === 1 && !afterSpace && isLetter(next)) {
      const either = previous > 127 || (slashes && unitAt(units, start) === SLASH);
      if (either) this.#piece.seam();
      this.#letters(either ? AFTER_EITHER : AFTER_SIGN);
      return;
    }
    for (let unit = next; isLineEnd(unit); unit = unitAt(units, at)) at = this.#sign(at, unit, this.#length);
    this.#at = at;
    this.#charge += this.#piece.end();
  }

  /** One sign or blank, or a row of it; answers where the next begins. */
  #sign(at: number, unit: number, limit: number): number {
    const units = this.#units;
    const most = ROWS[unit] ?? 0;
    let end = at + 1;
    if (most >= ROW) while (end < limit && unitAt(units, end) === unit) end += 1;
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
    const first = unitAt(this.#units, at);
    const second = unitAt(this.#units, at + 1);
    if (isLineEnd(first)) return isLineEnd(second);
    const kind = KINDS[first];
    return (first === SPACE || kind === KINDS[unit] || (kind === SIGN && isLineEnd(unit))) && (KINDS[second] ?? 0) >= BLANK;
  }

  /** A blank or sign before a character may take its first byte, and leave the others one token each. */
  #losesItsFirstByte(): boolean {
    const before = this.#at === 0 ? FEED : unitAt(this.#units, this.#at - 1);
    return before < 128 && !isLineEnd(before);
  }

  /** One character outside ASCII. */
  #outside(unit: number): void {
    const { characters } = this.#tables;
    const torn = this.#losesItsFirstByte();
    if (unit < 0xd800 || unit > 0xdfff) {
      this.#charge += Math.max((characters[unit] ?? 3) & TOKENS_MASK, torn && unit >= 0x800 ? 2 : 1);
      this.#at += 1;
      return;
    }
    const next = this.#at + 1 < this.#length ? unitAt(this.#units, this.#at + 1) : 0;
    const isPair = unit < 0xdc00 && next >= 0xdc00 && next <= 0xdfff;
    this.#charge += isPair ? this.#wide(0x10000 + ((unit - 0xd800) << 10) + next - 0xdc00, torn) : (characters[0xfffd] ?? 3) & TOKENS_MASK;
    this.#at += isPair ? 2 : 1;
  }

  #wide(point: number, torn: boolean): number {
    if (this.#tables.blocks.has(point >> 6)) return torn ? 3 : 2;
    return point >> 12 === 0x1f ? 3 : 4;
  }
}

/** Letters of `s`, `d`, `m`, `t`, `ll`, `ve`, `re` at `at`; 0 for none. */
function contractionLength(units: Uint16Array, at: number): number {
  const first = unitAt(units, at) | 32;
  if (first === 115 || first === 100 || first === 109 || first === 116) return 1;
  const second = unitAt(units, at + 1) | 32;
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
