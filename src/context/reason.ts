/**
 * Reason: why an item is in, in one line a person can read (CTX-12).
 *
 * Invariant: words, places and ranks only; no score and no similarity (T1.10).
 */
import type { Candidate } from '../domain/candidate.js';
import { FIELDS, type Field } from '../domain/fields.js';
import { fold } from '../text/fold.js';
import { isStopWord } from '../text/stop-words.js';
import { clip, inertLine } from './inert.js';

const FIELD_NAMES: Readonly<Record<Field, string>> = {
  title: 'title',
  headings: 'headings',
  summary: 'the summary of its page',
  body: 'text',
  identifiers: 'text',
};
const WORDS_SHOWN = 6;
const TELLING_SHARE = 0.05;
/** They weigh something in a question, but a passage that lacks them lacks nothing. */
const CONNECTIVES: ReadonlySet<string> = new Set([
  'without',
  'within',
  'via',
  'using',
  'like',
  'per',
  'whether',
  'upon',
  'among',
  'across',
]);

type Matched = Candidate['why']['matched'];

export function reasonFor(candidate: Candidate, rank: number): string {
  const { why } = candidate;
  const match = rank === 1 ? 'best match' : 'match';
  const telling = tellingParts(why.matched);
  const lacking = why.missing.filter((word) => !CONNECTIVES.has(fold(word)));
  const clauses = [
    telling.length === 0 ? match : `${match} for ${quotedWords(strongestFirst(telling))}${fieldText(telling)}`,
    why.ranks.links === undefined ? '' : 'other pages link to it with these words',
    why.ranks.metadata === undefined || fieldsNamed(telling).includes('title') ? '' : 'its title, an alias, a tag or its path holds them',
    why.ranks.vector === undefined ? '' : 'close in meaning',
    lacking.length === 0 ? '' : `it lacks ${quotedWords(lacking)}`,
    demotionText(why.demotions),
    duplicateText(candidate.duplicates.length),
  ];
  return clauses.filter((clause) => clause !== '').join('; ');
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

function strongestFirst(parts: Matched): string[] {
  const ordered = parts.map((part, at) => ({ ...part, at })).sort((a, b) => b.share - a.share || a.at - b.at);
  return [...new Set(ordered.map(({ surface }) => surface))];
}

/** True when a word is claimed that stands in the page's summary and in nothing else that is shown. */
export function namesSummary({ why }: Candidate): boolean {
  return fieldsNamed(tellingParts(why.matched)).includes('summary');
}

/** Where the named words stand; the summary only for words that stand nowhere closer to the passage. */
function fieldsNamed(parts: Matched): readonly Field[] {
  const inSummaryAlone = parts.some(({ fields }) => fields.length === 1 && fields[0] === 'summary');
  const near = FIELDS.filter((field) => field !== 'summary' && parts.some(({ fields }) => fields.includes(field)));
  return inSummaryAlone ? [...near, 'summary'] : near;
}

function joinWords(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.slice(-1).join('')}`;
}

function fieldText(parts: Matched): string {
  const names = [...new Set(fieldsNamed(parts).map((field) => FIELD_NAMES[field]))];
  return names.length === 0 ? '' : ` in ${joinWords(names)}`;
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
