/**
 * Decoded postings kept between questions, within a budget of bytes.
 *
 * Keys are (segment, term): segments never change and their numbers are never used again, so an entry is never stale; what was
 * removed since is taken out after the cache. Invariant: holds at most `budgetBytes`, give or take one entry.
 */
import { NO_POSTINGS, type Postings, postingBytes } from './postings.js';

type Generation = Map<number, Map<string, Postings>>;

export class PostingCache {
  readonly #budgetBytes: number;
  #young: Generation = new Map();
  #old: Generation = new Map();
  #youngBytes = 0;

  constructor(budgetBytes: number) {
    this.#budgetBytes = budgetBytes;
  }

  /** The entry, made by `load` when it is not held. */
  get(segment: number, term: string, load: () => Postings): Postings {
    const young = this.#young.get(segment)?.get(term);
    if (young !== undefined) return young;
    const found = this.#old.get(segment)?.get(term) ?? load();
    this.#keep(segment, term, found);
    return found;
  }

  #keep(segment: number, term: string, postings: Postings): void {
    let terms = this.#young.get(segment);
    if (terms === undefined) {
      terms = new Map();
      this.#young.set(segment, terms);
    }
    terms.set(term, postings);
    this.#youngBytes += (postings === NO_POSTINGS ? 0 : postingBytes(postings)) + 64;
    if (this.#youngBytes <= this.#budgetBytes / 2) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#youngBytes = 0;
  }
}
