/**
 * Builds dist/: compiles src/, then joins the modules that start together into a few files. Reading three hundred small files
 * took longer than answering a question does.
 *
 * The old dist/ stays in use until the new one is whole.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';

const fresh = `.dist-${process.pid}`;
const old = `${fresh}-old`;
const modules = `${fresh}-modules`;

/** Files that something outside names: the command, the library, the threads that index and make pages. */
const ENTRIES = ['interfaces/cli/main', 'library', 'app/learn-worker', 'app/page-thread'];
/** Stay packages of their own: native code, too large to be read unless needed, or wrapped so that they cannot be joined. */
const APART = [
  /^node:/,
  /^@photostructure\//,
  /^@secretlint\//,
  /^chokidar/,
  /^gpt-tokenizer/,
  /^jsonc-parser/,
  /^@modelcontextprotocol\//,
];

try {
  execFileSync(process.execPath, ['node_modules/ts7/bin/tsc', '-p', 'tsconfig.build.json', '--outDir', modules], { stdio: 'inherit' });
  const joined = await joinModules(modules, fresh);
  cpSync(modules, fresh, { recursive: true, filter: (path) => !path.endsWith('.js') });
  writeFileSync(join(fresh, 'LICENSES.txt'), licences(joined));
  chmodSync(`${fresh}/interfaces/cli/main.js`, 0o755);
  if (existsSync('dist')) renameSync('dist', old);
  renameSync(fresh, 'dist');
} catch (error) {
  if (error.status === undefined) throw error;
  process.exitCode = 1;
} finally {
  for (const folder of [fresh, old, modules]) rmSync(folder, { recursive: true, force: true });
}

/** Returns the names of the packages whose code went in. */
async function joinModules(from, to) {
  const input = Object.fromEntries(ENTRIES.map((entry) => [entry, resolve(from, `${entry}.js`)]));
  const bundle = await rolldown({ input, platform: 'node', external: APART });
  const { output } = await bundle.write({ dir: to, format: 'esm', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' });
  const files = output.flatMap((chunk) => chunk.moduleIds ?? []);
  const names = files.flatMap((file) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []);
  return [...new Set(names)].sort();
}

/** Their licences ask that their text goes where their code goes. */
function licences(packages) {
  const parts = packages.map((name) => {
    const folder = join('node_modules', name);
    const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    return `${name} ${version} (${license})\n\n${file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim()}\n`;
  });
  return `Code of these packages is part of the files in this folder.\n\n${parts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}
