/**
 * Assemble: the package body from what was selected, before it is rendered and counted.
 *
 * Invariant: holds nothing of the eligible set, the clock beyond the day, the machine, or the order things were indexed in.
 */

import { isFenced } from '../domain/authority.js';
import type { Retrieved } from '../domain/candidate.js';
import { type Classification, stricter } from '../domain/classification.js';
import {
  CONTEXT_CLASSES,
  type Conflict,
  EXCLUSIONS,
  type ExcludedItem,
  type PackageBody,
  type PackageItem,
} from '../domain/context-package.js';
import type { ContextPolicy } from '../domain/context-policy.js';
import type { ModelProfile } from '../domain/model-profile.js';
import type { Scope } from '../domain/query.js';
import type { RankingPolicy } from '../domain/ranking-policy.js';
import type { Ask } from '../domain/requester.js';
import { type Day, dayOf, type Instant } from '../kernel/clock.js';
import { type Digest, digestOf } from '../kernel/digest.js';
import type { Allocation } from './allocate.js';
import { gapsOf } from './gaps.js';
import { clip, inertLine, wellFormed } from './inert.js';
import { recordedExclusion } from './item.js';
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
  readonly versions: { readonly compiler: string; readonly analyzer: string; readonly manifest: Digest };
  /** Lowers the ceiling; raises it, up to the window, only with `mayRaiseCeiling`. */
  readonly ceilingTokens?: number;
  /** Set by surfaces a person drives (`context --budget N`), never for an agent or a hook. */
  readonly mayRaiseCeiling?: boolean;
  readonly policy?: ContextPolicy;
}

const DAY_MS = 86_400_000;
const REASON_LIMIT = 240;

export function assemble(
  input: CompileInput & { readonly policy: ContextPolicy; readonly classification: Classification },
  allocation: Allocation,
  selection: Selection,
): PackageBody {
  const verdict = verdictOf(input.retrieved, allocation, selection);
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
    },
    budget: {
      ceiling: allocation.ceiling,
      used: 0,
      classes: classBudgets(allocation, verdict.status === 'frozen' ? selection : undefined),
    },
    items,
    excluded: inFixedOrder([...input.retrieved.excluded, ...selection.excluded, ...notShown(verdict, selection)].map(recordedExclusion)),
    gaps: gapsOf(input.retrieved),
    conflicts: conflictsOf(input.retrieved.conflicts),
    taint: items.some((item) => isFenced(item.tier)),
    classification: input.classification,
    expires: expiryOf(input, items),
  };
}

/** Of everything the package names: an item left out shows its title and place. A candidate is taken in or left out, and named either way. */
export function classificationOf({ retrieved, named }: CompileInput): Classification {
  const offered = retrieved.candidates.map(({ page }) => page.compartment.classification);
  return offered.reduce(stricter, named ?? 'public');
}

function verdictOf(retrieved: Retrieved, allocation: Allocation, selection: Selection): Pick<PackageBody, 'status' | 'reason'> {
  if (selection.blocked !== undefined) return { status: 'blocked', reason: clip(inertLine(selection.blocked), REASON_LIMIT) };
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

function requestOf({ ask, text, model, scope, today }: CompileInput): PackageBody['request'] {
  const { requester } = ask;
  return {
    text: wellFormed(text),
    profile: 'preamble',
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
  const governing = usedBy('governing');
  const frame = allocation.frame + (selection?.notice ?? 0);
  const granted: Record<string, number> = {
    governing: Math.max(governing, allocation.governing),
    reference: Math.max(0, allocation.ceiling - frame - governing),
  };
  const classes = CONTEXT_CLASSES.map((name) => [name, { granted: granted[name] ?? 0, used: usedBy(name) }] as const);
  return Object.fromEntries([['frame', { granted: frame, used: selection === undefined ? 0 : frame }] as const, ...classes]);
}

function sum(items: readonly SelectedItem[]): number {
  return items.reduce((total, item) => total + item.tokens, 0);
}

/** A blocked package shows nothing, also not what would have fitted. */
function notShown(verdict: Pick<PackageBody, 'status' | 'reason'>, selection: Selection): ExcludedItem[] {
  if (verdict.status !== 'blocked') return [];
  return selection.items.map(({ artifact, source, path, title }) => ({
    artifact,
    source,
    path,
    title,
    reason: 'policy',
    detail: `not shown: ${verdict.reason}`,
  }));
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
function expiryOf({ policy, retrieved, today }: CompileInput & { readonly policy: ContextPolicy }, items: readonly PackageItem[]): Day {
  const shown = new Set(items.map((item) => item.artifact));
  const ends = retrieved.candidates
    .filter((candidate) => shown.has(candidate.artifact.id))
    .flatMap(({ page }) => (page.meta.validUntil === undefined ? [] : [page.meta.validUntil]));
  const policyEnd = dayOf((Date.parse(today) + policy.expiryDays * DAY_MS) as Instant);
  return [policyEnd, ...ends].sort()[0] ?? policyEnd;
}
