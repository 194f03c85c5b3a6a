/**
 * Term lists: a query term's postings over a whole corpus, widened to the stem class where the source asks for it, with what was
 * removed taken out. Made from the segments once per corpus and kept within a budget of bytes.
 *
 * Invariant: a list depends on the corpus's own segments alone. Invariant: a word without a stem of its own is its own stem, so
 * that `agent` finds `agents` as `agents` finds `agent`.
 */
import { STEM } from '../domain/fields.js';
import type { QueryTerm } from '../domain/query.js';
import type { Corpus } from './corpus.js';
import { impactBytes } from './impacts.js';
import { FIELDS_IN, type Postings, postingBytes } from './postings.js';
import { unite, weigh } from './stem-class.js';

export interface TermList {
  /** Documents are numbered as in the corpus. */
  readonly postings: Postings;
  /** Documents, and pages, that hold the term. */
  readonly frequency: number;
  readonly pageFrequency: number;
}

/** A term's decoded postings in a segment. */
export type LoadPostings = (segment: number, term: string) => Postings;

/** Stemming weight of a source, 0 to 1. */
export type StemmingOf = (source: string) => number;

/** Lists of several corpora; those not asked for longest go when the budget is used up. */
export class TermListCache {
  readonly #budgetBytes: number;
  readonly #numbers = new WeakMap<Corpus, number>();
  /** In the order they were last asked for. */
  readonly #lists = new Map<string, { readonly list: TermList; readonly bytes: number }>();
  #corpora = 0;
  #bytes = 0;

  constructor(budgetBytes: number) {
    this.#budgetBytes = budgetBytes;
  }

  get(corpus: Corpus, term: string, make: () => TermList): TermList {
    const key = `${this.#numberOf(corpus)} ${term}`;
    const known = this.#lists.get(key);
    if (known !== undefined) {
      this.#lists.delete(key);
      this.#lists.set(key, known);
      return known.list;
    }
    const list = make();
    const bytes = postingBytes(list.postings) + impactBytes(list) + key.length * 2;
    this.#lists.set(key, { list, bytes });
    this.#bytes += bytes;
    this.#letGo();
    return list;
  }

  #numberOf(corpus: Corpus): number {
    const known = this.#numbers.get(corpus);
    if (known !== undefined) return known;
    this.#corpora += 1;
    this.#numbers.set(corpus, this.#corpora);
    return this.#corpora;
  }

  #letGo(): void {
    for (const [key, { bytes }] of this.#lists) {
      if (this.#bytes <= this.#budgetBytes) return;
      this.#lists.delete(key);
      this.#bytes -= bytes;
    }
  }
}

export class TermReader {
  readonly #cache: TermListCache;
  readonly #load: LoadPostings;

  constructor(cache: TermListCache, load: LoadPostings) {
    this.#cache = cache;
    this.#load = load;
  }

  /** The term as each source counts it. */
  list(corpus: Corpus, query: QueryTerm, stemmingOf: StemmingOf): TermList {
    const weights = query.kind === 'word' ? corpus.sources.map(stemmingOf) : [];
    const stem = query.stem ?? query.term;
    const asked = weights.every((weight) => weight >= 1) && query.kind === 'word' ? '' : query.term;
    const key = JSON.stringify([asked, query.kind === 'word' ? stem : '', weights]);
    return this.#cache.get(corpus, key, () => {
      const bySource = new Map(corpus.sources.map((source, at) => [source, weights[at] ?? 0]));
      return join(corpus, (segment, source) => this.#weighed(segment, query.term, stem, bySource.get(source) ?? 0));
    });
  }

  /** The exact term, nothing else. */
  exact(corpus: Corpus, term: string): TermList {
    return this.#cache.get(corpus, JSON.stringify([term, '', []]), () => join(corpus, (segment) => this.#load(segment, term)));
  }

  #weighed(segment: number, term: string, stem: string, stemming: number): Postings {
    if (stemming <= 0) return this.#load(segment, term);
    const whole = unite(this.#load(segment, stem), this.#load(segment, STEM + stem));
    return stemming >= 1 ? whole : weigh(this.#load(segment, term), whole, stemming);
  }
}

/** One list of all segments' lists, live documents only. */
function join(corpus: Corpus, postings: (segment: number, source: string) => Postings): TermList {
  const { pageOf, live } = corpus;
  const lists = corpus.segments.map((segment) => ({ base: segment.base, list: postings(segment.id, segment.source) }));
  const most = lists.reduce((sum, { list }) => sum + list.docs.length, 0);
  const mostCounts = lists.reduce((sum, { list }) => sum + list.counts.length, 0);
  const isWhole = lists.every(({ list }) => list.counts instanceof Uint16Array);
  const docs = new Int32Array(most);
  const masks = new Uint8Array(most);
  const counts = isWhole ? new Uint16Array(mostCounts) : new Float64Array(mostCounts);
  let frequency = 0;
  let pageFrequency = 0;
  let filled = 0;
  let last = -1;
  for (const { base, list } of lists) {
    let at = 0;
    for (let each = 0; each < list.docs.length; each++) {
      const doc = base + (list.docs[each] ?? 0);
      const page = pageOf[doc] ?? 0;
      const mask = list.masks[each] ?? 0;
      const from = at;
      at += FIELDS_IN[mask] ?? 0;
      if (live[page] === 0) continue;
      docs[frequency] = doc;
      masks[frequency++] = mask;
      for (let count = from; count < at; count++) counts[filled++] = list.counts[count] ?? 0;
      if (page !== last) pageFrequency += 1;
      last = page;
    }
  }
  const kept = { docs: docs.slice(0, frequency), masks: masks.slice(0, frequency), counts: counts.slice(0, filled) };
  return { postings: kept, frequency, pageFrequency };
}
