/** Laying out text in columns: wrapping, clipping, indenting; escape sequences in documents are made visible, never obeyed. */
import { inert, inertLine } from './inert.js';

/** `path:12-18`, which editors and terminals open on a click. */
export function place({
  path,
  lines,
}: {
  readonly path: string;
  readonly lines: { readonly start: number; readonly end: number };
}): string {
  return `${inertLine(path)}:${lines.start}${lines.end > lines.start ? `-${lines.end}` : ''}`;
}

/** Lines of at most `width` columns; a line keeps its own indent. */
export function wrap(text: string, width: number): readonly string[] {
  return inert(text.replaceAll('\t', '  '))
    .split('\n')
    .flatMap((line) => wrapLine(line, Math.max(20, width)));
}

function wrapLine(line: string, width: number): readonly string[] {
  if (columns(line) <= width) return [line];
  const margin = /^\s*/.exec(line)?.[0].slice(0, Math.floor(width / 2)) ?? '';
  const out: string[] = [];
  let at = margin;
  for (const word of line.trim().split(/\s+/)) {
    if (at.trim() !== '' && columns(at) + 1 + columns(word) > width) {
      out.push(at);
      at = margin;
    }
    at = at.trim() === '' ? at + word : `${at} ${word}`;
    while (columns(at) > width) {
      const cut = cutAt(at, width);
      out.push(at.slice(0, cut));
      at = margin + at.slice(cut);
    }
  }
  if (at.trim() !== '') out.push(at);
  return out;
}

/** The first lines, and a mark when there were more. */
export function clip(lines: readonly string[], most: number): readonly string[] {
  return lines.length <= most ? lines : [...lines.slice(0, most - 1), `${lines[most - 1] ?? ''} …`];
}

export function indent(lines: readonly string[], by: number): string {
  return lines.map((line) => (line === '' ? '' : ' '.repeat(by) + line)).join('\n');
}

/** `1 page`, `2 pages`. */
/** With a capital and one full stop. */
export function sentence(text: string): string {
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}

/** Fits into one line of `width` columns. */
export function oneLine(text: string, width: number): string {
  const flat = inertLine(text.replace(/\s+/g, ' ').trim());
  return columns(flat) <= width ? flat : `${flat.slice(0, cutAt(flat, Math.max(1, width - 1)))}…`;
}

const WIDE = /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE4F\uFF00-\uFF60\uFFE0-\uFFE6]|\p{Extended_Pictographic}/u;
const NARROW_ONLY = /^[\u0020-\u024F]*$/;

export function columns(text: string): number {
  if (NARROW_ONLY.test(text)) return text.length;
  let sum = 0;
  for (const character of text) sum += /\p{M}|\p{Cf}/u.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return sum;
}

function cutAt(text: string, width: number): number {
  let sum = 0;
  let index = 0;
  for (const character of text) {
    sum += columns(character);
    if (sum > width && index > 0) return index;
    index += character.length;
  }
  return index;
}
