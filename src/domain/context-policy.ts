/**
 * The context policy: every number that decides how a package is filled, versioned as one value. Changing one is a new version.
 *
 * Invariant: a package names the digest of the policy it was compiled with.
 */
import { PREAMBLE_RULE, type PreambleRule } from './model-profile.js';

/** A page, or the part of one under an anchor, that must be in every package or the package is blocked (CTX-02, CTX-03). */
export interface RequiredClause {
  readonly source: string;
  readonly path: string;
  readonly anchor?: string;
}

export interface ContextPolicy {
  readonly version: string;
  readonly preamble: PreambleRule;
  /** Most of the room that governing text may take while other text waits; all of it when nothing else does. */
  readonly governingShare: number;
  /** A package may be used until this many days after it was compiled, and never past an item's `valid_until`. */
  readonly expiryDays: number;
  readonly required: readonly RequiredClause[];
}

export const DEFAULT_CONTEXT_POLICY: ContextPolicy = {
  version: 'context@1',
  preamble: PREAMBLE_RULE,
  governingShare: 0.5,
  expiryDays: 7,
  required: [],
};
