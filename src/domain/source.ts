/** A source: where knowledge comes from, who answers for it, which promises it makes, and which state it is in. */
import type { Instant } from '../kernel/clock.js';
import type { TransitionTable } from '../kernel/lifecycle.js';
import type { Admission, AuthorityClass, Egress, TrustTier } from './authority.js';
import type { Classification } from './classification.js';
import type { WithheldPage } from './withheld.js';

export const SOURCE_STATES = ['proposed', 'approved', 'active', 'degraded', 'suspended', 'retiring', 'revoked', 'deleted'] as const;
export type SourceState = (typeof SOURCE_STATES)[number];

export type SourceEvent =
  | 'approve'
  | 'activate'
  | 'degrade'
  | 'recover'
  | 'suspend'
  | 'clear'
  | 'rebuild'
  | 'retire'
  | 'keep'
  | 'revoke'
  | 'delete';

const refuse = {
  approve: null,
  activate: null,
  degrade: null,
  recover: null,
  suspend: null,
  clear: null,
  rebuild: null,
  retire: null,
  keep: null,
  revoke: null,
  delete: null,
} as const;

/** The moves of SM-S1 to SM-S14. */
export const SOURCE_LIFECYCLE: TransitionTable<SourceState, SourceEvent> = {
  proposed: { ...refuse, approve: 'approved', delete: 'deleted' },
  approved: { ...refuse, activate: 'active', suspend: 'suspended', revoke: 'revoked' },
  active: { ...refuse, degrade: 'degraded', suspend: 'suspended', retire: 'retiring', revoke: 'revoked' },
  degraded: { ...refuse, recover: 'active', suspend: 'suspended', retire: 'retiring', revoke: 'revoked' },
  suspended: { ...refuse, clear: 'active', rebuild: 'approved', revoke: 'revoked', delete: 'deleted' },
  retiring: { ...refuse, keep: 'active', suspend: 'suspended', revoke: 'revoked', delete: 'deleted' },
  revoked: { ...refuse, delete: 'deleted' },
  deleted: refuse,
};

/** As which the pipeline and the detectors act on sources by themselves (ATH-12). */
export const SYSTEM_WORKLOAD = 'workload://colophon/index';
export const DETECTOR_WORKLOAD = 'workload://colophon/detector';

/** States whose text may be selected; `degraded` and `retiring` answer with a label. */
export const SERVING_STATES: ReadonlySet<SourceState> = new Set(['active', 'degraded', 'retiring']);

/** A source that retires answers until its day, and not after. */
export function isServing({ state, retiresAt }: Pick<SourceStanding, 'state' | 'retiresAt'>, at: Instant): boolean {
  return SERVING_STATES.has(state) && !(state === 'retiring' && retiresAt !== undefined && at >= retiresAt);
}

/** The standing as it counts at this time: a source that promised to be seen by now and was not is degraded, whether noted yet or not. */
export function standingAt(standing: SourceStanding, at: Instant): SourceStanding {
  return isOverdue(standing, at) ? { ...standing, state: 'degraded' } : standing;
}

/** Missed its freshness promise: the longest time since a complete walk last confirmed it. */
export function isOverdue({ state, confirmedAt, freshnessSloMs }: SourceStanding, at: Instant): boolean {
  return state === 'active' && confirmedAt !== undefined && at - confirmedAt > freshnessSloMs;
}

/** The declared side of a source: reviewed text in `colophon.yaml`, twelve fields (SRC-02) and their companions. */
export interface SourceRegistration {
  readonly id: string;
  /** Accountable role or person, e.g. `role:docs`. */
  readonly owner: string;
  readonly authorityClass: AuthorityClass;
  /** The only workload that may write this source's artifacts, e.g. `workload://colophon/git`. */
  readonly connectorIdentity: string;
  readonly location: SourceLocation;
  readonly classification: Classification;
  readonly tenantScope: readonly string[];
  readonly allowedPurposes: readonly string[];
  readonly freshnessSloMs: number;
  /** `name@version`. */
  readonly retentionPolicy: string;
  readonly correctionAndDeletion: 'source-authoritative' | 'library-authoritative';
  readonly initialState: SourceState;
  /** Names the group list that may read; resolved at query time, unresolved denies. */
  readonly permissionsRef: string;
  readonly trustTier: TrustTier;
  readonly admission: Admission;
  readonly egress: Egress;
  /** Applied in order; the last match of a field wins. A rule may raise classification or narrow permission, never loosen. */
  readonly rules: readonly PathRule[];
  /** 0 = exact words only, 1 = every inflection counts as the word itself. */
  readonly stemming: number;
  /** `apart`: a marked section is a document of its own; else it raises its page. */
  readonly sections?: 'apart';
  /** Nothing of it may be deleted as long as this stands. */
  readonly legalHold?: true;
  /** The source it takes the place of: a revoked or deleted id never comes back. */
  readonly supersedes?: string;
}

export interface SourceLocation {
  readonly connector: 'git' | 'directory';
  /** Absolute folder, POSIX separators. */
  readonly path: string;
  /** git only: the ref whose objects are read; undefined reads the working tree. */
  readonly ref?: string;
  /** Globs from the source's root; empty includes every document. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/** What a path glob says about the pages it matches. */
export interface PathRule {
  readonly glob: string;
  readonly classification?: Classification;
  readonly permissionsRef?: string;
  readonly status?: string;
  readonly productVersion?: string;
  readonly trustTier?: TrustTier;
  readonly sensitivity?: 'private' | 'normal';
}

/** The runtime side of a source, read from `records.db` for every request. */
export interface SourceStanding {
  readonly id: string;
  readonly state: SourceState;
  readonly owner: string;
  /** When a complete walk last confirmed the source; absent until the first. */
  readonly confirmedAt?: Instant;
  readonly freshnessSloMs: number;
  /** Of a retiring source: it answers until here. */
  readonly retiresAt?: Instant;
  /** Pages of it that an order keeps from everybody; absent where there is none. */
  readonly withheld?: readonly WithheldPage[];
}
