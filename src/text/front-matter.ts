/**
 * Front matter: which lines at the head of a page are metadata, and what do they say, in the author's own spelling?
 *
 * The block opens with `---` as the very first line and closes at the next line that is `---` or `...` at column 0. Values are read
 * from the YAML source, not from guessed types: `1.10`, `007`, `no` and `2026-03-01` stay what they are.
 *
 * Invariant: nothing is executed and nothing is expanded: size and depth are checked before parsing, aliases and unknown tags are refused.
 * Invariant: a block that is not a mapping is body text; a mapping that cannot be read whole is reported and never half-trusted.
 */
import { type Document, isAlias, isMap, isScalar, isSeq, Lexer, type Node, parseDocument, Scalar, type YAMLMap } from 'yaml';
import { countFeeds, LineIndex } from './decode-edits.js';

export const MAX_FRONT_MATTER_UNITS = 64 * 1024;
export const MAX_FRONT_MATTER_DEPTH = 20;
/** Tokens of the largest block worth reading; some ten times what real pages have. */
const MAX_FRONT_MATTER_TOKENS = 10_000;

export type FieldValue =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | { readonly kind: 'empty' }
  | { readonly kind: 'unreadable'; readonly reason: string };

export interface FrontMatterField {
  /** Keys of a nested mapping are joined by dots; the place in a list is one of them. */
  readonly key: string;
  readonly value: FieldValue;
  /** 1-based line of the key in the file. */
  readonly line: number;
}

export type FrontMatter =
  | { readonly kind: 'none'; readonly bodyStart: 0 }
  | { readonly kind: 'fields'; readonly bodyStart: number; readonly fields: readonly FrontMatterField[] }
  /** A band between two rules that is text; or an opening rule that nothing closes. */
  | { readonly kind: 'not-yaml'; readonly bodyStart: 0; readonly line: number; readonly reason: string; readonly block: string }
  | {
      readonly kind: 'broken';
      readonly bodyStart: number;
      readonly line: number;
      readonly reason: string;
      /** The block as written, for those who look for what it would have governed. */
      readonly block: string;
      /** What could be read beyond doubt: the fields that stand once, when repeated keys are all that is wrong. */
      readonly fields: readonly FrontMatterField[];
    };

interface Block {
  readonly start: number;
  readonly end: number;
  readonly bodyStart: number;
  readonly closed: boolean;
}

const OPENING = /^---[ \t]*(?:\n|$)/;
const KEY_LINE = /^(?:[\p{L}_][\p{L}\p{N}_. -]{0,63}|"[^"\n]{1,64}"|'[^'\n]{1,64}')[ \t]*:(?:[ \t]|$)/u;

export function readFrontMatter(text: string): FrontMatter {
  if (!OPENING.test(text)) return { kind: 'none', bodyStart: 0 };
  const block = blockOf(text);
  const source = text.slice(block.start, block.end);
  if (!block.closed) return unclosed(text, source);
  if (source.startsWith('\n') && source.trim() !== '') return { kind: 'none', bodyStart: 0 }; // two rules and text between them
  if (source.trim() === '') return { kind: 'fields', bodyStart: block.bodyStart, fields: [] };
  const read = readMapping(source);
  if (read.kind === 'fields') return { ...read, bodyStart: block.bodyStart };
  if (read.kind === 'not-mapping' || !looksLikeMapping(source)) {
    return { kind: 'not-yaml', bodyStart: 0, line: 1, reason: read.reason, block: source };
  }
  return { kind: 'broken', bodyStart: block.bodyStart, line: read.line, reason: read.reason, block: source, fields: read.fields };
}

/** Offset after a block that opens at the start of `text`, when its lines are keys and values; undefined when they are not. */
export function endOfFurtherBlock(text: string): number | undefined {
  if (!OPENING.test(text)) return undefined;
  const block = blockOf(text);
  const source = text.slice(block.start, block.end);
  return block.closed && source.length <= MAX_FRONT_MATTER_UNITS && looksLikeMapping(source) ? block.bodyStart : undefined;
}

function blockOf(text: string): Block {
  const start = text.indexOf('\n') + 1;
  if (start === 0) return { start: text.length, end: text.length, bodyStart: text.length, closed: false };
  for (let at = start; at < text.length; ) {
    const feed = text.indexOf('\n', at);
    const end = feed < 0 ? text.length : feed;
    if (isClosing(text, at, end)) return { start, end: at, bodyStart: Math.min(end + 1, text.length), closed: true };
    at = end + 1;
  }
  return { start, end: text.length, bodyStart: text.length, closed: false };
}

function isClosing(text: string, start: number, end: number): boolean {
  return (text.startsWith('---', start) || text.startsWith('...', start)) && end - start >= 3 && text.slice(start + 3, end).trim() === '';
}

