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

export interface PackageLedger {
  /** Idempotent: the same package again adds a binding only. */
  store(entry: ContextPackage, binding: PackageBinding): Promise<void>;
  get(digest: Digest): Promise<{ readonly entry: ContextPackage; readonly bindings: readonly PackageBinding[] } | undefined>;
  /** By full digest, a unique prefix of at least 6 characters, or `last`. */
  find(name: string): Promise<Digest | undefined>;
  list(
    limit: number,
  ): Promise<readonly { readonly digest: Digest; readonly createdAt: Instant; readonly text: string; readonly status: string }[]>;
}

export interface Records {
  readonly registry: Registry;
  readonly packages: PackageLedger;
  integrity(): Promise<{ readonly ok: boolean; readonly detail: string }>;
  close(): Promise<void>;
}
