/**
 * Assemble: the package body from what was selected, before it is rendered and counted.
 *
 * Invariant: holds nothing of the eligible set, the clock beyond the day, the machine, or the order things were indexed in.
 */

import { isFenced } from '../domain/authority.js';
import type { Candidate, Retrieved } from '../domain/candidate.js';
import { type Classification, stricter } from '../domain/classification.js';
import {
  CONTEXT_CLASSES,
  type Conflict,
  type ContextProfile,
  EXCLUSIONS,
  type ExcludedItem,
  type PackageBody,
  type PackageFact,
  type PackageItem,
} from '../domain/context-package.js';
import type { ContextPolicy } from '../domain/context-policy.js';
import type { ModelProfile } from '../domain/model-profile.js';
import type { Scope } from '../domain/query.js';
import type { RankingPolicy } from '../domain/ranking-policy.js';
import type { Ask } from '../domain/requester.js';
import type { GoverningMaterial, ResolvedFact, SuppliedItem } from '../domain/required-material.js';
import { type Day, dayOf, type Instant } from '../kernel/clock.js';
import { type Digest, digestOf } from '../kernel/digest.js';
import type { Allocation } from './allocate.js';
import { gapsOf, oneSided } from './gaps.js';
import { clip, inertLine, wellFormed } from './inert.js';
import { leftOut, recordedExclusion } from './item.js';
import { blockedReason, type Requirements } from './requirements.js';
import type { SelectedItem, Selection } from './select.js';

export interface CompileInput {
  readonly retrieved: Retrieved;
  readonly ask: Ask;
  /** The question as asked. */
  readonly text: string;
  readonly model: ModelProfile;
  readonly ranking: RankingPolicy;
  readonly scope: Scope;
  /** The most sensitive page named by what was left out, by duplicates and by conflicts: these say no classification of their own. */
  readonly named?: Classification;
  readonly today: Day;
  readonly versions: { readonly compiler: string; readonly analyzer: string; readonly manifest: Digest; readonly vocabulary?: Digest };
  /** Lowers the ceiling; raises it, up to the window, only with `mayRaiseCeiling`. */
  readonly ceilingTokens?: number;
  /** Set by surfaces a person drives (`context --budget N`), never for an agent or a hook. */
  readonly mayRaiseCeiling?: boolean;
  readonly policy?: ContextPolicy;
  /** `preamble` when absent. */
  readonly profile?: ContextProfile;
  /** Something is done on the strength of the package: what is missing blocks it. */
  readonly consequential?: boolean;
  readonly governing?: GoverningMaterial;
  readonly facts?: readonly ResolvedFact[];
  readonly supplied?: readonly SuppliedItem[];
  /** Reasons to block that were found out before. */
  readonly refusals?: readonly string[];
}

/** All that may come to stand in the package from the library. */
export function offeredBy({ retrieved, governing, facts = [] }: CompileInput): readonly Candidate[] {
  const required = [...(governing?.clauses ?? []), ...facts].flatMap(({ candidates }) => candidates);
  return [...required, ...retrieved.candidates];
}

const DAY_MS = 86_400_000;
const REASON_LIMIT = 240;
const GAP_LIMIT = 400;

export function assemble(
  input: CompileInput & { readonly policy: ContextPolicy; readonly classification: Classification },
  allocation: Allocation,
  selection: Selection,
  requirements: Requirements,
): PackageBody {
  const verdict = verdictOf(input.retrieved, allocation, selection, requirements);
  const left = [...input.retrieved.excluded, ...(input.governing?.overridden ?? []), ...selection.excluded];
  const items = verdict.status === 'frozen' ? selection.items.map((item, position): PackageItem => ({ position, ...item })) : [];
  return {
    format: 'colophon/package@1',
    ...verdict,
    request: requestOf(input),
    versions: {
      compiler: input.versions.compiler,
      analyzer: input.versions.analyzer,
      rankingPolicy: digestOf(input.ranking),
      contextPolicy: digestOf(input.policy),
      manifest: input.versions.manifest,
      ...(input.versions.vocabulary === undefined ? {} : { vocabulary: input.versions.vocabulary }),
    },
    budget: {
      ceiling: allocation.ceiling,
      used: 0,
      classes: classBudgets(allocation, verdict.status === 'frozen' ? selection : undefined),
    },
    items,
    excluded: inFixedOrder([...left, ...notShown(verdict, selection)].map(recordedExclusion)),
    gaps: [
      ...requirements.gaps.map((gap) => clip(gap, GAP_LIMIT)),
      ...emptyLibrary(input, verdict),
      ...oneSided(input.retrieved.conflicts, items, left),
      ...gapsOf(input.retrieved),
    ],
    ...(requirements.facts.length === 0 ? {} : { facts: factsShown(requirements, verdict) }),
    conflicts: conflictsOf(input.retrieved.conflicts),
    taint: items.some((item) => isFenced(item.tier)),
    classification: input.classification,
    expires: expiryOf(input, items),
  };
}

/** Of everything the package names: an item left out shows its title and place. A candidate is taken in or left out, and named either way. */
export function classificationOf(input: CompileInput): Classification {
  const offered = offeredBy(input).map(({ page }) => page.compartment.classification);
  const supplied = (input.supplied ?? []).map(({ classification }) => classification);
  return [...offered, ...supplied].reduce(stricter, input.named ?? 'public');
}

type Verdict = Pick<PackageBody, 'status' | 'reason'>;

