/** Writes schemas/colophon.schema.json from the schema that checks the file; a test fails while the two differ. */
import { writeFileSync } from 'node:fs';
import { runnerImport } from 'vite';

const { module } = await runnerImport('./src/app/config-json-schema.ts', { logLevel: 'error' });
writeFileSync(module.CONFIG_SCHEMA_FILE, module.configJsonSchema());
