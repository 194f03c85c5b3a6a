/**
 * Retrieval: from a question to ranked, labelled candidates, and for each one that stayed out the reason (B§4, RET).
 *
 *   resolve → eligible → understand → expand → scope → spell → candidates → phrases → names → fuse → retire → rerank → floor → diversify →
 *   contradictions → second check
 *
 * Invariant: the answer is what it would be had the documents the asker may not see never existed.
 * Invariant: same request on same versions, same answer; no clock, no randomness.
 */
import type { Candidate, Retrieved, TraceStep } from '../domain/candidate.js';
import type { ExcludedItem } from '../domain/context-package.js';
import type { EligibleSet } from '../domain/eligibility.js';
import type { Problem } from '../domain/problem.js';
import type { UnderstoodQuery } from '../domain/query.js';
import type { RankingPolicy } from '../domain/ranking-policy.js';
import { type Proposals, candidates as propose } from './candidates.js';
import { checkScope } from './check-scope.js';
import { contradictions } from './contradictions.js';
import { diversify } from './diversify.js';
import { type Draft, type Dropped, excludedItem, type RetrievalDeps, type RetrievalRequest } from './draft.js';
import { resolveEligible } from './eligible.js';
import { askedFor, measureEvidence, shareNeeded, strengthOf } from './evidence.js';
import { expand } from './expand.js';
import { emptyReason, floor, unheldWords } from './floor.js';
import { fuse } from './fuse.js';
import { holdingPhrases } from './phrases.js';
import { heldWords, present } from './present.js';
import { versionAskedFor, withVersionsApart } from './product-version.js';
import { rerank } from './rerank.js';
import { retire } from './retire.js';
import { secondCheck } from './second-check.js';
import { type Understanding, understand } from './understand.js';
import { holdingNames } from './verify-names.js';

export type { RetrievalDeps, RetrievalRequest } from './draft.js';

/** Excluded candidates named in an answer. */
const MOST_EXCLUDED = 50;

export async function retrieve(deps: RetrievalDeps, request: RetrievalRequest): Promise<Retrieved> {
  const trace: TraceStep[] = [];
  const note = (step: string, before: number, after: number, text = ''): void => {
    trace.push({ step, in: before, out: after, note: text });
  };
  const eligible = await resolveEligible(deps, request.ask);
  note('resolve', 1, 1, `${request.ask.requester.purpose} in ${request.ask.requester.tenant}`);
  const asked = understand(request.text, request.scope, deps.policy);
  const read = { ...asked, query: await withoutVersions(deps, eligible, asked.query) };
  note('understand', 1, read.query.terms.length, understoodNote(read));
  const expansion = expand(read, deps.vocabulary, deps.policy);
  if (expansion !== undefined) note('expand', read.query.terms.length, expansion.query.terms.length, expansion.note);
  const understanding = { ...read, query: expansion?.query ?? read.query };
  note('eligible', eligible.compartments.length, eligible.compartments.length, 'compartments you may read');
  const scopeProblems = await checkScope(deps.snapshot, eligible, request.scope);
  if (read.query.terms.length === 0)
    return nothing(deps, understanding, eligible, trace, [noWords(), ...scopeProblems], 'The question holds no words to look for.');
  if (scopeProblems.length > 0 && outsideEverything(request, scopeProblems)) {
    return nothing(deps, understanding, eligible, trace, scopeProblems, scopeProblems.map(({ message }) => message).join(' '));
  }

  const proposals = await propose(deps, request, eligible, { read, query: understanding.query });
  const { query, respelt, asWritten } = proposals;
  if (respelt !== undefined) note('spell', understanding.query.terms.length, query.terms.length, respelt.note);
  note('candidates', proposals.population, proposals.drafts.length + proposals.retired.length, legsNote(proposals));
  const held = async (drafts: readonly Draft[]) =>
    measureEvidence(
      holdingNames(await holdingPhrases(deps.snapshot, eligible, drafts, query.phrases), query),
      query,
      proposals,
      deps.policy,
      { query: understanding.query, frequencies: asWritten },
    );
  const live = await held(proposals.drafts);
  const old = await held(proposals.retired);
  const chosen = await choose(deps, request, query, { live, old, population: proposals.population }, note);
  secondCheck(
    chosen.kept.flatMap(({ artifact, duplicates }) => [artifact, ...duplicates]),
    eligible,
    deps,
    request,
  );
  secondCheck(
    chosen.dropped.map(({ draft }) => draft.artifact),
    eligible,
    deps,
    request,
  );

  const words = heldWords([...live, ...old]);
  const candidates = chosen.kept.map((draft): Candidate => present(draft, query, words));
  const isEmpty = candidates.length === 0;
  return {
    query,
    eligible,
    candidates,
    excluded: excludedItems(chosen.dropped),
    conflicts: chosen.conflicts,
    strength: bestStrength(live, query, proposals.population),
    noContext: isEmpty,
    reason: isEmpty ? reasonFor(understanding.query, asWritten, chosen) : '',
    legs: proposals.legs,
    trace,
    problems: [
      ...((respelt?.expansion ?? expansion)?.problems ?? []),
      ...scopeProblems,
      ...(respelt?.problems ?? []),
      ...proposals.problems,
    ],
    truncated: chosen.truncated || proposals.more,
    unheld: unheldWords(understanding.query, asWritten),
  };
}

