/**
 * Gaps: which words and identifiers of the question no eligible page holds, so that silence is not taken for an answer (CTX-08).
 *
 * Retrieval knows this from term frequencies. Where it did not say, the words that every candidate lacks stand in for it.
 */
import type { Retrieved } from '../domain/candidate.js';
import { inertLine } from './inert.js';

export function gapsOf({ query, candidates, unheld }: Pick<Retrieved, 'query' | 'candidates' | 'unheld'>): string[] {
  const asked = [...new Set(query.terms.filter(({ content }) => content).map(({ surface }) => surface))];
  const missing =
    unheld ?? (candidates.length === 0 ? [] : asked.filter((word) => candidates.every(({ why }) => why.missing.includes(word))));
  return [...new Set(missing.map(inertLine))].filter((word) => word !== '');
}
