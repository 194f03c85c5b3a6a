/**
 * The context pipeline: from what retrieval found to one frozen package and the lines an agent reads.
 *
 *   allocate      how much of the ceiling each class may use
 *   select        what enters, in order; why the rest stays out
 *   requirements  which clauses and facts had to be in, and whether they are
 *   spotlight     render, with strangers' text fenced; count it whole
 *   check         every required clause stands in what was rendered, whole
 *   freeze        canonical JSON, digest, immutable
 *
 * Preambles and attempt packages take the same road with other budgets (CTX-14).
 *
 * Invariant: pure; equal inputs give equal bytes (T4.1).
 * Invariant: the rendering never takes more than the ceiling, for any registered model (PIT-16).
 */
import type { Retrieved } from '../domain/candidate.js';
import type { ContextPackage, ExcludedItem } from '../domain/context-package.js';
import { DEFAULT_CONTEXT_POLICY, type ProfileBudget } from '../domain/context-policy.js';
import { contextCeiling } from '../domain/model-profile.js';
import { Fault } from '../kernel/errors.js';
import { allocate } from './allocate.js';
import { assemble, type CompileInput, classificationOf, offeredBy } from './assemble.js';
import { checkClauses } from './check-clauses.js';
import { frameCost } from './cost.js';
import { freeze } from './freeze.js';
import { excludedFor } from './item.js';
import { requirementsOf } from './requirements.js';
import { select } from './select.js';
import { spotlight } from './spotlight.js';

export type { CompileInput } from './assemble.js';

export interface Compiled {
  readonly package: ContextPackage;
  readonly rendered: string;
}

export function compileContext(input: CompileInput): Compiled {
  const policy = input.policy ?? DEFAULT_CONTEXT_POLICY;
  const profile = input.profile ?? 'preamble';
  const budget = policy.profiles[profile];
  const ceiling = ceilingOf(input, budget);
  refuseStrangers(input);
  const retrieved = withoutBelowFloor(input.retrieved);
  const { model, today } = input;
  const clauses = input.governing?.clauses ?? [];
  const facts = input.facts ?? [];
  const offered = { candidates: retrieved.candidates, clauses, facts, supplied: input.supplied ?? [] };
  const classification = classificationOf(input);
  const frame = frameCost(input.versions.manifest, ceiling, model);
  for (let slack = 0; ; ) {
    const allocation = allocate({ ceiling, frame: frame + slack, classes: budget.classes });
    const selection = select({ offered, conflicts: retrieved.conflicts, allocation, profile, model, today });
    const requirements = requirementsOf({
      clauses,
      facts,
      consequential: input.consequential === true,
      refusals: input.refusals ?? [],
      items: selection.items,
      room: allocation.room,
    });
    const body = assemble({ ...input, policy, retrieved, classification }, allocation, selection, requirements);
    const spotlit = spotlight(body, model);
    if (spotlit.fits) {
      checkClauses(spotlit, clauses);
      return { package: freeze(spotlit.body), rendered: spotlit.rendered };
    }
    // Counted whole it took more than its parts: give that much less room and choose again.
    slack += spotlit.body.budget.used - ceiling;
  }
}

function ceilingOf({ model, ceilingTokens, mayRaiseCeiling }: CompileInput, budget: ProfileBudget): number {
  if (ceilingTokens !== undefined && !(Number.isSafeInteger(ceilingTokens) && ceilingTokens > 0)) {
    throw new Fault('input/invalid', { field: 'budget', expected: `a whole number of tokens from 1 to ${model.windowTokens}` });
  }
  return contextCeiling(model, { tokens: ceilingTokens, mayRaise: mayRaiseCeiling ?? false }, budget);
}

/** Fails closed: text outside the eligible set is a fault in the program, and no package is made of it. */
function refuseStrangers(input: CompileInput): void {
  for (const { artifact, page } of offeredBy(input)) {
    if (!input.retrieved.eligible.keys.has(page.compartment.key))
      throw new Error(`artifact ${artifact.id} reached the context stage without being eligible`);
  }
}

/** Below the floor nothing is offered, and what was found is recorded as such (INJ-02, RET-18). */
function withoutBelowFloor(retrieved: Retrieved): Retrieved {
  if (!retrieved.noContext) return retrieved;
  const known = new Set(retrieved.excluded.map((item) => item.artifact));
  const below: ExcludedItem[] = retrieved.candidates
    .filter(({ artifact }) => !known.has(artifact.id))
    .map((candidate) => excludedFor(candidate, 'below-floor', retrieved.reason));
  return { ...retrieved, candidates: [], excluded: [...retrieved.excluded, ...below] };
}
