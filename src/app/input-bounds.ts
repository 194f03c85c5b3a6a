/**
 * What a caller over a protocol may send in one field, where the operation itself has no bound: the same for tools and HTTP.
 *
 * Invariant: a bound of the operation's own schema stands; these only close what it leaves open.
 */
import { z } from 'zod';
import type { Operation } from './operations/catalogue.js';

export type JsonSchema = { readonly [key: string]: unknown };

/** What one argument may hold; an answer has room for 18,000 tokens, and a refusal for far fewer. */
export const INPUT_BOUNDS = { items: 50, itemChars: 1_000, queryChars: 10_000 } as const;

export function boundedField(name: string, schema: JsonSchema): JsonSchema {
  if (schema['type'] === 'array') return { maxItems: INPUT_BOUNDS.items, ...schema };
  if (schema['type'] !== 'string' || schema['enum'] !== undefined) return schema;
  return { maxLength: name === 'query' ? INPUT_BOUNDS.queryChars : INPUT_BOUNDS.itemChars, ...schema };
}

/** What is more than the field may hold, in words; undefined when nothing is. */
export function excessOf(value: unknown, { maxItems, maxLength }: JsonSchema): string | undefined {
  if (typeof value === 'string' && typeof maxLength === 'number' && value.length > maxLength)
    return `text of at most ${maxLength} characters`;
  if (!Array.isArray(value)) return undefined;
  if (typeof maxItems === 'number' && value.length > maxItems) return `a list of at most ${maxItems} items`;
  const long = value.some((each) => typeof each === 'string' && each.length > INPUT_BOUNDS.itemChars);
  return long ? `a list of texts of at most ${INPUT_BOUNDS.itemChars} characters each` : undefined;
}

export interface InputSchema {
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
}

/** The input of an operation as it is taken over a network: bounded, and without what names files of this machine. */
export function networkInput({ input, hostInputs = [] }: Operation): InputSchema {
  const schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
    .filter(([name]) => !hostInputs.includes(name))
    .map(([name, field]) => [name, boundedField(name, field)] as const);
  return { properties: Object.fromEntries(properties), required: schema.required ?? [] };
}
