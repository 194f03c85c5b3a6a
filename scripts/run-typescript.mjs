/** Runs one TypeScript file of tests/ or bench/ from its source: `node scripts/run-typescript.mjs FILE [arguments]`. */
import { resolve } from 'node:path';
import { runnerImport } from 'vite';

const [file, ...rest] = process.argv.slice(2);
process.argv = [process.argv[0], resolve(file), ...rest];
const { module } = await runnerImport(resolve(file), { configFile: false, logLevel: 'error' });
process.exitCode = (await module.main(rest)) ?? 0;
