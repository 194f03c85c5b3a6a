/**
 * Diversify: no text twice, no page or lane more than its share (RET-09, RET-11).
 *
 * Invariant: worked out at query time over eligible candidates only; a hidden copy of a page folds nothing.
 * Invariant: every draft that leaves is named with its reason.
 */
import { isFenced } from '../domain/authority.js';
import type { RankingPolicy } from '../domain/ranking-policy.js';
import { type Draft, type Dropped, pageKey } from './draft.js';
import { areAlike, type Told, tell } from './likeness.js';
import { swapsNames } from './swapped-names.js';

export interface Diversified {
  readonly kept: readonly Draft[];
  readonly dropped: readonly Dropped[];
}

export function diversify(
  drafts: readonly Draft[],
  options: { readonly limit: number; readonly policy: RankingPolicy; readonly forContext: boolean },
): Diversified {
  const { policy, limit, forContext } = options;
  const folded = foldDuplicates(drafts, policy.nearDuplicate, limit);
  const capped = capPages(folded.kept, forContext ? policy.contextPerPage : policy.perPage);
  const lanes = forContext
    ? capFenced(capped.kept, Math.max(1, Math.floor(limit * policy.fencedShare)))
    : { kept: capped.kept, dropped: [] };
  return { kept: lanes.kept, dropped: [...folded.dropped, ...capped.dropped, ...lanes.dropped] };
}

/** Copies and near-copies fold into the best of them, which lists where the others are. Looks at as many as could be shown. */
function foldDuplicates(drafts: readonly Draft[], threshold: number, limit: number): Diversified {
  const most = limit * 3;
  const heads: { readonly at: number; readonly draft: Draft; readonly copies: Draft[] }[] = [];
  const dropped: Dropped[] = [];
  const rest: Draft[] = [];
  let told: readonly Told<Draft>[] = [];
  for (const [at, draft] of drafts.entries()) {
    if (heads.length >= most) {
      rest.push(draft);
      continue;
    }
    // As many at a time as there may be heads: most are never looked at, and what is told apart is told together.
    if (at >= told.length) told = tell(drafts.slice(0, at + most), ({ artifact }) => artifact);
    const head = heads.find((each) => sameText(each.draft, draft) || isNearCopy(told[each.at], told[at], threshold));
    if (head === undefined) heads.push({ at, draft, copies: [] });
    else {
      head.copies.push(draft);
      const reason = sameText(head.draft, draft) ? 'duplicate' : 'near-duplicate';
      dropped.push({ draft, reason, detail: `same text as ${head.draft.artifact.page.path}` });
    }
  }
  const kept = heads.map(({ draft, copies }) =>
    copies.length === 0 ? draft : { ...draft, duplicates: copies.map((copy) => copy.artifact) },
  );
  return { kept: [...kept, ...rest], dropped };
}

function sameText(a: Draft, b: Draft): boolean {
  return a.artifact.digest === b.artifact.digest;
}

/** Passages that differ in a number, a negation or a name are not copies, and neither are two product versions of one page. */
function isNearCopy(one: Told<Draft> | undefined, other: Told<Draft> | undefined, threshold: number): boolean {
  if (one === undefined || other === undefined || one.fingerprint.claims !== other.fingerprint.claims) return false;
  const [a, b] = [one.item.artifact, other.item.artifact];
  if (a.page.meta.productVersion !== b.page.meta.productVersion || !areAlike(one.fingerprint, other.fingerprint, threshold)) return false;
  return !swapsNames({ artifact: a, page: a.page }, { artifact: b, page: b.page });
}

/** At most `perPage` artifacts of a page, unless there is only one page. */
function capPages(drafts: readonly Draft[], perPage: number): Diversified {
  if (new Set(drafts.map(({ artifact }) => pageKey(artifact.page))).size <= 1) return { kept: drafts, dropped: [] };
  const taken = new Map<string, number>();
  const kept: Draft[] = [];
  const dropped: Dropped[] = [];
  for (const draft of drafts) {
    const key = pageKey(draft.artifact.page);
    const count = (taken.get(key) ?? 0) + 1;
    taken.set(key, count);
    if (count <= perPage) kept.push(draft);
    else dropped.push({ draft, reason: 'page-cap', detail: `${perPage} better passages of ${draft.artifact.page.path} came first` });
  }
  return { kept, dropped };
}

/** Text of a fenced tier has its own lane, so that ten poisoned pages cannot push out one true page. */
function capFenced(drafts: readonly Draft[], slots: number): Diversified {
  const kept: Draft[] = [];
  const dropped: Dropped[] = [];
  let fenced = 0;
  for (const draft of drafts) {
    const isGuest = isFenced(draft.artifact.page.tier);
    if (isGuest && fenced >= slots) dropped.push({ draft, reason: 'lane-cap', detail: `unreviewed text has its ${slots} places already` });
    else {
      kept.push(draft);
      if (isGuest) fenced += 1;
    }
  }
  return { kept, dropped };
}
