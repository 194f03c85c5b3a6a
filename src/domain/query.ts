/** A question after understanding: what to look for, where, and what must hold. */
import type { Day } from '../kernel/clock.js';

export interface QueryTerm {
  readonly kind: 'word' | 'identifier' | 'bigram';
  /** As the asker wrote it. */
  readonly surface: string;
  /** The exact index term, namespace included. */
  readonly term: string;
  /** Words only: the stem, without namespace. The stem class is the word `stem` and the term `~stem`. */
  readonly stem?: string;
  /** Multiplies the term's score; 1 is a plain content word. Stop words carry less, identifiers more. */
  readonly weight: number;
  /** The artifact's page must hold it. */
  readonly required: boolean;
  /** Counts toward coverage; stop words do not. */
  readonly content: boolean;
  /** Other words for the same thing; what they hold counts by `weight` beside the word itself. */
  readonly alternatives?: readonly Alternative[];
}

/** Another name for what a term says. */
export interface Alternative {
  /** As the vocabulary writes it. */
  readonly label: string;
  /** Between 0 and 1: an occurrence counts this much of one of the word itself. */
  readonly weight: number;
  /** One word, or the words of a name that a field must hold all of. */
  readonly words: readonly Pick<QueryTerm, 'kind' | 'term' | 'stem'>[];
}

/** Narrows the pages asked about. Pushed down into every leg before scoring, never applied afterwards. */
export interface Scope {
  readonly sources?: readonly string[];
  /** A page path or a folder prefix ending in `/`. */
  readonly paths?: readonly string[];
  /** Globs of pages to treat as absent, their links included. */
  readonly exclude?: readonly string[];
  readonly productVersion?: string;
  readonly tags?: readonly string[];
  readonly statuses?: readonly string[];
  /** Only pages verified on or after this day. */
  readonly verifiedSince?: Day;
}

export interface UnderstoodQuery {
  readonly text: string;
  readonly terms: readonly QueryTerm[];
  /** Quoted phrases, folded words in order; a hit's page must hold each. */
  readonly phrases: readonly (readonly string[])[];
  readonly scope: Scope;
}
