/**
 * Check clauses: does what was rendered hold every required clause, whole (CTX-03)?
 *
 * Selection has seen to it; this looks at the outcome alone, and does not ask selection.
 *
 * Invariant: fails closed; a package that lacks part of a required clause without saying so is a fault of the program and is not made.
 */
import type { RequiredClause } from '../domain/required-material.js';
import { sha256 } from '../kernel/digest.js';
import { cleanText } from './inert.js';
import type { Spotlit } from './spotlight.js';

export function checkClauses({ body, rendered }: Spotlit, clauses: readonly RequiredClause[]): void {
  if (body.status === 'blocked') return;
  const items = new Map(body.items.map((item) => [item.artifact, item]));
  for (const { name, trouble, candidates } of clauses) {
    const broken = candidates.some(({ artifact }) => {
      const text = cleanText(artifact.excerpt);
      return items.get(artifact.id)?.excerptDigest !== sha256(text) || !rendered.includes(text);
    });
    if (trouble !== undefined || candidates.length === 0 || broken)
      throw new Error(`required clause ${name} is not whole in a package that is not blocked`);
  }
}
