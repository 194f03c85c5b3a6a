/**
 * The markdown parser as pages need it: what it may look over is bounded, and what means nothing to it is stepped over.
 *
 * Invariant: a paragraph with more inline markup than its length warrants is not parsed to its end; what was left is said.
 * Invariant: memory follows the length of a piece, not that of the text.
 * Invariant: stepping over changes no tree: only characters are stepped over at which no inline parser of the set below acts.
 */
import { type BlockContext, GFM, type InlineContext, type Line, type MarkdownParser, parser } from '@lezer/markdown';
import { COMPONENT_BLOCKS } from './outline-components-parser.js';

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Some whole blocks of a text, one after the other. */
interface Piece {
  /** Its places are those of the text from `start` on. */
  readonly tree: ReturnType<MarkdownParser['parse']>;
  readonly start: number;
  readonly end: number;
  /** What of it the inline parsers did not look at, by places of the text. */
  readonly unparsed: readonly Range[];
}

/** A syntax tree takes some sixty times the room of its text, so of a longer text no more of it is there at once than a piece. */
const PIECE_UNITS = 256 * 1024;
/** A list or quotation that is longer than this is cut where one of its lines begins. */
const MOST_PIECE_UNITS = 4 * PIECE_UNITS;

/** The text from `from` on, in pieces that the parser itself takes apart: between them no block is open. */
export function* parseMarkdown(text: string, from: number, components: boolean): Generator<Piece> {
  const markdown = components ? COMPONENTS : MARKDOWN;
  for (let start = from, end = start; start < text.length || start === from; start = end) {
    paragraph = fresh();
    const { skipped } = paragraph;
    const parsing = markdown.startParse(start === 0 ? text : text.slice(start)) as BlockContext;
    let tree = parsing.advance();
    while (tree === null) {
      const units = parsing.parsedPos;
      if (units > MOST_PIECE_UNITS || (units > PIECE_UNITS && parsing.depth === 1)) parsing.stopAt(units - 1);
      tree = parsing.advance();
    }
    end = start + tree.length;
    paragraph = fresh();
    yield { tree, start, end, unparsed: skipped.map((each) => ({ start: each.start + start, end: each.end + start })) };
    if (tree.length === 0) return;
  }
}

/** Inline marks a paragraph may have before the rest of it is left unparsed. */
const MAX_MARKS = 1500;
/** Marks × length of a paragraph: what the parser may look over. */
const MARK_BUDGET = 30_000_000;
const MAX_INDENT = 400;

interface Paragraph {
  cx: InlineContext | undefined;
  marks: number;
  allowed: number;
  /** It may hold an address of a mailbox: then each word may be the first part of one. */
  mailboxes: boolean;
  readonly skipped: Range[];
}

let paragraph: Paragraph = fresh();

function fresh(): Paragraph {
  return { cx: undefined, marks: 0, allowed: 0, mailboxes: false, skipped: [] };
}

/** Stands before all inline parsers: steps over what none of them acts on, and takes the rest of a paragraph once its budget is spent. */
function spend(cx: InlineContext, next: number, pos: number): number {
  if (paragraph.cx !== cx) begin(cx);
  const acts = nextActing(cx, pos);
  if (acts > pos) return acts;
  if (!isMark(next) && !beginsAddress(cx, next, pos)) return -1;
  paragraph.marks += 1;
  if (paragraph.marks <= paragraph.allowed) return -1;
  paragraph.skipped.push({ start: pos, end: cx.end });
  return cx.end;
}

function begin(cx: InlineContext): void {
  paragraph.cx = cx;
  paragraph.marks = 0;
  paragraph.allowed = Math.max(20, Math.min(MAX_MARKS, MARK_BUDGET / (cx.text.length + 1)));
  paragraph.mailboxes = cx.text.includes('@');
}

/** `*`, `[`, `]`, `_`, backtick, `<`, `!`, `~`. */
function isMark(unit: number): boolean {
  return unit === 42 || unit === 91 || unit === 93 || unit === 95 || unit === 96 || unit === 60 || unit === 33 || unit === 126;
}

/** `http`, `www`, `@`: what the parser tries as a bare address. */
function beginsAddress(cx: InlineContext, next: number, pos: number): boolean {
  return next === 64 || (next === 104 && cx.char(pos + 1) === 116) || (next === 119 && cx.char(pos + 1) === 119);
}

/** What a unit is to the inline parsers: nothing; something in any place; something before the unit named; the start of a mailbox. */
const ALWAYS = 1;
const BEFORE = 2;
const MAILBOX = 4;
const ACTS = new Uint8Array(128);
/** By unit, the one that must follow it: `ht`tp, `ww`w, `ma`ilto, `xm`pp, and two blanks, which break a line. */
const FOLLOWED_BY = new Uint8Array(128);
for (const sign of '\\&`<*_[]!~@') ACTS[sign.charCodeAt(0)] = ALWAYS;
for (const pair of ['ht', 'ww', 'ma', 'xm', '  ']) {
  ACTS[pair.charCodeAt(0)] = BEFORE;
  FOLLOWED_BY[pair.charCodeAt(0)] = pair.charCodeAt(1);
}
for (let unit = 0; unit < 128; unit += 1) if (/[\w.+-]/.test(String.fromCharCode(unit))) ACTS[unit] = (ACTS[unit] ?? 0) | MAILBOX;

/** Where from here on an inline parser could act; the end of the paragraph when nowhere. */
function nextActing({ text, offset }: InlineContext, pos: number): number {
  const { mailboxes } = paragraph;
  for (let at = pos - offset; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    const acts = unit < 128 ? (ACTS[unit] ?? 0) : 0;
    if (acts === 0) continue;
    if ((acts & ALWAYS) !== 0 || ((acts & BEFORE) !== 0 && text.charCodeAt(at + 1) === FOLLOWED_BY[unit])) return at + offset;
    if (mailboxes && (acts & MAILBOX) !== 0 && !isWordUnit(text.charCodeAt(at - 1))) return at + offset;
  }
  return offset + text.length;
}

/** What `\w` matches; a mailbox does not begin behind it. */
function isWordUnit(unit: number): boolean {
  return (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90) || (unit >= 48 && unit <= 57) || unit === 95;
}

/** Indentation beyond this is drawing, not structure, and nesting it would cost its square. */
function tooIndented(_cx: BlockContext, line: Line): boolean {
  return line.indent > MAX_INDENT;
}

const INLINE_BUDGET = { parseInline: [{ name: 'Budget', before: 'Escape', parse: spend }] };
const DEEP_INDENT = {
  parseBlock: [
    {
      name: 'DeepIndent',
      before: 'LinkReference',
      parse(cx: BlockContext, line: Line): boolean {
        if (!tooIndented(cx, line)) return false;
        const start = cx.lineStart;
        const end = start + line.text.length;
        cx.addElement(cx.elt('CodeBlock', start, end));
        cx.nextLine();
        return true;
      },
    },
  ],
};
const MARKDOWN: MarkdownParser = parser.configure([GFM, INLINE_BUDGET, DEEP_INDENT]);
const COMPONENTS: MarkdownParser = parser.configure([GFM, INLINE_BUDGET, DEEP_INDENT, COMPONENT_BLOCKS]);
