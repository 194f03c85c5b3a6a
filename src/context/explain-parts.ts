/**
 * What both explanations of a package say in the same words: verdict, budget, groups of exclusions, versions.
 *
 * Invariant: reads the package and nothing else, so an explanation of a stored one is what it was on the first day.
 */
import type { ContextPackage, ExcludedItem, Exclusion, PackageBody, PackageItem } from '../domain/context-package.js';
import { inertLine } from './inert.js';
import { rangeText } from './preamble.js';

export const EXCLUSION_TEXT: Readonly<Record<Exclusion, string>> = {
  'below-floor': 'too little of the question',
  'page-cap': 'enough from this page already',
  superseded: 'superseded',
  expired: 'expired',
  duplicate: 'the same text',
  'near-duplicate': 'nearly the same text',
  budget: 'does not fit the budget',
  'lane-cap': 'enough unreviewed text already',
  outranked: 'others match better',
  'unverified-changed': 'changed since it was verified',
  damaged: 'stored text is damaged',
  policy: 'kept out by policy',
};

export const VERDICT_TEXT: Readonly<Record<PackageBody['status'], string>> = {
  frozen: 'frozen',
  no_context: 'no context',
  blocked: 'blocked',
};

export function placeOf(item: Pick<PackageItem, 'source' | 'path' | 'lines'>): string {
  return `${inertLine(item.source)} ${inertLine(item.path)}:${rangeText(item.lines)}`;
}

/** In the order of the package, which is by reason. */
export function byReason(excluded: readonly ExcludedItem[]): readonly (readonly [Exclusion, readonly ExcludedItem[]])[] {
  const groups = new Map<Exclusion, ExcludedItem[]>();
  for (const item of excluded) groups.set(item.reason, [...(groups.get(item.reason) ?? []), item]);
  return [...groups];
}

/** Share of the ceiling used, in whole percent, never above 100. */
export function percentUsed({ budget }: Pick<PackageBody, 'budget'>): number {
  return budget.ceiling === 0 ? 0 : Math.min(100, Math.round((100 * budget.used) / budget.ceiling));
}

/** The classes that used something, largest first. */
export function spending({ budget }: Pick<PackageBody, 'budget'>): readonly (readonly [string, number])[] {
  return Object.entries(budget.classes)
    .map(([name, { used }]) => [name, used] as const)
    .filter(([, used]) => used > 0)
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
}

/** Artifact ids mean nothing to a person; the places they stand in do. */
export function conflictText(body: PackageBody, artifacts: readonly string[]): readonly string[] {
  const places = new Map<string, string>([
    ...body.excluded.map((item) => [item.artifact, `${inertLine(item.source)} ${inertLine(item.path)}`] as const),
    ...body.items.map((item) => [item.artifact, placeOf(item)] as const),
  ]);
  return artifacts.map((artifact) => places.get(artifact) ?? inertLine(artifact));
}

export function versionRows({ digest, body }: ContextPackage): readonly (readonly [string, string])[] {
  const { versions, request } = body;
  return [
    ['package', digest],
    ['library as seen', versions.manifest],
    ['compiler', versions.compiler],
    ['analyzer', versions.analyzer],
    ['ranking policy', versions.rankingPolicy],
    ['context policy', versions.contextPolicy],
    ['format', body.format],
    ['model', request.model],
    ['client', `${request.client} (${request.locality})`],
    ['requester', request.requester],
    ['through', request.workload],
    ['tenant', request.tenant],
    ['purpose', request.purpose],
    ['groups', request.groups.join(', ') || 'none'],
    ['may see up to', request.ceiling],
    ['as of', request.asOf],
    ['usable until', body.expires],
  ];
}

export function count(n: number, one: string, many: string = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

/** `unreviewed` is the rule on a laptop, not a warning; `overdue` is said beside the date it goes with. */
export function badges(item: Pick<PackageItem, 'labels'>): readonly { readonly text: string; readonly warns: boolean }[] {
  return item.labels.filter((label) => label !== 'overdue').map((text) => ({ text, warns: text !== 'unreviewed' }));
}

/** Words nobody holds, and what was required and is missing, which is said in sentences. */
export function partedGaps(gaps: readonly string[]): { readonly words: readonly string[]; readonly sentences: readonly string[] } {
  const isSentence = (gap: string) => /\s/.test(gap);
  return { words: gaps.filter((gap) => !isSentence(gap)), sentences: gaps.filter(isSentence) };
}
