/**
 * Expand: other names of what the question names, from the reviewed vocabulary (IDX-04, SEM-04, SEM-05).
 *
 * The longest label counts. Each of its words is given the concept's other names, which count for less than the word itself; nothing
 * is taken away, and what must be held literally (quotes, `+`) is left alone.
 *
 * Invariant: looks at the question and the vocabulary, at no page.
 * Invariant: a name of two things is reported and changes nothing (FAI-09).
 */
import type { Problem } from '../domain/problem.js';
import type { Alternative, QueryTerm, UnderstoodQuery } from '../domain/query.js';
import type { RankingPolicy } from '../domain/ranking-policy.js';
import type { Vocabulary } from '../domain/vocabulary.js';
import { isTooCommon, type LabelIndex, type LabelWord, labelIndexOf, labelWords, type Meaning } from './label-meanings.js';
import type { Understanding } from './understand.js';

/** Names found in one question, and other names taken for each; as many again of what is narrower. */
const MOST_NAMES = 8;
const MOST_ALTERNATIVES = 8;

export interface Expansion {
  readonly query: UnderstoodQuery;
  readonly problems: readonly Problem[];
  /** For the trace: which names were found. */
  readonly note: string;
}

export function expand(
  { query, reading }: Pick<Understanding, 'query' | 'reading'>,
  vocabulary: Vocabulary | undefined,
  { synonymWeight = 0, narrowerWeight = 0 }: Pick<RankingPolicy, 'synonymWeight' | 'narrowerWeight'>,
): Expansion | undefined {
  if (vocabulary === undefined || synonymWeight <= 0) return undefined;
  const index = labelIndexOf(vocabulary);
  const names = namesIn(reading, index).slice(0, MOST_NAMES);
  const byTerm = new Map<string, Alternative[]>();
  const problems: Problem[] = [];
  const clear = names.filter(({ meanings }) => meanings.length === 1);
  for (const { words, meanings } of clear) {
    const [meaning] = meanings;
    if (meaning === undefined) continue;
    if (meaning.concept.deprecated) problems.push(oldName(meaning));
    const same = otherNames(index.names(meaning), words, index, synonymWeight);
    const below = narrowerWeight > 0 ? otherNames(index.narrower(meaning), words, index, narrowerWeight) : [];
    const others = [...same, ...below];
    for (const word of words) {
      const known = byTerm.get(word.term) ?? [];
      byTerm.set(word.term, [...known, ...others.filter((other) => !known.some(({ label }) => label === other.label))]);
    }
  }
  for (const { text, meanings } of names) if (meanings.length > 1) problems.push(ambiguous(text, meanings));
  const terms = query.terms.map((term) => withAlternatives(term, byTerm.get(term.term) ?? []));
  return { query: { ...query, terms }, problems, note: clear.map(({ text, meanings }) => `${text} = ${idOf(meanings)}`).join(', ') };
}

interface Name {
  /** As the question writes it. */
  readonly text: string;
  readonly words: readonly LabelWord[];
  readonly meanings: readonly Meaning[];
}

/** From left to right, the longest at each place. */
export function namesIn(reading: Understanding['reading'], index: LabelIndex): Name[] {
  const names = new Map<string, Name>();
  for (const stretch of reading) {
    for (let at = 0; at < stretch.length; ) {
      const name = longestAt(stretch, at, index);
      if (name !== undefined) names.set(name.words.map(({ term }) => term).join(' '), name);
      at += name?.words.length ?? 1;
    }
  }
  return [...names.values()];
}

function longestAt(stretch: Understanding['reading'][number], at: number, index: LabelIndex): Name | undefined {
  for (let length = Math.min(index.longest, stretch.length - at); length > 0; length -= 1) {
    const tokens = stretch.slice(at, at + length);
    const words = tokens.map(({ word }) => word);
    const meanings = index.meanings(words);
    if (meanings.length > 0) return { text: tokens.map(({ surface }) => surface).join(' '), words, meanings };
  }
  return undefined;
}

/** A name that also means something else is left out. */
function otherNames(names: readonly string[], asked: readonly LabelWord[], index: LabelIndex, weight: number): Alternative[] {
  const key = (words: readonly LabelWord[]) => words.map(({ term, stem }) => stem ?? term).join(' ');
  const seen = new Set([key(asked)]);
  const others: Alternative[] = [];
  for (const label of names) {
    const words = labelWords(label);
    if (words.length === 0 || seen.has(key(words)) || isTooCommon(label) || index.meanings(words).length !== 1) continue;
    seen.add(key(words));
    others.push({ label, weight, words });
  }
  return others.slice(0, MOST_ALTERNATIVES);
}

/** A name that holds the word again says nothing new about it. */
function withAlternatives(term: QueryTerm, others: readonly Alternative[]): QueryTerm {
  if (term.required || !term.content) return term;
  const root = ({ term: word, stem }: LabelWord) => stem ?? word;
  const alternatives = others.filter(({ words }) => words.every((word) => root(word) !== root(term)));
  return alternatives.length === 0 ? term : { ...term, alternatives };
}

function idOf([meaning]: readonly Meaning[]): string {
  return meaning === undefined ? '' : (meaning.standing ?? meaning.concept).id;
}

const OF_THE_QUESTION = { source: '', path: '' } as const;

function oldName({ label, standing }: Meaning): Problem {
  const common = { code: 'query/old-name', severity: 'info', ...OF_THE_QUESTION } as const;
  if (standing === undefined)
    return {
      ...common,
      message: `“${label}” is an old name, and the vocabulary says of nothing that it took its place.`,
      hint: 'Ask with another name.',
    };
  return {
    ...common,
    message: `“${label}” is an old name. Did you mean “${standing.prefLabel}”? Both were looked for.`,
    hint: `Write “${standing.prefLabel}” from now on.`,
  };
}

function ambiguous(text: string, meanings: readonly Meaning[]): Problem {
  const things = meanings.map(({ standing, concept }) => (standing ?? concept).prefLabel);
  const listed = things.map((each) => `“${each}”`);
  return {
    code: 'query/ambiguous-name',
    severity: 'warning',
    ...OF_THE_QUESTION,
    message: `“${text}” may mean ${listed.slice(0, -1).join(', ')} or ${listed.at(-1)}; it was looked for as written and taken for neither.`,
    hint: 'Ask with the name of the one you mean.',
  };
}
