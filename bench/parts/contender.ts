/** A contender: something that was given the same rows and is asked the same questions. */
import type { PreparedPage } from '../../src/domain/prepared-page.js';
import type { QueryTerm } from '../../src/domain/query.js';
import { DEFAULT_RANKING } from '../../src/domain/ranking-policy.js';
import { understand } from '../../src/retrieval/understand.js';

export const LIMIT = 50;

export interface Question {
  readonly text: string;
  readonly terms: readonly QueryTerm[];
  /** As the others take it: words alone. */
  readonly words: readonly string[];
}

export interface Contender {
  readonly name: string;
  /** Asks with groups below `groups` eligible; says how many rows came back. */
  ask(question: Question, groups: number): number | Promise<number>;
  close(): void | Promise<void>;
}

export interface Builder {
  add(pages: readonly PreparedPage[]): void | Promise<void>;
  finish(): void | Promise<void>;
}

/** What is asked: the words that carry the question, or all of it. */
export type Wording = 'content words' | 'whole sentence';

export function questionOf(text: string, wording: Wording): Question {
  const { terms } = understand(text, {}, DEFAULT_RANKING).query;
  const kept = wording === 'whole sentence' ? terms : terms.filter((term) => term.content);
  const words = kept.filter((term) => term.kind !== 'bigram' && (term.content || wording === 'whole sentence'));
  return { text, terms: kept, words: [...new Set(words.map((term) => term.surface.toLowerCase()))] };
}
