/**
 * Sanitizing: what may be searched, and what may be shown?
 *
 * Two answers by Unicode property, never by list (T2.1, ING-11, ING-12). `sanitizeForIndex` keeps nothing a reader cannot see.
 * `cleanExcerpt` takes out what can hide, reorder or command, and leaves the joiners and marks that real scripts and emoji need.
 *
 * Invariant: the index text has none of Default_Ignorable, Cf, Bidi_Control, Variation_Selector, Noncharacter, Cs, Zl, Zp, and no
 * control but tab and line feed; it is NFC, and sanitizing it again changes nothing.
 * Invariant: neither answer adds or drops a line feed.
 */
import { applyEdits, type Edit, type OffsetMap, offsetsBefore, SAME_OFFSETS } from './decode-edits.js';

/** What was taken out, by class. */
export type Removals = Readonly<Record<string, number>>;

export interface Cleaned {
  readonly text: string;
  readonly removals: Removals;
  /** From an offset in `text` to the offset in what was given. */
  readonly origin: OffsetMap;
  /** Offset, in `text`, of the first thing removed that can carry hidden words. */
  readonly hiddenAt?: number;
}

const PLAIN = /^[\t\n -~\xa0-\xac\xae-\u02ff]*$/;
/** CSI and OSC sequences and two-character escapes of a terminal. */
const ESCAPE_SOURCE = String.raw`\x1b\[[0-?]*[ -\/]*[@-~]|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|\x1b[@-Z\\^_]|\x9b[0-?]*[ -\/]*[@-~]`;
/** What no reader sees, by property; of the controls all but tab and line feed. */
const UNSEEN_SOURCE = String.raw`[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Bidi_Control}\p{Variation_Selector}\p{Noncharacter_Code_Point}\p{Cs}\p{Zl}\p{Zp}]|(?![\t\n])\p{Cc}`;
/** The control tokens of chat templates. */
const CHAT_SOURCE = String.raw`<\|[\w\-]{1,40}\|>|<\uff5c[^\uff5c\n<>]{1,40}\uff5c>|<\/?(?:start|end)_of_turn>|\[\/?INST\]|<<\/?SYS>>`;
const ESCAPES = new RegExp(ESCAPE_SOURCE, 'gu');
const ANY_UNSEEN = new RegExp(UNSEEN_SOURCE, 'u');
const UNSEEN = new RegExp(UNSEEN_SOURCE, 'gu');
const SPACE_LIKE = /[\v\f\x85\u2028\u2029]/g;

/** Text for the index. Only composition can bring back what was taken out, so a second pass settles it. */
export function sanitizeForIndex(text: string): string {
  if (PLAIN.test(text)) return text;
  return stripUnseen(stripUnseen(text).normalize('NFC')).normalize('NFC');
}

function stripUnseen(text: string): string {
  if (!ANY_UNSEEN.test(text)) return text;
  return text.replace(ESCAPES, '').replace(SPACE_LIKE, ' ').replace(UNSEEN, '');
}

const SUSPECT = new RegExp(`${ESCAPE_SOURCE}|${CHAT_SOURCE}|${UNSEEN_SOURCE}`, 'gu');
/** Cheap first question: can SUSPECT match at all? */
const MAY_SUSPECT = /[^\t\n -~\xa0-\xac\xae-\u02ff]|<\||_of_turn>|INST\]|SYS>>/;

/** Text to show: dangerous code points out, each counted under its class; line ends become line feeds. */
export function cleanExcerpt(text: string): Cleaned {
  if (!MAY_SUSPECT.test(text)) return { text, removals: {}, origin: SAME_OFFSETS };
  const edits: Edit[] = [];
  const removals: Record<string, number> = {};
  const oldMac = !text.includes('\n') && text.includes('\r');
  let hidden: number | undefined;
  for (const match of text.matchAll(SUSPECT)) {
    const at = match.index;
    const found = match[0];
    const verdict = judge(text, at, found, oldMac);
    if (verdict === undefined) continue;
    edits.push({ start: at, end: at + found.length, text: verdict.text });
    if (verdict.kind === undefined) continue;
    removals[verdict.kind] = (removals[verdict.kind] ?? 0) + 1;
    if (CARRIERS.has(verdict.kind)) hidden ??= at;
  }
  if (edits.length === 0) return { text, removals, origin: SAME_OFFSETS };
  const cleaned = applyEdits(text, edits);
  if (hidden === undefined) return { text: cleaned, removals, origin: offsetsBefore(edits) };
  return { text: cleaned, removals, origin: offsetsBefore(edits), hiddenAt: applyEdits(text, edits, 0, hidden).length };
}

/** Classes that can carry words a reader does not see, or show other words than are there. */
const CARRIERS: ReadonlySet<string> = new Set(['tag', 'bidi-control', 'variation-selector', 'escape-sequence']);

/** What becomes of a match: its replacement and the class it counts under. Undefined leaves it as it is. */
interface Removal {
  readonly text: string;
  readonly kind?: string;
}

