/** Small readings of a piece of Markdown, for judging chunks: fences, headings, tables. Not the product's parser, on purpose. */

/** A line without its list and quote markers, as a fence or heading inside a container is written. */
function insideContainers(line: string): string {
  let rest = line;
  for (let depth = 0; depth < 8; depth += 1) {
    const next = rest.replace(/^\s*>\s?/, '').replace(/^\s*(?:[-*+]|\d{1,9}[.)])\s+(?=[`~#>])/, '');
    if (next === rest) break;
    rest = next;
  }
  return rest.replace(/^\s+/, '');
}

interface Fence {
  readonly mark: string;
  readonly length: number;
}

/** The fence left open at the end of the text; undefined when all are closed. */
export function openFence(text: string): Fence | undefined {
  let open: Fence | undefined;
  for (const line of text.split('\n')) {
    const run = /^(`{3,}|~{3,})(.*)$/.exec(insideContainers(line));
    if (run === null) continue;
    const [, marks = '', info = ''] = run;
    const mark = marks.charAt(0);
    if (open === undefined) {
      if (mark === '~' || !info.includes('`')) open = { mark, length: marks.length };
    } else if (mark === open.mark && marks.length >= open.length && info.trim() === '') {
      open = undefined;
    }
  }
  return open;
}

/** Which lines are outside every fence. */
function outsideFences(lines: readonly string[]): boolean[] {
  return lines.map((line, index) => {
    const before = lines.slice(0, index).join('\n');
    return openFence(before) === undefined && openFence(`${before}\n${line}`) === undefined;
  });
}

/** Line numbers (from 0) of headings, both lines of an underlined one. */
export function headingLines(text: string): Set<number> {
  const lines = text.split('\n');
  const outside = outsideFences(lines);
  const headings = new Set<number>();
  lines.forEach((line, index) => {
    if (outside[index] !== true) return;
    if (/^ {0,3}#{1,6}(\s|$)/.test(line)) headings.add(index);
    const above = lines[index - 1] ?? '';
    if (/^ {0,3}(=+|-+)\s*$/.test(line) && /^ {0,3}[^\s#>|-]/.test(above) && outside[index - 1] === true) {
      headings.add(index - 1);
      headings.add(index);
    }
  });
  return headings;
}

export const isTableRow = (line: string): boolean => /^\s*\|.*\|\s*$/.test(line);
export const isDelimiterRow = (line: string): boolean => /^\s*\|(\s*:?-+:?\s*\|)+\s*$/.test(line);
