/** Runs `main(arguments)` of one TypeScript file of tests/ or bench/ from its source: `node scripts/run-typescript.mjs FILE …`. */
import { resolve } from 'node:path';
import { createServer, createServerModuleRunner } from 'vite';

const [file, ...rest] = process.argv.slice(2);
const server = await createServer({
  configFile: false,
  logLevel: 'error',
  appType: 'custom',
  optimizeDeps: { noDiscovery: true },
  server: { middlewareMode: true, hmr: false, ws: false, watch: null },
});
// The runner stays open until the work is done: modules may be loaded on the way.
const runner = createServerModuleRunner(server.environments.ssr, { hmr: false });
try {
  const { main } = await runner.import(resolve(file));
  process.exitCode = (await main(rest)) ?? 0;
} finally {
  await runner.close();
  await server.close();
}
