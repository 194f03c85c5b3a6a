/**
 * Columns: how wide a text is in a terminal, and how to cut, pad and wrap it to a width.
 *
 * Invariant: decided by Unicode properties alone, so the same on every machine and runtime that shares a Unicode version.
 */
const NARROWED = /\p{Mn}|\p{Me}|\p{Cf}/u;
const WIDE =
  /\p{Emoji_Presentation}|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|[\u3000-\u303F\uFF01-\uFF60\uFFE0-\uFFE6]/u;

export function columnsOf(text: string): number {
  let columns = 0;
  for (const point of text) columns += pointColumns(point);
  return columns;
}

/** The text, or as much of it as leaves room for the `…` that says it was cut. */
export function cutToColumns(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  return columns < 1 ? '' : `${head(text, columns - 1)}…`;
}

/** As `cutToColumns`, with the middle cut out: of a path the end tells most. */
export function cutInside(text: string, columns: number): string {
  if (columnsOf(text) <= columns || columns < 3) return cutToColumns(text, columns);
  const start = head(text, Math.floor((columns - 1) / 3));
  const room = columns - 1 - columnsOf(start);
  const points = [...text];
  let end = '';
  for (let at = points.length - 1; at >= 0 && columnsOf(`${points[at] ?? ''}${end}`) <= room; at -= 1) end = `${points[at] ?? ''}${end}`;
  return `${start}…${end}`;
}

export function padToColumns(text: string, columns: number, side: 'start' | 'end' = 'start'): string {
  const blanks = ' '.repeat(Math.max(0, columns - columnsOf(text)));
  return side === 'start' ? text + blanks : blanks + text;
}

/** Lines of whole words; a word wider than a line is broken. */
export function wrapToColumns(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((each) => broken(each, columns))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (columnsOf(longer) <= columns) {
      line = longer;
    } else {
      lines.push(line);
      line = word;
    }
  }
  return line === '' ? lines : [...lines, line];
}

function broken(word: string, columns: number): string[] {
  const parts: string[] = [];
  let rest = word;
  while (columnsOf(rest) > columns) {
    const part = head(rest, columns);
    parts.push(part);
    rest = rest.slice(part.length);
  }
  return [...parts, rest];
}

function head(text: string, columns: number): string {
  let taken = '';
  let used = 0;
  for (const point of text) {
    used += pointColumns(point);
    if (used > columns) break;
    taken += point;
  }
  return taken;
}

function pointColumns(point: string): number {
  if (NARROWED.test(point)) return 0;
  return WIDE.test(point) ? 2 : 1;
}
