/**
 * Ports: the records of authority. What cannot be derived from the sources lives here.
 *
 * Contract (tests/contract/records.contract.ts): an acknowledged write survives power loss; a package is stored once, under
 * its digest, and never changes.
 */
import type { ContextPackage } from '../domain/context-package.js';
import type { SourceEvent, SourceStanding, SourceState } from '../domain/source.js';
import type { RecordedEvent, RegistrationVersion, SourceRecord, StatedBy, StateEvent } from '../domain/source-record.js';
import type { Instant } from '../kernel/clock.js';
import type { Digest } from '../kernel/digest.js';
import type { ApprovalLedger } from './approvals.js';
import type { PageLedger } from './page-ledger.js';

/** A command about one source. */
export interface SourceOrder {
  readonly source: string;
  readonly event: SourceEvent;
  readonly by: StatedBy;
  readonly at: Instant;
  /** The same order under the same key again is answered with what came of the first, and does nothing. */
  readonly key?: string;
  /** Refused when the source is at another version by now. */
  readonly expectedVersion?: number;
  /** What else was ordered; two orders under one key must be the same in this too. */
  readonly terms: Readonly<Record<string, unknown>>;
}

export type SourceRuling =
  | { readonly made: true; readonly to: SourceState; readonly retiresAt?: Instant; readonly detail: Readonly<Record<string, unknown>> }
  | { readonly made: false; readonly detail: Readonly<Record<string, unknown>> };

export interface Registry {
  /** Standing of every registered source, with the pages of it that orders keep from everybody. */
  standings(): Promise<readonly SourceStanding[]>;
  /** Standing, version and proposer of every registered source. */
  records(): Promise<readonly SourceRecord[]>;
  /**
   * Adds or updates the declared side; an existing state is kept. A declaration that is new is a version of its own, and the ones
   * before stay readable.
   */
  register(
    source: {
      readonly id: string;
      readonly owner: string;
      readonly initialState: SourceState;
      readonly freshnessSloMs: number;
      readonly registrationDigest: Digest;
      /** The declaration itself. */
      readonly declared?: Readonly<Record<string, unknown>>;
    },
    at: Instant,
    by?: StatedBy,
  ): Promise<void>;
  /** One `last_confirmed_at` per source: a complete walk saw it. */
  confirm(sourceId: string, at: Instant): Promise<void>;
  /** A legal move of SOURCE_LIFECYCLE; the event is recorded with actor and reason. */
  move(sourceId: string, event: SourceEvent, by: StatedBy, at: Instant): Promise<SourceState>;
  /**
   * Judges an order on the record as it is, and records what came of it, made or refused, in one step.
   * `input/invalid` when the key was used for another order.
   */
  command(order: SourceOrder, judge: (record: SourceRecord, history: readonly StateEvent[]) => SourceRuling): Promise<StateEvent>;
  /** Records something about a source that changes no state. */
  note(sourceId: string, event: RecordedEvent, by: StatedBy, at: Instant, detail: Readonly<Record<string, unknown>>): Promise<StateEvent>;
  /** Everything that happened to a source, the oldest first; refused orders too. */
  history(sourceId: string): Promise<readonly StateEvent[]>;
  /** Every declaration of a source there was, the oldest first. */
  registrations(sourceId: string): Promise<readonly RegistrationVersion[]>;
}

export interface PackageBinding {
  readonly attempt: string;
  readonly createdAt: Instant;
  /** Operator annex: facts outside the digest, e.g. commit ids and generation. */
  readonly annex: Readonly<Record<string, string>>;
}

export interface PackageEntry {
  /** Place among all bindings, of the package's last one. */
  readonly seq: number;
  readonly digest: Digest;
  readonly createdAt: Instant;
}

export interface PackageLedger {
  /** Idempotent: the same package again adds a binding only. */
  store(entry: ContextPackage, binding: PackageBinding): Promise<void>;
  /** With its bindings, oldest first; with `most`, the last so many of them, at no cost for the others. */
  get(digest: Digest, most?: number): Promise<{ readonly entry: ContextPackage; readonly bindings: readonly PackageBinding[] } | undefined>;
  /** Bindings whose id (`annex.id`) begins like this, in no order, of one owner where one is named. Not complete where some have no id. */
  identified(wanted: { readonly prefix: string; readonly owner?: Digest; readonly limit: number }): Promise<{
    readonly found: readonly { readonly digest: Digest; readonly binding: PackageBinding }[];
    readonly isComplete: boolean;
  }>;
  /** Every binding of attempts of this name, oldest first; of one owner alone, without a look at those of others. */
  bindingsOf(attempt: string, owner?: Digest): Promise<readonly { readonly digest: Digest; readonly binding: PackageBinding }[]>;
  /**
   * One entry per package, the last bound first; `before` takes up where an answer ended. A prefix of a digest has at least 6
   * characters; a shorter one, or what is none, is that of no package. With an owner (`annex.owner`), its own alone, and what others
   * have bound costs nothing.
   */
  entries(page: {
    readonly limit: number;
    readonly prefix?: string;
    readonly before?: number;
    readonly owner?: Digest;
  }): Promise<readonly PackageEntry[]>;
}

export interface Records {
  readonly registry: Registry;
  readonly pages: PageLedger;
  readonly packages: PackageLedger;
  readonly approvals: ApprovalLedger;
  integrity(): Promise<{ readonly ok: boolean; readonly detail: string }>;
  close(): Promise<void>;
}
