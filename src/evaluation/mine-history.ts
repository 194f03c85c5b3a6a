/**
 * Mine history and code: what was said when a page was edited, and what programs say that a page explains.
 *
 * Invariant: a commit that touches many pages says nothing about any of them.
 */
import type { PageId } from './metrics.js';
import type { WeakLabel } from './weak-labels.js';

export interface Commit {
  readonly id: string;
  readonly subject: string;
  /** Pages it added or edited that are still there. */
  readonly pages: readonly PageId[];
  /** Files of any kind it touched. */
  readonly files: number;
}

const MOST_PAGES = 3;
/** A commit over more files than this is about the change, not about the page that went along. */
const MOST_FILES = 8;
const FEWEST_WORDS = 3;
const CHORES =
  /^(?:merge|revert|bump|release|version|update[ds]? (?:docs?|readme|changelog|links?|dependencies)\b|fix(?:e[sd])? (?:typos?|links?|lint|formatting|grammar|spelling|broken links?)|typos?\b|wip\b|initial commit|format|lint|chore)/i;

export function mineCommits(commits: readonly Commit[]): WeakLabel[] {
  return commits.flatMap(({ id, subject, pages, files }) => {
    const text = subjectText(subject);
    if (pages.length === 0 || pages.length > MOST_PAGES || files > MOST_FILES || CHORES.test(text) || text.split(' ').length < FEWEST_WORDS)
      return [];
    return [{ kind: 'commit' as const, text, pages: [...pages].sort(), from: [], where: `commit ${id.slice(0, 10)}` }];
  });
}

/** `docs(keys): say how they are rotated (#12)` → `say how they are rotated` */
export function subjectText(subject: string): string {
  return subject
    .replace(/^\s*(?:\[[^\]]*\]\s*)+/, '')
    .replace(/^[a-z]+(?:\([^)]*\))?!?:\s+/i, '')
    .replace(/\s*\(?(?:#|GH-)\d+\)?/g, '')
    .replace(/\s+/g, ' ')
    .replace(/[.\s]+$/, '')
    .trim();
}

export interface CodeText {
  /** From the root of the library. */
  readonly path: string;
  readonly text: string;
}

const IN_ERROR =
  /\b(?:throw|raise|panic|bail|fail|fatal|error|err|warn(?:ing)?|exception)\w*\b[^'"`\n]{0,60}(['"`])((?:(?!\1)[^\n\\]|\\.){12,160})\1/gi;
const FEWEST_MESSAGE_WORDS = 3;
const MOST_MESSAGES = 2_000;

/** Messages in code that a page quotes word for word; the page it stands on explains it. */
export function mineErrors(code: readonly CodeText[], pages: readonly { readonly id: PageId; readonly text: string }[]): WeakLabel[] {
  const folded = pages.map(({ id, text }) => ({ id, text: text.replace(/\s+/g, ' ').toLowerCase() }));
  const labels: WeakLabel[] = [];
  const seen = new Set<string>();
  for (const { path, text } of code) {
    for (const match of text.matchAll(IN_ERROR)) {
      const message = spoken(match[2] ?? '');
      if (seen.has(message) || message.split(' ').length < FEWEST_MESSAGE_WORDS || seen.size >= MOST_MESSAGES) continue;
      seen.add(message);
      const holders = folded.filter((page) => page.text.includes(message.toLowerCase())).map(({ id }) => id);
      if (holders.length > 0 && holders.length <= MOST_PAGES)
        labels.push({ kind: 'error', text: message, pages: holders, from: [], where: path });
    }
  }
  return labels;
}

/** What is left of a template when the values are unknown: the words up to the first of them. */
function spoken(literal: string): string {
  const [start = ''] = literal.split(/\$\{|%[sdfv]|\{\}|\{\w+\}|\\/);
  return start.replace(/\s+/g, ' ').trim();
}
