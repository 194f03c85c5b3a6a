/** Prints the schemas of packages, bundles and bills of materials from src/context; a test fails while they differ. */
import { writeFileSync } from 'node:fs';
import { runnerImport } from 'vite';
import { z } from 'zod';

const SCHEMAS = [
  ['./src/context/package-schema.ts', 'packageV1', 'schemas/context-package.schema.json'],
  ['./src/context/bundle-schema.ts', 'bundleV1', 'schemas/package-bundle.schema.json'],
  ['./src/context/bill-of-materials.ts', 'billV1', 'schemas/context-bill-of-materials.schema.json'],
];

for (const [file, name, output] of SCHEMAS) {
  const { module } = await runnerImport(file, { logLevel: 'error' });
  writeFileSync(output, `${JSON.stringify(z.toJSONSchema(module[name]), null, 2)}\n`);
}
