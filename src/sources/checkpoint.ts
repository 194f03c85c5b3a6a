/**
 * Checkpoint — one observed state of a source, bound to everything that decided what was made of it (ING-03).
 *
 * Invariant: two runs over equal documents with an equal pipeline give checkpoints that differ in `at` alone.
 */
import type { Checkpoint } from '../domain/checkpoint.js';
import type { Instant } from '../kernel/clock.js';
import { type Digest, sha256 } from '../kernel/digest.js';
import type { Listing } from '../ports/connector.js';

/** Of the checkpoint record itself. */
const CHECKPOINT_SCHEMA = 'checkpoint@1';

export function checkpointOf(of: {
  readonly source: string;
  readonly connectorVersion: string;
  readonly listing: Pick<Listing, 'cursor' | 'commit' | 'walk'>;
  readonly transformation: Digest;
  readonly pages: ReadonlyMap<string, { readonly blob: string }>;
  readonly at: Instant;
}): Checkpoint {
  const { listing } = of;
  return {
    source: of.source,
    connectorVersion: of.connectorVersion,
    cursor: listing.cursor,
    schemaVersion: CHECKPOINT_SCHEMA,
    transformation: of.transformation,
    contentDigest: sourceDigest(of.pages),
    walk: listing.walk,
    ...(listing.commit === undefined ? {} : { commit: listing.commit }),
    at: of.at,
  };
}

/** Over the sorted (path, blob) of a source. */
export function sourceDigest(pages: ReadonlyMap<string, { readonly blob: string }>): Digest {
  const lines = [...pages].map(([path, { blob }]) => `${path}\0${blob}\0`).sort();
  return sha256(lines.join(''));
}
