/**
 * Present: a draft as others see it, with why it stands where it does (RET-08).
 *
 * Invariant: shows ranks, shares and coverage, never a raw score (T1.10).
 */
import type { Candidate, Why } from '../domain/candidate.js';
import type { UnderstoodQuery } from '../domain/query.js';
import { type Draft, pageKey } from './draft.js';

/** Page key → words that some candidate of the page matched. */
export type HeldWords = ReadonlyMap<string, ReadonlySet<string>>;

/** Once per answer: looking through all candidates for each one of them would take their square. */
export function heldWords(found: readonly Draft[]): HeldWords {
  const held = new Map<string, Set<string>>();
  for (const { artifact, matched } of found) {
    const key = pageKey(artifact.page);
    const words = held.get(key) ?? new Set<string>();
    for (const { surface } of matched) words.add(surface);
    held.set(key, words);
  }
  return held;
}

export function present(draft: Draft, query: UnderstoodQuery, held: HeldWords): Candidate {
  const { page, ...artifact } = draft.artifact;
  return {
    artifact,
    page,
    labels: draft.labels,
    why: whyOf(draft, query, held),
    score: draft.score,
    duplicates: draft.duplicates.map((copy) => ({ source: copy.page.source, path: copy.page.path, lines: copy.lines })),
  };
}

function whyOf(draft: Draft, query: UnderstoodQuery, held: HeldWords): Why {
  return {
    ranks: draft.ranks,
    matched: draft.matched,
    missing: missing(draft, query, held),
    coverage: Math.round(draft.coverage * 100) / 100,
    demotions: draft.demotions,
  };
}

/** Content words that no candidate of the page matched. */
function missing(draft: Draft, query: UnderstoodQuery, held: HeldWords): readonly string[] {
  if (draft.coverage >= 1) return [];
  const words = held.get(pageKey(draft.artifact.page));
  return [...new Set(query.terms.filter(({ content }) => content).map(({ surface }) => surface))].filter(
    (surface) => words?.has(surface) !== true,
  );
}
