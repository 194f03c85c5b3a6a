/** Prints schemas/context-package.schema.json from src/context/package-schema.ts; a test fails while the two differ. */
import { writeFileSync } from 'node:fs';
import { runnerImport } from 'vite';
import { z } from 'zod';

const { module } = await runnerImport('./src/context/package-schema.ts', { logLevel: 'error' });
const schema = z.toJSONSchema(module.packageV1);
writeFileSync('schemas/context-package.schema.json', `${JSON.stringify(schema, null, 2)}\n`);
