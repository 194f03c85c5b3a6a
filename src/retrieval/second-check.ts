/**
 * Second check: everything in the answer is judged again, from the registry's facts and not from the sealed set (ATH-05).
 *
 * Nothing should ever fail here. If something does, a step read past the seal: the whole answer is withheld.
 */
import { type EligibleSet, judge } from '../domain/eligibility.js';
import { readersFor } from '../domain/policy.js';
import { isWithheld } from '../domain/withheld.js';
import { Fault } from '../kernel/errors.js';
import type { StoredArtifact } from '../ports/index-reader.js';
import type { RetrievalDeps, RetrievalRequest } from './draft.js';

export function secondCheck(
  artifacts: readonly StoredArtifact[],
  eligible: EligibleSet,
  { standings, permissions }: Pick<RetrievalDeps, 'standings' | 'permissions'>,
  { ask }: Pick<RetrievalRequest, 'ask'>,
): void {
  for (const { page } of artifacts) {
    const { compartment } = page;
    const source = standings.find((standing) => standing.id === page.source);
    const facts = {
      compartment,
      source,
      readers: readersFor(ask, compartment.permissionsRef, permissions),
    };
    const admitted = compartment.source === page.source && eligible.keys.has(compartment.key) && judge(facts, ask).eligible;
    if (!admitted || isWithheld(source?.withheld ?? [], page)) throw new Fault('access/second-check', { step: 'retrieval' });
  }
}
