/**
 * Inert text: may this string stand on a line of ours without being taken for structure?
 *
 * Titles, headings, paths, source names and reasons are written by whoever wrote the page, so none may end a line, move the
 * cursor, hide text, or look like a fence or a field separator.
 *
 * Invariant: idempotent, one line, and free of ` · `, ` › `, `<<<` and `>>>`.
 */
import { cleanExcerpt } from '../text/sanitize.js';

/** A separator standing alone between blanks would read as ours. */
const LONE_DOT = /(?<=^| )·(?= |$)/gu;
const LONE_CHEVRON = /(?<=^| )›(?= |$)/gu;
const FENCE_RUN = /<{3,}|>{3,}/gu;

/**
 * The text without what can hide, reorder or command: the cleaning of ingest once more, for text that an older version let in
 * (INJ-05). Repeated until nothing changes, since taking one thing out may join two halves of another.
 */
export function cleanText(text: string): string {
  let clean = text;
  for (;;) {
    const again = cleanExcerpt(clean).text;
    if (again === clean) return clean;
    clean = again;
  }
}

/** One line that says the same. */
export function inertLine(text: string): string {
  return cleanText(text)
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(FENCE_RUN, (run) => (run.startsWith('<') ? '«' : '»').repeat(run.length))
    .replace(LONE_DOT, '-')
    .replace(LONE_CHEVRON, '>');
}

/** One word: as `inertLine`, blanks made visible. Used where a blank ends the field. */
export function inertWord(text: string): string {
  return inertLine(text).replace(/ /gu, '_');
}

/** At most `limit` code points, the cut shown by `…`. */
export function clip(text: string, limit: number): string {
  const points = [...text];
  if (points.length <= limit) return text;
  return limit < 1 ? '' : `${points.slice(0, limit - 1).join('')}…`;
}

/** Lone surrogates have no canonical form; they become U+FFFD. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Cs}/gu, '\uFFFD');
}
