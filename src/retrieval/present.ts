/**
 * Present: a draft as others see it, with why it stands where it does (RET-08).
 *
 * Invariant: shows ranks, shares and coverage, never a raw score (T1.10).
 */
import type { Candidate, Why } from '../domain/candidate.js';
import type { UnderstoodQuery } from '../domain/query.js';
import { type Draft, pageKey } from './draft.js';

export function present(draft: Draft, query: UnderstoodQuery, found: readonly Draft[]): Candidate {
  const { page, ...artifact } = draft.artifact;
  return {
    artifact,
    page,
    labels: draft.labels,
    why: whyOf(draft, query, found),
    score: draft.score,
    duplicates: draft.duplicates.map((copy) => ({ source: copy.page.source, path: copy.page.path, lines: copy.lines })),
  };
}

function whyOf(draft: Draft, query: UnderstoodQuery, found: readonly Draft[]): Why {
  return {
    ranks: draft.ranks,
    matched: draft.matched.map(({ surface, fields, share }) => ({ surface, fields, share })),
    missing: missing(draft, query, found),
    coverage: Math.round(draft.coverage * 100) / 100,
    demotions: draft.demotions,
  };
}

/** Content words that no candidate of the page matched. */
function missing(draft: Draft, query: UnderstoodQuery, found: readonly Draft[]): readonly string[] {
  if (draft.coverage >= 1) return [];
  const key = pageKey(draft.artifact.page);
  const held = new Set(
    found.filter((each) => pageKey(each.artifact.page) === key).flatMap((each) => each.matched.map(({ surface }) => surface)),
  );
  return [...new Set(query.terms.filter(({ content }) => content).map(({ surface }) => surface))].filter((surface) => !held.has(surface));
}
