/**
 * Components: the parts of an MDX page that are program, not prose: module statements and comments in braces.
 *
 * A statement is known by its syntax, never by its first word: "Import duties apply" and "export licences are issued" are English.
 */
import type { Block } from './outline-blocks.js';
import type { HtmlRange } from './outline-html.js';

interface Range {
  readonly start: number;
  readonly end: number;
}

const IMPORT =
  /import\s+(?:[\w$*{][^'"\n;]{0,2000}?(?:\n[^'"\n;]{0,2000}?){0,60}?\sfrom\s+)?(?:'[^'\n]{1,500}'|"[^"\n]{1,500}")[ \t]*(?:with[ \t]*\{[^}\n]*\})?[ \t]*;?[ \t]*(?=\n|$)/y;
const EXPORT = /export\s+(?:default\s|(?:const|let|var|class|async|function\*?)\s+[\w$]|\{[^}]{0,2000}\}|\*\s*(?:as\s+\w+\s+)?from\s)/y;
/** How much of a page is looked through for the ends of exported values; past that a statement is one line. */
const MAX_EXPORT_UNITS = 400_000;

interface Budget {
  units: number;
}

/** Import and export statements that stand at the top level of the page. */
export function moduleRanges(text: string, blocks: readonly Block[]): readonly Range[] {
  const ranges: Range[] = [];
  const budget = { units: MAX_EXPORT_UNITS };
  let past = 0;
  for (const block of blocks) {
    if (block.start < past || block.kind !== 'paragraph') continue;
    past = statementsFrom(text, block.start, ranges, budget);
  }
  return ranges;
}

/** Statements that follow one another from here; gives the offset after the last. */
function statementsFrom(text: string, start: number, into: Range[], budget: Budget): number {
  let at = start;
  for (;;) {
    const end = importEnd(text, at) ?? exportEnd(text, at, budget);
    if (end === undefined) return at;
    into.push({ start: at, end });
    at = end;
    while (text[at] === '\n') at += 1;
  }
}

function importEnd(text: string, at: number): number | undefined {
  if (!text.startsWith('import', at)) return undefined;
  IMPORT.lastIndex = at;
  return IMPORT.test(text) ? IMPORT.lastIndex : undefined;
}

function exportEnd(text: string, at: number, budget: Budget): number | undefined {
  if (!text.startsWith('export', at)) return undefined;
  EXPORT.lastIndex = at;
  if (!EXPORT.test(text)) return undefined;
  return balancedEnd(text, at, budget);
}

/** End of the line on which all brackets opened since `start` are closed again. */
function balancedEnd(text: string, start: number, budget: Budget): number {
  let depth = 0;
  const limit = Math.min(text.length, start + budget.units);
  for (let at = start; at < limit; at += 1) {
    const unit = text[at];
    if (unit === '{' || unit === '(' || unit === '[') depth += 1;
    else if (unit === '}' || unit === ')' || unit === ']') depth -= 1;
    else if (unit === '"' || unit === "'" || unit === '`') at = stringEnd(text, at, limit);
    else if (unit === '\n' && depth <= 0) {
      budget.units -= at - start;
      return at;
    }
  }
  if (limit === text.length && depth <= 0) return limit;
  budget.units -= limit - start;
  const feed = text.indexOf('\n', start); // brackets never close: take the one line
  return feed < 0 ? text.length : feed;
}

function stringEnd(text: string, at: number, limit: number): number {
  const quote = text[at];
  for (let index = at + 1; index < limit; index += 1) {
    if (text[index] === '\\') index += 1;
    else if (text[index] === quote) return index;
    else if (text[index] === '\n' && quote !== '`') return at; // an apostrophe, not a string
  }
  return at;
}

/** Comments in braces, outside code. */
export function componentComments(text: string, code: readonly Range[]): readonly HtmlRange[] {
  const ranges: HtmlRange[] = [];
  let index = 0;
  for (let at = text.indexOf('{/*'); at >= 0; ) {
    while (index < code.length && (code[index]?.end ?? 0) <= at) index += 1;
    const inside = code[index];
    if (inside !== undefined && inside.start <= at) {
      at = text.indexOf('{/*', inside.end);
      continue;
    }
    const close = text.indexOf('*/', at + 3);
    if (close < 0) return ranges;
    const brace = /^\s*\}/.exec(text.slice(close + 2, close + 20));
    const end = close + 2 + (brace?.[0].length ?? 0);
    ranges.push({ start: at, end, kind: 'comment', closed: true });
    at = text.indexOf('{/*', end);
  }
  return ranges;
}
