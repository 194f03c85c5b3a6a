/**
 * Puts one entry into a JSON file that people edit, and takes it out again, touching nothing else.
 *
 * Comments, trailing commas, indentation and line ends stay as they are; only the entry and the comma before it are written.
 *
 * Invariant: the result is JSON (with comments) again, or nothing is written.
 */

import {
  createScanner,
  findNodeAtLocation,
  getNodeValue,
  modify,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { canonicalJson } from '../../kernel/digest.js';
import { applyEdits, type Edits, lineAt, type TextEdit } from './text-edit.js';

/** Where an entry stands: a member of nested objects, or an element of the array found there. */
export interface JsonEntry {
  readonly path: readonly string[];
  readonly value: unknown;
  /** Given for an element: tells ours among the others. */
  readonly isOurs?: (element: unknown) => boolean;
}

export function putJson(text: string, entry: JsonEntry): Edits {
  if (text.trim() === '') return done([{ offset: 0, removed: text, inserted: `${JSON.stringify(wrap(entry, 0), null, 2)}\n` }]);
  const tree = parse(text);
  if (!('root' in tree)) return tree;
  return place(text, tree.root, entry, 0);
}

/** Takes the entry out, and then those of the `created` containers that are left empty, innermost first. */
export function dropJson(text: string, entry: JsonEntry, created: readonly (readonly string[])[]): string {
  const at = pathOf(text, entry);
  if (at === undefined) return text;
  const innermostFirst = [...created].sort((a, b) => b.length - a.length);
  return innermostFirst.reduce(
    (out, path) => {
      const container = nodeAt(out, path);
      return container !== undefined && (container.children ?? []).length === 0 ? remove(out, path) : out;
    },
    remove(text, at),
  );
}

function remove(text: string, path: Path): string {
  const edits = modify(text, [...path], undefined, { formattingOptions: styleOf(text) });
  return applyEdits(
    text,
    edits.map(({ offset, length, content }) => ({ offset, removed: text.slice(offset, offset + length), inserted: content })),
  );
}

export function hasJson(text: string, entry: JsonEntry): boolean {
  return pathOf(text, entry) !== undefined;
}

/** Containers of the entry that the file does not have yet, outermost first. */
export function missingContainers(text: string, entry: JsonEntry): readonly (readonly string[])[] {
  const containers = entry.isOurs === undefined ? entry.path.slice(0, -1) : entry.path;
  return containers.map((_, index) => containers.slice(0, index + 1)).filter((path) => nodeAt(text, path) === undefined);
}

export function unreadableJson(text: string): Edits {
  const tree = text.trim() === '' ? undefined : parse(text);
  return tree === undefined || 'root' in tree ? done([]) : tree;
}

type Path = readonly (string | number)[];

function pathOf(text: string, entry: JsonEntry): Path | undefined {
  const node = nodeAt(text, entry.path);
  if (node === undefined) return undefined;
  if (entry.isOurs === undefined) return entry.path;
  const at = (node.children ?? []).findIndex((each) => entry.isOurs?.(getNodeValue(each)));
  return at === -1 ? undefined : [...entry.path, at];
}

function nodeAt(text: string, path: Path): Node | undefined {
  const root = parseTree(text, [], OPTIONS);
  return root === undefined ? undefined : findNodeAtLocation(root, [...path]);
}

const OPTIONS = { allowTrailingComma: true, disallowComments: false };

function parse(text: string): { readonly root: Node } | Extract<Edits, { ok: false }> {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, OPTIONS);
  const first = errors[0];
  if (first !== undefined) return bad(text, first.offset, `not JSON: ${sayError(first)}`);
  if (root?.type !== 'object') return bad(text, root?.offset ?? 0, 'not a JSON object');
  return { root };
}

function sayError(error: ParseError): string {
  return printParseErrorCode(error.error)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();
}

