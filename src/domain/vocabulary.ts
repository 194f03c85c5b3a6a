/**
 * The vocabulary: names that people gave to things, reviewed like any other text (SEM). SKOS-shaped; it widens a question, never a right.
 *
 * Invariant: equal vocabularies have equal versions, however their files are laid out.
 * Invariant: a facet is a property of a concept; where a page stands in a folder is none of its business (SEM-02).
 */
import { type Digest, digestOf } from '../kernel/digest.js';

export interface Concept {
  readonly id: string;
  /** What it is called now. */
  readonly prefLabel: string;
  /** What else it is called. */
  readonly altLabels: readonly string[];
  readonly facet?: string;
  readonly broader: readonly string[];
  readonly narrower: readonly string[];
  readonly related: readonly string[];
  /** The name is not to be used any more. */
  readonly deprecated: boolean;
  /** Id of the concept that took its place; only a deprecated one has it. */
  readonly replacedBy?: string;
}

export interface Vocabulary {
  readonly version: Digest;
  /** By id. */
  readonly concepts: readonly Concept[];
}

export function vocabularyOf(concepts: readonly Concept[]): Vocabulary {
  const ordered = [...concepts].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)).map(normal);
  return { version: digestOf({ format: 'colophon/vocabulary@1', concepts: ordered }), concepts: ordered };
}

/** Lists that say the same in any order are in one. */
function normal({ altLabels, broader, narrower, related, ...rest }: Concept): Concept {
  return { ...rest, altLabels: sorted(altLabels), broader: sorted(broader), narrower: sorted(narrower), related: sorted(related) };
}

function sorted(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].sort();
}

/** The concept that stands for this one now: itself, or the last that took its place; undefined when it has none. */
export function standingFor(byId: ReadonlyMap<string, Concept>, concept: Concept): Concept | undefined {
  const seen = new Set<string>();
  let at: Concept | undefined = concept;
  while (at?.deprecated === true) {
    if (at.replacedBy === undefined || seen.has(at.id)) return undefined;
    seen.add(at.id);
    at = byId.get(at.replacedBy);
  }
  return at;
}
