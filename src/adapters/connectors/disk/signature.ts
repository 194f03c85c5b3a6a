/**
 * Signature — what a file system tells about a file's bytes without reading them.
 *
 * Invariant: a signature is only given when the file's inode changed long enough before the look that a later write must
 * give another one; until then the bytes are read and compared. Time is never taken for content.
 */
import { type BigIntStats, statSync } from 'node:fs';
import { join } from 'node:path';

/** Coarsest clock of a file system in use (FAT: two seconds), with some room. */
const SETTLED_MS = 2_500;

/** Undefined while the file is too young to be told apart from its next version. */
export function signatureOf(stats: BigIntStats, observedAtMs: number): string | undefined {
  const youngestMs = Math.max(Number(stats.ctimeMs), Number(stats.mtimeMs));
  if (observedAtMs - youngestMs < SETTLED_MS) return undefined;
  return identityOf(stats);
}

/** Of files below a root, by path. One that was read is known again by it: whatever a path leads to now, the same inode holds the same bytes. */
export function signaturesAt(root: string, paths: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const path of paths) {
    const stats = statSync(join(root, path), { bigint: true, throwIfNoEntry: false });
    const signature = stats?.isFile() === true ? signatureOf(stats, Date.now()) : undefined;
    if (signature !== undefined) found.set(path, signature);
  }
  return found;
}

/** Changes whenever the file is written, replaced or touched. */
export function identityOf(stats: BigIntStats): string {
  return `${stats.size}-${stats.mtimeNs}-${stats.ctimeNs}-${stats.ino}`;
}
