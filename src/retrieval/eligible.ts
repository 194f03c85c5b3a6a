/**
 * Eligible: the compartments this request may read, judged anew for every request from the registry's present state.
 *
 * Invariant: decided before anything is ranked; the only caller of the seal.
 */
import { refsOf } from '../domain/compartment.js';
import type { CompartmentFacts, EligibleSet } from '../domain/eligibility.js';
import type { Label } from '../domain/page.js';
import type { Ask } from '../domain/requester.js';
import { sealEligible } from '../domain/seal-eligible.js';
import type { SourceStanding } from '../domain/source.js';
import type { RetrievalDeps } from './draft.js';
import { resolve } from './resolve.js';

export type EligibilityDeps = Pick<RetrievalDeps, 'snapshot' | 'standings' | 'permissions'>;

/** For every read of content, whatever the operation. */
export async function resolveEligible(deps: EligibilityDeps, ask: Ask): Promise<EligibleSet> {
  resolve(ask);
  const standings = new Map(deps.standings.map((standing) => [standing.id, standing]));
  const facts = (await deps.snapshot.compartments()).map(
    (compartment): CompartmentFacts => ({
      compartment,
      source: standings.get(compartment.source),
      readers: readersFor(ask, compartment.permissionsRef, deps.permissions),
    }),
  );
  return sealEligible(facts, ask);
}

/**
 * The groups that may read for a ref, as far as they concern who asks. A ref made of several grants only who is in a group of each:
 * whoever misses one of them finds no group at all, and one that does not resolve denies.
 */
export function readersFor(
  { requester }: Ask,
  permissionsRef: string,
  permissions: RetrievalDeps['permissions'],
): readonly string[] | undefined {
  const lists = refsOf(permissionsRef).map((ref) => (Object.hasOwn(permissions, ref) ? permissions[ref] : undefined));
  if (lists.includes(undefined)) return undefined;
  return lists.every((list) => list?.some((group) => requester.groups.has(group))) ? lists[0] : [];
}

/** Labels that a source's own state puts on all its pages. */
export function sourceLabels(standing: SourceStanding | undefined): readonly Label[] {
  if (standing?.state === 'degraded') return ['degraded-source'];
  return standing?.state === 'retiring' ? ['retiring-source'] : [];
}