function verdictOf(retrieved: Retrieved, allocation: Allocation, selection: Selection, { blocked }: Requirements): Verdict {
  if (blocked.length > 0) return { status: 'blocked', reason: clip(inertLine(blockedReason(blocked)), REASON_LIMIT) };
  if (selection.items.length > 0) return { status: 'frozen', reason: '' };
  return { status: 'no_context', reason: emptyReason(retrieved, allocation, selection) };
}

function emptyReason(retrieved: Retrieved, { ceiling, frame }: Allocation, { smallestLeftOut }: Selection): string {
  if (smallestLeftOut !== undefined) {
    return `passages match, but none fits: the smallest needs ${smallestLeftOut + frame} tokens, the budget is ${ceiling}`;
  }
  if (!retrieved.noContext && retrieved.candidates.length > 0) return 'every matching passage is superseded, expired or damaged';
  return clip(inertLine(retrieved.reason), REASON_LIMIT) || 'nothing in the library matches the question';
}

/** A package that holds only what was required or supplied says that the library had nothing on the question (INJ-02). */
function emptyLibrary(input: CompileInput, { status }: Verdict): string[] {
  if (status !== 'frozen' || input.retrieved.candidates.length > 0) return [];
  return [`nothing was found for the question itself: ${clip(inertLine(input.retrieved.reason), REASON_LIMIT) || 'nothing matches'}`];
}

/** Nothing is shown of a blocked package, so no fact of it is in an item. */
function factsShown({ facts }: Requirements, { status }: Verdict): readonly PackageFact[] {
  return status === 'frozen' ? facts : facts.map((fact) => ({ ...fact, items: [] }));
}

function requestOf({ ask, text, model, scope, today, profile, consequential }: CompileInput): PackageBody['request'] {
  const { requester } = ask;
  return {
    text: wellFormed(text),
    profile: profile ?? 'preamble',
    ...(consequential === true ? { consequential } : {}),
    requester: requester.principal,
    workload: requester.workload,
    tenant: requester.tenant,
    purpose: requester.purpose,
    groups: sortedSet([...requester.groups]),
    ceiling: requester.ceiling,
    client: requester.client.name,
    locality: requester.client.locality,
    model: model.name,
    scope: normalScope(scope),
    asOf: today,
  };
}

/** A scope says the same in any order. */
function normalScope(scope: Scope): Scope {
  const { sources, paths, exclude, productVersion, tags, statuses, verifiedSince } = scope;
  return {
    ...(sources === undefined ? {} : { sources: sortedSet(sources) }),
    ...(paths === undefined ? {} : { paths: sortedSet(paths) }),
    ...(exclude === undefined ? {} : { exclude: sortedSet(exclude) }),
    ...(productVersion === undefined ? {} : { productVersion: wellFormed(productVersion) }),
    ...(tags === undefined ? {} : { tags: sortedSet(tags) }),
    ...(statuses === undefined ? {} : { statuses: sortedSet(statuses) }),
    ...(verifiedSince === undefined ? {} : { verifiedSince }),
  };
}

function sortedSet(texts: readonly string[]): string[] {
  return [...new Set(texts.map(wellFormed))].sort();
}

function classBudgets(allocation: Allocation, selection: Selection | undefined): PackageBody['budget']['classes'] {
  const usedBy = (name: string) => sum((selection?.items ?? []).filter((item) => item.class === name));
  const frame = allocation.frame + (selection?.once ?? 0);
  const classes = CONTEXT_CLASSES.map((name) => [name, { granted: selection?.granted[name] ?? 0, used: usedBy(name) }] as const);
  return Object.fromEntries([['frame', { granted: frame, used: selection === undefined ? 0 : frame }] as const, ...classes]);
}

function sum(items: readonly SelectedItem[]): number {
  return items.reduce((total, item) => total + item.tokens, 0);
}

/** A blocked package shows nothing, also not what would have fitted. */
function notShown(verdict: Pick<PackageBody, 'status' | 'reason'>, selection: Selection): ExcludedItem[] {
  if (verdict.status !== 'blocked') return [];
  return selection.items.map((item) => leftOut(item, 'policy', `not shown: ${verdict.reason}`));
}

/** By reason, then place: the record does not depend on the order in which steps or legs reported. */
function inFixedOrder(excluded: readonly ExcludedItem[]): ExcludedItem[] {
  const key = (item: ExcludedItem) => [item.source, item.path, item.artifact, item.detail].join('\0');
  return [...excluded].sort(
    (a, b) => EXCLUSIONS.indexOf(a.reason) - EXCLUSIONS.indexOf(b.reason) || (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0),
  );
}

function conflictsOf(conflicts: readonly Conflict[]): Conflict[] {
  return conflicts
    .map(({ artifacts, reason }) => ({ artifacts: sortedSet(artifacts), reason: inertLine(reason) }))
    .sort((a, b) => (a.artifacts.join() < b.artifacts.join() ? -1 : 1));
}

/** A package is never good for longer than what it quotes. */
function expiryOf(input: CompileInput & { readonly policy: ContextPolicy }, items: readonly PackageItem[]): Day {
  const { policy, today } = input;
  const shown = new Set(items.map((item) => item.artifact));
  const ends = offeredBy(input)
    .filter((candidate) => shown.has(candidate.artifact.id))
    .flatMap(({ page }) => (page.meta.validUntil === undefined ? [] : [page.meta.validUntil]));
  const policyEnd = dayOf((Date.parse(today) + policy.expiryDays * DAY_MS) as Instant);
  return [policyEnd, ...ends].sort()[0] ?? policyEnd;
}
