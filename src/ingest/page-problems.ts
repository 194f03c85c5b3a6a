/** Problems of one page: named after its source and path, in the order they were found. */
import type { Problem, ProblemCode, Severity } from '../domain/problem.js';

export interface Noted {
  readonly code: ProblemCode;
  readonly severity: Severity;
  readonly message: string;
  readonly hint: string;
  readonly line?: number | undefined;
}

export type Note = (noted: Noted) => void;

export interface PageProblems {
  readonly note: Note;
  readonly list: readonly Problem[];
}

export function pageProblems(source: string, path: string): PageProblems {
  const list: Problem[] = [];
  const note: Note = ({ line, ...rest }) => {
    list.push({ ...rest, source, path, ...(line === undefined ? {} : { line }) });
  };
  return { note, list };
}
