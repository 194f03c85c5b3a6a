/**
 * What a context must hold whatever ranks high: governing clauses, required facts, and what the caller brings along.
 *
 * Invariant: what could not be had is a value here too, with the reason; nothing required is ever silently absent (CTX-08).
 */
import type { TrustTier } from './authority.js';
import type { Candidate } from './candidate.js';
import type { Classification } from './classification.js';
import type { ContextClass, ExcludedItem } from './context-package.js';
import type { GoverningLevel } from './context-policy.js';

export interface RequiredClause {
  /** `source path#anchor`, as a person would look for it. */
  readonly name: string;
  readonly level: GoverningLevel;
  /** Who answers for it: the page's owner, else the source's. */
  readonly owner: string;
  /** All of it, in the order of the page; empty when there is trouble. */
  readonly candidates: readonly Candidate[];
  /** Why it cannot be given: missing, stale or contradicted. */
  readonly trouble?: string;
}

export interface GoverningMaterial {
  /** The widest first. */
  readonly clauses: readonly RequiredClause[];
  /** Narrower text that would have overridden wider text (CTX-15). */
  readonly overridden: readonly ExcludedItem[];
}

export const FACT_KINDS = ['page', 'identifier', 'question'] as const;
export type FactKind = (typeof FACT_KINDS)[number];

/** Something the caller cannot do its task without. */
export interface RequiredFact {
  readonly kind: FactKind;
  readonly text: string;
}

export interface ResolvedFact extends RequiredFact {
  /** Empty when it was not found. */
  readonly candidates: readonly Candidate[];
  /** One line: what was looked for, and why nothing answers or what is odd about what does. */
  readonly detail: string;
  /** Who might know, where that can be told. */
  readonly owner?: string;
}

/** Classes a caller may fill; the others come from the library. */
export const SUPPLIED_CLASSES = ['task-facts', 'tool-results', 'history', 'examples'] as const satisfies readonly ContextClass[];
export type SuppliedClass = (typeof SUPPLIED_CLASSES)[number];

/** No source can be called this; ids of sources begin with a letter or a digit. */
export const CALLER_SOURCE = '@caller';

/** Text the caller brings: secrets are out, the tier is one the caller may vouch for. */
export interface SuppliedItem {
  readonly class: SuppliedClass;
  readonly text: string;
  readonly title: string;
  /** Where the caller has it from: a tool, a file, a person, a run. */
  readonly origin: string;
  readonly tier: TrustTier;
  readonly classification: Classification;
  /** When it was observed, RFC 3339. */
  readonly at?: string;
  /** SHA-256 of the text as it was handed over, where the caller gave one and nothing was taken out. */
  readonly digest?: string;
}