/** A policy of before does not know versions apart. */
async function withoutVersions(
  { snapshot, policy }: RetrievalDeps,
  eligible: EligibleSet,
  query: UnderstoodQuery,
): Promise<UnderstoodQuery> {
  return policy.demotion.otherVersion === undefined ? query : withVersionsApart(snapshot, eligible, query);
}

interface Chosen {
  readonly kept: readonly Draft[];
  readonly dropped: readonly Dropped[];
  readonly conflicts: Retrieved['conflicts'];
  readonly truncated: boolean;
}

type Note = (step: string, before: number, after: number, text?: string) => void;

async function choose(
  deps: RetrievalDeps,
  request: RetrievalRequest,
  query: UnderstoodQuery,
  found: { readonly live: readonly Draft[]; readonly old: readonly Draft[]; readonly population: number },
  note: Note,
): Promise<Chosen> {
  const { policy, today } = deps;
  const all = [...found.live, ...found.old];
  const fused = fuse(all, query, deps);
  note('fuse', all.length, fused.length, policy.fusion);
  const { live, retired } = retire(fused, today);
  const ranked = await rerank(live, request.text, deps.reranker, policy.rerank);
  note('rerank', live.length, ranked.drafts.length, ranked.note);
  if (request.for === 'ranking') return cut([...ranked.drafts, ...retired], [], request.limit, []);
  const isContext = request.for === 'context';
  const versions = isContext ? versionAskedFor(ranked.drafts, query) : { kept: ranked.drafts, dropped: [] };
  const floored = isContext ? floor(versions.kept, query, policy.floor, found.population) : { kept: versions.kept, dropped: [] };
  note('floor', versions.kept.length, floored.kept.length, isContext ? floorNote(query, policy.floor, found.population) : 'off for search');
  const pool = isContext ? floored.kept : [...floored.kept, ...retired];
  const diverse = diversify(pool, { limit: request.limit, policy, forContext: isContext });
  note('diversify', pool.length, diverse.kept.length, reasonsNote(diverse.dropped));
  const gone = isContext ? retired.map(retiredDrop) : [];
  const dropped = [...gone, ...floored.dropped, ...versions.dropped, ...diverse.dropped];
  const reserved = isContext ? Math.ceil(request.limit * policy.counterevidenceShare) : 0;
  const result = cut(diverse.kept, dropped, request.limit, []);
  const settled = contradictions(result.kept, result.dropped, {
    limit: request.limit,
    reserved: Math.min(reserved, result.kept.length - 1),
  });
  note('contradictions', result.kept.length, settled.kept.length, `${settled.conflicts.length} found`);
  return { ...result, ...settled };
}

function floorNote(query: UnderstoodQuery, { strength, relative }: RankingPolicy['floor'], population: number): string {
  const words = askedFor(query).size;
  const needed = Math.round(shareNeeded(strength, words, population) * 100) / 100;
  return `${needed} of the attainable for ${words} content words among ${population} passages, ${relative} of the strongest`;
}

