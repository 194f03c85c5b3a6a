/**
 * Eligible: the compartments this request may read, judged anew for every request from the registry's present state.
 *
 * Invariant: decided before anything is ranked; the only caller of the seal.
 */
import type { CompartmentFacts, EligibleSet } from '../domain/eligibility.js';
import type { Label } from '../domain/page.js';
import { readersFor } from '../domain/policy.js';
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
  // Thousands of compartments share a few refs.
  const readers = new Map<string, readonly string[] | undefined>();
  const readersOf = (ref: string) => {
    if (!readers.has(ref)) readers.set(ref, readersFor(ask, ref, deps.permissions));
    return readers.get(ref);
  };
  const facts = (await deps.snapshot.compartments()).map(
    (compartment): CompartmentFacts => ({
      compartment,
      source: standings.get(compartment.source),
      readers: readersOf(compartment.permissionsRef),
    }),
  );
  const eligible = sealEligible(facts, ask);
  if (eligible.withheld.length === 0) return eligible;
  // A compartment all of whose pages are withheld is as good as none: its source must not show by it either.
  const inhabited = await deps.snapshot.inhabited(eligible);
  if (inhabited.size === eligible.keys.size) return eligible;
  return sealEligible(
    facts.filter(({ compartment }) => inhabited.has(compartment.key)),
    ask,
  );
}

/** Labels that a source's own state puts on all its pages. */
export function sourceLabels(standing: SourceStanding | undefined): readonly Label[] {
  if (standing?.state === 'degraded') return ['degraded-source'];
  return standing?.state === 'retiring' ? ['retiring-source'] : [];
}
