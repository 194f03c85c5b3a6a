/**
 * Ports: the records of authority. What cannot be derived from the sources lives here.
 *
 * Contract (tests/contract/records.contract.ts): an acknowledged write survives power loss; a package is stored once, under
 * its digest, and never changes.
 */
import type { ContextPackage } from '../domain/context-package.js';
import type { SourceEvent, SourceStanding, SourceState } from '../domain/source.js';
import type { Instant } from '../kernel/clock.js';
import type { Digest } from '../kernel/digest.js';
import type { ApprovalLedger } from './approvals.js';

export interface Registry {
  /** Standing of every registered source. */
  standings(): Promise<readonly SourceStanding[]>;
  /** Adds or updates the declared side; an existing state is kept. */
  register(
    source: {
      readonly id: string;
      readonly owner: string;
      readonly initialState: SourceState;
      readonly freshnessSloMs: number;
      readonly registrationDigest: Digest;
    },
    at: Instant,
  ): Promise<void>;
  /** One `last_confirmed_at` per source: a complete walk saw it. */
  confirm(sourceId: string, at: Instant): Promise<void>;
  /** A legal move of SOURCE_LIFECYCLE; the event is recorded with actor and reason. */
  move(sourceId: string, event: SourceEvent, by: { readonly actor: string; readonly reason: string }, at: Instant): Promise<SourceState>;
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
  get(digest: Digest): Promise<{ readonly entry: ContextPackage; readonly bindings: readonly PackageBinding[] } | undefined>;
  /** Every binding of attempts of this name, oldest first. */
  bindingsOf(attempt: string): Promise<readonly { readonly digest: Digest; readonly binding: PackageBinding }[]>;
  /**
   * One entry per package, the last bound first; `before` takes up where an answer ended. A prefix of a digest has at least 6
   * characters; a shorter one, or what is none, is that of no package.
   */
  entries(page: { readonly limit: number; readonly prefix?: string; readonly before?: number }): Promise<readonly PackageEntry[]>;
}

export interface Records {
  readonly registry: Registry;
  readonly packages: PackageLedger;
  readonly approvals: ApprovalLedger;
  integrity(): Promise<{ readonly ok: boolean; readonly detail: string }>;
  close(): Promise<void>;
}
