/**
 * Label meanings: which concepts of a vocabulary a run of words names (SEM-05).
 *
 * A label and a question are cut by the same code. What is written the same counts first, then what differs in inflections only.
 *
 * Invariant: a label that names two things names neither; a deprecated concept and the one that took its place are one thing.
 */
import type { Alternative } from '../domain/query.js';
import { type Concept, standingFor, type Vocabulary } from '../domain/vocabulary.js';
import { type QueryToken, queryTokens } from '../text/analyze.js';

/** One thing that a label may mean. */
export interface Meaning {
  readonly label: string;
  /** Whose label it is. */
  readonly concept: Concept;
  /** What it stands for now; undefined for a deprecated concept that nothing replaced. */
  readonly standing: Concept | undefined;
}

export interface LabelIndex {
  /** Words of the longest label. */
  readonly longest: number;
  /** All that these words may mean, one meaning for each concept; empty when they are no label. */
  meanings(words: readonly LabelWord[]): readonly Meaning[];
  /** All names of what is meant: those it has now first, then those of what it replaced. */
  names(meaning: Meaning): readonly string[];
  /** All names of what is one step narrower than what is meant. */
  narrower(meaning: Meaning): readonly string[];
  /** Plain words that stand in names, each once, by code unit. */
  readonly words: readonly string[];
}

export type LabelWord = Alternative['words'][number];

/** The words of a label, or of a text, in reading order: parts of names and compounds are not words of their own here. */
export function labelWords(text: string): readonly LabelWord[] {
  return queryTokens(text).filter(isReadAlone).map(wordOf);
}

export function isReadAlone({ role }: QueryToken): boolean {
  return role === 'whole' || role === 'element';
}

export function wordOf({ kind, term, stem }: QueryToken): LabelWord {
  return { kind, term, ...(stem === undefined ? {} : { stem }) };
}

/** A label of one small word ("IT", "who") would be found in every question. */
export function isTooCommon(label: string): boolean {
  const tokens = queryTokens(label).filter(isReadAlone);
  return tokens.length > 0 && tokens.every(({ stop }) => stop);
}

const indexes = new WeakMap<Vocabulary, LabelIndex>();

export function labelIndexOf(vocabulary: Vocabulary): LabelIndex {
  const known = indexes.get(vocabulary) ?? build(vocabulary);
  indexes.set(vocabulary, known);
  return known;
}

function build({ concepts }: Vocabulary): LabelIndex {
  const byId = new Map(concepts.map((concept) => [concept.id, concept]));
  const exact = new Map<string, Meaning[]>();
  const inflected = new Map<string, Meaning[]>();
  const names = new Map<string, string[]>();
  const plain = new Set<string>();
  let longest = 0;
  for (const concept of concepts) {
    const standing = standingFor(byId, concept);
    const labels = [concept.prefLabel, ...concept.altLabels];
    const thing = (standing ?? concept).id;
    names.set(thing, concept.deprecated ? [...(names.get(thing) ?? []), ...labels] : [...labels, ...(names.get(thing) ?? [])]);
    for (const label of labels) {
      const words = labelWords(label);
      if (words.length === 0 || isTooCommon(label)) continue;
      longest = Math.max(longest, words.length);
      for (const { kind, term } of words) if (kind === 'word') plain.add(term);
      push(exact, exactKey(words), { label, concept, standing });
      push(inflected, inflectedKey(words), { label, concept, standing });
    }
  }
  const below = narrowerThings(concepts, byId);
  return {
    longest,
    words: [...plain].sort(),
    narrower: (meaning) => [...(below.get(thingOf(meaning)) ?? [])].sort().flatMap((thing) => names.get(thing) ?? []),
    meanings: (words) => exact.get(exactKey(words)) ?? inflected.get(inflectedKey(words)) ?? [],
    names: (meaning) => names.get(thingOf(meaning)) ?? [],
  };
}

/** Thing → things one step narrower, whichever of the two says so. In SKOS a step does not imply the next, so none is taken. */
function narrowerThings(concepts: readonly Concept[], byId: ReadonlyMap<string, Concept>): ReadonlyMap<string, ReadonlySet<string>> {
  const thing = (id: string) => {
    const concept = byId.get(id);
    return concept === undefined ? id : (standingFor(byId, concept) ?? concept).id;
  };
  const below = new Map<string, Set<string>>();
  const put = (broad: string, narrow: string) => {
    const [above, under] = [thing(broad), thing(narrow)];
    if (above !== under) below.set(above, (below.get(above) ?? new Set()).add(under));
  };
  for (const { id, broader, narrower } of concepts) {
    for (const broad of broader) put(broad, id);
    for (const narrow of narrower) put(id, narrow);
  }
  return below;
}

export function thingOf({ standing, concept }: Meaning): string {
  return (standing ?? concept).id;
}

/** One meaning for each thing: of concepts that stand for the same, the one that still stands. */
function push(meanings: Map<string, Meaning[]>, key: string, meaning: Meaning): void {
  const known = meanings.get(key) ?? [];
  const same = known.findIndex((each) => thingOf(each) === thingOf(meaning));
  if (same < 0) known.push(meaning);
  else if (!meaning.concept.deprecated) known[same] = meaning;
  meanings.set(key, known);
}

const BETWEEN = '\u0000';

function exactKey(words: readonly LabelWord[]): string {
  return words.map(({ term }) => term).join(BETWEEN);
}

function inflectedKey(words: readonly LabelWord[]): string {
  return words.map(({ term, stem }) => stem ?? term).join(BETWEEN);
}
