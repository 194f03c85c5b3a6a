/**
 * Attempts: one run of one agent, the manifest of what that agent is, and the package it was given.
 *
 * The digest of a package says what was told; its id says to which attempt. Two attempts that were told the same have two
 * packages of one digest, so a retry is never taken for the run it repeats (ATT-02, PKG-04).
 *
 * Invariant: an id is worked out from digest, attempt and manifest alone, so that nobody has to hand out numbers.
 */
import { type Digest, digestOf } from '../kernel/digest.js';
import type { Requester } from './requester.js';

export interface AttemptOf {
  readonly attempt: string;
  /** Digest of the manifest the agent runs under: its tools, model and settings, as whoever starts it digests them. */
  readonly manifest?: Digest;
}

export function packageId(digest: Digest, { attempt, manifest }: AttemptOf): string {
  return `kp_${digestOf({ attempt, digest, manifest: manifest ?? '' }).slice(0, 32)}`;
}

/** For whom, of which tenant, a package was compiled, as a key that ledgers list by. */
export function ownerKey({ tenant, principal }: Pick<Requester, 'tenant' | 'principal'>): Digest {
  return digestOf({ tenant, principal });
}

export function isPackageId(name: string): boolean {
  return name.startsWith('kp_');
}

/** One line, as callers name their runs: printable, no blanks at its ends. */
export function isAttemptName(name: string): boolean {
  return name.length <= 200 && /^[^\p{C}\p{Z}](?:[^\p{C}\p{Zl}\p{Zp}]*[^\p{C}\p{Z}])?$/u.test(name);
}
