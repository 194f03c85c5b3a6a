/**
 * What both explanations of a package say in the same words: verdict, budget, groups of exclusions, versions.
 *
 * Invariant: reads the package and nothing else, so an explanation of a stored one is what it was on the first day.
 */
import type { ContextPackage, ExcludedItem, Exclusion, PackageBody, PackageItem } from '../domain/context-package.js';
import type { Label } from '../domain/page.js';
import { tokenBound } from '../text/tokens.js';
import { COSTLIEST_BOUNDARY } from './boundary.js';
import { inertLine } from './inert.js';
import { itemLines, rangeText, type Wording, wordingOf } from './preamble.js';

export const EXCLUSION_TEXT: Readonly<Record<Exclusion, string>> = {
  'below-floor': 'match the question too weakly',
  'page-cap': 'better passages of their page came first',
  superseded: 'replaced by a newer page',
  expired: 'past their last valid day',
  duplicate: 'the same text as one that went in',
  'near-duplicate': 'nearly the same text as one that went in',
  budget: 'did not fit the token limit',
  'lane-cap': 'enough unreviewed text already',
  outranked: 'others match better',
  'unverified-changed': 'changed since they were verified',
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

/** The source, where all that the package names comes from one; then a place need not say it each time. */
export function onlySource({ items, excluded }: Pick<PackageBody, 'items' | 'excluded'>): string | undefined {
  const sources = new Set([...items, ...items.flatMap(({ duplicates }) => duplicates), ...excluded].map(({ source }) => source));
  const [source] = sources;
  return sources.size === 1 ? source : undefined;
}

/** In the order of the package, which is by reason. */
export function byReason(excluded: readonly ExcludedItem[]): readonly (readonly [Exclusion, readonly ExcludedItem[]])[] {
  const groups = new Map<Exclusion, ExcludedItem[]>();
  for (const item of excluded) groups.set(item.reason, [...(groups.get(item.reason) ?? []), item]);
  return [...groups];
}

/** A page that holds nothing of the question stayed out of every answer; its name tells nobody anything. */
export function cameNear({ reason, detail, closeness }: ExcludedItem): boolean {
  return reason !== 'below-floor' || !(closeness?.percent === 0 || detail.startsWith('holds 0 %'));
}

export interface LeftOutPage {
  readonly source: string;
  readonly path: string;
  readonly title: string;
  /** What came nearest first. */
  readonly passages: readonly ExcludedItem[];
}

/** Page by page, what came nearest first; where nothing says how near, in the order of the package. */
export function leftOutPages(excluded: readonly ExcludedItem[]): readonly LeftOutPage[] {
  const pages = new Map<string, ExcludedItem[]>();
  for (const item of [...excluded].sort((a, b) => nearness(b) - nearness(a))) {
    const key = `${item.source}\0${item.path}`;
    pages.set(key, [...(pages.get(key) ?? []), item]);
  }
  return [...pages.values()].flatMap((passages) => {
    const [first] = passages;
    return first === undefined ? [] : [{ source: first.source, path: first.path, title: first.title, passages }];
  });
}

/** Whoever was held against the best match had passed the first hurdle already. */
function nearness({ closeness }: ExcludedItem): number {
  if (closeness === undefined) return 101;
  return closeness.of === 'best-match' ? 102 + closeness.percent : closeness.percent;
}

/** Tokens of the passages' own text, and of the lines that stand around it; together what the items cost. */
export function textAndLines({ items }: Pick<PackageBody, 'items'>): { readonly text: number; readonly lines: number } {
  const total = items.reduce((sum, { tokens }) => sum + tokens, 0);
  const wording = wordingOf(items);
  const text = items.reduce((sum, item) => sum + ownTokens(item, wording), 0);
  return { text, lines: total - text };
}

/** The model's factor and the joints are in the item's count, so its parts are taken from that in proportion. */
function ownTokens(item: PackageItem, wording: Wording): number {
  const { before, after } = itemLines(item, item.position, COSTLIEST_BOUNDARY, wording);
  const own = tokenBound(item.excerpt);
  const whole = own + tokenBound(before) + tokenBound(after);
  return whole === 0 ? 0 : Math.round((item.tokens * own) / whole);
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
    ...(versions.vocabulary === undefined ? [] : ([['vocabulary', versions.vocabulary]] as const)),
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

/** `unreviewed` is the rule on a laptop, not a warning; `overdue` is said beside the date it goes with. */
export function badges(item: Pick<PackageItem, 'labels'>): readonly { readonly text: Label; readonly warns: boolean }[] {
  return item.labels.filter((label) => label !== 'overdue').map((text) => ({ text, warns: text !== 'unreviewed' }));
}

/** Words nobody holds, and what was required and is missing, which is said in sentences. */
export function partedGaps(gaps: readonly string[]): { readonly words: readonly string[]; readonly sentences: readonly string[] } {
  const isSentence = (gap: string) => /\s/.test(gap);
  return { words: gaps.filter((gap) => !isSentence(gap)), sentences: gaps.filter(isSentence) };
}
