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
import { ListBuilder } from './list-builder.js';
import { postingBytes } from './postings.js';
import type { TermList } from './term-list.js';
import { widened } from './widened-list.js';

/** The written postings of a term in a segment, both by their place among those asked for. */
export type Loaded = (segment: number, term: number) => Uint8Array;

/** Reads all terms in all segments, in one go. */
export type LoadPostings = (segments: readonly number[], terms: readonly string[]) => Loaded;

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

  get(corpus: Corpus, name: string): TermList | undefined {
    const key = this.#keyOf(corpus, name);
    const known = this.#lists.get(key);
    if (known === undefined) return undefined;
    this.#lists.delete(key);
    this.#lists.set(key, known);
    return known.list;
  }

  keep(corpus: Corpus, name: string, list: TermList): void {
    const key = this.#keyOf(corpus, name);
    const bytes = postingBytes(list.postings) + impactBytes(list) + key.length * 2;
    this.#lists.set(key, { list, bytes });
    this.#bytes += bytes;
    this.#letGo();
  }

  #keyOf(corpus: Corpus, name: string): string {
    return `${this.#numberOf(corpus)} ${name}`;
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

/** A list to be had: what it is kept as, and the terms it is made of. */
interface Wanted {
  readonly name: string;
  readonly term: string;
  /** The stem, where inflections count too. */
  readonly stem?: string;
}

/** Names of lists: no list of inflections has one that begins so, and no two lists have the same. */
function exactName(term: string): string {
  return `=${term}`;
}

/** What says which postings a word has. */
type Counted = Pick<QueryTerm, 'kind' | 'term' | 'stem'>;

export class TermReader {
  readonly #cache: TermListCache;
  readonly #load: LoadPostings;

  constructor(cache: TermListCache, load: LoadPostings) {
    this.#cache = cache;
    this.#load = load;
  }

  /** The terms as each source counts them. */
  lists(corpus: Corpus, terms: readonly QueryTerm[], stemmingOf: StemmingOf): TermList[] {
    const weights = corpus.sources.map(stemmingOf);
    const isWhole = weights.every((weight) => weight >= 1);
    const counted = isWhole ? '' : weights.join(' ');
    const wantedOf = ({ kind, term, stem = term }: Counted): Wanted => {
      if (kind !== 'word') return { name: exactName(term), term };
      return { name: isWhole ? `~${stem}` : `${stem.length} ${stem}${counted} ${term}`, term, stem };
    };
    const words = terms.flatMap(({ alternatives = [] }) => alternatives.flatMap((each) => each.words));
    const wanted = [...terms, ...words].map(wantedOf);
    const lists = this.#all(corpus, wanted, new Map(corpus.sources.map((source, at) => [source, weights[at] ?? 0])));
    return words.length === 0 ? lists : this.#widened(corpus, terms, wanted, lists);
  }

  /** The words of the alternatives stand behind the terms, in their order. */
  #widened(corpus: Corpus, terms: readonly QueryTerm[], wanted: readonly Wanted[], lists: readonly TermList[]): TermList[] {
    let next = terms.length;
    return terms.flatMap(({ alternatives = [] }, at): TermList[] => {
      const own = lists[at];
      if (own === undefined || alternatives.length === 0) return own === undefined ? [] : [own];
      const from = next;
      next += alternatives.reduce((sum, { words }) => sum + words.length, 0);
      const name = JSON.stringify([wanted[at], alternatives, wanted.slice(from, next)]);
      const known = this.#cache.get(corpus, name);
      if (known !== undefined) return [known];
      let place = from;
      const weighed = alternatives.map(({ label, weight, words }) => {
        place += words.length;
        return { label, weight, lists: lists.slice(place - words.length, place) };
      });
      const list = widened(corpus, own, weighed);
      this.#cache.keep(corpus, name, list);
      return [list];
    });
  }

  /** The exact terms, nothing else. */
  exact(corpus: Corpus, terms: readonly string[]): TermList[] {
    return this.#all(
      corpus,
      terms.map((term) => ({ name: exactName(term), term })),
      new Map(),
    );
  }

  #all(corpus: Corpus, wanted: readonly Wanted[], stemming: ReadonlyMap<string, number>): TermList[] {
    const lists = new Map<string, TermList>();
    const missing = new Map<string, Wanted>();
    for (const each of wanted) {
      const known = this.#cache.get(corpus, each.name);
      if (known === undefined) missing.set(each.name, each);
      else lists.set(each.name, known);
    }
    if (missing.size > 0) this.#make(corpus, [...missing.values()], stemming, lists);
    return wanted.flatMap(({ name }) => lists.get(name) ?? []);
  }

  #make(corpus: Corpus, wanted: readonly Wanted[], stemming: ReadonlyMap<string, number>, lists: Map<string, TermList>): void {
    const terms = new Map<string, number>();
    const placeOf = (term: string): number => {
      const at = terms.get(term) ?? terms.size;
      terms.set(term, at);
      return at;
    };
    const needsExact = [...stemming.values()].some((weight) => weight < 1);
    const places = wanted.map(({ term, stem }) => ({
      exact: stem === undefined || needsExact ? placeOf(term) : -1,
      stem: stem === undefined ? -1 : placeOf(stem),
      inflected: stem === undefined ? -1 : placeOf(STEM + stem),
    }));
    const loaded = this.#load(
      corpus.segments.map(({ id }) => id),
      [...terms.keys()],
    );
    const builder = new ListBuilder(corpus);
    for (const [at, { name }] of wanted.entries()) {
      const { exact = -1, stem = -1, inflected = -1 } = places[at] ?? {};
      for (const [segment, { base, source }] of corpus.segments.entries()) {
        const weight = stem < 0 ? 0 : (stemming.get(source) ?? 0);
        if (weight <= 0) builder.add(base, loaded(segment, exact));
        else if (weight >= 1) builder.addBoth(base, loaded(segment, stem), loaded(segment, inflected));
        else builder.addWeighed(base, loaded(segment, exact), loaded(segment, stem), loaded(segment, inflected), weight);
      }
      const list = builder.finish();
      lists.set(name, list);
      this.#cache.keep(corpus, name, list);
    }
  }
}
