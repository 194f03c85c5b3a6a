/**
 * Port: read one kind of source.
 *
 * Contract (tests/contract/connector.contract.ts):
 * - a listing names each real document once, by its true relative path;
 * - what could not be seen is named in `unseen`, and `walk` is then `partial`; nothing under it may be taken for deleted;
 * - a vanished root is a fault, never an empty listing;
 * - `read` gives the bytes whose git blob id it states, whatever happens to the file meanwhile;
 * - `same` names no document whose bytes are others than those of the blob given for it;
 * - `signatures` gives a document that was written since it was read another signature than `read` gave, or none.
 */
import type { Problem } from '../domain/problem.js';
import type { SourceRegistration } from '../domain/source.js';

export interface ListedDocument {
  /** POSIX, from the source's root, in the spelling the source uses. */
  readonly path: string;
  /** Git blob id, where the source tells it without reading. */
  readonly blob?: string;
  /** Opaque; equal signatures mean equal bytes. Absent where the source cannot promise that. */
  readonly signature?: string;
  readonly sizeBytes: number;
}

export interface Listing {
  /** Names this state of the source: a commit id, or a digest of the listing. */
  readonly cursor: string;
  /** The commit the documents belong to; absent where there is none. Operator information. */
  readonly commit?: string;
  readonly walk: 'complete' | 'partial';
  readonly documents: readonly ListedDocument[];
  /** Path prefixes (`folder/`) or paths that could not be seen this time. */
  readonly unseen: readonly string[];
  readonly problems: readonly Problem[];
  /** Documents left out, by rule: `{ gitignore: 12, default: 3, pattern: 4 }`. */
  readonly ignored: Readonly<Record<string, number>>;
}

export interface SourceDocument {
  readonly path: string;
  readonly blob: string;
  readonly signature?: string;
  readonly bytes: Uint8Array;
  /** Of a section that is filed by itself: the path of its page, whose rules hold for it. */
  readonly page?: string;
}

/** A document that was listed and could not be read; the run goes on. */
export interface UnreadDocument {
  readonly path: string;
  readonly problem: Problem;
}

export interface Connector {
  /** Workload identity, `workload://colophon/<kind>`; must equal the registration's `connectorIdentity`. */
  readonly identity: string;
  readonly version: string;
  list(registration: SourceRegistration, signal: AbortSignal): Promise<Listing>;
  /** In the order given, a bounded number in memory at once. */
  read(
    registration: SourceRegistration,
    documents: readonly ListedDocument[],
    signal: AbortSignal,
  ): AsyncIterable<SourceDocument | UnreadDocument>;
  /**
   * Which of these listed documents, at the signature they were listed with, still are the blobs held under their paths. Cheaper
   * than `read`; only a document that is named is certain, and every other must be read.
   */
  same(
    registration: SourceRegistration,
    documents: readonly ListedDocument[],
    held: ReadonlyMap<string, string>,
    signal: AbortSignal,
  ): Promise<ReadonlySet<string>>;
  /**
   * What the source tells now about these documents without reading them: by path, the signature that `read` gave or would give. Absent
   * for whatever must be read: what is not there, is no plain file, or is too young to be told from its next version.
   */
  signatures?(registration: SourceRegistration, paths: readonly string[]): ReadonlyMap<string, string>;
  /** Calls back, debounced, after something below the root changed; returns a function that stops watching. */
  watch(registration: SourceRegistration, changed: () => void): Promise<() => Promise<void>>;
}
