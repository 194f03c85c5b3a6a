/** A term list: the documents of a corpus that hold a term. */
import type { Postings } from './postings.js';

export interface TermList {
  /** Documents are numbered as in the corpus. */
  readonly postings: Postings;
  /** Documents, and pages, that hold the term. */
  readonly frequency: number;
  readonly pageFrequency: number;
}
