/**
 * Written postings kept between questions, within a budget of bytes.
 *
 * Keys are (segment, key): segments never change and their numbers are never used again, so an entry is never stale; what was
 * removed since is taken out after the cache. Invariant: holds at most `budgetBytes`, give or take one entry.
 */

/** Stands for a term that is not in the segment. */
export const NOTHING = new Uint8Array(0);

type Generation = Map<number, Map<string, Uint8Array>>;

const ENTRY_BYTES = 128;

export class PostingCache {
  readonly #budgetBytes: number;
  #young: Generation = new Map();
  #old: Generation = new Map();
  #youngBytes = 0;

  constructor(budgetBytes: number) {
    this.#budgetBytes = budgetBytes;
  }

  get(segment: number, key: string): Uint8Array | undefined {
    const young = this.#young.get(segment)?.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(segment)?.get(key);
    if (old !== undefined) this.keep(segment, key, old);
    return old;
  }

  keep(segment: number, key: string, postings: Uint8Array): void {
    let keys = this.#young.get(segment);
    if (keys === undefined) {
      keys = new Map();
      this.#young.set(segment, keys);
    }
    keys.set(key, postings);
    this.#youngBytes += postings.length + ENTRY_BYTES;
    if (this.#youngBytes <= this.#budgetBytes / 2) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#youngBytes = 0;
  }
}
