/** A checkpoint binds one observed state of a source to everything that decided what was made of it (ING-03). */
import type { Instant } from '../kernel/clock.js';
import type { Digest } from '../kernel/digest.js';

export interface Checkpoint {
  readonly source: string;
  /** The five bindings. */
  readonly connectorVersion: string;
  readonly cursor: string;
  readonly schemaVersion: string;
  /** Digest of pipeline version and everything in the registration that shapes artifacts. */
  readonly transformation: Digest;
  /** Over the source's sorted (path, blob). */
  readonly contentDigest: Digest;
  readonly walk: 'complete' | 'partial';
  readonly commit?: string;
  readonly at: Instant;
}