/** A lone rule at the head of a page is a rule. Key lines right under it are a block somebody forgot to close. */
function unclosed(text: string, source: string): FrontMatter {
  const head = source.slice(0, 4096).split('\n');
  if (!KEY_LINE.test(head[0] ?? '')) return { kind: 'none', bodyStart: 0 };
  const blank = head.findIndex((line) => line.trim() === '');
  const block = head.slice(0, blank < 0 ? head.length : blank).join('\n');
  return { kind: 'not-yaml', bodyStart: 0, line: 1, reason: 'the block is never closed', block: block === '' ? text.slice(0, 0) : block };
}

/** Most lines that start at column 0 have a key: a mapping with a fault. Else it is a letterhead or a slide. */
function looksLikeMapping(source: string): boolean {
  let keys = 0;
  let others = 0;
  for (const line of source.split('\n')) {
    if (line === '' || /^[\s#\-}\]]/.test(line)) continue;
    if (KEY_LINE.test(line) || line.startsWith('{')) keys += 1;
    else others += 1;
  }
  return keys > others;
}

type Read =
  | { readonly kind: 'fields'; readonly fields: readonly FrontMatterField[] }
  | { readonly kind: 'not-mapping'; readonly reason: string }
  | { readonly kind: 'broken'; readonly line: number; readonly reason: string; readonly fields: readonly FrontMatterField[] };

/** Lines of the file before the block's first: the opening rule. */
const LINES_BEFORE = 1;

function readMapping(source: string): Read {
  if (source.length > MAX_FRONT_MATTER_UNITS) return broken(1, `the block is longer than ${MAX_FRONT_MATTER_UNITS / 1024} KiB`);
  const excess = excessOf(source);
  if (excess !== undefined) return broken(excess.line + LINES_BEFORE, excess.reason);
  const lines = new LineIndex(source);
  const lineOf = (offset: number) => lines.lineAt(Math.min(offset, source.length)) + LINES_BEFORE;
  const document = parse(source);
  if (document instanceof Error) return broken(1 + LINES_BEFORE, document.message);
  const fault = document.errors[0];
  if (fault !== undefined) return broken(lineOf(fault.pos[0]), plainReason(fault.message));
  if (document.contents === null) return { kind: 'fields', fields: [] };
  if (!isMap(document.contents)) return { kind: 'not-mapping', reason: 'the block is not a list of `key: value` lines' };
  return fieldsOf(document.contents, lineOf);
}

function broken(line: number, reason: string): Read {
  return { kind: 'broken', line, reason, fields: [] };
}

function parse(source: string): Document.Parsed | Error {
  try {
    return parseDocument(source, {
      version: '1.2',
      schema: 'core',
      uniqueKeys: false, // ours is linear, theirs compares every pair
      prettyErrors: false,
      logLevel: 'silent',
      keepSourceTokens: false,
    });
  } catch (error) {
    return error instanceof Error ? error : new Error('the block cannot be parsed');
  }
}

/** The parser's own words, without any text of the page they may quote. */
function plainReason(message: string): string {
  const first = (message.split('\n')[0] ?? '').replace(/:? ?("[^"]*"|'[^']*'|`[^`]*`|[^ ]{40,})/g, '').trim();
  return first === '' ? 'it is not valid YAML' : first.replace(/[.:]$/, '');
}

function fieldsOf(map: YAMLMap, lineOf: (offset: number) => number): Read {
  const fields: FrontMatterField[] = [];
  const seen = new Map<string, number>();
  const repeated = new Set<string>();
  let repeatedLine = 0;
  let repeatedKey = '';
  const listed: FieldListed = (key, offset) =>
    fields.push({ key, value: { kind: 'unreadable', reason: 'inside a list' }, line: lineOf(offset) });
  const take: Take = (key, value, offset) => {
    const line = lineOf(offset);
    if (seen.has(key)) {
      if (repeated.size === 0) {
        repeatedLine = line;
        repeatedKey = key;
      }
      repeated.add(key);
    }
    seen.set(key, line);
    fields.push({ key, value, line });
  };
  collect(map, '', 1, take, listed);
  if (repeated.size === 0) return { kind: 'fields', fields };
  const once = fields.filter((field) => !repeated.has(field.key));
  return { kind: 'broken', line: repeatedLine, reason: `${quotable(repeatedKey)} stands more than once`, fields: once };
}

/** A key that is no short identifier is the page's own prose, and is not said back. */
function quotable(key: string): string {
  return /^[A-Za-z0-9_-]{1,40}$/.test(key) ? `the key ${key}` : 'a key';
}

type Take = (key: string, value: FieldValue, offset: number) => void;
type FieldListed = (key: string, offset: number) => void;

function collect(map: YAMLMap, prefix: string, depth: number, take: Take, listed: FieldListed): void {
  for (const pair of map.items) {
    const key = keyText(pair.key);
    const offset = offsetOf(pair.key) ?? offsetOf(pair.value) ?? 0;
    if (key === undefined) continue;
    const value = pair.value;
    const nested = isMap(value) && value.tag === undefined && depth < MAX_FRONT_MATTER_DEPTH;
    if (nested && value.items.length > 0) {
      take(prefix + key, { kind: 'unreadable', reason: 'a nested mapping' }, offset);
      collect(value, `${prefix}${key}.`, depth + 1, take, listed);
    } else {
      take(prefix + key, readValue(value), offset);
      collectListed(value, `${prefix}${key}.`, listed);
    }
  }
}

/** Keys that no field can be read from, because they stand in a list or under a tag; whoever looks for one must still see it. */
function collectListed(node: unknown, prefix: string, listed: FieldListed): void {
  if (isSeq(node)) for (const [at, item] of node.items.entries()) collectListed(item, `${prefix}${at}.`, listed);
  if (!isMap(node)) return;
  for (const { key, value } of node.items) {
    const text = keyText(key);
    if (text !== undefined) listed(prefix + text, offsetOf(key) ?? 0);
    collectListed(value, text === undefined ? prefix : `${prefix}${text}.`, listed);
  }
}

function offsetOf(node: unknown): number | undefined {
  return (node as Node | null | undefined)?.range?.[0];
}

function keyText(node: unknown): string | undefined {
  return isScalar(node) ? scalarText(node) : undefined;
}

function readValue(node: unknown): FieldValue {
  if (node === null || node === undefined) return { kind: 'empty' };
  if (isAlias(node)) return { kind: 'unreadable', reason: 'an alias' };
  if (isScalar(node)) {
    if (!isPlainTag(node.tag)) return { kind: 'unreadable', reason: 'a tag that is not known' };
    if (node.value === null && (node.source ?? '') !== '') return { kind: 'empty' };
    const text = scalarText(node);
    return text === undefined || text === '' ? { kind: 'empty' } : { kind: 'text', text };
  }
  if (isSeq(node)) return listOf(node.items, node.tag);
  return { kind: 'unreadable', reason: 'a nested mapping' };
}

function listOf(items: readonly unknown[], tag: string | undefined): FieldValue {
  if (!isPlainTag(tag)) return { kind: 'unreadable', reason: 'a tag that is not known' };
  const texts: string[] = [];
  for (const item of items) {
    const value = readValue(item);
    if (value.kind === 'unreadable' && value.reason !== 'a nested mapping') return value;
    if (value.kind === 'text') texts.push(value.text);
  }
  return { kind: 'list', items: texts };
}

function isPlainTag(tag: string | undefined): boolean {
  return tag === undefined || /^tag:yaml\.org,2002:(str|int|float|bool|null|seq|map)$/.test(tag);
}

/** A plain scalar as the author wrote it; a quoted or block one as it reads. */
function scalarText(node: Scalar): string | undefined {
  if (node.type === Scalar.PLAIN || node.type === undefined)
    return node.source?.trim() ?? (node.value === null ? undefined : String(node.value));
  return typeof node.value === 'string' ? node.value.trim() : (node.source ?? String(node.value));
}

/** Where the block passes a limit, found by the lexer alone: it nests nothing and takes linear time. */
function excessOf(source: string): { readonly line: number; readonly reason: string } | undefined {
  const depth = new Depth();
  let tokens = 0;
  for (const token of new Lexer().lex(source)) {
    tokens += 1;
    depth.pass(token);
    if (depth.deepest > MAX_FRONT_MATTER_DEPTH) {
      return { line: depth.line, reason: `values are nested deeper than ${MAX_FRONT_MATTER_DEPTH} levels` };
    }
    if (tokens > MAX_FRONT_MATTER_TOKENS) return { line: depth.line, reason: 'the block has too many values' };
  }
  return undefined;
}

/** Depth by the columns at which lines and their markers start, and by open brackets. */
class Depth {
  line = 1;
  #column = 0;
  #flow = 0;
  #leading = true;
  readonly #columns: number[] = [];

  get deepest(): number {
    return this.#columns.length + this.#flow;
  }

  pass(token: string): void {
    if (token === '[' || token === '{') this.#flow += 1;
    else if (token === ']' || token === '}') this.#flow = Math.max(0, this.#flow - 1);
    const marker = token === '-' || token === '?';
    if (this.#leading && this.#flow === 0 && (marker || isContent(token))) {
      while ((this.#columns.at(-1) ?? -1) >= this.#column) this.#columns.pop();
      this.#columns.push(this.#column);
      this.#leading = marker;
    }
    this.#advance(token);
  }

  #advance(token: string): void {
    const feed = token.lastIndexOf('\n');
    if (feed < 0) {
      this.#column += token.length;
      return;
    }
    this.line += countFeeds(token, 0, token.length);
    this.#column = token.length - feed - 1;
    this.#leading = true;
  }
}

/** Not blank, a comment, or one of the lexer's own control tokens. */
function isContent(token: string): boolean {
  return token.trim() !== '' && token.charCodeAt(0) > 0x1f && !token.startsWith('#') && !token.startsWith('\ufeff');
}
