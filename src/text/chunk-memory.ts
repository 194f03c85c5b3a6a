/**
 * What short pieces of text were worked out to, remembered. They are looked up in place: most were seen before, and making a string
 * of each would cost more than the rest.
 *
 * Invariant: an answer is given for exactly the units it was kept for, and keeps no text alive that a piece was cut from.
 */

/** Pieces up to this length are remembered: most words, and the names and addresses that a manual repeats. */
const LONGEST = 40;
/** The length stands in front. */
const SLOT = LONGEST + 1;
/** A power of two. Each piece has one place, by its hash; the last one that came is there. */
const PLACES = 65_536;
const PRIME = 0x01000193;
/** V8 copies slices up to this length; a longer one keeps the text that it was cut from. */
const COPIED_UNITS = 12;

export class ChunkMemory<T> {
  readonly #slots = new Uint16Array(PLACES * SLOT);
  readonly #answers: T[];

  constructor(nothing: T) {
    this.#answers = new Array<T>(PLACES).fill(nothing);
  }

  /** The answer for a piece of the text, whose units these are. */
  recall(text: string, units: Uint16Array, start: number, end: number, work: (piece: string) => T): T {
    if (end - start > LONGEST) return work(text.slice(start, end));
    let hash = end - start;
    for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (units[at] ?? 0), PRIME);
    const place = (hash ^ (hash >>> 16)) & (PLACES - 1);
    const known = this.#answers[place];
    if (known !== undefined && this.#holds(place * SLOT, units, start, end)) return known;
    const fresh = work(ownCopy(text.slice(start, end)));
    this.#keep(place * SLOT, units, start, end);
    this.#answers[place] = fresh;
    return fresh;
  }

  #holds(slot: number, units: Uint16Array, start: number, end: number): boolean {
    const slots = this.#slots;
    if (slots[slot] !== end - start) return false;
    for (let at = start, to = slot + 1; at < end; at += 1, to += 1) if (slots[to] !== units[at]) return false;
    return true;
  }

  #keep(slot: number, units: Uint16Array, start: number, end: number): void {
    const slots = this.#slots;
    slots[slot] = end - start;
    for (let at = start, to = slot + 1; at < end; at += 1, to += 1) slots[to] = units[at] ?? 0;
  }
}

function ownCopy(piece: string): string {
  return piece.length > COPIED_UNITS ? ` ${piece}`.slice(1) : piece;
}
