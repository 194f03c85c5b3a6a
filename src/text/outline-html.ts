/**
 * HTML and JSX inside a page: which tags and comments stand where, what they hide, and what must not run.
 *
 * A scanner, not a parser: it finds tags, comments and the contents of scripts, and is content with broken markup.
 *
 * Invariant: time is linear in the text, however its quotes and brackets are broken.
 */
export interface HtmlTag {
  readonly kind: 'open' | 'close' | 'single' | 'comment';
  /** Lower case for HTML names, as written for components. Empty for a comment. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** Where the block ends that the tag stands in: how far something unclosed reaches. */
  readonly blockEnd: number;
}

export interface HtmlAttribute {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly value: string;
  readonly valueStart: number;
  readonly valueEnd: number;
}

const MAX_TAG_UNITS = 8192;
const NAME = /[A-Za-z][A-Za-z0-9._:-]*/y;
const VOID = new Set(['area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'source', 'track', 'wbr']);
const RAW_TEXT = new Set(['script', 'style']);

/** All tags and comments of a range, in order. `search` is shared between the ranges of one text. */
export function scanHtml(text: string, start: number, end: number, search: TextSearch = new TextSearch(text)): readonly HtmlTag[] {
  const tags: HtmlTag[] = [];
  const scan: Scan = { search, end };
  for (let at = search.next('<', start, end); at < end; at = search.next('<', at, end)) {
    const tag = readAt(text, at, scan);
    if (tag === undefined) {
      at += 1;
      continue;
    }
    tags.push(tag);
    at = tag.kind === 'open' && RAW_TEXT.has(tag.name) ? rawTextEnd(text, tag, end) : tag.end;
  }
  return tags;
}

/** The tag or comment that a parser found at this range. */
export function tagAt(text: string, start: number, end: number, blockEnd: number): HtmlTag | undefined {
  const tag = readAt(text, start, { search: new TextSearch(text.slice(0, end)), end });
  return tag === undefined ? undefined : { ...tag, blockEnd };
}

interface Scan {
  readonly search: TextSearch;
  readonly end: number;
}

/** `indexOf` that remembers its last answers, so that looking for what is not there costs once. */
export class TextSearch {
  readonly #text: string;
  readonly #known = new Map<string, { readonly from: number; readonly at: number }>();

  constructor(text: string) {
    this.#text = text;
  }

  /** Offset of the next `what`, or `end` when there is none before it. */
  next(what: string, from: number, end: number): number {
    const known = this.#known.get(what);
    if (known !== undefined && from >= known.from && from <= known.at) return Math.min(known.at, end);
    const found = this.#text.indexOf(what, from);
    const at = found < 0 ? Number.POSITIVE_INFINITY : found;
    this.#known.set(what, { from, at });
    return Math.min(at, end);
  }
}

function readAt(text: string, at: number, scan: Scan): HtmlTag | undefined {
  if (text.startsWith('<!--', at)) return commentAt(text, at, scan);
  const closing = text[at + 1] === '/';
  const nameStart = at + (closing ? 2 : 1);
  if (text[nameStart] === '>') {
    return { kind: closing ? 'close' : 'open', name: '', start: at, end: nameStart + 1, blockEnd: scan.end }; // a fragment
  }
  NAME.lastIndex = nameStart;
  const name = NAME.exec(text)?.[0];
  if (name === undefined || !/[\s/>]/.test(text[NAME.lastIndex] ?? '')) return undefined;
  const end = tagEnd(text, NAME.lastIndex, scan);
  if (end === undefined) return undefined;
  const lower = /^[A-Z]/.test(name) ? name : name.toLowerCase();
  const single = text[end - 2] === '/' || VOID.has(lower);
  return { kind: closing ? 'close' : single ? 'single' : 'open', name: lower, start: at, end, blockEnd: scan.end };
}

function commentAt(text: string, at: number, scan: Scan): HtmlTag {
  const close = text.startsWith('<!-->', at) ? at + 2 : scan.search.next('-->', at + 4, scan.end);
  const end = close >= scan.end ? scan.end : close + 3;
  return { kind: 'comment', name: '', start: at, end, blockEnd: scan.end };
}

/** Offset after the `>` that ends the tag; quoted and braced values are stepped over. */
function tagEnd(text: string, from: number, scan: Scan): number | undefined {
  const limit = Math.min(scan.end, from + MAX_TAG_UNITS);
  for (let at = from; at < limit; at += 1) {
    const unit = text[at];
    if (unit === '>') return at + 1;
    if (unit === '<') return undefined;
    if (unit === '"' || unit === "'" || unit === '{') at = valueEnd(text, at, scan) - 1;
  }
  return undefined;
}

function valueEnd(text: string, at: number, scan: Scan): number {
  const opening = text[at] ?? '';
  if (opening !== '{') return scan.search.next(opening, at + 1, scan.end) + 1;
  let depth = 0;
  const limit = Math.min(scan.end, at + MAX_TAG_UNITS);
  if (scan.search.next('}', at, limit) >= limit) return limit;
  for (let index = at; index < limit; index += 1) {
    if (text[index] === '{') depth += 1;
    else if (text[index] === '}') {
      depth -= 1;
      if (depth === 0) return index + 1;
    }
  }
  return limit;
}

function rawTextEnd(text: string, tag: HtmlTag, end: number): number {
  const close = new RegExp(`</${tag.name}[\\s>/]`, 'gi');
  close.lastIndex = tag.end;
  const found = close.exec(text);
  return found === null || found.index >= end ? end : found.index;
}

const ATTRIBUTE = /([^\s"'<>/={}]+)(?:\s*=\s*("[^"]*"|'[^']*'|\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|[^\s"'<>{}]+))?/g;

export function attributesOf(text: string, tag: HtmlTag): readonly HtmlAttribute[] {
  if (tag.kind === 'comment' || tag.kind === 'close') return [];
  const bodyStart = tag.start + 1 + tag.name.length;
  const body = text.slice(bodyStart, tag.end - 1);
  const attributes: HtmlAttribute[] = [];
  for (const match of body.matchAll(ATTRIBUTE)) {
    const start = bodyStart + match.index;
    const raw = match[2] ?? '';
    const quoted = /^["'{]/.test(raw);
    const end = start + match[0].length;
    const valueStart = end - raw.length + (quoted ? 1 : 0);
    const inner = quoted ? raw.slice(1, -1) : raw;
    attributes.push({ name: match[1] ?? '', start, end, value: inner, valueStart, valueEnd: valueStart + inner.length });
  }
  return attributes;
}

const HIDING_STYLE =
  /(?:display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?:\.0+)?\s*(?:;|$)|font-size\s*:\s*0(?:px|em|rem|pt|%)?\s*(?:;|$))/i;

/** True when a browser would show nothing of the element. */
export function isHidden(tag: HtmlTag, attributes: readonly HtmlAttribute[]): boolean {
  if (tag.kind !== 'open' || /^[A-Z]/.test(tag.name)) return false;
  return attributes.some(({ name, value }) => {
    const lower = name.toLowerCase();
    return lower === 'hidden' || (lower === 'style' && HIDING_STYLE.test(value));
  });
}

const ACTIVE = new Set(['script', 'style', 'iframe', 'object', 'embed', 'applet', 'frame', 'frameset', 'noframes', 'base', 'meta', 'link']);

/** Elements that run, restyle or load something: removed with what is in them. `<object name>` in a sentence is a placeholder. */
export function isActive(tag: HtmlTag, attributes: readonly HtmlAttribute[]): boolean {
  return RAW_TEXT.has(tag.name) || (ACTIVE.has(tag.name) && attributes.some(({ value }) => value !== ''));
}

export interface HtmlRange {
  readonly start: number;
  readonly end: number;
  readonly kind: 'comment' | 'hidden' | 'active';
  readonly closed: boolean;
}

/** Ranges that a reader does not see or a browser must not run: comments, hidden and active elements with their contents. */
export function unseenRanges(text: string, tags: readonly HtmlTag[]): readonly HtmlRange[] {
  const closing = closingTags(tags);
  const comments = new TextSearch(text);
  const ranges: HtmlRange[] = [];
  let past = 0;
  for (const tag of tags) {
    if (tag.start < past) continue;
    const range = tag.kind === 'comment' ? commentRange(text, tag, comments) : elementRange(text, tag, closing.get(tag));
    if (range === undefined) continue;
    ranges.push(range);
    past = range.end;
  }
  return ranges;
}

/** The closing tag of each element that has one; elements of the same name nest. */
function closingTags(tags: readonly HtmlTag[]): ReadonlyMap<HtmlTag, HtmlTag> {
  const open = new Map<string, HtmlTag[]>();
  const closing = new Map<HtmlTag, HtmlTag>();
  for (const tag of tags) {
    if (tag.kind === 'open') {
      const stack = open.get(tag.name);
      if (stack === undefined) open.set(tag.name, [tag]);
      else stack.push(tag);
    } else if (tag.kind === 'close') {
      const opener = open.get(tag.name)?.pop();
      if (opener !== undefined) closing.set(opener, tag);
    }
  }
  return closing;
}

/** What nothing closes reaches to the end of its block; a frame without an end is but its tag. */
function elementRange(text: string, tag: HtmlTag, closing: HtmlTag | undefined): HtmlRange | undefined {
  if (tag.kind === 'close') return undefined;
  const attributes = attributesOf(text, tag);
  const kind = isActive(tag, attributes) ? 'active' : isHidden(tag, attributes) ? 'hidden' : undefined;
  if (kind === undefined) return undefined;
  if (tag.kind === 'single') return { start: tag.start, end: tag.end, kind, closed: true };
  if (closing !== undefined) return { start: tag.start, end: closing.end, kind, closed: true };
  const reaches = kind === 'hidden' || RAW_TEXT.has(tag.name);
  return { start: tag.start, end: reaches ? Math.max(tag.end, tag.blockEnd) : tag.end, kind, closed: !reaches };
}

/** A comment begun in a block goes on to its `-->`, over blank lines too: that is what a browser does. */
function commentRange(text: string, tag: HtmlTag, closes: TextSearch): HtmlRange {
  const closed = text.startsWith('-->', tag.end - 3) && tag.end - tag.start >= 5;
  if (closed) return { start: tag.start, end: tag.end, kind: 'comment', closed };
  const close = closes.next('-->', tag.end, text.length);
  return { start: tag.start, end: close >= text.length ? tag.end : close + 3, kind: 'comment', closed: close < text.length };
}

/** Attributes whose words a reader sees or hears. */
const SPOKEN = new Set([
  'alt',
  'title',
  'label',
  'caption',
  'heading',
  'summary',
  'description',
  'placeholder',
  'aria-label',
  'text',
  'header',
]);

export function spokenText(attributes: readonly HtmlAttribute[]): string {
  return attributes
    .filter(({ name }) => SPOKEN.has(name.toLowerCase()))
    .map(({ value }) => value)
    .join(' ');
}

const KNOWN = new Set(
  'a abbr address area article aside audio b base bdi bdo blockquote body br button canvas caption center cite code col colgroup data datalist dd del details dfn dialog div dl dt em embed fieldset figcaption figure font footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input ins kbd label legend li link main map mark menu meta meter nav noscript object ol optgroup option output p param picture pre progress q rp rt ruby s samp script search section select slot small source span strike strong style sub summary sup svg path table tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr'.split(
    ' ',
  ),
);

/** Markup, and not words in angle brackets such as `<cluster-name>` that an author forgot to escape. */
export function isMarkup(tag: HtmlTag, attributes: readonly HtmlAttribute[]): boolean {
  return (
    tag.kind === 'comment' ||
    tag.kind === 'close' ||
    KNOWN.has(tag.name) ||
    !/^[a-z]/.test(tag.name) ||
    attributes.some(({ value }) => value !== '')
  );
}
