/**
 * A context package: exactly what one attempt was told, frozen.
 *
 * Invariant: the digest is over the canonical JSON of `PackageBody`; nothing in the body depends on what the requester may not
 * see, on the wall clock beyond the day, or on the machine.
 * Invariant: a package records what was shown. It is never read as authority.
 */
import type { Day } from '../kernel/clock.js';
import type { Digest } from '../kernel/digest.js';
import type { ByteRange, LineRange } from './artifact.js';
import type { TrustTier } from './authority.js';
import type { Classification } from './classification.js';
import type { Label } from './page.js';
import type { Scope } from './query.js';

export const CONTEXT_CLASSES = ['governing', 'task-facts', 'repository', 'tool-results', 'history', 'examples', 'reference'] as const;
export type ContextClass = (typeof CONTEXT_CLASSES)[number];

/** A turn's preamble, or all that an attempt starts from; one compiler, other budgets (CTX-14). */
export const CONTEXT_PROFILES = ['preamble', 'attempt'] as const;
export type ContextProfile = (typeof CONTEXT_PROFILES)[number];

/** Why a candidate stayed out; closed (RET-18). */
export const EXCLUSIONS = [
  'below-floor',
  'page-cap',
  'superseded',
  'expired',
  'duplicate',
  'near-duplicate',
  'budget',
  'lane-cap',
  'outranked',
  'unverified-changed',
  'damaged',
  'policy',
] as const;
export type Exclusion = (typeof EXCLUSIONS)[number];

export interface PackageItem {
  /** From 0; rank order inside a class. */
  readonly position: number;
  readonly class: ContextClass;
  readonly artifact: string;
  readonly source: string;
  readonly path: string;
  readonly blob: string;
  readonly title: string;
  readonly headingPath: readonly string[];
  readonly anchor: string;
  readonly lines: LineRange;
  readonly bytes: ByteRange;
  readonly excerpt: string;
  readonly excerptDigest: Digest;
  /** Bound of what the item costs in the rendering: its header line, its fence and its excerpt, for the model named in the request. */
  readonly tokens: number;
  readonly tier: TrustTier;
  readonly classification: Classification;
  readonly labels: readonly Label[];
  /** As the page states them; absent where it says nothing. */
  readonly verifiedAt?: Day;
  readonly reviewBy?: Day;
  /** The page's own date, where it writes one: when it was written or last changed, as it says. */
  readonly dated?: Day;
  /** The page's summary, where the reason names a match that stands nowhere else. */
  readonly summary?: string;
  /** Other places that hold the same text. */
  readonly duplicates: readonly { readonly source: string; readonly path: string; readonly lines: LineRange }[];
  /** One line: why it is here. */
  readonly reason: string;
  /** Of what the caller brought along: where it says it has it from. Its `source` is `@caller`. */
  readonly provenance?: { readonly origin: string; readonly at?: string; readonly digest?: string };
}

/** A fact the request could not do without, and what came of it (CTX-08). */
export interface PackageFact {
  readonly kind: 'page' | 'identifier' | 'question';
  readonly fact: string;
  readonly status: 'resolved' | 'missing';
  /** Artifacts of the items that hold it; empty when it is missing. */
  readonly items: readonly string[];
  /** One line: what was looked for, or why what was found does not count. */
  readonly detail: string;
  readonly owner?: string;
}

export interface ExcludedItem {
  readonly artifact: string;
  readonly source: string;
  readonly path: string;
  readonly title: string;
  readonly reason: Exclusion;
  /** One line for people, e.g. "superseded by adr-19.md". */
  readonly detail: string;
  /** Where in the page; absent where that was not recorded. */
  readonly headingPath?: readonly string[];
  readonly lines?: LineRange;
  /** How close it came, of what fell under the floor. */
  readonly closeness?: Closeness;
}

/** In whole percent: of the question's information, or of what the best match weighs. */
export interface Closeness {
  readonly of: 'question' | 'best-match';
  readonly percent: number;
  readonly neededPercent: number;
}

export interface Conflict {
  readonly artifacts: readonly string[];
  readonly reason: string;
}

export interface PackageBody {
  readonly format: 'colophon/package@1';
  readonly status: 'frozen' | 'no_context' | 'blocked';
  /** One line; empty when frozen. */
  readonly reason: string;
  readonly request: {
    readonly text: string;
    readonly profile: ContextProfile;
    /** Something is done on the strength of this: a fact that is missing or stale blocks. */
    readonly consequential?: true;
    readonly requester: string;
    readonly workload: string;
    readonly tenant: string;
    readonly purpose: string;
    readonly groups: readonly string[];
    readonly ceiling: Classification;
    readonly client: string;
    readonly locality: 'local' | 'remote';
    readonly model: string;
    readonly scope: Scope;
    readonly asOf: Day;
  };
  readonly versions: {
    readonly compiler: string;
    readonly analyzer: string;
    readonly rankingPolicy: Digest;
    readonly contextPolicy: Digest;
    /** The index manifest projected onto the eligible compartments. */
    readonly manifest: Digest;
    /** Absent where none was declared. */
    readonly vocabulary?: Digest;
  };
  readonly budget: {
    readonly ceiling: number;
    readonly used: number;
    readonly classes: Readonly<Record<string, { readonly granted: number; readonly used: number }>>;
  };
  readonly items: readonly PackageItem[];
  readonly excluded: readonly ExcludedItem[];
  readonly gaps: readonly string[];
  /** Absent when the request named none. */
  readonly facts?: readonly PackageFact[];
  readonly conflicts: readonly Conflict[];
  /** True when an item is of a fenced tier. */
  readonly taint: boolean;
  /** Highest classification of a page named here, as an item, left out, a duplicate or in a conflict; `public` when there is none. */
  readonly classification: Classification;
  /** After this day the package may be read, not used. */
  readonly expires: Day;
}

export interface ContextPackage {
  readonly digest: Digest;
  readonly body: PackageBody;
}
