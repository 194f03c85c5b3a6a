/**
 * A compartment: the tuple of everything that decides permission. Each artifact is filed in exactly one.
 *
 * Trust tier, status and dates are not part of it: they decide ranking and labels, never who may see.
 *
 * Invariant: equal tuples have equal keys on every machine; lists are sorted and without repeats.
 */
import { type Digest, digestOf } from '../kernel/digest.js';
import type { Egress } from './authority.js';
import type { Classification } from './classification.js';

export interface CompartmentTuple {
  readonly source: string;
  readonly tenants: readonly string[];
  readonly permissionsRef: string;
  readonly classification: Classification;
  readonly purposes: readonly string[];
  readonly egress: Egress;
}

export interface Compartment extends CompartmentTuple {
  readonly key: Digest;
}

export function compartment(tuple: CompartmentTuple): Compartment {
  const normal: CompartmentTuple = {
    source: tuple.source,
    tenants: [...new Set(tuple.tenants)].sort(),
    permissionsRef: tuple.permissionsRef,
    classification: tuple.classification,
    purposes: [...new Set(tuple.purposes)].sort(),
    egress: tuple.egress,
  };
  return { ...normal, key: digestOf(normal) };
}

/** The permissions ref of a page whose governance could not be read: only the source's owner resolves it. */
export const OWNER_ONLY = 'owner-only';

const BOTH = '+';

/** The ref of a page that needs what two refs grant, each of them; no name in a configuration holds the sign between them. */
export function bothRefs(first: string, second: string): string {
  if (first === OWNER_ONLY || second === OWNER_ONLY) return OWNER_ONLY;
  return [...new Set([...refsOf(first), ...refsOf(second)])].sort().join(BOTH);
}

export function refsOf(permissionsRef: string): readonly string[] {
  return permissionsRef.split(BOTH);
}
