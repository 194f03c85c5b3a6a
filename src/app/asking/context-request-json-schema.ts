/** The published JSON Schema of a request to `context`, made from what the operation takes on every surface. */
import { z } from 'zod';
import { context } from '../operations/context.js';

/** Where it is published: read by scripts/write-schemas.mjs.
 * @public */
export const REQUEST_SCHEMA_FILE = 'schemas/context-request.schema.json';

export function requestJsonSchema(): string {
  const { $schema, ...rest } = z.toJSONSchema(context.input, { io: 'input', unrepresentable: 'any' });
  const description = 'What `colophon context --request FILE`, the MCP tool `kb_context` and `library.context()` take.';
  return `${JSON.stringify({ $schema, title: 'Colophon context request', description, ...rest, additionalProperties: false }, undefined, 2)}\n`;
}
