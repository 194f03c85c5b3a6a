/**
 * Folding: spellings that a reader takes for the same become the same text.
 *
 * Invariant: deterministic on every machine and locale; no ICU dictionary or collation is asked.
 * Invariant: `fold(fold(text)) === fold(text)`.
 */
const NON_ASCII = /[\u0080-\uffff]/;
/** Accents of Latin, Greek and Cyrillic, Hebrew points, Arabic vowel marks. Vowel signs of other scripts are letters to us. */
const ACCENTS = /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u064b-\u0652\u0670]/g;
// biome-ignore lint/suspicious/noMisleadingCharacterClass: each of these is removed on its own
const INVISIBLE = /[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff]/g;
const SINGLE_QUOTES = /[\u2018\u2019\u201a\u201b\u2032\u02b9\u02bc]/g;
const DOUBLE_QUOTES = /[\u201c-\u201f\u2033\u2036\u00ab\u00bb]/g;
const HYPHENS = /[\u2010-\u2013\u2043\u2212]/g;
/** An em dash parts words; a trade mark sign is no part of one; NFKC would turn a free-standing accent into a space and a mark. */
const BREAKS = /[\u2014\u2015\ufe58\u2120\u2122\u00b4\u00a8\u00af\u00b8]/g;
const LETTERS = /[ßøłđðþæœıς]/g;
const PLAIN: Readonly<Record<string, string>> = {
  ß: 'ss',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  æ: 'ae',
  œ: 'oe',
  ı: 'i',
  ς: 'σ',
};

/** Compatibility forms, quotes and dashes made plain; case and accents kept, so that `camelCase` can still be seen. */
export function plain(text: string): string {
  if (!NON_ASCII.test(text)) return text;
  return text
    .replace(BREAKS, ' ')
    .normalize('NFKC')
    .replace(SINGLE_QUOTES, "'")
    .replace(DOUBLE_QUOTES, '"')
    .replace(HYPHENS, '-')
    .replace(INVISIBLE, '');
}

/** The folded form: NFKC, lower case, accents removed, quotes and dashes plain. */
export function fold(text: string): string {
  if (!NON_ASCII.test(text)) return text.toLowerCase();
  return plain(text)
    .toLowerCase()
    .normalize('NFD')
    .replace(ACCENTS, '')
    .normalize('NFKC')
    .replace(LETTERS, (letter) => PLAIN[letter] ?? letter);
}
