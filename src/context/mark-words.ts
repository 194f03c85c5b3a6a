/**
 * Mark words: where a text holds the words of the question, so that a claimed match can be seen.
 *
 * Whole words are compared as the index compares them: folded, and by their stems. Words that only join others are passed over.
 *
 * Invariant: the pieces put together are the text.
 */
import { type QueryToken, queryTokens } from '../text/analyze.js';

export interface Piece {
  readonly text: string;
  readonly marked: boolean;
}
export type WordMarker = (text: string) => readonly Piece[];

/** Scripts written without blanks have no words to cut; of them the pairs that were asked for are looked for. */
const WORD =
  /(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}])[\p{L}\p{N}\p{M}_])+/u;
/** A question can be a whole log; what its first words mark is enough to see by. */
const MOST_WORDS = 100;

export function wordMarker(question: string): WordMarker {
  const asked = queryTokens(question)
    .filter(({ stop, role }) => !stop && role !== 'part')
    .slice(0, MOST_WORDS);
  if (asked.length === 0) return (text) => [{ text, marked: false }];
  const terms = new Set(asked.flatMap(termsOf));
  const literal = asked.filter(({ surface }) => !isWord(surface)).sort((a, b) => b.surface.length - a.surface.length);
  const cut = new RegExp([...literal.map(literally), WORD.source].join('|'), 'giu');
  const wanted = new Set(literal.map(({ surface }) => surface.toLowerCase()));
  const known = new Map<string, boolean>();
  const holds = (word: string): boolean => {
    const before = known.get(word);
    if (before !== undefined) return before;
    const found = wanted.has(word.toLowerCase()) || queryTokens(word).some((token) => termsOf(token).some((term) => terms.has(term)));
    known.set(word, found);
    return found;
  };
  return (text) => pieces(text, cut, holds);
}

function pieces(text: string, cut: RegExp, holds: (word: string) => boolean): readonly Piece[] {
  const found: Piece[] = [];
  let from = 0;
  for (const { 0: word, index } of text.matchAll(cut)) {
    if (!holds(word)) continue;
    if (index > from) found.push({ text: text.slice(from, index), marked: false });
    found.push({ text: word, marked: true });
    from = index + word.length;
  }
  if (from < text.length || found.length === 0) found.push({ text: text.slice(from), marked: false });
  return found;
}

/** A stem stands for itself: `reload` is the stem of `reloading` and its own. */
function termsOf({ kind, term, stem }: QueryToken): readonly string[] {
  return kind === 'word' ? [`=${stem ?? term}`] : [term];
}

function isWord(surface: string): boolean {
  return WORD.exec(surface)?.[0] === surface;
}

function literally({ kind, surface }: QueryToken): string {
  const escaped = surface.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return kind === 'bigram' ? escaped : `(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`;
}
