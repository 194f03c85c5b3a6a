/**
 * Retire: what is superseded or expired leaves the live candidates (RET-14, K-04).
 *
 * Either side's claim is enough: a page that says it is superseded, or a candidate that says it supersedes it. Only candidates
 * are asked, and all of them are eligible, so a claim on a page the asker may not see changes nothing.
 */
import { TRUST_TIERS } from '../domain/authority.js';
import { isRetired } from '../domain/page.js';
import type { Day } from '../kernel/clock.js';
import type { StoredPage } from '../ports/index-reader.js';
import { type Draft, pageKey, type Retirement } from './draft.js';

export function retire(drafts: readonly Draft[], today: Day): { readonly live: readonly Draft[]; readonly retired: readonly Draft[] } {
  const claims = claimsOf(drafts);
  const live: Draft[] = [];
  const retired: Draft[] = [];
  for (const draft of drafts) {
    const retirement = retirementOf(draft.artifact.page, today, claims);
    if (retirement === undefined) live.push(draft);
    else {
      const labels = draft.labels.includes(retirement.reason) ? draft.labels : [retirement.reason, ...draft.labels];
      retired.push({ ...draft, labels, retired: retirement });
    }
  }
  return { live, retired };
}

function retirementOf(page: StoredPage, today: Day, claims: ReadonlyMap<string, string>): Retirement | undefined {
  const { meta } = page;
  if (isRetired(meta, today)) {
    if (meta.supersededBy !== undefined) return { reason: 'superseded', detail: `superseded by ${meta.supersededBy}` };
    return { reason: 'expired', detail: `valid until ${meta.validUntil ?? 'a day that has passed'}` };
  }
  const successor = claims.get(pageKey(page));
  return successor === undefined ? undefined : { reason: 'superseded', detail: `superseded by ${successor}` };
}

/**
 * Page → the candidate that says it supersedes it. A page never supersedes itself, nor one that supersedes it, nor one of a higher
 * tier: a stranger's word takes nothing out that somebody vouched for.
 */
function claimsOf(drafts: readonly Draft[]): ReadonlyMap<string, string> {
  const claims = new Map<string, string>();
  const by = new Map<string, string>();
  const tiers = new Map(drafts.map(({ artifact: { page } }) => [pageKey(page), TRUST_TIERS.indexOf(page.tier)]));
  for (const { page } of drafts.map((draft) => draft.artifact)) {
    for (const target of supersedes(page)) {
      const key = pageKey({ source: page.source, path: target });
      if (target === page.path || claims.has(key) || by.get(pageKey(page)) === target) continue;
      if ((tiers.get(key) ?? 0) > TRUST_TIERS.indexOf(page.tier)) continue;
      claims.set(key, page.path);
      by.set(key, page.path);
    }
  }
  return claims;
}

function supersedes(page: StoredPage): readonly string[] {
  const stated = page.meta.other['supersedes'];
  const targets = stated === undefined ? [] : typeof stated === 'string' ? [stated] : stated;
  const folder = page.path.slice(0, page.path.lastIndexOf('/') + 1);
  return targets.flatMap((target) => (target.startsWith('/') ? [target.slice(1)] : [folder + target.replace(/^\.\//, ''), target]));
}
