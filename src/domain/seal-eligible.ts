/**
 * The seal: the one place that makes an EligibleSet.
 *
 * Invariant: in src, only src/retrieval/eligible.ts imports this file (dependency table).
 */
import { type CompartmentFacts, type EligibleSet, judge } from './eligibility.js';
import type { Ask } from './requester.js';
import { byPlace, type WithheldPage } from './withheld.js';

/** Judges every compartment. The set holds nothing of those denied, not even their number. */
export function sealEligible(facts: readonly CompartmentFacts[], ask: Ask): EligibleSet {
  const compartments = facts.filter((each) => judge(each, ask).eligible).map((each) => each.compartment);
  compartments.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const keys: ReadonlySet<string> = new Set(compartments.map((each) => each.key));
  const withheld = withheldFrom(facts, new Set(compartments.map((each) => each.source)));
  return Object.freeze({ compartments: Object.freeze(compartments), keys, withheld }) as EligibleSet;
}

/** Of sources with something to read: that something is withheld from a source nobody sees must change nothing. */
function withheldFrom(facts: readonly CompartmentFacts[], sources: ReadonlySet<string>): readonly WithheldPage[] {
  const found = new Map(facts.flatMap(({ source }) => (source?.withheld === undefined ? [] : [[source.id, source.withheld] as const])));
  return Object.freeze([...found].flatMap(([source, pages]) => (sources.has(source) ? pages : [])).sort(byPlace));
}
