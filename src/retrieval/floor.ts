/**
 * Floor: is there enough of the question here to tell an agent about it? (RET-05)
 *
 * Fusion orders whatever there is; it cannot say that nothing fits. The floor can. A page must hold a share of the question's
 * information (idf mass over eligible pages), the more of it the fewer words were asked for; a passage must hold a content word itself,
 * or be where a link with such words leads; and it must not be far weaker than the strongest.
 */
import type { UnderstoodQuery } from '../domain/query.js';
import type { RankingPolicy } from '../domain/ranking-policy.js';
import type { Draft, Dropped } from './draft.js';

export interface Floored {
  readonly kept: readonly Draft[];
  readonly dropped: readonly Dropped[];
}

export function floor(drafts: readonly Draft[], query: UnderstoodQuery, policy: RankingPolicy['floor']): Floored {
  const kept: Draft[] = [];
  const dropped: Dropped[] = [];
  const content = new Set(query.terms.filter((term) => term.content || term.required).map(({ surface }) => surface));
  const needed = coverageNeeded(content.size, policy.coverage);
  let strongest = 0;
  for (const draft of drafts) {
    const short = shortcoming(draft, { needed, content, strongest, relative: policy.relative });
    if (short !== undefined) dropped.push({ draft, reason: 'below-floor', ...short });
    else {
      kept.push(draft);
      strongest = Math.max(strongest, draft.score);
    }
  }
  return { kept, dropped };
}

/** For a question of `words` content words. */
export function coverageNeeded(words: number, table: readonly number[]): number {
  return table[Math.min(Math.max(words, 1), table.length) - 1] ?? 1;
}

interface Standard {
  readonly needed: number;
  readonly content: ReadonlySet<string>;
  readonly strongest: number;
  /** Share of the strongest that any other must weigh. */
  readonly relative: number;
}

type Shortcoming = Pick<Dropped, 'detail' | 'closeness'>;

function shortcoming({ coverage, matched, ranks, score }: Draft, standard: Standard): Shortcoming | undefined {
  const { needed, content, strongest, relative } = standard;
  if (coverage < needed - 1e-9) {
    const closeness = { of: 'question', percent: wholePercent(coverage), neededPercent: wholePercent(needed) } as const;
    return { detail: `holds ${percent(coverage)} of the question, ${percent(needed)} needed`, closeness };
  }
  const telling = ranks.links !== undefined || content.size === 0 || matched.some(({ surface }) => content.has(surface));
  if (!telling) return { detail: 'the page fits, this passage holds none of the words' };
  if (score >= strongest * relative) return undefined;
  const share = score / strongest;
  return {
    detail: `weighs ${percent(share)} of the best match, ${percent(relative)} needed`,
    closeness: { of: 'best-match', percent: wholePercent(share), neededPercent: wholePercent(relative) },
  };
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
  return `${wholePercent(share)} %`;
}

function wholePercent(share: number): number {
  return Math.max(0, Math.floor(share * 100 + 1e-9));
}

const MOST_LISTED = 8;

function listed(words: readonly string[], join: 'and' | 'or'): string {
  const shown = words.slice(0, MOST_LISTED).map((word) => `“${word.length > 40 ? `${word.slice(0, 39)}…` : word}”`);
  const rest = words.length - shown.length;
  if (rest > 0) return `${shown.join(', ')} and ${rest} more`;
  const last = shown.pop();
  return shown.length === 0 ? (last ?? 'any of it') : `${shown.join(', ')} ${join} ${last}`;
}
