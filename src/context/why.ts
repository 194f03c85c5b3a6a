/**
 * Why and why-not: one sentence on one page, and the step at which it left.
 *
 * Invariant: a page that does not exist and a page the asker may not see give the same answer, byte for byte (ATH-06).
 */
import { admits } from '../domain/classification.js';
import type { Compartment } from '../domain/compartment.js';
import type { ContextPackage, ExcludedItem, Exclusion, PackageItem } from '../domain/context-package.js';
import type { Page } from '../domain/page.js';
import { placeOf } from './explain-parts.js';
import { clip, inertLine } from './inert.js';

/** The step of the retrieval or the context pipeline at which a page left. */
export type Step = 'eligible' | 'candidates' | 'floor' | 'diversify' | 'select' | 'included';

export interface WhyAnswer {
  readonly included: boolean;
  readonly step: Step;
  readonly sentence: string;
}

const STEP_OF: Readonly<Record<Exclusion, Step>> = {
  'below-floor': 'floor',
  'page-cap': 'diversify',
  superseded: 'candidates',
  expired: 'candidates',
  duplicate: 'diversify',
  'near-duplicate': 'diversify',
  budget: 'select',
  'lane-cap': 'diversify',
  outranked: 'diversify',
  'unverified-changed': 'candidates',
  damaged: 'candidates',
  policy: 'select',
};

const REST_OF_SENTENCE: Readonly<Record<Exclusion, string>> = {
  'below-floor': 'answers too little of the question',
  'page-cap': 'was left out because better passages of its page came first',
  superseded: 'is superseded',
  expired: 'is past its last valid day',
  duplicate: 'holds text that is in already',
  'near-duplicate': 'holds nearly the same text as a passage that is in',
  budget: 'matches, but did not fit the budget',
  'lane-cap': 'was left out because unreviewed text already has its share',
  outranked: 'matches, but others match better',
  'unverified-changed': 'changed since it was verified',
  damaged: 'is damaged in the index and must be rebuilt',
  policy: 'was kept out by policy',
};

const NOT_HERE: WhyAnswer = { included: false, step: 'eligible', sentence: 'This page is not in this library for you.' };

/** `name` is an artifact id (or the first 8 characters of one), a path, or `source:path`. */
export function whyIncluded(entry: ContextPackage, name: string): WhyAnswer | undefined {
  const items = entry.body.items.filter((item) => names(item, name));
  return items.length === 0 ? undefined : includedAnswer(items);
}

function includedAnswer(items: readonly PackageItem[]): WhyAnswer {
  const sentences = items.map((item) => `${placeOf(item)} is item ${item.position + 1}: ${item.reason}.`);
  return { included: true, step: 'included', sentence: sentences.join(' ') };
}

type AskersPage = Pick<Page, 'source' | 'path'> & { readonly compartment: Compartment };

/** `page` is what the asker's eligible set has under the name asked about; undefined when it has none, for whatever reason. */
export function whyNot(entry: ContextPackage, page: AskersPage | undefined): WhyAnswer {
  if (page === undefined) return NOT_HERE;
  const inside = entry.body.items.filter((item) => isOn(item, page));
  if (inside.length > 0) return includedAnswer(inside);
  const left = lastToLeave(entry.body.excluded.filter((item) => isOn(item, page)));
  const place = `${inertLine(page.source)} ${inertLine(page.path)}`;
  const kept = left === undefined ? keptFrom(entry.body.request, page) : undefined;
  if (kept !== undefined) return { included: false, step: 'eligible', sentence: `${place} ${kept}.` };
  if (left === undefined)
    return {
      included: false,
      step: 'candidates',
      sentence: `${place} holds none of what was asked, or lies outside the scope of the question.`,
    };
  const detail = clip(inertLine(left.detail), 160);
  return {
    included: false,
    step: STEP_OF[left.reason],
    sentence: `${place} ${REST_OF_SENTENCE[left.reason]}${detail === '' ? '' : `: ${detail}`}.`,
  };
}

/** The asker may see the page, and whoever the context was made for could not: said to the asker alone, who has the page anyway. */
function keptFrom({ locality, client, ceiling }: ContextPackage['body']['request'], { compartment }: Pick<AskersPage, 'compartment'>) {
  const asked = clip(inertLine(client), 60);
  if (compartment.egress !== 'any' && locality === 'remote')
    return `is kept from remote clients (\`sensitivity: private\`, or \`egress: local-only\` of its source), and this context was made for one, “${asked}”; ask with \`--client terminal\` to ask as yourself`;
  return admits(ceiling, compartment.classification)
    ? undefined
    : `is ${compartment.classification}, above the ceiling that this context was asked with (${ceiling})`;
}

/** Of a page's passages, the one that came furthest speaks for it. */
function lastToLeave(excluded: readonly ExcludedItem[]): ExcludedItem | undefined {
  const order: readonly Step[] = ['select', 'diversify', 'floor', 'candidates'];
  return [...excluded].sort((a, b) => order.indexOf(STEP_OF[a.reason]) - order.indexOf(STEP_OF[b.reason]))[0];
}

function isOn(item: Pick<PackageItem, 'source' | 'path'>, page: { readonly source: string; readonly path: string }): boolean {
  return item.source === page.source && item.path === page.path;
}

function names(item: PackageItem, name: string): boolean {
  if (name === item.path || name === `${item.source}:${item.path}` || name === item.artifact) return true;
  return name.length >= 8 && name.startsWith('ka_') && item.artifact.startsWith(name);
}
