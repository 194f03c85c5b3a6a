/**
 * What a careful developer would do without us: search the words of the question in all files, and paste until it is full.
 *
 * Files are ranked by how many different words of the question they hold, then by matches in all. From each file, in that
 * order, the matching lines are pasted with two lines around them, under a line with the path, until the token budget is
 * used up. Function words are left out, as anybody typing a search would. Matching is that of `rg -i -F`, done here, so
 * that the figure does not depend on what is installed.
 */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

export interface SearchedFile {
  readonly path: string;
  readonly lines: readonly string[];
  readonly lowered: readonly string[];
  readonly text: string;
}

export interface PasteOptions {
  readonly budgetTokens: number;
  /** Windows pasted of one file at most; undefined pastes all of them. */
  readonly windowsPerFile: number | undefined;
}

/** A page, and how much has been read when the first of it has. */
export interface Read {
  readonly page: string;
  readonly upTo: number;
}

export interface Paste {
  /** In the order of reading; a page may come again. */
  readonly read: readonly Read[];
  readonly tokens: number;
}

export const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  `a about after all also am an and any are as at be because been before being between both but by can could did do does doing
  down during each few for from further had has have having he her here hers him his how i if in into is it its just me more
  most my no nor not of off on once only or other our out over own same she should so some such than that the their them then
  there these they this those through to too under until up very was we were what when where which while who whom why will with
  would you your`.split(/\s+/),
);
const AROUND = 2;

/** Pages about models hold the names of special tokens; here they are text like any other. */
export const AS_TEXT: { readonly disallowedSpecial: Set<string> } = { disallowedSpecial: new Set() };

export function searchedFile(path: string, text: string): SearchedFile {
  const lines = text.split(/\r?\n/);
  return { path, lines, lowered: lines.map((line) => line.toLowerCase()), text: text.toLowerCase() };
}

export function searchWords(question: string): string[] {
  const words = question
    .toLowerCase()
    .split(/[^\p{L}\p{N}_.+#-]+/u)
    .map((word) => word.replace(/^[.+-]+|[.-]+$/g, ''))
    .filter((word) => word.length > 1 && !FUNCTION_WORDS.has(word));
  return [...new Set(words)];
}

export function rankFiles(files: readonly SearchedFile[], words: readonly string[], absent: ReadonlySet<string>): SearchedFile[] {
  const scored = files.flatMap((file) => {
    if (absent.has(file.path)) return [];
    const counts = words.map((word) => occurrences(file.text, word));
    const distinct = counts.filter((count) => count > 0).length;
    return distinct === 0 ? [] : [{ file, distinct, total: counts.reduce((sum, count) => sum + count, 0) }];
  });
  scored.sort((a, b) => b.distinct - a.distinct || b.total - a.total || (a.file.path < b.file.path ? -1 : 1));
  return scored.map(({ file }) => file);
}

export function paste(ranked: readonly SearchedFile[], words: readonly string[], options: PasteOptions): Paste {
  const read: Read[] = [];
  let tokens = 0;
  for (const file of ranked) {
    const windows = windowsOf(file, words).slice(0, options.windowsPerFile);
    let pasted = false;
    for (const window of windows) {
      const text = `${pasted ? '--\n' : `${file.path}\n`}${window.join('\n')}\n`;
      const cost = countTokens(text, AS_TEXT);
      if (tokens + cost > options.budgetTokens) return { read, tokens };
      tokens += cost;
      if (!pasted) read.push({ page: file.path, upTo: tokens });
      pasted = true;
    }
  }
  return { read, tokens };
}

/** Matching lines with their surroundings, neighbours joined; those with most different words first. */
function windowsOf(file: SearchedFile, words: readonly string[]): string[][] {
  const spans: { start: number; end: number; readonly found: Set<string> }[] = [];
  file.lowered.forEach((line, index) => {
    const found = words.filter((word) => line.includes(word));
    if (found.length === 0) return;
    const last = spans.at(-1);
    const start = Math.max(0, index - AROUND);
    if (last !== undefined && start <= last.end + 1) {
      last.end = index + AROUND;
      for (const word of found) last.found.add(word);
    } else spans.push({ start, end: index + AROUND, found: new Set(found) });
  });
  return spans.sort((a, b) => b.found.size - a.found.size || a.start - b.start).map(({ start, end }) => file.lines.slice(start, end + 1));
}

function occurrences(text: string, word: string): number {
  let count = 0;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) count += 1;
  return count;
}
