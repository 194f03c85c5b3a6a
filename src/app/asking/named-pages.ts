/**
 * Every page a package names, looked up as the asker may see it now: passages, what was left out, duplicates, conflicts.
 *
 * Invariant: a page that is gone and one that the asker may not see are missing alike.
 */
import type { Candidate } from '../../domain/candidate.js';
import type { Classification } from '../../domain/classification.js';
import { stricter } from '../../domain/classification.js';
import type { Conflict, ExcludedItem } from '../../domain/context-package.js';
import type { EligibleSet } from '../../domain/eligibility.js';
import type { IndexSnapshot } from '../../ports/index-reader.js';

/** A page's place, or an artifact of which only the id is known. */
export interface Named {
  readonly source?: string;
  readonly path: string;
}

interface Naming {
  readonly items: readonly (Place & { readonly artifact: string; readonly duplicates: readonly Place[] })[];
  readonly excluded: readonly ExcludedItem[];
  readonly conflicts: readonly Conflict[];
}
type Place = Required<Named>;

export interface Names {
  readonly places: readonly Place[];
  /** Artifacts named by a conflict and by nothing else. */
  readonly artifacts: readonly string[];
}

/** What a caller brought along is no page of a source; ids of sources begin with a letter or a digit. */
export function isOfCaller(source: string): boolean {
  return source.startsWith('@');
}

export function namesIn({ items, excluded, conflicts }: Naming): Names {
  const places = [...items, ...items.flatMap(({ duplicates }) => duplicates), ...excluded].filter(({ source }) => !isOfCaller(source));
  const placed = new Set([...items, ...excluded].map(({ artifact }) => artifact));
  return {
    places: [...new Map(places.map(({ source, path }) => [JSON.stringify([source, path]), { source, path }])).values()],
    artifacts: [...new Set(conflicts.flatMap(({ artifacts }) => artifacts))].filter((each) => !placed.has(each)),
  };
}

export interface LookedUp {
  readonly classification: Classification;
  readonly missing: readonly Named[];
}

export async function lookUpNames(snapshot: IndexSnapshot, eligible: EligibleSet, names: Names): Promise<LookedUp> {
  const { artifacts } = await snapshot.artifacts(eligible, names.artifacts);
  const held = new Set(artifacts.map(({ id }) => id));
  const missing: Named[] = names.artifacts.filter((each) => !held.has(each)).map((path) => ({ path }));
  const classifications = artifacts.map(({ page }) => page.compartment.classification);
  for (const place of names.places) {
    const page = await snapshot.page(eligible, place.source, place.path);
    if (page === undefined) missing.push(place);
    else classifications.push(page.compartment.classification);
  }
  return { classification: classifications.reduce(stricter, 'public'), missing };
}

/** What a package made of this may name. */
export function namesRetrieved(retrieved: {
  readonly candidates: readonly Candidate[];
  readonly excluded: readonly ExcludedItem[];
  readonly conflicts: readonly Conflict[];
}): Names {
  const items = retrieved.candidates.map(({ artifact, page, duplicates }) => ({
    artifact: artifact.id,
    source: page.source,
    path: page.path,
    duplicates,
  }));
  return namesIn({ items, excluded: retrieved.excluded, conflicts: retrieved.conflicts });
}
