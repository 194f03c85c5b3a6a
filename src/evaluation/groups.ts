/**
 * Groups: the same measures over the questions of one class or one slice (EVL-06, EVL-09).
 *
 * Invariant: a group says how many questions it is over; none is left out for being small.
 */
import { DELIVERED_METRICS } from './delivery.js';
import type { Question } from './question.js';
import { type QueryScore, RETRIEVAL_METRICS, type Section, summarise } from './scoring.js';

export interface Group {
  readonly questions: number;
  readonly retrieval: Section;
  readonly delivered: Section;
}

type Kinds = Pick<Question, 'class' | 'slices'>;

/** `class` and every slice name → its values → figures, names and values in order. */
export function groupScores(scores: readonly QueryScore[], kindsOf: readonly Kinds[]): Record<string, Record<string, Group>> {
  const members = new Map<string, Map<string, QueryScore[]>>();
  scores.forEach((score, at) => {
    const { class: kind, slices = {} } = kindsOf[at] ?? {};
    for (const [name, value] of Object.entries({ ...slices, ...(kind === undefined ? {} : { class: kind }) })) {
      const values = members.get(name) ?? new Map<string, QueryScore[]>();
      members.set(name, values.set(value, [...(values.get(value) ?? []), score]));
    }
  });
  return inOrder(members, (values) => inOrder(values, groupOf));
}

export function groupOf(scores: readonly QueryScore[]): Group {
  return {
    questions: scores.length,
    retrieval: summarise(
      RETRIEVAL_METRICS,
      scores.map(({ retrieval }) => retrieval),
    ),
    delivered: summarise(
      DELIVERED_METRICS,
      scores.map(({ delivered }) => delivered),
    ),
  };
}

function inOrder<T, U>(entries: ReadonlyMap<string, T>, each: (value: T) => U): Record<string, U> {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, value]) => [name, each(value)]));
}
