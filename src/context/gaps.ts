/**
 * Gaps: which words and identifiers of the question no eligible page holds, so that silence is not taken for an answer (CTX-08).
 *
 * Retrieval knows this from term frequencies. Where it did not say, the words that every candidate lacks stand in for it.
 */
import type { Retrieved } from '../domain/candidate.js';
import type { Conflict, ExcludedItem, PackageItem } from '../domain/context-package.js';
import { inertLine } from './inert.js';

export function gapsOf({ query, candidates, unheld }: Pick<Retrieved, 'query' | 'candidates' | 'unheld'>): string[] {
  const asked = [...new Set(query.terms.filter(({ content }) => content).map(({ surface }) => surface))];
  const missing =
    unheld ?? (candidates.length === 0 ? [] : asked.filter((word) => candidates.every(({ why }) => why.missing.includes(word))));
  return [...new Set(missing.map(inertLine))].filter((word) => word !== '');
}

/** One side of a disagreement is in and another found no room: whoever reads the one must know of the other (CTX-09). */
export function oneSided(
  conflicts: readonly Conflict[],
  items: readonly Pick<PackageItem, 'artifact' | 'path'>[],
  excluded: readonly ExcludedItem[],
): string[] {
  return conflicts.flatMap(({ artifacts }) => {
    const shown = items.filter(({ artifact }) => artifacts.includes(artifact));
    const out = excluded.filter(({ artifact, reason }) => reason === 'budget' && artifacts.includes(artifact));
    const [first] = shown;
    if (first === undefined) return [];
    return out.map(({ path }) => `${inertLine(path)} says otherwise than ${inertLine(first.path)}, and did not fit the budget`);
  });
}
