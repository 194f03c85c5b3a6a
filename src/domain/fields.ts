/**
 * The fields of an artifact and the terms they are indexed under.
 *
 * A term is text with a one-character namespace, so that kinds never collide:
 *   `agents`      a word, folded (NFKC, case, accents)
 *   `~agent`      the stem of a word whose surface differs from it; with the word `agent` itself it makes up the stem class
 *   `#err-4012`   an identifier, whole, folded but with its punctuation
 *   `^液压`       a character bigram of a script written without spaces, or one character that stands by itself
 */
export const FIELDS = ['title', 'headings', 'summary', 'body', 'identifiers'] as const;
export type Field = (typeof FIELDS)[number];

/** Terms of each field in reading order, repeats kept. */
export type FieldTerms = Readonly<Record<Field, readonly string[]>>;

export { STEM } from '../text/term-namespaces.js';
