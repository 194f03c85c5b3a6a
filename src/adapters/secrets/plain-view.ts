/**
 * Plain view: the text as a reader of the rendered page has it, as far as it could put the parts of one credential together.
 *
 * Escaped signs, entities, and emphasis, tags or comments inside a word come off; offsets lead back to the text.
 *
 * Invariant: linear time; a text with none of these costs one pass.
 */
import { applyEdits, type Edit, type OffsetMap, offsetsBefore, orderEdits } from '../../text/decode-edits.js';

export interface PlainView {
  readonly text: string;
  readonly origin: OffsetMap;
}

const NAMED_SIGNS: Readonly<Record<string, string>> = {
  lowbar: '_',
  UnderBar: '_',
  hyphen: '-',
  dash: '-',
  period: '.',
  colon: ':',
  equals: '=',
  sol: '/',
  plus: '+',
  amp: '&',
  quot: '"',
  apos: "'",
};
const ESCAPE = /\\(?=[!-/:-@[-`{-~])/g;
const ENTITY = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z]{3,8}));/g;
/** Within a word. `_` once is a letter of names, twice it is emphasis. */
const WITHIN_WORD =
  /(?<=[\w.-])(?:[*]{1,3}|_{2,3}|`{1,3}|~~|<\/?[A-Za-z][A-Za-z0-9]{0,10}\/?>|<!--(?:(?!--)[\s\S]){0,200}-->)+(?=[\w.\\&-])/g;

/** Undefined where the view would be the text itself. */
export function plainView(text: string): PlainView | undefined {
  const edits: Edit[] = [];
  if (text.includes('\\')) for (const { index } of text.matchAll(ESCAPE)) edits.push({ start: index, end: index + 1, text: '' });
  if (text.includes('&')) edits.push(...entityEdits(text));
  for (const { 0: signs, index } of text.matchAll(WITHIN_WORD)) edits.push({ start: index, end: index + signs.length, text: '' });
  if (edits.length === 0) return undefined;
  const ordered = orderEdits(edits);
  return { text: applyEdits(text, ordered), origin: offsetsBefore(ordered) };
}

function entityEdits(text: string): Edit[] {
  const edits: Edit[] = [];
  for (const { 0: entity, 1: decimal, 2: hexadecimal, 3: name, index } of text.matchAll(ENTITY)) {
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '0', 16) : Number.parseInt(decimal, 10);
    const sign = name === undefined ? (code > 0x20 && code < 0x7f ? String.fromCharCode(code) : undefined) : namedSign(name);
    if (sign !== undefined) edits.push({ start: index, end: index + entity.length, text: sign });
  }
  return edits;
}

function namedSign(name: string): string | undefined {
  return Object.hasOwn(NAMED_SIGNS, name) ? NAMED_SIGNS[name] : undefined;
}
