/**
 * Metrics: how good is one ranking of pages, given which pages answer the question?
 *
 * Gains are linear in the grade (the trec_eval convention), so figures compare with published BEIR tables.
 *
 * Invariant: only ids are compared, never words (EVL-01).
 * Invariant: a question without a right page has no score; `undefined` is left out of means, it is never 1 (EVL-16).
 * Invariant: a page named twice takes two places and is counted once.
 */
export type PageId = string;
/** Grade of each judged page for one question; above 0 is relevant. */
export type Grades = ReadonlyMap<PageId, number>;
/** Pages, best first. */
export type Ranking = readonly PageId[];

export function ndcgAt(ranking: Ranking, grades: Grades, depth: number): number | undefined {
  const ideal = discountedGain(
    [...grades.values()].filter((grade) => grade > 0).sort((a, b) => b - a),
    depth,
  );
  if (ideal === 0) return undefined;
  return (
    discountedGain(
      gradesInOrder(ranking, grades, depth).map((grade) => Math.max(0, grade)),
      depth,
    ) / ideal
  );
}

export function recallAt(ranking: Ranking, grades: Grades, depth: number): number | undefined {
  const relevant = relevantCount(grades);
  return relevant === 0 ? undefined : relevantWithin(ranking, grades, depth) / relevant;
}

/** Share of the first `depth` places that hold a relevant page; places the ranking does not fill count as wrong. */
export function precisionAt(ranking: Ranking, grades: Grades, depth: number): number | undefined {
  return relevantCount(grades) === 0 ? undefined : relevantWithin(ranking, grades, depth) / depth;
}

export function reciprocalRankAt(ranking: Ranking, grades: Grades, depth: number): number | undefined {
  if (relevantCount(grades) === 0) return undefined;
  const place = gradesInOrder(ranking, grades, depth).findIndex((grade) => grade > 0);
  return place < 0 ? 0 : 1 / (place + 1);
}

/** 1 when a relevant page is among the first `depth`. */
export function successAt(ranking: Ranking, grades: Grades, depth: number): number | undefined {
  return relevantCount(grades) === 0 ? undefined : Number(relevantWithin(ranking, grades, depth) > 0);
}

/** 1 when an archived page is among the first `depth` although every right page is live; undefined when a right page is archived. */
export function staleAt(ranking: Ranking, grades: Grades, archived: ReadonlySet<PageId>, depth: number): number | undefined {
  const targets = relevantPages(grades);
  if (targets.length === 0 || targets.some((page) => archived.has(page))) return undefined;
  return Number(ranking.slice(0, depth).some((page) => archived.has(page)));
}

export function relevantPages(grades: Grades): PageId[] {
  return [...grades].filter(([, grade]) => grade > 0).map(([page]) => page);
}

function relevantCount(grades: Grades): number {
  return relevantPages(grades).length;
}

function relevantWithin(ranking: Ranking, grades: Grades, depth: number): number {
  return gradesInOrder(ranking, grades, depth).filter((grade) => grade > 0).length;
}

/** The grade at each place; a page that was already named is worth nothing. */
function gradesInOrder(ranking: Ranking, grades: Grades, depth: number): number[] {
  const seen = new Set<PageId>();
  return ranking.slice(0, depth).map((page) => {
    if (seen.has(page)) return 0;
    seen.add(page);
    return grades.get(page) ?? 0;
  });
}

function discountedGain(gains: readonly number[], depth: number): number {
  return gains.slice(0, depth).reduce((sum, gain, place) => sum + gain / Math.log2(place + 2), 0);
}
