/** The published JSON Schema of vocabulary files, which gives editors completion; made from the schema that checks them. */
import { z } from 'zod';
import { vocabularyFile } from './vocabulary-schema.js';

/** Where it is published: read by scripts/write-schemas.mjs.
 * @public */
export const VOCABULARY_SCHEMA_FILE = 'schemas/vocabulary.schema.json';

export function vocabularyJsonSchema(): string {
  const { $schema, ...rest } = z.toJSONSchema(vocabularyFile, { io: 'input' });
  return `${JSON.stringify({ $schema, title: 'vocabulary.yaml', ...rest }, undefined, 2)}\n`;
}
