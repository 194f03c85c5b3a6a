/**
 * Reads a call's arguments the way agents write them: digits as text, lists as JSON text, null for absent.
 *
 * What a value plainly means is accepted; what has no plain meaning is refused by name, with an example that works.
 *
 * Invariant: an argument is used or refused, never ignored; `""`, null and false are never read as zero.
 */
import type { z } from 'zod';
import { excessOf, type JsonSchema } from '../../app/input-bounds.js';
import type { Operation } from '../../app/operations/catalogue.js';
import type { Tool } from './tool-list.js';

export interface Refusal {
  readonly code: 'input/invalid';
  readonly message: string;
  readonly hint: string;
}
export type Arguments = { readonly ok: true; readonly input: unknown } | { readonly ok: false; readonly refusal: Refusal };

export function readArguments(tool: Tool, operation: Operation, given: Readonly<Record<string, unknown>> | undefined): Arguments {
  const known = tool.inputSchema.properties;
  const input: Record<string, unknown> = {};
  const unknown: string[] = [];
  for (const [written, value] of Object.entries(given ?? {})) {
    if (value === null || value === undefined) continue;
    const name = knownName(written, known);
    const schema = name === undefined ? undefined : known[name];
    if (name === undefined || schema === undefined || (name !== written && Object.hasOwn(given ?? {}, name))) unknown.push(written);
    else input[name] = coerce(value, schema);
  }
  if (unknown.length > 0) {
    return refuse(tool, `${tool.name} has no argument ${few(unknown)}; it takes ${Object.keys(known).join(', ') || 'none'}.`);
  }
  const tooMuch = Object.entries(input).flatMap(([name, value]) => excess(name, value, known[name] ?? {}));
  if (tooMuch.length > 0) return refuse(tool, tooMuch.join(' '));
  const parsed = operation.input.safeParse(input);
  if (parsed.success) return { ok: true, input: parsed.data };
  return refuse(tool, sentences(parsed.error.issues, input, known));
}

const NAMED = 5;

/** The first of them by name, and how many more. */
function few(names: readonly string[]): string {
  const rest = names.length - NAMED;
  return `${names.slice(0, NAMED).map(quote).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

function excess(name: string, value: unknown, schema: JsonSchema): string[] {
  const most = excessOf(value, schema);
  return most === undefined ? [] : [`${quote(name)} must be ${most}.`];
}

/** A list goes by its singular here (`tag`); agents write `tags` as often. */
function knownName(written: string, known: Tool['inputSchema']['properties']): string | undefined {
  const singular = [written, written.replace(/s$/, ''), written.replace(/es$/, '')];
  return singular.find((name, index) => Object.hasOwn(known, name) && (index === 0 || known[name]?.['type'] === 'array'));
}

function refuse(tool: Tool, message: string): Arguments {
  return { ok: false, refusal: { code: 'input/invalid', message, hint: `For example: ${tool.name} ${JSON.stringify(exampleOf(tool))}` } };
}

/** One accepted reading of a value, or the value itself for the schema to refuse. */
function coerce(value: unknown, schema: JsonSchema): unknown {
  switch (schema['type']) {
    case 'integer':
    case 'number':
      return typeof value === 'string' && /^\s*[+-]?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value;
    case 'boolean':
      return value === 'true' ? true : value === 'false' ? false : value;
    case 'string':
      return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
    case 'array':
      return asList(value);
    case 'object':
      return typeof value === 'string' ? (fromJson(value, isPlainObject) ?? value) : value;
    default:
      return value;
  }
}

/** `["a"]` as text is the list; a bare word is a list of one. */
function asList(value: unknown): unknown {
  if (typeof value === 'number') return [String(value)];
  if (typeof value !== 'string') return value;
  const text = value.trim();
  if (text === '') return value;
  return text.startsWith('[') ? (fromJson(text, Array.isArray) ?? value) : [value];
}

function fromJson(text: string, accept: (value: unknown) => boolean): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return accept(value) ? value : undefined;
  } catch {
    // Not JSON; the schema names the field and what it must be.
    return undefined;
  }
}

function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sentences(
  issues: readonly z.core.$ZodIssue[],
  input: Readonly<Record<string, unknown>>,
  known: Tool['inputSchema']['properties'],
): string {
  const said = new Map<string, string>();
  for (const issue of issues) {
    const field = String(issue.path[0] ?? 'the call');
    if (!said.has(field)) said.set(field, sentence(field, issue, Object.hasOwn(input, field), known[field] ?? {}));
  }
  return [...said.values()].join(' ');
}

function sentence(field: string, issue: z.core.$ZodIssue, present: boolean, schema: JsonSchema): string {
  const wanted = describe(schema, issue);
  return present ? `${quote(field)} must be ${wanted}.` : `${quote(field)} is missing: it must be ${wanted}.`;
}

function describe(schema: JsonSchema, issue: z.core.$ZodIssue): string {
  const choices = schema['enum'];
  if (Array.isArray(choices)) return `one of ${choices.join(', ')}`;
  switch (schema['type']) {
    case 'integer':
      return `a whole number${range(schema)}`;
    case 'number':
      return `a number${range(schema)}`;
    case 'string':
      return describeText(issue);
    case 'array':
      return issue.code === 'too_big' ? `a list of at most ${issue.maximum} items` : 'a list of texts, such as ["one", "two"]';
    case 'boolean':
      return 'true or false';
    default:
      return `valid (${issue.message})`;
  }
}

function range({ minimum, maximum }: JsonSchema): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` of at least ${minimum}`;
  return maximum === undefined ? '' : ` of at most ${maximum}`;
}

function describeText(issue: z.core.$ZodIssue): string {
  if (issue.code === 'too_small') return 'text that is not empty';
  if (issue.code === 'too_big') return `text of at most ${issue.maximum} characters`;
  return issue.code === 'invalid_type' ? 'text' : `text (${issue.message})`;
}

function quote(name: string): string {
  return `\`${name.replace(/[^\p{L}\p{N}_.-]/gu, '?').slice(0, 60)}\``;
}

const SAMPLES: Readonly<Record<string, unknown>> = {
  query: 'how do I rotate a signing key',
  text: 'how do I rotate a signing key',
  path: 'guides/keys.md',
  limit: 10,
};

/** A call that works: every required argument, with a plausible value. */
export function exampleOf(tool: Tool): Readonly<Record<string, unknown>> {
  const required = tool.inputSchema.required ?? [];
  const names = required.length > 0 ? required : Object.keys(tool.inputSchema.properties).slice(0, 1);
  return Object.fromEntries(names.map((name) => [name, SAMPLES[name] ?? sampleOf(tool.inputSchema.properties[name] ?? {})]));
}

function sampleOf(schema: JsonSchema): unknown {
  const choices = schema['enum'];
  if (Array.isArray(choices)) return choices[0];
  switch (schema['type']) {
    case 'integer':
    case 'number':
      return schema['minimum'] ?? 1;
    case 'array':
      return ['one'];
    case 'boolean':
      return true;
    default:
      return '…';
  }
}
