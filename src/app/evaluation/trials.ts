/**
 * Trials: the same questions asked under another ranking policy, with the processor time they took.
 *
 * Invariant: a trial changes the policy and nothing else; index, library and questions are the very same.
 */
import type { RankingPolicy } from '../../domain/ranking-policy.js';
import type { Figures } from '../../evaluation/ablation.js';
import { deliveredScores } from '../../evaluation/delivery.js';
import { ndcgAt } from '../../evaluation/metrics.js';
import type { Question } from '../../evaluation/question.js';
import type { Judged } from '../../evaluation/variants.js';
import { type Asker, askerOf } from './asking.js';
import type { LabelledSet } from './set.js';

export interface Under {
  readonly policy: RankingPolicy;
  /** For every source; as registered when absent. */
  readonly stemming?: number;
}

export function askerUnder(set: LabelledSet, { policy, stemming }: Under, signal: AbortSignal): Asker {
  const { config } = set.library;
  const sources = stemming === undefined ? config.sources : config.sources.map((source) => ({ ...source, stemming }));
  return askerOf({ ...set, library: { ...set.library, config: { ...config, ranking: policy, sources } } }, signal);
}

export interface Measured {
  readonly figures: Figures;
  readonly cpuMs: number;
}

/** nDCG@10 of the order, or whether a right page is in the package; questions without an answer are left out. */
export async function measureUnder(
  set: LabelledSet,
  questions: readonly Question[],
  judged: Judged,
  under: Under,
  signal: AbortSignal,
): Promise<Measured> {
  const asker = askerUnder(set, under, signal);
  const figures = new Map<string, number>();
  const before = process.cpuUsage();
  for (const question of questions) {
    signal.throwIfAborted();
    const value = judged === 'ranking' ? await orderFigure(asker, question) : await packageFigure(asker, question, set);
    if (value !== undefined) figures.set(question.id, value);
  }
  const { user, system } = process.cpuUsage(before);
  return { figures, cpuMs: (user + system) / 1000 };
}

async function orderFigure(asker: Asker, question: Question): Promise<number | undefined> {
  const { ranking } = await asker.rank(question);
  return ndcgAt(ranking, question.grades, 10);
}

async function packageFigure(asker: Asker, question: Question, { archived }: LabelledSet): Promise<number | undefined> {
  const delivery = await asker.deliver(question);
  return deliveredScores(delivery, { ...question, archived }).goldInPackage;
}
