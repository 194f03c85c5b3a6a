/**
 * Which of many literal words a text holds, found in one pass over it: two letters say whether any of them may begin here.
 *
 * Invariant: what is returned is exactly what `includes`, asked for each of the words, would say.
 */
import { unitAt, unitsOf } from '../../text/units.js';

/** Letters of two ASCII characters, seven bits each. */
const PAIRS = 1 << 14;

export class Anchors {
  /** By the first two letters: 0 for none, else the place in `#starting`. */
  readonly #byPair = new Uint8Array(PAIRS);
  readonly #starting: { readonly word: string; readonly codes: Uint16Array }[][] = [[]];
  readonly #single: readonly string[];

  constructor(words: readonly string[]) {
    this.#single = words.filter((word) => word.length === 1);
    for (const word of words) if (word.length > 1) this.#add(word);
  }

  in(text: string): ReadonlySet<string> {
    const present = new Set<string>();
    for (const word of this.#single) if (text.includes(word)) present.add(word);
    const units = unitsOf(text);
    const byPair = this.#byPair;
    const { length } = text;
    let before = unitAt(units, 0);
    for (let at = 1; at < length; at += 1) {
      const unit = unitAt(units, at);
      const pair = (before << 7) | unit;
      if (pair < PAIRS && byPair[pair] !== 0 && unit < 128) this.#look(units, at - 1, byPair[pair] ?? 0, present);
      before = unit;
    }
    return present;
  }

  #look(units: Uint16Array, at: number, place: number, present: Set<string>): void {
    for (const { word, codes } of this.#starting[place] ?? []) {
      let same = 2;
      while (same < codes.length && codes[same] === units[at + same]) same += 1;
      if (same === codes.length) present.add(word);
    }
  }

  #add(word: string): void {
    const codes = Uint16Array.from(word, (sign) => sign.charCodeAt(0));
    const pair = ((codes[0] ?? 0) << 7) | (codes[1] ?? 0);
    if (this.#byPair[pair] === 0) this.#byPair[pair] = this.#starting.push([]) - 1;
    this.#starting[this.#byPair[pair] ?? 0]?.push({ word, codes });
  }
}
