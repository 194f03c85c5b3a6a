/**
 * MUTANTS, for proofs only: two ways of getting permission wrong that look right. The non-interference proof must catch both,
 * or it proves nothing.
 */
import type { EligibleSet } from '../../src/domain/eligibility.js';
import type { IndexSnapshot, LexicalAnswer, LexicalQuery } from '../../src/ports/index-reader.js';
import { eligibleTo, GROUPS } from './arbitraries.js';

export type Lexical = (snapshot: IndexSnapshot, eligible: EligibleSet, query: LexicalQuery) => Promise<LexicalAnswer>;

/** The real thing. */
export const honest: Lexical = (snapshot, eligible, query) => snapshot.lexical(eligible, query);

/** MUTANT: statistics of the whole table, hits filtered to the permitted ones (what a shared full-text index does). */
export const globalStatistics: Lexical = async (snapshot, eligible, query) => {
  const answer = await everything(snapshot, { ...query, limit: 10_000 });
  const permitted = await permittedIds(snapshot, eligible, answer);
  return { ...answer, hits: answer.hits.filter((hit) => permitted.has(hit.artifact)).slice(0, query.limit), retired: [] };
};

/** MUTANT: takes the best k of everything, then drops what is not permitted. */
export const takeThenFilter: Lexical = async (snapshot, eligible, query) => {
  const honestAnswer = await snapshot.lexical(eligible, { ...query, limit: 10_000 });
  const scores = new Map(honestAnswer.hits.map((hit) => [hit.artifact, hit]));
  const answer = await everything(snapshot, query);
  const permitted = await permittedIds(snapshot, eligible, answer);
  const kept = answer.hits.filter((hit) => permitted.has(hit.artifact));
  return { ...honestAnswer, hits: kept.flatMap((hit) => scores.get(hit.artifact) ?? []), retired: [] };
};

async function everything(snapshot: IndexSnapshot, query: LexicalQuery): Promise<LexicalAnswer> {
  return snapshot.lexical(eligibleTo(await snapshot.compartments(), GROUPS), query);
}

async function permittedIds(snapshot: IndexSnapshot, eligible: EligibleSet, answer: LexicalAnswer): Promise<ReadonlySet<string>> {
  const { artifacts } = await snapshot.artifacts(
    eligible,
    answer.hits.map((hit) => hit.artifact),
  );
  return new Set(artifacts.map((artifact) => artifact.id));
}
