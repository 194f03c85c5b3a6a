/**
 * From a request to what an operation takes: JSON of a body, or the fields of an address, within bounds.
 *
 * Invariant: no more is read than may be; what is nested deeper than any input is refused before it is parsed.
 * Invariant: a field is used or refused, never ignored; who asks is no field (MCP-05).
 */
import { checkInput } from '../../app/check-input.js';
import { excessOf, type InputSchema, type JsonSchema } from '../../app/input-bounds.js';
import type { Operation } from '../../app/operations/catalogue.js';
import { Fault } from '../../kernel/errors.js';

const DEEPEST = 32;

/** The parsed JSON of the body. */
export async function readJson(request: Request, limitBytes: number): Promise<unknown> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type)) throw new Fault('http/media-type', {});
  const text = await readText(request, limitBytes);
  if (deepest(text) > DEEPEST) throw new Fault('input/invalid', { field: 'The body', expected: `nested at most ${DEEPEST} deep` });
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw new Fault('input/invalid', { field: 'The body', expected: 'JSON' });
    throw error;
  }
}

async function readText(request: Request, limitBytes: number): Promise<string> {
  if (Number(request.headers.get('content-length') ?? 0) > limitBytes) throw new Fault('limit/too-large', { limitBytes });
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
      size += chunk.byteLength;
      if (size > limitBytes) throw new Fault('limit/too-large', { limitBytes });
      chunks.push(chunk);
    }
  } catch (error) {
    // Who leaves in the middle of a body is no fault of the server.
    throw request.signal.aborted && !(error instanceof Fault) ? new Fault('http/gone', {}, { cause: error }) : error;
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch (error) {
    if (error instanceof TypeError) throw new Fault('input/invalid', { field: 'The body', expected: 'UTF-8' });
    throw error;
  }
}

/** A whole string, or one bracket. A string without an end is taken to the end: it is no JSON, and is found out as such. */
const PARTS = /"(?:[^"\\]|\\.)*(?:"|$)|[[\]{}]/gs;

/** Stops as soon as it is too deep. */
function deepest(text: string): number {
  let depth = 0;
  let most = 0;
  for (const [part] of text.matchAll(PARTS)) {
    if (part === '[' || part === '{') depth += 1;
    else if (part === ']' || part === '}') depth -= 1;
    most = Math.max(most, depth);
    if (most > DEEPEST) break;
  }
  return most;
}

export function inputFromBody(operation: Operation, schema: InputSchema, body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Fault('input/invalid', { field: 'The body', expected: 'one JSON object' });
  return checked(operation, schema, body as Readonly<Record<string, unknown>>);
}

/** A field that may have several values is one that is a list. */
export function inputFromAddress(operation: Operation, schema: InputSchema, search: URLSearchParams): unknown {
  const given: Record<string, unknown> = {};
  for (const name of new Set(search.keys())) {
    const values = search.getAll(name);
    // Before it is set: a name such as `__proto__` would set something else.
    const field = fieldNamed(name, schema);
    if (field['type'] !== 'array' && values.length > 1) throw new Fault('input/invalid', { field: name, expected: 'given once' });
    given[name] = field['type'] === 'array' ? values : plainValue(values[0] ?? '', field);
  }
  return checked(operation, schema, given);
}

/** What is said in an address beside a body would count for nothing. */
export function requireBareAddress(search: URLSearchParams): void {
  const [name] = search.keys();
  if (name !== undefined)
    throw new Fault('input/invalid', { field: printable(name), expected: 'said in the body; the address of a POST has no fields' });
}

function fieldNamed(name: string, { properties }: InputSchema): JsonSchema {
  const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (field !== undefined) return field;
  const known = Object.keys(properties).join(', ');
  throw new Fault('input/invalid', {
    field: printable(name),
    expected: `left out; there is ${known === '' ? 'nothing to say here' : known}`,
  });
}

function checked(operation: Operation, schema: InputSchema, given: Readonly<Record<string, unknown>>): unknown {
  for (const [name, value] of Object.entries(given)) {
    const most = excessOf(value, fieldNamed(name, schema));
    if (most !== undefined) throw new Fault('input/invalid', { field: name, expected: most });
  }
  return checkInput(operation, given);
}

function printable(name: string): string {
  return name.replace(/[^\w.-]/g, '?').slice(0, 60);
}

/** The text of an address as the field's type has it; what is none is for the schema to refuse. */
function plainValue(text: string, field: JsonSchema): unknown {
  if (field['type'] === 'integer' || field['type'] === 'number') return /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text) ? Number(text) : text;
  if (field['type'] === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  return text;
}
