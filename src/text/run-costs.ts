/**
 * What runs of letters cost, remembered: the words of a corpus come back all the time, and to look one up costs less than to work it out.
 *
 * Invariant: a cost is given for exactly the characters it was kept for.
 */

/** Longer runs are rare. */
export const LONGEST_RUN = 30;
/** Length and cost of a run stand in front of its characters. */
const HEAD = 2;
const SLOT = HEAD + LONGEST_RUN;
/** A power of two. Each run has one place, by its hash; the last one that came is there. */
const PLACES = 8192;
const MOST_COST = 255;
const PRIME = 0x01000193;

export class RunCosts {
  readonly #slots = new Uint8Array(PLACES * SLOT);

  /** The cost of the characters, all below 128, or -1. */
  get(units: Uint16Array, start: number, end: number, hash: number): number {
    const slots = this.#slots;
    const slot = placeOf(hash);
    if (slots[slot] !== end - start) return -1;
    for (let at = start, to = slot + HEAD; at < end; at += 1, to += 1) if (slots[to] !== units[at]) return -1;
    return slots[slot + 1] ?? -1;
  }

  keep(units: Uint16Array, start: number, end: number, hash: number, cost: number): void {
    if (cost > MOST_COST || end - start > LONGEST_RUN) return;
    const slots = this.#slots;
    const slot = placeOf(hash);
    slots[slot] = end - start;
    slots[slot + 1] = cost;
    for (let at = start, to = slot + HEAD; at < end; at += 1, to += 1) slots[to] = units[at] ?? 0;
  }
}

/** The hash of characters, one more taken in. */
export function hashed(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, PRIME);
}

function placeOf(hash: number): number {
  return ((hash ^ (hash >>> 15)) & (PLACES - 1)) * SLOT;
}
