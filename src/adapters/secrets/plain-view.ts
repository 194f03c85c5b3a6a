/**
 * Plain view: the text as a reader of the rendered page has it, as far as it could put the parts of one credential together.
 *
 * Escaped signs, entities, and emphasis, tags or comments inside a word come off; offsets lead back to the text.
 *
 * Invariant: linear time; a text with none of these costs one pass.
 */
import { applyEdits, type Edit, type OffsetMap, offsetsBefore, orderEdits } from '../../text/decode-edits.js';
import { unitAt, unitsOf } from '../../text/units.js';

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
const ENTITY = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z]{3,8}));/g;
const TAG_OR_COMMENT = /<\/?[A-Za-z][A-Za-z0-9]{0,10}\/?>|<!--(?:(?!--)[\s\S]){0,200}-->/y;
/** By ASCII character: may stand before markup within a word, opens markup, may stand after it. */
const BEFORE = 1;
const MARK = 2;
const AFTER = 4;
/** A sign that a backslash takes the meaning from. */
const ESCAPABLE = 8;
const BACKSLASH = 92;
const CLASSES = Uint8Array.from({ length: 128 }, (_, unit) => {
  const sign = String.fromCharCode(unit);
  return (
    (/[\w.-]/.test(sign) ? BEFORE : 0) |
    ('*_`~<'.includes(sign) ? MARK : 0) |
    (/[\w.\\&-]/.test(sign) ? AFTER : 0) |
    (/[!-/:-@[-`{-~]/.test(sign) ? ESCAPABLE : 0)
  );
});

/** Undefined where the view would be the text itself. */
export function plainView(text: string): PlainView | undefined {
  const edits: Edit[] = [];
  pushSigns(text, edits);
  if (text.includes('&')) edits.push(...entityEdits(text));
  if (edits.length === 0) return undefined;
  const ordered = orderEdits(edits);
  return { text: applyEdits(text, ordered), origin: offsetsBefore(ordered) };
}

/** Escapes, and emphasis, tags and comments within a word; each run of them is looked at once. */
function pushSigns(text: string, edits: Edit[]): void {
  const units = unitsOf(text);
  let before = 0;
  let markedUntil = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = unitAt(units, at);
    const own = CLASSES[unit] ?? 0;
    if ((own & MARK) !== 0 && (before & BEFORE) !== 0 && at >= markedUntil) {
      const end = markupEnd(text, at);
      if (end > at && (classAt(text, end) & AFTER) !== 0) edits.push({ start: at, end, text: '' });
      markedUntil = end;
    } else if (unit === BACKSLASH && ((CLASSES[unitAt(units, at + 1)] ?? 0) & ESCAPABLE) !== 0) {
      edits.push({ start: at, end: at + 1, text: '' });
    }
    before = own;
  }
}

function classAt(text: string, at: number): number {
  return CLASSES[text.charCodeAt(at)] ?? 0;
}

/** Where a row of markup ends. `_` and `~` once are letters of names, twice they are emphasis. */
function markupEnd(text: string, start: number): number {
  let at = start;
  for (;;) {
    const sign = text[at];
    if (sign === '<') {
      TAG_OR_COMMENT.lastIndex = at;
      if (!TAG_OR_COMMENT.test(text)) return at;
      at = TAG_OR_COMMENT.lastIndex;
      continue;
    }
    if (sign === undefined || (classAt(text, at) & MARK) === 0) return at;
    let end = at + 1;
    while (text[end] === sign) end += 1;
    if (end - at === 1 && (sign === '_' || sign === '~')) return at;
    at = end;
  }
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
