/**
 * The library with the policy of this moment: taken at the start of each request, before the identity is resolved from its configuration.
 *
 * Invariant: a library without policy files costs nothing here, and loads nothing.
 */
import type { Library } from '../library.js';

export async function withCurrentPolicy(library: Library): Promise<Library> {
  if (library.config.policyPlace === undefined) return library;
  const { withPolicy } = await import('./current-policy.js');
  const config = await withPolicy(library.config);
  return config === library.config ? library : { ...library, config };
}
