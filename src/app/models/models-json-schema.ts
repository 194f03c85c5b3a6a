/** The published JSON Schema of files of models, which gives editors completion; made from the schema that checks them. */
import { z } from 'zod';
import { modelsFile } from './models-file.js';

/** Where it is published: read by scripts/write-schemas.mjs.
 * @public */
export const MODELS_SCHEMA_FILE = 'schemas/models.schema.json';

export function modelsJsonSchema(): string {
  const { $schema, ...rest } = z.toJSONSchema(modelsFile, { io: 'input' });
  return `${JSON.stringify({ $schema, title: 'models.yaml', ...rest }, undefined, 2)}\n`;
}
