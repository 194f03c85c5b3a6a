/**
 * Floor: is there enough of the question here to tell an agent about it? (RET-05)
 *
 * Fusion orders whatever there is; it cannot say that nothing fits. The floor can. Some passage must attain a share of the most that a
 * passage could score for the question (evidence.ts), or nothing is given. Of what is given, a passage must hold a content word itself, or be where a link with such words leads, and must not be far weaker than the strongest.
 */
import type { UnderstoodQuery } from '../domain/query.js';
import type { RankingPolicy } from '../domain/ranking-policy.js';
import type { Draft, Dropped } from './draft.js';
import { askedFor, shareNeeded } from './evidence.js';

export interface Floored {
  readonly kept: readonly Draft[];
  readonly dropped: readonly Dropped[];
}

/** `population` is how many passages the asker may read. */
export function floor(drafts: readonly Draft[], query: UnderstoodQuery, policy: RankingPolicy['floor'], population: number): Floored {
  const content = askedFor(query);
  const needed = shareNeeded(policy.strength, content.size, population);
  if (!drafts.some(({ attained }) => attained >= needed - 1e-9))
    return { kept: [], dropped: drafts.map((draft) => ({ draft, reason: 'below-floor', ...tooWeak(draft, needed) })) };
  const kept: Draft[] = [];
  const dropped: Dropped[] = [];
  let strongest = 0;
  for (const draft of drafts) {
    const short = shortcoming(draft, { content, strongest, relative: policy.relative, setAside: policy.setAside });
    if (short !== undefined) dropped.push({ draft, reason: 'below-floor', ...short });
    else {
      kept.push(draft);
      strongest = Math.max(strongest, weightOf(draft, policy.setAside));
    }
  }
  return { kept, dropped };
}

interface Standard {
  readonly content: ReadonlySet<string>;
  readonly strongest: number;
  /** Share of the strongest that any other must weigh. */
  readonly relative: number;
  readonly setAside: number | undefined;
}

type Shortcoming = Pick<Dropped, 'detail' | 'closeness'>;

function tooWeak({ attained }: Draft, needed: number): Shortcoming {
  const closeness = { of: 'question', percent: percentReached(attained), neededPercent: percentNeeded(needed) } as const;
  return { detail: `answers ${closeness.percent} % of the question, ${closeness.neededPercent} % needed`, closeness };
}

function shortcoming(draft: Draft, { content, strongest, relative, setAside }: Standard): Shortcoming | undefined {
  const { matched, ranks } = draft;
  const telling = ranks.links !== undefined || content.size === 0 || matched.some(({ surface }) => content.has(surface));
  if (!telling) return { detail: 'the page fits, this passage holds none of the words' };
  const needed = setAside !== undefined && isSetAside(draft) ? setAside : relative;
  const weight = weightOf(draft, setAside);
  if (weight >= strongest * needed) return undefined;
  const share = weight / strongest;
  const closeness = { of: 'best-match', percent: percentReached(share), neededPercent: percentNeeded(needed) } as const;
  return { detail: `weighs ${closeness.percent} % of the best match, ${closeness.neededPercent} % needed`, closeness };
}

/** What a passage weighs; where pages that were set aside have a share of their own, without what they lose for that. */
function weightOf({ score, demotions: { legacy = 1, deprecated = 1 } }: Draft, setAside: number | undefined): number {
  return setAside === undefined ? score : score / (legacy * deprecated || 1);
}

function isSetAside({ demotions }: Draft): boolean {
  return demotions['legacy'] !== undefined || demotions['deprecated'] !== undefined;
}

/** Words of the question, as written, that no eligible page in scope holds. Of a single character nobody knows: longer words may. */
export function unheldWords(query: UnderstoodQuery, frequencies: readonly number[]): readonly string[] {
  return unfound(query, frequencies).filter((word) => !isOneCharacter(word, query));
}

function unfound(query: UnderstoodQuery, frequencies: readonly number[]): readonly string[] {
  return contentWords(query, frequencies, (frequency) => frequency === 0);
}

/** In a sentence or two, why nothing is shown: which words were found, which were not, and how near the best came. */
export function emptyReason(query: UnderstoodQuery, frequencies: readonly number[], below: readonly Dropped[]): string {
  const found = contentWords(query, frequencies, (frequency) => frequency > 0);
  const missing = unfound(query, frequencies);
  const alone = missing.some((word) => isOneCharacter(word, query));
  const asWords = alone ? ' as a word' : '';
  const hint = alone ? ALONE : '';
  if (found.length === 0) return `No page that may be shown here holds ${listed(missing, 'or')}${asWords}.${hint}`;
  const absent = missing.length === 0 ? '' : ` Not found anywhere${asWords}: ${listed(missing, 'and')}.${hint}`;
  const nearest = below.map(({ closeness }) => closeness).reduce((a, b) => ((b?.percent ?? 0) > (a?.percent ?? 0) ? b : a), undefined);
  if (nearest !== undefined) {
    const { percent: reached, neededPercent } = nearest;
    return `No page holds enough of the question together; the best passage answers ${reached} % of it, ${neededPercent} % needed. Found: ${listed(found, 'and')}.${absent}`;
  }
  return `No page holds all that is required. Found: ${listed(found, 'and')}.${absent}`;
}

const ALONE = ' A single character is not looked for inside longer words: write it with the one beside it.';

/** Of a script without spaces, which is indexed by pairs. */
function isOneCharacter(word: string, { terms }: UnderstoodQuery): boolean {
  return [...word].length === 1 && terms.some(({ surface, kind }) => surface === word && kind === 'bigram');
}

function contentWords(query: UnderstoodQuery, frequencies: readonly number[], wanted: (frequency: number) => boolean): readonly string[] {
  const words = query.terms.filter(({ content, required }, at) => (content || required) && wanted(frequencies[at] ?? 0));
  return [...new Set(words.map(({ surface }) => surface))];
}

/** What was reached is rounded down and what was needed up, so that what fell short is seen to. */
function percentReached(share: number): number {
  return Math.max(0, Math.floor(share * 100 + 1e-9));
}

function percentNeeded(share: number): number {
  return Math.max(0, Math.ceil(share * 100 - 1e-9));
}

const MOST_LISTED = 8;

function listed(words: readonly string[], join: 'and' | 'or'): string {
  const shown = words.slice(0, MOST_LISTED).map((word) => `“${word.length > 40 ? `${word.slice(0, 39)}…` : word}”`);
  const rest = words.length - shown.length;
  if (rest > 0) return `${shown.join(', ')} and ${rest} more`;
  const last = shown.pop();
  return shown.length === 0 ? (last ?? 'any of it') : `${shown.join(', ')} ${join} ${last}`;
}
