/**
 * Coverage: how much of the question's information a page holds.
 *
 * The index gives it as a share of idf mass. In a library of three pages that says little, because a word on two of them is
 * "frequent"; so the share is also taken as it would be among PRIOR more pages without any of the words, and the greater counts.
 */
import type { UnderstoodQuery } from '../domain/query.js';
import { type Draft, pageKey } from './draft.js';
import { heldWords } from './present.js';

const PRIOR_ARTIFACTS = 100;

export function measureCoverage(
  drafts: readonly Draft[],
  query: UnderstoodQuery,
  index: { readonly frequencies: readonly number[]; readonly population: number },
): readonly Draft[] {
  const masses = query.terms.map(({ content }, at) => (content ? mass(index.frequencies[at] ?? 0, index.population) : 0));
  const whole = masses.reduce((sum, each) => sum + each, 0);
  const shares = new Map<string, number>();
  for (const [key, surfaces] of heldWords(drafts)) {
    const share = query.terms.reduce((sum, { surface }, at) => sum + (surfaces.has(surface) ? (masses[at] ?? 0) : 0), 0);
    shares.set(key, whole === 0 ? 0 : Math.min(1, share / whole));
  }
  return drafts.map((draft): Draft => ({ ...draft, coverage: Math.max(draft.coverage, shares.get(pageKey(draft.artifact.page)) ?? 0) }));
}

function mass(frequency: number, population: number): number {
  return Math.log(1 + (population + PRIOR_ARTIFACTS - frequency + 0.5) / (frequency + 0.5));
}
