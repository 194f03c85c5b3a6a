/**
 * Reason: why an item is in, in one line a person can read (CTX-12).
 *
 * Invariant: words, places and ranks only; no score and no similarity (T1.10).
 */
import type { Candidate } from '../domain/candidate.js';
import { BoundedCache } from '../kernel/bounded-cache.js';
import { fold, foldedWords, stemOf } from '../text/analyze.js';
import { isStopWord } from '../text/stop-words.js';
import { clip, inertLine } from './inert.js';

/** Where a reader can look for a word, in the order in which the places are named. */
const PLACES = ['title', 'headings', 'text', 'a tag or another name', 'path', 'the summary of its page'] as const;
type Place = (typeof PLACES)[number];
const NAMES: readonly Place[] = ['title', 'a tag or another name', 'path'];
const WORDS_SHOWN = 6;
const TELLING_SHARE = 0.05;

type Matched = Candidate['why']['matched'];

export function reasonFor(candidate: Candidate, rank: number): string {
  const { why } = candidate;
  const match = rank === 1 ? 'best match' : 'match';
  const telling = tellingParts(why.matched);
  const places = placesOf(candidate, telling);
  const lacking = why.missing.filter((word) => !isStopWord(fold(word)));
  const clauses = [
    telling.length === 0 ? match : `${match} for ${quotedWords(strongestFirst(telling))}${placeText(places)}`,
    otherNamesText(telling),
    why.ranks.links === undefined ? '' : 'other pages link to it with these words',
    why.ranks.metadata === undefined || NAMES.some((place) => places.includes(place))
      ? ''
      : 'its title, an alias, a tag or its path holds them',
    why.ranks.vector === undefined ? '' : 'close in meaning',
    lacking.length === 0 ? '' : `it lacks ${quotedWords(lacking)}`,
    demotionText(why.demotions),
    duplicateText(candidate.duplicates.length),
  ];
  return clauses.filter((clause) => clause !== '').join('; ');
}

/** Which words of the question do not stand here themselves, and under which other name they do. */
function otherNamesText(parts: Matched): string {
  const said = parts.flatMap(({ surface, via = [], itself }) => (itself === false ? via.map((name) => ({ surface, name })) : []));
  const names = [...new Set(said.map(({ name }) => name))];
  return names
    .map((name) => {
      const words = said.filter((each) => each.name === name).map(({ surface }) => surface);
      return `it says ${quotedWords([name])} for ${quotedWords(words)}`;
    })
    .join('; ');
}

/** `“gate”, “drain” and 2 more`. */
export function quotedWords(words: readonly string[]): string {
  const shown = words.slice(0, WORDS_SHOWN).map((word) => `“${clip(inertLine(word), 40)}”`);
  const rest = words.length - shown.length;
  return rest === 0 ? shown.join(', ') : `${shown.join(', ')} and ${rest} more`;
}

/** Words that carry almost nothing of the match, like "the", are named only when there is nothing else to name. */
function tellingParts(matched: Matched): Matched {
  const telling = matched.filter(({ share, surface }) => share >= TELLING_SHARE && !isStopWord(fold(surface)));
  return telling.length > 0 ? telling : matched;
}

/** A part of a name that is named whole says nothing more. */
function strongestFirst(parts: Matched): string[] {
  const ordered = parts.map((part, at) => ({ ...part, at })).sort((a, b) => b.share - a.share || a.at - b.at);
  const named = [...new Set(ordered.map(({ surface }) => surface))];
  return named.filter((each) => !named.some((other) => other.length > each.length && foldedWords(other).includes(fold(each))));
}

/** True when a word is claimed that stands in the page's summary and in nothing else that is shown. */
export function namesSummary(candidate: Candidate): boolean {
  return placesOf(candidate, tellingParts(candidate.why.matched)).includes('the summary of its page');
}

function placesOf(candidate: Candidate, parts: Matched): readonly Place[] {
  const found = new Set(parts.flatMap((part) => placesOfPart(candidate, part)));
  return PLACES.filter((place) => found.has(place));
}

/**
 * The index counts tags and other names as title, and the words of the path as identifiers; a reader looks for them elsewhere. What stands
 * close to the passage is named first, and the page's path and summary only for words that stand nowhere closer.
 */
function placesOfPart({ page }: Candidate, { surface, fields }: Matched[number]): readonly Place[] {
  const names = [...page.meta.tags, ...page.meta.aliases];
  const isNamed = !holds(page.title, surface) && names.some((name) => holds(name, surface));
  const close = fields.flatMap((field): readonly Place[] => {
    if (field === 'title') return [isNamed ? 'a tag or another name' : 'title'];
    return field === 'headings' ? ['headings'] : field === 'body' ? ['text'] : [];
  });
  if (close.length > 0) return close;
  if (fields.includes('identifiers')) return [holds(page.path, surface) ? 'path' : 'text'];
  return fields.includes('summary') ? ['the summary of its page'] : [];
}

function holds(text: string, surface: string): boolean {
  return stemsIn(text).has(stemmed(fold(surface)));
}

/** Titles, names and paths: the same ones are looked at for every question that leads to their pages. */
const MOST_STEMS = 100_000;
const known = new BoundedCache<string, ReadonlySet<string>>(MOST_STEMS, (stems) => stems.size);

function stemsIn(text: string): ReadonlySet<string> {
  return known.get(text, () => new Set(foldedWords(text).map(stemmed)));
}

function stemmed(word: string): string {
  return stemOf(word) ?? word;
}

function joinWords(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.slice(-1).join('')}`;
}

function placeText(places: readonly Place[]): string {
  return places.length === 0 ? '' : ` in ${joinWords(places)}`;
}

function demotionText(demotions: Readonly<Record<string, number>>): string {
  const names = Object.keys(demotions)
    .filter((name) => demotions[name] !== 1)
    .sort();
  return names.length === 0 ? '' : `ranked lower as ${joinWords(names)}`;
}

function duplicateText(count: number): string {
  if (count === 0) return '';
  return count === 1 ? 'the same text stands in another place' : `the same text stands in ${count} other places`;
}
