/** What the registry keeps of a source beside its declaration: its record, its history, and the versions of its declaration (SRC-16). */
import type { Instant } from '../kernel/clock.js';
import type { Digest } from '../kernel/digest.js';
import type { SourceEvent, SourceStanding, SourceState } from './source.js';

export interface SourceRecord extends SourceStanding {
  /** Grows by one with each change that is recorded; what a command may expect it to be. */
  readonly version: number;
  /** Who brought it in. */
  readonly proposer: string;
  readonly registrationDigest: Digest;
  readonly registeredAt: Instant;
}

/** Who did something, for whom, under which policy. */
export interface StatedBy {
  readonly actor: string;
  readonly reason: string;
  /** The process. */
  readonly workload?: string;
  /** Version of the policy it was judged by. */
  readonly policy?: string;
}

/** `register`: a new version of the declaration. `profile`, `purge`: what was found, what was taken out. */
export type RecordedEvent = SourceEvent | 'register' | 'profile' | 'purge';

export interface StateEvent {
  readonly seq: number;
  readonly source: string;
  readonly event: RecordedEvent;
  readonly from: SourceState;
  readonly to: SourceState;
  readonly actor: string;
  readonly workload: string;
  readonly reason: string;
  readonly policy: string;
  readonly at: Instant;
  /** Names the order: the same one again does nothing more. */
  readonly key?: string;
  readonly expectedVersion?: number;
  readonly outcome: 'made' | 'refused';
  /** What else is known of it: the row of the table, who agreed, why it was refused. Plain JSON. */
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface RegistrationVersion {
  readonly digest: Digest;
  /** As it was declared; empty where it was recorded by an older version of the program. */
  readonly declared: Readonly<Record<string, unknown>>;
  readonly actor: string;
  readonly at: Instant;
}
