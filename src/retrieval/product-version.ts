/**
 * Product version: a version that the question names says where to look, not what for. And of pages that are the same page for different versions of a product, which is meant? The one for a version that the
 * question names, else the newest. The others rank far down in a search, and stay out of a context.
 *
 * The same page: equal path in one source once version numbers are taken out of its folders.
 * Invariant: a page without such a twin is never touched, whatever version it is for.
 */
import type { EligibleSet } from '../domain/eligibility.js';
import type { UnderstoodQuery } from '../domain/query.js';
import type { IndexSnapshot, StoredPage } from '../ports/index-reader.js';
import { compareVersions } from './compare-versions.js';
import { type Draft, type Dropped, pageKey } from './draft.js';

const VERSION_IN_FOLDER = /v?\d+(?:[._-](?:\d+|x))*/gi;
/** `v7`, `version 7`: here a whole number says a version, too. */
const SAID_TO_BE_ONE = /\b(?:v|versions?\s+)(\d+(?:\.\d+)*)\b/gi;

const MOST_LOOKED_UP = 4;
/** As much as a word that says when. */
const WEIGHT = 0.5;

/** The words that name a version some page you may read is for: an answer need not hold them, and holding them is little evidence. */
export async function withVersionsApart(snapshot: IndexSnapshot, eligible: EligibleSet, query: UnderstoodQuery): Promise<UnderstoodQuery> {
  const known = new Set<string>();
  for (const version of versionsIn(query).slice(0, MOST_LOOKED_UP)) {
    for (const written of [version, `v${version}`]) if (await snapshot.hasVersion(eligible, written)) known.add(version);
  }
  if (known.size === 0) return query;
  const announced = [...query.text.matchAll(SAID_TO_BE_ONE)].some(([, version = '']) => known.has(version));
  const isVersion = (term: string) => known.has(plainVersion(term)) || (announced && /^versions?$/.test(term));
  const terms = query.terms.map((term) =>
    term.required || !isVersion(term.term) ? term : { ...term, weight: Math.min(term.weight, WEIGHT), content: false },
  );
  // A question that is about nothing but a version is about that.
  return terms.some(({ content, required }) => content || required) ? { ...query, terms } : query;
}

export function versionAskedFor(
  drafts: readonly Draft[],
  query: UnderstoodQuery,
): { readonly kept: readonly Draft[]; readonly dropped: readonly Dropped[] } {
  const others = otherVersions(drafts, query);
  if (others.size === 0) return { kept: drafts, dropped: [] };
  const kept: Draft[] = [];
  const dropped: Dropped[] = [];
  for (const draft of drafts) {
    const { page } = draft.artifact;
    const meant = others.get(pageKey(page));
    if (meant === undefined) kept.push(draft);
    else {
      const detail = `for version ${page.meta.productVersion}; ${meant.path} is for ${meant.meta.productVersion}`;
      dropped.push({ draft, reason: 'policy', detail });
    }
  }
  return { kept, dropped };
}

/** A page → the one that is the same and is for the version meant. */
export function otherVersions(drafts: readonly Draft[], query: UnderstoodQuery): ReadonlyMap<string, StoredPage> {
  const others = new Map<string, StoredPage>();
  if (query.scope.productVersion !== undefined) return others;
  const twins = twinsAmong(drafts.map(({ artifact }) => artifact.page));
  const isNamed = namedBy(query, twins);
  for (const pages of twins) {
    const named = pages.filter(isNamed);
    const candidates = named.length > 0 ? named : pages;
    const newest = candidates.reduce((best, page) => (isNewer(page, best) ? page : best));
    for (const page of pages) if (!named.includes(page) && page !== newest) others.set(pageKey(page), newest);
  }
  return others;
}

/** Pages that are one page for several versions, each once. */
function twinsAmong(pages: readonly StoredPage[]): readonly StoredPage[][] {
  const groups = new Map<string, Map<string, StoredPage>>();
  for (const page of pages) {
    if (page.meta.productVersion === undefined) continue;
    const identity = identityOf(page);
    const group = groups.get(identity) ?? new Map<string, StoredPage>();
    group.set(pageKey(page), page);
    groups.set(identity, group);
  }
  return [...groups.values()].map((group) => [...group.values()]).filter(({ length }) => length > 1);
}

function isNewer(a: StoredPage, b: StoredPage): boolean {
  return compareVersions(a.meta.productVersion ?? '', b.meta.productVersion ?? '') > 0;
}

function identityOf(page: StoredPage): string {
  const cut = page.path.lastIndexOf('/') + 1;
  return `${page.source} ${page.path.slice(0, cut).replace(VERSION_IN_FOLDER, '')}${page.path.slice(cut)}`;
}

/** Exactly as written; where no page is for that very version, `version 7` is the newest that begins so. */
function namedBy(query: UnderstoodQuery, twins: readonly StoredPage[][]): (page: StoredPage) => boolean {
  const said = [...query.text.matchAll(SAID_TO_BE_ONE)].map(([, version = '']) => version);
  const known = new Set(twins.flat().map(versionOf));
  const exact = new Set([...query.terms.map(({ term }) => plainVersion(term)), ...said].filter((version) => known.has(version)));
  const within = said.filter((version) => !known.has(version)).map((version) => `${version}.`);
  const latest = within.flatMap((start) =>
    [...known]
      .filter((version) => version.startsWith(start))
      .sort(compareVersions)
      .slice(-1),
  );
  const named = new Set([...exact, ...latest]);
  return (page) => named.has(versionOf(page));
}

function versionOf({ meta }: StoredPage): string {
  return plainVersion((meta.productVersion ?? '').toLowerCase());
}

/** Numbers with a point, and those that are said to be versions; each once, in reading order. */
function versionsIn({ text, terms }: UnderstoodQuery): readonly string[] {
  const said = [...text.matchAll(SAID_TO_BE_ONE)].map(([, version = '']) => version);
  const pointed = terms.map(({ term }) => plainVersion(term)).filter((term) => /^\d+(?:\.\w+)+/.test(term));
  return [...new Set([...pointed, ...said])];
}

function plainVersion(term: string): string {
  return term.replace(/^#/, '').replace(/^v(?=\d)/, '');
}
