/**
 * Signature — what a file system tells about a file's bytes without reading them.
 *
 * Invariant: a signature is only given when the file's inode changed long enough before the look that a later write must
 * give another one; until then the bytes are read and compared. Time is never taken for content.
 */
import type { BigIntStats } from 'node:fs';

/** Coarsest clock of a file system in use (FAT: two seconds), with some room. */
const SETTLED_MS = 2_500;

/** Undefined while the file is too young to be told apart from its next version. */
export function signatureOf(stats: BigIntStats, observedAtMs: number): string | undefined {
  const youngestMs = Math.max(Number(stats.ctimeMs), Number(stats.mtimeMs));
  if (observedAtMs - youngestMs < SETTLED_MS) return undefined;
  return identityOf(stats);
}

/** Changes whenever the file is written, replaced or touched. */
export function identityOf(stats: BigIntStats): string {
  return `${stats.size}-${stats.mtimeNs}-${stats.ctimeNs}-${stats.ino}`;
}
