/**
 * Joins one TypeScript file of bench/ with all it imports, as the published command is joined, and runs its `main(arguments)`:
 * `node scripts/run-bundled.mjs FILE …`. Timing source that a development server transforms would time the transformation.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const [file, ...rest] = process.argv.slice(2);
const folder = resolve('node_modules', '.cache', `bench-${process.pid}`);
mkdirSync(folder, { recursive: true });
try {
  const bundle = await rolldown({
    input: { main: resolve(file), child: resolve('bench/one-process.ts') },
    platform: 'node',
    external: (id) => !id.startsWith('.') && !id.startsWith('/'),
    logLevel: 'silent',
  });
  await bundle.write({ dir: folder, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' });
  await bundle.close();
  const { main } = await import(pathToFileURL(join(folder, 'main.mjs')).href);
  process.exitCode = (await main(rest, join(folder, 'child.mjs'))) ?? 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
