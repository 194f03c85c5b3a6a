/**
 * One-character namespaces that keep the kinds of term apart: a word has none, the others start with a character no word holds.
 */
export const STEM = '~';
export const IDENTIFIER = '#';
export const BIGRAM = '^';
