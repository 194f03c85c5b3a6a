/**
 * What is wrong with a vocabulary, or odd about it: ids that lead nowhere, circles, labels that name two things; each with its line.
 *
 * Invariant: looks at everything and stops at nothing, so that one run tells all.
 * Invariant: an error is what has no meaning; what stays ambiguous is a warning, and is never mapped (SEM-05).
 */
import type { Concept, Vocabulary } from '../../domain/vocabulary.js';
import { standingFor } from '../../domain/vocabulary.js';
import { isTooCommon, labelIndexOf, labelWords } from '../../retrieval/label-meanings.js';
import { nearest } from '../asking/nearest.js';

export interface VocabularyFinding {
  readonly severity: 'error' | 'warning';
  /** Where in the file: the place of the concept, and its key. */
  readonly at: readonly (string | number)[];
  /** Completes "KEY must be …". */
  readonly expected: string;
}

const MOST_WORDS = 8;
const RELATIONS = ['broader', 'narrower', 'related'] as const;

/** `entries` are the concepts in the order of the file. */
export function checkVocabulary(entries: readonly Concept[], vocabulary: Vocabulary): readonly VocabularyFinding[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  return entries.flatMap((entry, at): VocabularyFinding[] => {
    const here = (found: readonly Found[]) =>
      found.map(({ key, ...rest }): VocabularyFinding => ({ ...rest, at: ['concepts', at, ...key] }));
    return here([
      ...idFindings(entry, at, entries),
      ...relationFindings(entry, byId),
      ...replacementFindings(entry, byId),
      ...labelFindings(entry, entries, vocabulary),
    ]);
  });
}

interface Found extends Omit<VocabularyFinding, 'at'> {
  readonly key: readonly (string | number)[];
}

function error(key: Found['key'], expected: string): Found {
  return { severity: 'error', key, expected };
}

function warning(key: Found['key'], expected: string): Found {
  return { severity: 'warning', key, expected };
}

function idFindings({ id }: Concept, at: number, entries: readonly Concept[]): Found[] {
  const first = entries.findIndex((each) => each.id === id);
  return first === at ? [] : [error(['id'], `another id; concepts[${first}] has \`${id}\` already`)];
}

type ById = ReadonlyMap<string, Concept>;

function relationFindings(entry: Concept, byId: ById): Found[] {
  const found = RELATIONS.flatMap((relation) =>
    entry[relation].flatMap((id, at): Found[] => {
      if (id === entry.id) return [error([relation, at], 'another concept than itself')];
      return byId.has(id) ? [] : [error([relation, at], unknownId(id, byId))];
    }),
  );
  return isAboveItself(entry, byId) ? [...found, error(['broader'], 'without a circle: it leads back to this concept')] : found;
}

function unknownId(id: string, byId: ById): string {
  const meant = nearest(id, [...byId.keys()]);
  return `the id of a concept, not \`${id}\`${meant === undefined ? '' : ` (did you mean ${meant}?)`}`;
}

function isAboveItself(entry: Concept, byId: ById): boolean {
  const seen = new Set<string>();
  const waiting = [...entry.broader];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (id === entry.id) return true;
    if (seen.has(id)) continue;
    seen.add(id);
    waiting.push(...(byId.get(id)?.broader ?? []));
  }
  return false;
}

function replacementFindings(entry: Concept, byId: ById): Found[] {
  const { deprecated, replacedBy } = entry;
  if (replacedBy !== undefined && !deprecated) return [error(['replacedBy'], 'left out, or `deprecated: true` given beside it')];
  if (!deprecated) return [];
  if (replacedBy === undefined) return [warning(['deprecated'], 'given with `replacedBy`, so that its names lead somewhere')];
  if (!byId.has(replacedBy)) return [error(['replacedBy'], unknownId(replacedBy, byId))];
  if (standingFor(byId, entry) !== undefined) return [];
  const isCircle = isReplacedByItself(entry, byId);
  return isCircle
    ? [error(['replacedBy'], 'without a circle: it leads back to this concept')]
    : [warning(['replacedBy'], 'a concept that stands, or that something replaced')];
}

function isReplacedByItself(entry: Concept, byId: ById): boolean {
  const seen = new Set<string>();
  for (let at = entry.replacedBy; at !== undefined && !seen.has(at); at = byId.get(at)?.replacedBy) {
    if (at === entry.id) return true;
    seen.add(at);
  }
  return false;
}

function labelFindings(entry: Concept, entries: readonly Concept[], vocabulary: Vocabulary): Found[] {
  const labels = [
    { label: entry.prefLabel, key: ['prefLabel'] },
    ...entry.altLabels.map((label, at) => ({ label, key: ['altLabels', at] })),
  ];
  const own = new Map<string, string>();
  return labels.flatMap(({ label, key }): Found[] => {
    const words = labelWords(label);
    if (words.length === 0) return [error(key, 'a name with letters or digits in it')];
    if (words.length > MOST_WORDS) return [error(key, `at most ${MOST_WORDS} words`)];
    const spelt = words.map(({ term }) => term).join(' ');
    const before = own.get(spelt);
    if (before !== undefined) return [error(key, `another name than “${before}”, which the concept has already`)];
    own.set(spelt, label);
    if (key[0] === 'prefLabel') {
      const twin = entries.find((each) => each !== entry && !each.deprecated && !entry.deprecated && each.prefLabel === label);
      if (twin !== undefined) return [error(key, `a name of its own; concept \`${twin.id}\` is called “${label}” too`)];
    }
    if (isTooCommon(label)) return [warning(key, 'more than small words: every question holds them, so it is never looked for')];
    const things = labelIndexOf(vocabulary)
      .meanings(words)
      .map(({ standing, concept }) => (standing ?? concept).id);
    if (things.length < 2) return [];
    return [warning(key, `the name of one thing: it may mean ${things.map((id) => `\`${id}\``).join(' or ')}, so it is taken for neither`)];
  });
}
