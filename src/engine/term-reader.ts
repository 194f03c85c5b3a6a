/**
 * Postings of query terms: looked up once per segment, kept in the cache, widened to the stem class where the source asks for it.
 *
 * Invariant: a word without a stem of its own is its own stem, so that `agent` finds `agents` as `agents` finds `agent`.
 */
import { STEM } from '../domain/fields.js';
import type { QueryTerm } from '../domain/query.js';
import type { PostingCache } from './posting-cache.js';
import type { Postings } from './postings.js';
import { unite, weigh } from './stem-class.js';

/** Reads and decodes a term's postings from a segment; NO_POSTINGS when it holds none. */
export type LoadPostings = (segment: number, term: string) => Postings;

/** Namespace of united classes in the cache; no index term begins with it. */
const CLASS = '=';

export class TermReader {
  readonly #cache: PostingCache;
  readonly #load: LoadPostings;

  constructor(cache: PostingCache, load: LoadPostings) {
    this.#cache = cache;
    this.#load = load;
  }

  term(segment: number, term: string): Postings {
    return this.#cache.get(segment, term, () => this.#load(segment, term));
  }

  /** The term as a source with this stemming weight counts it. */
  weighed(segment: number, query: QueryTerm, stemming: number): Postings {
    if (query.kind !== 'word' || stemming <= 0) return this.term(segment, query.term);
    const whole = this.#stemClass(segment, query.stem ?? query.term);
    return stemming >= 1 ? whole : weigh(this.term(segment, query.term), whole, stemming);
  }

  #stemClass(segment: number, stem: string): Postings {
    return this.#cache.get(segment, CLASS + stem, () => unite(this.#load(segment, stem), this.#load(segment, STEM + stem)));
  }
}
