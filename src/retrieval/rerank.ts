/**
 * Rerank: a model's second opinion on the best few, if there is one and it is quick enough (RET-06, RET-07).
 *
 * Invariant: only the order of the best `depth` changes, never who is among them; without a model nothing changes.
 */
import type { RankingPolicy } from '../domain/ranking-policy.js';
import type { Reranker } from '../ports/models.js';
import type { Draft } from './draft.js';

export interface Reranked {
  readonly drafts: readonly Draft[];
  readonly note: string;
}

export async function rerank(
  drafts: readonly Draft[],
  question: string,
  reranker: Reranker,
  policy: RankingPolicy['rerank'],
): Promise<Reranked> {
  if (reranker.id === 'none') return { drafts, note: 'no reranker' };
  const head = drafts.slice(0, policy.depth);
  const texts = head.map(({ artifact }) => `${artifact.prefix}\n${artifact.excerpt}`);
  const scores = await reranker.rerank(question, texts, policy.timeoutMs);
  if (scores === undefined) return { drafts, note: `${reranker.id} took longer than ${policy.timeoutMs} ms; skipped` };
  const order = head.map((draft, at) => ({ draft, score: scores[at] ?? Number.NEGATIVE_INFINITY, at }));
  order.sort((a, b) => b.score - a.score || a.at - b.at);
  const descending = head.map((draft) => draft.score);
  const moved = order.map(({ draft }, at): Draft => ({ ...draft, score: descending[at] ?? draft.score }));
  return { drafts: [...moved, ...drafts.slice(policy.depth)], note: reranker.id };
}
