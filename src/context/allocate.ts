/**
 * Allocate: how much of the ceiling each class of text may use (CTX-01, CTX-04).
 *
 * Retrieved text is `governing` when its source governs and `reference`, the lowest class, otherwise (CTX-10); the five classes
 * between are filled by attempt packages. What governing text leaves goes to the rest; what nobody uses stays unused.
 *
 * Invariant: grants never add up to more than the room.
 */
import type { Candidate } from '../domain/candidate.js';
import type { ContextClass } from '../domain/context-package.js';
import type { ContextPolicy } from '../domain/context-policy.js';

export interface Allocation {
  readonly ceiling: number;
  /** Header and footer. */
  readonly frame: number;
  /** What is left for items. */
  readonly room: number;
  /** Most that governing text may take, unless it is the best match itself. */
  readonly governing: number;
}

export function classOf(candidate: Pick<Candidate, 'page'>): ContextClass {
  return candidate.page.authorityClass === 'governing' ? 'governing' : 'reference';
}

export function allocate(input: {
  readonly candidates: readonly Candidate[];
  readonly ceiling: number;
  readonly frame: number;
  readonly policy: ContextPolicy;
}): Allocation {
  const { candidates, ceiling, frame, policy } = input;
  const room = Math.max(0, ceiling - frame);
  const othersWait = candidates.some((candidate) => classOf(candidate) !== 'governing');
  return { ceiling, frame, room, governing: othersWait ? Math.floor(room * policy.governingShare) : room };
}