function bestStrength(drafts: readonly Draft[], query: UnderstoodQuery, population: number): number {
  const attained = drafts.reduce((most, draft) => Math.max(most, draft.attained), 0);
  return strengthOf(attained, askedFor(query).size, population);
}

/** The first `limit`; the others are outranked. */
function cut(drafts: readonly Draft[], dropped: readonly Dropped[], limit: number, conflicts: Retrieved['conflicts']): Chosen {
  const kept = drafts.slice(0, limit);
  const outranked = drafts
    .slice(limit)
    .map((draft): Dropped => ({ draft, reason: 'outranked', detail: `${limit} passages rank above it` }));
  return { kept, dropped: [...dropped, ...outranked], conflicts, truncated: outranked.length > 0 };
}

function retiredDrop(draft: Draft): Dropped {
  return { draft, reason: draft.retired?.reason ?? 'superseded', detail: draft.retired?.detail ?? '' };
}

/** Retired pages first: an asker should know that the old answer was seen and left out. Then by score. */
function excludedItems(dropped: readonly Dropped[]): readonly ExcludedItem[] {
  const rank = ({ reason }: Dropped): number => (reason === 'superseded' || reason === 'expired' ? 0 : 1);
  return [...dropped]
    .sort((a, b) => rank(a) - rank(b) || b.draft.score - a.draft.score)
    .slice(0, MOST_EXCLUDED)
    .map(excludedItem);
}

function reasonFor(query: UnderstoodQuery, frequencies: Proposals['frequencies'], chosen: Chosen): string {
  const below = chosen.dropped.filter(({ reason }) => reason === 'below-floor');
  if (below.length === 0 && chosen.dropped.some(({ draft }) => draft.retired !== undefined)) {
    return 'Only superseded or expired pages match the question.';
  }
  return emptyReason(query, frequencies, below);
}

/** An unknown version matches nothing; an unknown path only when no other path was named. */
function outsideEverything(request: RetrievalRequest, problems: readonly Problem[]): boolean {
  const unknownPaths = problems.filter(({ code }) => code === 'query/unknown-path').length;
  return problems.some(({ code }) => code === 'query/unknown-version') || unknownPaths === (request.scope.paths?.length ?? -1);
}

function nothing(
  deps: RetrievalDeps,
  { query }: Understanding,
  eligible: EligibleSet,
  trace: readonly TraceStep[],
  problems: readonly Problem[],
  reason: string,
): Retrieved {
  const vector = deps.embedder.id === 'none' ? 'off' : 'unavailable';
  return {
    query,
    eligible,
    candidates: [],
    excluded: [],
    conflicts: [],
    noContext: true,
    reason,
    legs: { lexical: 'empty', metadata: 'empty', links: 'empty', vector },
    trace,
    problems,
    truncated: false,
    unheld: [],
  };
}

function noWords(): Problem {
  return {
    code: 'query/no-words',
    severity: 'warning',
    source: '',
    path: '',
    message: 'The question holds no letters or digits, so there is nothing to look for.',
    hint: 'Ask with words, a name, a code or a number.',
  };
}

function understoodNote({ query, notes }: Understanding): string {
  const identifiers = query.terms.filter(({ kind, content }) => kind === 'identifier' && content).length;
  const required = query.terms.filter((term) => term.required).length;
  const parts = [`${query.terms.length} terms`, `${identifiers} identifiers`, `${query.phrases.length} phrases`, `${required} required`];
  return [parts.join(', '), ...notes].join('; ');
}

function legsNote({ legs }: Proposals): string {
  return Object.entries(legs)
    .map(([leg, state]) => `${leg} ${state}`)
    .join(', ');
}

function reasonsNote(dropped: readonly Dropped[]): string {
  const counts: Record<string, number> = {};
  for (const { reason } of dropped) counts[reason] = (counts[reason] ?? 0) + 1;
  return Object.entries(counts)
    .map(([reason, count]) => `${count} ${reason}`)
    .join(', ');
}
