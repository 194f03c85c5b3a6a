/** A term list: the documents of a corpus that hold a term. */
import type { Postings } from './postings.js';

export interface TermList {
  /** Documents are numbered as in the corpus. */
  readonly postings: Postings;
  /** Documents, and pages, that hold the term. */
  readonly frequency: number;
  readonly pageFrequency: number;
  /** Of a widened list: the documents that hold the word itself, and those that hold each alternative. */
  readonly own?: Int32Array;
  readonly alternatives?: readonly { readonly label: string; readonly docs: Int32Array }[];
}
