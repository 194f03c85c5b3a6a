/**
 * Floor: is there enough of the question on the page to tell an agent about it? (RET-05)
 *
 * Fusion orders whatever there is; it cannot say that nothing fits. The floor can: it is absolute, the share of the question's
 * information (idf mass over eligible pages) that the page holds.
 */
import type { UnderstoodQuery } from '../domain/query.js';
import type { Draft, Dropped } from './draft.js';

export interface Floored {
  readonly kept: readonly Draft[];
  readonly dropped: readonly Dropped[];
}

export function floor(drafts: readonly Draft[], share: number): Floored {
  const kept: Draft[] = [];
  const dropped: Dropped[] = [];
  for (const draft of drafts) {
    if (draft.coverage >= share) kept.push(draft);
    else
      dropped.push({ draft, reason: 'below-floor', detail: `holds ${percent(draft.coverage)} of the question, ${percent(share)} needed` });
  }
  return { kept, dropped };
}

/** Words of the question, as written, that no eligible page in scope holds. */
export function unheldWords(query: UnderstoodQuery, frequencies: readonly number[]): readonly string[] {
  return contentWords(query, frequencies, (frequency) => frequency === 0);
}

/** One sentence on why nothing is shown: which words were found, which were not. */
export function emptyReason(query: UnderstoodQuery, frequencies: readonly number[], below: readonly Dropped[]): string {
  const found = contentWords(query, frequencies, (frequency) => frequency > 0);
  const missing = unheldWords(query, frequencies);
  if (found.length === 0) return `No page you may read holds ${listed(missing, 'or')}.`;
  const absent = missing.length === 0 ? '' : ` Not found anywhere: ${listed(missing, 'and')}.`;
  const best = below.reduce((most, { draft }) => Math.max(most, draft.coverage), 0);
  if (best > 0)
    return `No page holds enough of the question together; the best holds ${percent(best)} of it. Found: ${listed(found, 'and')}.${absent}`;
  return `No page holds all that is required. Found: ${listed(found, 'and')}.${absent}`;
}

function contentWords(query: UnderstoodQuery, frequencies: readonly number[], wanted: (frequency: number) => boolean): readonly string[] {
  const words = query.terms.filter(({ content, required }, at) => (content || required) && wanted(frequencies[at] ?? 0));
  return [...new Set(words.map(({ surface }) => surface))];
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

const MOST_LISTED = 8;

function listed(words: readonly string[], join: 'and' | 'or'): string {
  const shown = words.slice(0, MOST_LISTED).map((word) => `“${word.length > 40 ? `${word.slice(0, 39)}…` : word}”`);
  const rest = words.length - shown.length;
  if (rest > 0) return `${shown.join(', ')} and ${rest} more`;
  const last = shown.pop();
  return shown.length === 0 ? (last ?? 'any of it') : `${shown.join(', ')} ${join} ${last}`;
}
