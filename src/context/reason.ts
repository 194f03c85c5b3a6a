/**
 * Reason: why an item is in, in one line a person can read (CTX-12).
 *
 * Invariant: words, places and ranks only; no score and no similarity (T1.10).
 */
import type { Candidate } from '../domain/candidate.js';
import { FIELDS, type Field } from '../domain/fields.js';
import { clip, inertLine } from './inert.js';

const FIELD_NAMES: Readonly<Record<Field, string>> = {
  title: 'title',
  headings: 'headings',
  summary: 'summary',
  body: 'text',
  identifiers: 'identifiers',
};
const WORDS_SHOWN = 6;
const TELLING_SHARE = 0.05;

export function reasonFor(candidate: Candidate, rank: number): string {
  const { why } = candidate;
  const match = rank === 1 ? 'best match' : 'match';
  const clauses = [
    why.matched.length === 0 ? match : `${match} for ${quotedWords(strongestFirst(why.matched))}${fieldText(why.matched)}`,
    why.ranks.links === undefined ? '' : 'other pages link to it with these words',
    why.ranks.metadata === undefined ? '' : 'its title, an alias, a tag or its path says them',
    why.ranks.vector === undefined ? '' : 'close in meaning',
    why.missing.length === 0 ? '' : `not on this page: ${quotedWords(why.missing)}`,
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
function strongestFirst(matched: Candidate['why']['matched']): string[] {
  const telling = matched.filter(({ share }) => share >= TELLING_SHARE);
  const ordered = (telling.length > 0 ? telling : matched)
    .map((part, at) => ({ ...part, at }))
    .sort((a, b) => b.share - a.share || a.at - b.at);
  return [...new Set(ordered.map(({ surface }) => surface))];
}

function joinWords(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.slice(-1).join('')}`;
}

function fieldText(matched: Candidate['why']['matched']): string {
  const names = FIELDS.filter((field) => matched.some(({ fields }) => fields.includes(field))).map((field) => FIELD_NAMES[field]);
  return names.length === 0 ? '' : ` in ${joinWords(names)}`;
}

function demotionText(demotions: Readonly<Record<string, number>>): string {
  const names = Object.keys(demotions)
    .filter((name) => demotions[name] !== 1)
    .sort();
  return names.length === 0 ? '' : `marked down as ${joinWords(names)}`;
}

function duplicateText(count: number): string {
  if (count === 0) return '';
  return count === 1 ? 'the same text stands in another place' : `the same text stands in ${count} other places`;
}
