/**
 * Required material: what must be in besides what ranks well, and what governing text leaves of the rest.
 *
 *   clauses → settle → take what they override out of what was found → facts
 *
 * Invariant: looked up in the same snapshot and through the same eligible set as what was found.
 */
import type { Retrieved } from '../domain/candidate.js';
import type { Conflict, ContextProfile } from '../domain/context-package.js';
import type { GoverningRule } from '../domain/context-policy.js';
import type { GoverningMaterial, RequiredClause, RequiredFact, ResolvedFact } from '../domain/required-material.js';
import type { StoredPage } from '../ports/index-reader.js';
import { differing } from './contradictions.js';
import { pageKey, type RetrievalDeps } from './draft.js';
import { settleClauses, underClauses } from './precedence.js';
import { type PlacedClause, requiredClauses } from './required-clauses.js';
import { type FactRequest, requiredFacts } from './required-facts.js';

export interface MaterialRequest extends FactRequest {
  readonly profile: ContextProfile;
  readonly rules: readonly GoverningRule[];
  readonly facts: readonly RequiredFact[];
}

export interface Material {
  readonly retrieved: Retrieved;
  readonly governing: GoverningMaterial;
  readonly facts: readonly ResolvedFact[];
  /** Pages that clauses were looked for on, whether they are sound or not. */
  readonly consulted: readonly StoredPage[];
}

export async function requiredMaterial(deps: RetrievalDeps, retrieved: Retrieved, request: MaterialRequest): Promise<Material> {
  if (request.rules.length === 0 && request.facts.length === 0)
    return { retrieved, governing: { clauses: [], overridden: [] }, facts: [], consulted: [] };
  const { eligible } = retrieved;
  const superseded = new Map(
    retrieved.excluded
      .filter(({ reason }) => reason === 'superseded')
      .map((each) => [pageKey(each), each.detail.replace(/^superseded by /, '')]),
  );
  const placed = await requiredClauses(deps, eligible, request.rules, { ...request, superseded });
  const settled = settleClauses(placed);
  const out = new Set(settled.overridden.map(({ artifact }) => artifact));
  const under = underClauses(
    retrieved.candidates.filter(({ artifact }) => !out.has(artifact.id)),
    settled.clauses,
    request.rules,
  );
  const found = await requiredFacts(deps, eligible, request.facts, request);
  const facts = found.facts.map((fact) => underGoverning(fact, settled.clauses, request.rules));
  const offered = new Set([...settled.clauses, ...facts].flatMap(({ candidates }) => candidates.map(({ artifact }) => artifact.id)));
  const excluded = retrieved.excluded.filter(({ artifact }) => !offered.has(artifact));
  const known = new Set(excluded.map(({ artifact }) => artifact));
  const overridden = [...settled.overridden, ...under.overridden].filter(({ artifact }) => !known.has(artifact));
  const conflicts = [...retrieved.conflicts, ...settled.conflicts, ...found.conflicts, ...againstClauses(settled.clauses, under.kept)];
  return {
    retrieved: { ...retrieved, candidates: under.kept, excluded, conflicts: distinctConflicts(conflicts) },
    governing: { clauses: settled.clauses.map(plainClause), overridden },
    facts,
    consulted: placed.flatMap(({ page }) => page ?? []),
  };
}

function underGoverning(fact: ResolvedFact, clauses: readonly PlacedClause[], rules: readonly GoverningRule[]): ResolvedFact {
  const { kept, overridden } = underClauses(fact.candidates, clauses, rules);
  const [first] = overridden;
  if (first === undefined) return fact;
  return kept.length > 0
    ? { ...fact, candidates: kept }
    : { ...fact, candidates: [], detail: `what a page says of it does not count: ${first.detail}` };
}

/** Other text that says otherwise than a clause is shown as what it is, beside it. */
function againstClauses(clauses: readonly PlacedClause[], candidates: Retrieved['candidates']): readonly Conflict[] {
  const governing = new Set(clauses.flatMap((clause) => clause.candidates.map(({ artifact }) => artifact.id)));
  if (governing.size === 0) return [];
  const groups = differing([...clauses.flatMap((clause) => clause.candidates), ...candidates]);
  return groups.filter(({ artifacts }) => artifacts.some((id) => governing.has(id)) && artifacts.some((id) => !governing.has(id)));
}

function distinctConflicts(conflicts: readonly Conflict[]): readonly Conflict[] {
  return [...new Map(conflicts.map((each) => [[...each.artifacts].sort().join(), each])).values()];
}

function plainClause({ name, level, owner, candidates, trouble }: PlacedClause): RequiredClause {
  return { name, level, owner, candidates, ...(trouble === undefined ? {} : { trouble }) };
}
