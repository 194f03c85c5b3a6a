/**
 * Scoring: from what was ranked and what was delivered for each question to one report with intervals.
 *
 * `retrieval` judges the ranking before floor and caps; `delivered` judges what an agent would have held in its hands.
 *
 * Invariant: every mean is over the questions for which the measure has a meaning, and says how many those are.
 * Invariant: nothing here depends on time, order of arrival or machine; figures are rounded to six decimals.
 */
import { type BootstrapOptions, mean, meanInterval } from './bootstrap.js';
import { DELIVERED_METRICS, type DeliveredMetric, type Delivery, deliveredScores, type Judgement, leaked } from './delivery.js';
import { type Grades, ndcgAt, type PageId, precisionAt, recallAt, reciprocalRankAt, relevantPages, staleAt, successAt } from './metrics.js';

export { DELIVERED_METRICS, type Delivery };

export const RETRIEVAL_METRICS = [
  'nDCG@10',
  'Recall@5',
  'Recall@100',
  'MRR@10',
  'P@1',
  'success@1',
  'success@5',
  'success@10',
  'stale@5',
  'passage@5',
  'passageMRR@10',
  'leaked',
] as const;
export type RetrievalMetric = (typeof RETRIEVAL_METRICS)[number];

export interface Answer {
  readonly query: string;
  readonly ranking: readonly PageId[];
  /** Artifacts, best first, as deep as `passage@5` and `passageMRR@10` look. */
  readonly passages?: readonly string[];
  readonly delivery: Delivery;
}

export type Scores<Metric extends string> = Readonly<Partial<Record<Metric, number>>>;

export interface QueryScore {
  readonly query: string;
  readonly gold: readonly PageId[];
  readonly retrieval: Scores<RetrievalMetric>;
  readonly delivered: Scores<DeliveredMetric>;
  /** Place of the first right page in the run, from 1; absent when it is not there. */
  readonly goldRank?: number;
}

/** Means by measure, in the order of the list they were made from. */
export interface Section {
  readonly metrics: Readonly<Record<string, number>>;
  readonly ci95: Readonly<Record<string, readonly [number, number]>>;
  /** Questions each mean is over. */
  readonly counts: Readonly<Record<string, number>>;
}

export function scoreAnswer(answer: Answer, judgement: Judgement): QueryScore {
  const { ranking } = answer;
  const { grades, archived, never } = judgement;
  const gold = relevantPages(grades).sort();
  const place = ranking.findIndex((page) => (grades.get(page) ?? 0) > 0);
  const passages = passageGrades(judgement);
  return {
    query: answer.query,
    gold,
    retrieval: present<RetrievalMetric>({
      'nDCG@10': ndcgAt(ranking, grades, 10),
      'Recall@5': recallAt(ranking, grades, 5),
      'Recall@100': recallAt(ranking, grades, 100),
      'MRR@10': reciprocalRankAt(ranking, grades, 10),
      'P@1': precisionAt(ranking, grades, 1),
      'success@1': successAt(ranking, grades, 1),
      'success@5': successAt(ranking, grades, 5),
      'success@10': successAt(ranking, grades, 10),
      'stale@5': archived === undefined ? undefined : staleAt(ranking, grades, archived, 5),
      'passage@5': successAt(answer.passages ?? [], passages, 5),
      'passageMRR@10': reciprocalRankAt(answer.passages ?? [], passages, 10),
      leaked: leaked(ranking, never),
    }),
    delivered: present<DeliveredMetric>(deliveredScores(answer.delivery, judgement)),
    ...(place < 0 ? {} : { goldRank: place + 1 }),
  };
}

/** The same measures serve passages: an artifact that holds the answer's words has grade 1. */
function passageGrades({ passages }: Judgement): Grades {
  return new Map([...(passages ?? [])].map((artifact) => [artifact, 1]));
}

export function summarise<Metric extends string>(
  names: readonly Metric[],
  scores: readonly Scores<Metric>[],
  options?: BootstrapOptions,
): Section {
  const metrics: Record<string, number> = {};
  const ci95: Record<string, readonly [number, number]> = {};
  const counts: Record<string, number> = {};
  for (const name of names) {
    const values = scores.flatMap((score) => score[name] ?? []);
    const interval = meanInterval(values, options);
    if (interval === undefined) continue;
    metrics[name] = rounded(mean(values));
    ci95[name] = [rounded(interval.low), rounded(interval.high)];
    counts[name] = values.length;
  }
  return { metrics, ci95, counts };
}

function present<Metric extends string>(values: Record<Metric, number | undefined>): Scores<Metric> {
  const kept: Partial<Record<Metric, number>> = {};
  for (const [name, value] of Object.entries(values) as [Metric, number | undefined][])
    if (value !== undefined) kept[name] = rounded(value);
  return kept;
}

function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
