/**
 * Misses: why was the answer to this question not delivered? (EVL-12)
 *
 * A miss is the step at which the right page was lost; of several right pages and passages, the one that came furthest speaks.
 *
 * Invariant: every answerable question is either delivered or has exactly one miss.
 */
import type { Exclusion } from '../domain/context-package.js';

/** In the order of the road a page takes; a later one came further. */
export const MISSES = [
  'not-registered',
  'not-indexed',
  'hidden',
  'no-match',
  'damaged',
  'retired',
  'below-floor',
  'lane-cap',
  'duplicate',
  'page-cap',
  'outranked',
  'policy',
  'budget',
  'blocked',
  'chunked-apart',
  'wrong-passage',
] as const;
export type Miss = (typeof MISSES)[number];

export const MISS_SENTENCES: Readonly<Record<Miss, string>> = {
  'not-registered': 'no source of the library holds the page',
  'not-indexed': 'its source is registered, the page is not in the index',
  hidden: 'the page is indexed, and this asker may not see it',
  'no-match': 'no leg proposed the page: it shares no word, name or link with the question',
  damaged: 'the page changed or was damaged since it was indexed',
  retired: 'the page is superseded or expired',
  'below-floor': 'no passage answers the question strongly enough, or this one is far weaker than the best',
  'lane-cap': 'unreviewed text had its share already',
  duplicate: 'another page with the same text went in instead',
  'page-cap': 'better passages of the page came first',
  outranked: 'other pages matched better',
  policy: 'kept out by policy',
  budget: 'it did not fit the tokens',
  blocked: 'the package was blocked as a whole',
  'chunked-apart': 'the answer is cut in two, and one half did not go in',
  'wrong-passage': 'the page went in, the passage with the answer did not',
};

/** What it means for a page that a passage of it stayed out for this reason. */
export const MISS_OF: Readonly<Record<Exclusion, Miss>> = {
  'below-floor': 'below-floor',
  'page-cap': 'page-cap',
  superseded: 'retired',
  expired: 'retired',
  duplicate: 'duplicate',
  'near-duplicate': 'duplicate',
  budget: 'budget',
  'lane-cap': 'lane-cap',
  outranked: 'outranked',
  'unverified-changed': 'damaged',
  damaged: 'damaged',
  policy: 'policy',
};

/** What is known of one right page. */
export interface GoldFacts {
  readonly registered: boolean;
  readonly indexed: boolean;
  readonly eligible: boolean;
  /** Place in the ranking before floor and caps, from 1. */
  readonly rank?: number;
  /** Why passages of it stayed out, as the package records it. */
  readonly exclusions: readonly Exclusion[];
}

export interface MissInput {
  readonly status: 'frozen' | 'no_context' | 'blocked';
  readonly goldInPackage: boolean;
  /** Undefined when no passage is labelled. */
  readonly answerInPackage: boolean | undefined;
  readonly apart: boolean;
  readonly gold: readonly GoldFacts[];
}

/** Undefined when the answer was delivered, or there is none. */
export function missOf({ status, goldInPackage, answerInPackage, apart, gold }: MissInput): Miss | undefined {
  if (gold.length === 0) return undefined;
  if (goldInPackage) return answerInPackage === false ? (apart ? 'chunked-apart' : 'wrong-passage') : undefined;
  if (status === 'blocked') return 'blocked';
  return gold.map(lostAt).sort((a, b) => MISSES.indexOf(b) - MISSES.indexOf(a))[0];
}

function lostAt({ registered, indexed, eligible, rank, exclusions }: GoldFacts): Miss {
  if (!registered) return 'not-registered';
  if (!indexed) return 'not-indexed';
  if (!eligible) return 'hidden';
  const furthest = exclusions.map((each) => MISS_OF[each]).sort((a, b) => MISSES.indexOf(b) - MISSES.indexOf(a))[0];
  if (furthest !== undefined) return furthest;
  return rank === undefined ? 'no-match' : 'outranked';
}
