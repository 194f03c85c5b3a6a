/**
 * The context pipeline: from what retrieval found to one frozen package and the lines an agent reads.
 *
 *   allocate   how much of the ceiling each class may use
 *   select     what enters, in order; why the rest stays out
 *   spotlight  render, with strangers' text fenced; count it whole
 *   freeze     canonical JSON, digest, immutable
 *
 * Invariant: pure; equal inputs give equal bytes (T4.1).
 * Invariant: the rendering never takes more than the ceiling, for any registered model (PIT-16).
 */
import type { Retrieved } from '../domain/candidate.js';
import type { ContextPackage, ExcludedItem } from '../domain/context-package.js';
import { type ContextPolicy, DEFAULT_CONTEXT_POLICY } from '../domain/context-policy.js';
import { contextCeiling } from '../domain/model-profile.js';
import { Fault } from '../kernel/errors.js';
import { allocate } from './allocate.js';
import { assemble, type CompileInput, classificationOf } from './assemble.js';
import { frameCost } from './cost.js';
import { freeze } from './freeze.js';
import { excludedFor } from './item.js';
import { select } from './select.js';
import { spotlight } from './spotlight.js';

export type { CompileInput } from './assemble.js';

export interface Compiled {
  readonly package: ContextPackage;
  readonly rendered: string;
}

export function compileContext(input: CompileInput): Compiled {
  const policy = input.policy ?? DEFAULT_CONTEXT_POLICY;
  const ceiling = ceilingOf(input, policy);
  refuseStrangers(input.retrieved);
  const retrieved = offered(input.retrieved);
  const { candidates } = retrieved;
  const classification = classificationOf(input);
  const frame = frameCost(input.versions.manifest, ceiling, input.model);
  for (let slack = 0; ; ) {
    const allocation = allocate({ candidates, ceiling, frame: frame + slack, policy });
    const selection = select({ candidates, allocation, required: policy.required, model: input.model, today: input.today });
    const spotlit = spotlight(assemble({ ...input, policy, retrieved, classification }, allocation, selection), input.model);
    if (spotlit.fits) return { package: freeze(spotlit.body), rendered: spotlit.rendered };
    // Counted whole it took more than its parts: give that much less room and choose again.
    slack += spotlit.body.budget.used - ceiling;
  }
}

function ceilingOf({ model, ceilingTokens, mayRaiseCeiling }: CompileInput, policy: ContextPolicy): number {
  if (ceilingTokens !== undefined && !(Number.isSafeInteger(ceilingTokens) && ceilingTokens > 0)) {
    throw new Fault('input/invalid', { field: 'budget', expected: `a whole number of tokens from 1 to ${model.windowTokens}` });
  }
  return contextCeiling(model, { tokens: ceilingTokens, mayRaise: mayRaiseCeiling ?? false }, policy.preamble);
}

/** Fails closed: text outside the eligible set is a fault in the program, and no package is made of it. */
function refuseStrangers({ candidates, eligible }: Retrieved): void {
  for (const { artifact, page } of candidates) {
    if (!eligible.keys.has(page.compartment.key))
      throw new Error(`artifact ${artifact.id} reached the context stage without being eligible`);
  }
}

/** Below the floor nothing is offered, and what was found is recorded as such (INJ-02, RET-18). */
function offered(retrieved: Retrieved): Retrieved {
  if (!retrieved.noContext) return retrieved;
  const known = new Set(retrieved.excluded.map((item) => item.artifact));
  const below: ExcludedItem[] = retrieved.candidates
    .filter(({ artifact }) => !known.has(artifact.id))
    .map((candidate) => excludedFor(candidate, 'below-floor', retrieved.reason));
  return { ...retrieved, candidates: [], excluded: [...retrieved.excluded, ...below] };
}
