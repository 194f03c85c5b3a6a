/**
 * A labelled question, whatever layout it was read from: what is asked, by whom, and what is right, wrong or forbidden to answer.
 *
 * Invariant: right answers are page ids and artifact ids, never words to look for (EVL-01).
 */
import type { Grades, PageId } from './metrics.js';

/** The kinds of question a set must have (EVL-06). */
export const QUESTION_CLASSES = [
  'exact-identifier',
  'conceptual',
  'relationship',
  'freshness',
  'permission',
  'contradiction',
  'missing-data',
] as const;

/** Who asks; what is left out is what the library's own identity holds. */
export interface AskedBy {
  readonly as?: string;
  readonly tenant?: string;
  readonly purpose?: string;
  readonly ceiling?: string;
  readonly groups?: readonly string[];
  readonly client?: string;
}

export interface Question {
  readonly id: string;
  readonly text: string;
  readonly class?: string;
  /** Slice → value, e.g. `{ repository: 'docs' }` (EVL-09). */
  readonly slices: Readonly<Record<string, string>>;
  readonly grades: Grades;
  /** Artifacts that hold the answer's own words; undefined when only pages are labelled. */
  readonly passages?: ReadonlySet<string>;
  /** An answer's words run over the cut between two artifacts. */
  readonly apart?: boolean;
  /** Pages the question was taken from: they count as absent. */
  readonly absent: ReadonlySet<PageId>;
  /** Pages this asker may not see. */
  readonly never: ReadonlySet<PageId>;
  /** Pages that say otherwise; a good package shows that they exist. */
  readonly against: ReadonlySet<PageId>;
  readonly ask: AskedBy;
}