function place(text: string, object: Node, entry: JsonEntry, depth: number): Edits {
  const key = entry.path[depth];
  if (key === undefined) return done([]);
  const value = findNodeAtLocation(object, [key]);
  if (value === undefined) return done(append(text, object, `${JSON.stringify(key)}: `, wrap(entry, depth + 1)));
  const last = depth === entry.path.length - 1;
  if (!last) {
    return value.type === 'object' ? place(text, value, entry, depth + 1) : bad(text, value.offset, `\`${key}\` is not an object`);
  }
  if (entry.isOurs === undefined) return done(replace(text, value, entry.value));
  if (value.type !== 'array') return bad(text, value.offset, `\`${key}\` is not a list`);
  const ours = value.children?.find((each) => entry.isOurs?.(getNodeValue(each)));
  return done(ours === undefined ? append(text, value, '', entry.value) : replace(text, ours, entry.value));
}

/** The entry inside the containers from `depth` on that do not exist yet. */
function wrap(entry: JsonEntry, depth: number): unknown {
  const inner = entry.isOurs === undefined ? entry.value : [entry.value];
  return entry.path.slice(depth).reduceRight<unknown>((value, key) => ({ [key]: value }), inner);
}

function replace(text: string, node: Node, value: unknown): readonly TextEdit[] {
  if (canonicalJson(getNodeValue(node)) === canonicalJson(value)) return [];
  const removed = text.slice(node.offset, node.offset + node.length);
  return [{ offset: node.offset, removed, inserted: print(value, indentOf(text, node.offset), styleOf(text)) }];
}

function append(text: string, container: Node, label: string, value: unknown): readonly TextEdit[] {
  const style = styleOf(text);
  const close = container.offset + container.length - 1;
  const base = indentOf(text, container.offset);
  const last = container.children?.at(-1);
  const contentEnd = text.slice(0, close).trimEnd().length;
  if (last === undefined) {
    const indent = base + style.unit;
    const closing = contentEnd === container.offset + 1 ? style.eol + base : '';
    return [{ offset: contentEnd, removed: '', inserted: `${style.eol}${indent}${label}${print(value, indent, style)}${closing}` }];
  }
  const lastEnd = last.offset + last.length;
  const trailing = hasComma(text.slice(lastEnd, close));
  const comma = trailing ? [] : [{ offset: lastEnd, removed: '', inserted: ',' }];
  const after = trailing ? ',' : '';
  if (!text.slice(container.offset, close).includes('\n')) {
    const inserted = ` ${label}${JSON.stringify(value)}${after}`;
    return [...comma, { offset: contentEnd, removed: '', inserted }];
  }
  const indent = indentOf(text, last.offset);
  return [...comma, { offset: contentEnd, removed: '', inserted: `${style.eol}${indent}${label}${print(value, indent, style)}${after}` }];
}

function hasComma(gap: string): boolean {
  const scanner = createScanner(gap, true);
  scanner.scan();
  return gap[scanner.getTokenOffset()] === ',';
}

interface Style {
  readonly eol: string;
  readonly unit: string;
  readonly tabSize: number;
  readonly insertSpaces: boolean;
}

function styleOf(text: string): Style {
  const unit = /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ';
  return {
    eol: text.includes('\r\n') ? '\r\n' : '\n',
    unit: unit.startsWith('\t') ? '\t' : unit,
    tabSize: unit.length,
    insertSpaces: !unit.startsWith('\t'),
  };
}

function indentOf(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

function print(value: unknown, indent: string, style: Style): string {
  return JSON.stringify(value, null, style.unit).replaceAll('\n', style.eol + indent);
}

function done(edits: readonly TextEdit[]): { readonly ok: true; readonly edits: readonly TextEdit[] } {
  return { ok: true, edits };
}

function bad(text: string, offset: number, reason: string): Extract<Edits, { ok: false }> {
  return { ok: false, unreadable: { line: lineAt(text, offset), reason } };
}
