/**
 * Name likeness: how far what a page is called is what was asked, from 0 to 1, by its title, an alias or its file name.
 *
 * The share of the name's words that were asked for, times the square root of what these are worth among the words asked for. The leg of
 * names takes names that match wholly; this is for the others. An inflection counts half.
 *
 * Invariant: made of the page's own names and of statistics over eligible compartments; other pages' names change nothing.
 */
import type { UnderstoodQuery } from '../domain/query.js';
import { BoundedCache } from '../kernel/bounded-cache.js';
import type { StoredPage } from '../ports/index-reader.js';
import { foldedWords, stemOf } from '../text/analyze.js';
import { isStopWord } from '../text/stop-words.js';

export type NamedPage = Pick<StoredPage, 'path' | 'title'> & { readonly meta: Pick<StoredPage['meta'], 'aliases'> };

interface Statistics {
  readonly frequencies: readonly number[];
  readonly population: number;
}

const INFLECTED = 0.5;
const EXTENSION = /\.[a-z0-9]{1,8}$/i;
/** `getReadings` is two words to whoever asks. */
const CAMEL = /(?<=[a-z])(?=[A-Z])/g;

interface NameWord {
  readonly word: string;
  readonly stem: string;
}

const MOST_NAMES = 50_000;
const wordsOfNames = new BoundedCache<string, readonly NameWord[]>(MOST_NAMES);

export function nameLikeness({ terms }: UnderstoodQuery, { frequencies, population }: Statistics): (page: NamedPage) => number {
  const words = new Map<string, number>();
  const stems = new Map<string, number>();
  let mass = 0;
  for (const [at, { kind, content, term, stem = term }] of terms.entries()) {
    if (kind !== 'word' || !content) continue;
    const worth = rarity(frequencies[at] ?? 0, population);
    mass += worth;
    words.set(term, worth);
    if (!stems.has(stem)) stems.set(stem, worth);
  }
  const likeness = (name: string): number => {
    const own = mass > 0 ? wordsOfNames.get(name, () => wordsOf(name)) : [];
    let [held, count] = [0, 0];
    for (const { word, stem } of own) {
      const exact = words.get(word);
      const worth = exact ?? stems.get(stem) ?? 0;
      if (worth === 0) continue;
      const share = exact === undefined ? INFLECTED : 1;
      held += worth * share;
      count += share;
    }
    return count === 0 ? 0 : (count / own.length) * Math.sqrt(Math.min(1, held / mass));
  };
  return ({ path, title, meta }) =>
    [title, ...meta.aliases].reduce((most, name) => Math.max(most, likeness(name)), likeness(fileName(path)));
}

function fileName(path: string): string {
  return path
    .slice(path.lastIndexOf('/') + 1)
    .replace(EXTENSION, '')
    .replace(CAMEL, ' ');
}

function wordsOf(name: string): readonly NameWord[] {
  const words = new Set(foldedWords(name).filter((word) => !isStopWord(word)));
  return [...words].map((word) => ({ word, stem: stemOf(word) ?? word }));
}

function rarity(frequency: number, population: number): number {
  return Math.log(1 + (population - frequency + 0.5) / (frequency + 0.5));
}
