/**
 * Puts one table into a TOML file that people edit, and takes it out again; every other byte stays.
 *
 * Invariant: each result is parsed before it is accepted, and holds everything the file held before.
 */
import { isDeepStrictEqual } from 'node:util';
import { parse, TomlError } from 'smol-toml';
import type { Edits, TextEdit } from './text-edit.js';

export interface TomlEntry {
  /** The table's name, e.g. `['mcp_servers', 'colophon']`. */
  readonly path: readonly [string, string];
  readonly value: Readonly<Record<string, TomlValue>>;
}

type TomlValue = string | readonly string[] | Readonly<Record<string, string>>;

type Table = Record<string, unknown>;

export function putToml(text: string, entry: TomlEntry): Edits {
  const before = read(text);
  if ('ok' in before) return before;
  const present = member(before.table, entry.path);
  if (isDeepStrictEqual(present, entry.value)) return { ok: true, edits: [] };
  const edit = present === undefined ? appended(text, entry) : replaced(text, entry);
  const after =
    edit === undefined ? undefined : read(text.slice(0, edit.offset) + edit.inserted + text.slice(edit.offset + edit.removed.length));
  const kept =
    after !== undefined && 'table' in after && isDeepStrictEqual(without(after.table, entry.path), without(before.table, entry.path));
  if (edit === undefined || !kept) {
    return {
      ok: false,
      unreadable: {
        line: lineOf(text, entry.path),
        reason: `${entry.path[0]} is written in a form that cannot be added to without rewriting it`,
      },
    };
  }
  return { ok: true, edits: [edit] };
}

export function dropToml(text: string, entry: TomlEntry): string {
  const block = blockOf(text, entry.path);
  if (block === undefined) return text;
  const before = text.slice(0, block.start).replace(/(\r?\n)\r?\n$/, '$1');
  return before + text.slice(block.end);
}

export function hasToml(text: string, entry: TomlEntry): boolean {
  const before = read(text);
  return 'table' in before && member(before.table, entry.path) !== undefined;
}

export function unreadableToml(text: string): Edits {
  const before = read(text);
  return 'ok' in before ? before : { ok: true, edits: [] };
}

function read(text: string): { readonly table: Table } | Extract<Edits, { ok: false }> {
  try {
    return { table: plain(parse(text)) as Table };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const reason = error.message.split('\n')[0] ?? 'not TOML';
    return { ok: false, unreadable: { line: error.line, reason: `not TOML: ${reason.replace(/^Invalid TOML document: /, '')}` } };
  }
}

/** The parser's tables have no prototype, and its dates carry their spelling; plain data compares by what it says. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Date) return value.toISOString();
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
}

function member(table: Table, [outer, inner]: TomlEntry['path']): unknown {
  const container = table[outer];
  return isTable(container) ? container[inner] : undefined;
}

function without(table: Table, [outer, inner]: TomlEntry['path']): Table {
  const container = table[outer];
  if (!isTable(container)) return table;
  const { [inner]: _ours, ...others } = container;
  const { [outer]: _container, ...rest } = table;
  return Object.keys(others).length === 0 ? rest : { ...rest, [outer]: others };
}

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function appended(text: string, entry: TomlEntry): TextEdit {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const gap = text === '' ? '' : text.endsWith('\n') ? eol : eol + eol;
  return { offset: text.length, removed: '', inserted: gap + print(entry, eol) };
}

function replaced(text: string, entry: TomlEntry): TextEdit | undefined {
  const block = blockOf(text, entry.path);
  if (block === undefined) return undefined;
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  return { offset: block.start, removed: text.slice(block.start, block.end), inserted: print(entry, eol) };
}

/** From the table's header to its last own line; blank lines and comments before the next header belong to that. */
function blockOf(text: string, [outer, inner]: TomlEntry['path']): { start: number; end: number } | undefined {
  const name = (key: string) => `(?:${key}|"${key}"|'${key}')`;
  const ours = new RegExp(`^[ \\t]*\\[[ \\t]*${name(outer)}[ \\t]*\\.[ \\t]*${name(inner)}[ \\t]*(?:\\.[^\\]]*)?\\]`);
  let at = 0;
  let start: number | undefined;
  let end = 0;
  for (const line of text.split(/(?<=\n)/)) {
    const header = /^[ \t]*\[/.test(line);
    if (ours.test(line)) start ??= at;
    else if (header && start !== undefined && /^[ \t]*\[{1,2}[^\]]*\]{1,2}[ \t]*(#.*)?\r?\n?$/.test(line)) break;
    if (start !== undefined && line.trim() !== '' && !line.trimStart().startsWith('#')) end = at + line.length;
    at += line.length;
  }
  return start === undefined ? undefined : { start, end };
}

function lineOf(text: string, [outer]: TomlEntry['path']): number {
  const index = text.split('\n').findIndex((line) => line.trimStart().startsWith(outer));
  return index === -1 ? 1 : index + 1;
}

function print({ path, value }: TomlEntry, eol: string): string {
  const lines = Object.entries(value).map(([key, each]) => `${key} = ${printValue(each)}`);
  return [`[${path.join('.')}]`, ...lines, ''].join(eol);
}

function printValue(value: TomlValue): string {
  if (typeof value === 'string') return quote(value);
  if (isList(value)) return `[${value.map(quote).join(', ')}]`;
  return `{ ${Object.entries(value)
    .map(([key, each]) => `${key} = ${quote(each)}`)
    .join(', ')} }`;
}

function isList(value: TomlValue): value is readonly string[] {
  return Array.isArray(value);
}

/** A TOML basic string; JSON's escapes are a subset of TOML's once U+007F is written out. */
function quote(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
}
