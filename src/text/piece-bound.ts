/**
 * How many tokens a piece of ASCII text can be cut into, told from the short tokens of the vocabularies alone.
 *
 * Byte pair encoding ends only when no two neighbours are one token together. So of all cuts in which no two neighbours are a known
 * pair or triple, the one with most tokens bounds what a tokenizer makes of the piece; it is found letter by letter.
 *
 * Invariant: `most` is never below the count of a tokenizer whose vocabulary holds the pairs and triples.
 */
import { SLOTS, type TokenTables } from './token-tables.js';

const NEVER = -1_000_000;

export class PieceBound {
  /** Most tokens up to here. */
  most = 0;
  readonly #pairs: Uint8Array;
  readonly #triples: Uint8Array;
  readonly #quads: Uint8Array;
  // Most tokens up to here when the last has one, two, three or more characters.
  #one = NEVER;
  #two = NEVER;
  #three = NEVER;
  #more = 0;
  // The same up to the character before, and to the one before that.
  #oneBefore = NEVER;
  #twoBefore = NEVER;
  #otherBefore = NEVER;
  #oneTwoBefore = NEVER;
  #otherTwoBefore = NEVER;
  #mostThreeBefore = NEVER;
  /** The last characters, in seven bits and in slots. */
  #history = 0;
  #slots = 0;

  constructor({ pairs, triples, quads }: Pick<TokenTables, 'pairs' | 'triples' | 'quads'>) {
    this.#pairs = pairs;
    this.#triples = triples;
    this.#quads = quads;
  }

  /** The piece ends here for every tokenizer: its tokens, and on to the next. */
  end(): number {
    const { most } = this;
    if (this.#one !== NEVER) {
      this.most = 0;
      this.#one = NEVER;
      this.#two = NEVER;
      this.#three = NEVER;
      this.#oneBefore = NEVER;
      this.#twoBefore = NEVER;
      this.#otherBefore = NEVER;
      this.#oneTwoBefore = NEVER;
      this.#otherTwoBefore = NEVER;
      this.#mostThreeBefore = NEVER;
    }
    this.#more = 0;
    return most;
  }

  /** Some tokenizers cut here, others do not. */
  seam(): void {
    this.#more = this.most;
  }

  /** The next character, below 128. */
  feed(unit: number): void {
    const history = ((this.#history << 7) | unit) & 0x1fffff;
    const slots = ((this.#slots << 6) | (SLOTS[unit] ?? 0)) & 0xffffff;
    const isPair = this.#pairs[history & 0x3fff] === 1;
    const isTriple = hasBit(this.#triples, history);
    const isQuad = hasBit(this.#quads, slots);
    const one = Math.max(this.#more, isPair ? NEVER : this.#one, isTriple ? NEVER : this.#two, isQuad ? NEVER : this.#three) + 1;
    const two = Math.max(this.#otherBefore, isTriple ? NEVER : this.#oneBefore, isQuad ? NEVER : this.#twoBefore) + 1;
    const three = Math.max(this.#otherTwoBefore, isQuad ? NEVER : this.#oneTwoBefore) + 1;
    const more = Math.max(this.#mostThreeBefore + 1, this.#more, this.#three);
    this.#mostThreeBefore = Math.max(this.#oneTwoBefore, this.#otherTwoBefore);
    this.#oneTwoBefore = this.#oneBefore;
    this.#otherTwoBefore = Math.max(this.#twoBefore, this.#otherBefore);
    this.#oneBefore = this.#one;
    this.#twoBefore = this.#two;
    this.#otherBefore = Math.max(this.#three, this.#more);
    this.#one = one;
    this.#two = two;
    this.#three = three;
    this.#more = more;
    this.most = Math.max(one, two, three, more);
    this.#history = history;
    this.#slots = slots;
  }
}

function hasBit(bits: Uint8Array, index: number): boolean {
  return (((bits[index >> 3] ?? 0) >> (index & 7)) & 1) === 1;
}