function judge(text: string, at: number, found: string, oldMac: boolean): Removal | undefined {
  const point = found.codePointAt(0) ?? 0;
  if (found.length > 2 || (found.length === 2 && point < 0x10000)) {
    return point === 0x1b || point === 0x9b ? { text: '', kind: 'escape-sequence' } : { text: defanged(found), kind: 'chat-token' };
  }
  if (point === 0x0d) return carriageReturn(text, at, oldMac);
  if (point < 0x20 || (point >= 0x7f && point < 0xa0)) {
    return { text: point === 0x0b || point === 0x0c || point === 0x85 ? ' ' : '', kind: 'control' };
  }
  return judgeUnseen(text, at, point);
}

function carriageReturn(text: string, at: number, oldMac: boolean): Removal {
  if (oldMac) return { text: '\n' };
  const before = text.charCodeAt(at + 1);
  return before === 0x0a || before === 0x0d ? { text: '' } : { text: ' ', kind: 'control' };
}

function judgeUnseen(text: string, at: number, point: number): Removal | undefined {
  for (const [kind, covers, stays] of CLASSES) {
    if (!covers(point)) continue;
    return stays(text, at, point) ? undefined : { text: REPLACEMENTS[kind] ?? '', kind };
  }
  return { text: '', kind: 'format' };
}

const REPLACEMENTS: Readonly<Record<string, string>> = { 'line-separator': ' ', surrogate: '\uFFFD' };

type Place = (text: string, at: number, point: number) => boolean;
const never: Place = () => false;
const between = (low: number, high: number) => (point: number) => point >= low && point <= high;

/** In order: class, the code points it covers, and where one of them may stay. */
const CLASSES: readonly (readonly [string, (point: number) => boolean, Place])[] = [
  ['tag', between(0xe0000, 0xe007f), never],
  ['variation-selector', (point) => point === 0xfe0e || point === 0xfe0f, isEmojiPresentation],
  [
    'variation-selector',
    (point) =>
      (point >= 0xfe00 && point <= 0xfe0d) ||
      (point >= 0xe0100 && point <= 0xe01ef) ||
      (point >= 0x180b && point <= 0x180f && point !== 0x180e),
    never,
  ],
  ['joiner', (point) => point === 0x200c || point === 0x200d, joins],
  ['bidi-mark', (point) => point === 0x200e || point === 0x200f || point === 0x61c, besideRightToLeft],
  ['bidi-control', (point) => (point >= 0x202a && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069), never],
  ['line-separator', (point) => point === 0x2028 || point === 0x2029, never],
  ['surrogate', between(0xd800, 0xdfff), never],
  ['byte-order-mark', (point) => point === 0xfeff, never],
  // Visible signs that happen to be format characters: Arabic and Kaithi number signs, end of ayah.
  ['format', (point) => VISIBLE_FORMAT.test(String.fromCodePoint(point)), () => true],
  ['noncharacter', (point) => (point & 0xfffe) === 0xfffe || (point >= 0xfdd0 && point <= 0xfdef), never],
  ['invisible', (point) => /\p{Default_Ignorable_Code_Point}/u.test(String.fromCodePoint(point)), never],
];

const VISIBLE_FORMAT = /[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]/u;
const PICTURE = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\ufe0f|\u20e3/u;
/** Letters and marks of scripts in which a joiner changes what is read. */
const JOINING =
  /(?=[\p{L}\p{M}])[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Nko}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}\p{Script=Inherited}]/u;
const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
/** How far from a direction mark its right-to-left text may be. */
const MARK_REACH = 40;

function pointBefore(text: string, at: number): string {
  const unit = text.charCodeAt(at - 1);
  const wide = unit >= 0xdc00 && unit <= 0xdfff && at >= 2 ? 2 : 1;
  return text.slice(Math.max(0, at - wide), at);
}

function pointAfter(text: string, at: number): string {
  const point = text.codePointAt(at);
  return point === undefined ? '' : String.fromCodePoint(point);
}

function isEmojiPresentation(text: string, at: number): boolean {
  const before = pointBefore(text, at);
  if (/^[0-9#*]$/.test(before)) return text[at + 1] === '\u20e3';
  return /\p{Emoji}/u.test(before);
}

function joins(text: string, at: number, point: number): boolean {
  const before = pointBefore(text, at);
  const after = pointAfter(text, at + 1);
  if (point === 0x200d && PICTURE.test(before) && /\p{Extended_Pictographic}/u.test(after)) return true;
  if (!JOINING.test(before)) return false;
  return JOINING.test(after) || (point === 0x200d && !/[\u200c\u200d]/.test(after));
}

function besideRightToLeft(text: string, at: number): boolean {
  const near = text.slice(Math.max(0, at - MARK_REACH), at + MARK_REACH);
  return RIGHT_TO_LEFT.test(near) && !/[\u200e\u200f\u061c]/.test(text[at - 1] ?? '');
}

/** `<|im_start|>` reads the same in other brackets, and no template knows them. */
function defanged(token: string): string {
  return token.replaceAll('<', '\u2039').replaceAll('>', '\u203a').replaceAll('[', '\u27e6').replaceAll(']', '\u27e7');
}
