/**
 * Freeze: gives a package body its digest.
 *
 * Invariant: the digest is over the RFC 8785 canonical JSON of the body, all of it (PKG-01).
 * Invariant: a package is immutable from here on; a correction makes a new one (PKG-02).
 */
import type { ContextPackage, PackageBody } from '../domain/context-package.js';
import type { Day } from '../kernel/clock.js';
import { canonicalJson, deepFreeze, digestOfFrozen } from '../kernel/digest.js';

export function freeze(body: PackageBody): ContextPackage {
  const { digest, value } = digestOfFrozen(body);
  return deepFreeze({ digest, body: value });
}

/** The package as it is stored and handed over: canonical JSON, one line. */
export function packageText(entry: ContextPackage): string {
  return canonicalJson(entry);
}

/** After its expiry a package may be read, not used (PKG-07). */
export function isUsable(body: Pick<PackageBody, 'expires'>, today: Day): boolean {
  return today <= body.expires;
}
