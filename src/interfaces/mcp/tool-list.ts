/**
 * The tool list: what a model reads before it has asked anything, projected from the catalogue.
 *
 * Invariant: the list is static (INJ-16): same catalogue, same bytes, sorted by name; no tool changes it at run time.
 * Invariant: only operations of authority `read` become tools (MCP-03, MCP-10).
 */
import { z } from 'zod';
import { boundedField, type JsonSchema } from '../../app/input-bounds.js';
import type { Operation } from '../../app/operations/catalogue.js';

export interface ObjectSchema extends JsonSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  readonly annotations: { readonly readOnlyHint: true; readonly openWorldHint: false };
}

/** Depth to which an output is described: the answer's own fields, and the fields of the things it lists. */
const OUTPUT_DEPTH = 2;

export function toolName(operation: Operation): string {
  return `kb_${operation.name.replace(/[^a-z0-9]+/gi, '_')}`;
}

export function toolOf(operation: Operation): Tool {
  if (operation.authority !== 'read') throw new Error(`${operation.name} has authority ${operation.authority} and cannot be a tool`);
  return {
    name: toolName(operation),
    description: operation.summary,
    inputSchema: bounded(objectSchema(z.toJSONSchema(operation.input, { io: 'input', unrepresentable: 'any' }), INPUT)),
    outputSchema: objectSchema(z.toJSONSchema(operation.output, { io: 'output', unrepresentable: 'any' }), OUTPUT_DEPTH),
    annotations: { readOnlyHint: true, openWorldHint: false },
  };
}

export function toolList(operations: readonly Operation[]): readonly Tool[] {
  const tools = operations.filter((each) => each.surfaces.includes('mcp')).map(toolOf);
  return tools.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The bounds of what is sent, where the operation itself has none. */
function bounded(schema: ObjectSchema): ObjectSchema {
  const properties = Object.entries(schema.properties).map(([name, each]) => [name, boundedField(name, each)] as const);
  return { ...schema, properties: Object.fromEntries(properties) };
}

/** The part of every answer that need not be described five times over. */
const SAME_EVERYWHERE = 'problems';

const INPUT = Number.POSITIVE_INFINITY;

function objectSchema(schema: unknown, depth: number): ObjectSchema {
  const trimmed = trim(schema, depth);
  return {
    ...trimmed,
    type: 'object',
    properties: isRecord(trimmed['properties']) ? (trimmed['properties'] as ObjectSchema['properties']) : {},
  };
}

/** Keywords that tell a caller something; the rest costs tokens in every conversation. */
const INPUT_KEYWORDS = [
  'type',
  'description',
  'enum',
  'const',
  'default',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'maxItems',
  'pattern',
];
const OUTPUT_KEYWORDS = ['type'];

function trim(schema: unknown, depth: number): JsonSchema {
  if (!isRecord(schema)) return {};
  const out: Record<string, unknown> = {};
  const input = depth === INPUT;
  for (const keyword of input ? INPUT_KEYWORDS : OUTPUT_KEYWORDS) {
    const value = schema[keyword];
    if (value !== undefined && !isSafeIntegerBound(keyword, value)) out[keyword] = value;
  }
  if (input && Array.isArray(schema['anyOf'])) out['anyOf'] = schema['anyOf'].map((each) => trim(each, depth));
  if (schema['items'] !== undefined && (input || depth > 0)) out['items'] = trim(schema['items'], depth);
  if (isRecord(schema['properties']) && depth > 0) {
    out['properties'] = Object.fromEntries(
      describedFields(schema, input).map(([key, value]) => [key, trim(value, key === SAME_EVERYWHERE ? 0 : depth - 1)]),
    );
    if (Array.isArray(schema['required']) && input) out['required'] = schema['required'];
    if (input) out['additionalProperties'] = false;
  }
  return out;
}

/** Of an answer, what is not always there is no promise, and need not be read in every conversation. */
function describedFields({ properties, required }: JsonSchema, isInput: boolean): readonly [string, unknown][] {
  const fields = Object.entries(properties ?? {});
  return isInput || !Array.isArray(required) ? fields : fields.filter(([key]) => required.includes(key));
}

/** What zod writes for "any whole number": true of every number a caller can send. */
function isSafeIntegerBound(keyword: string, value: unknown): boolean {
  return (keyword === 'minimum' || keyword === 'maximum') && typeof value === 'number' && Math.abs(value) === Number.MAX_SAFE_INTEGER;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
