/** The published JSON Schema of colophon.yaml, which gives editors completion; made from the schema that checks the file. */
import { z } from 'zod';
import { configFile } from './config-schema.js';

/** Where it is published: read by scripts/write-schemas.mjs.
 * @public */
export const CONFIG_SCHEMA_FILE = 'schemas/colophon.schema.json';

export function configJsonSchema(): string {
  const { $schema, ...rest } = z.toJSONSchema(configFile, { io: 'input' });
  return `${JSON.stringify({ $schema, title: 'colophon.yaml', ...rest }, undefined, 2)}\n`;
}
