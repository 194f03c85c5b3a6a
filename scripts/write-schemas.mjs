/** Writes the published JSON Schemas from the schemas in the code. Run after a build; a test checks that they agree. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { CONFIG_SCHEMA_FILE, configJsonSchema } from '../dist/app/config-json-schema.js';

mkdirSync('schemas', { recursive: true });
writeFileSync(CONFIG_SCHEMA_FILE, configJsonSchema());
process.stdout.write(`${CONFIG_SCHEMA_FILE}\n`);
