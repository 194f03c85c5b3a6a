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

/** Files that something outside names: the command, the library, the threads that index, make pages and answer. */
const ENTRIES = ['interfaces/cli/main', 'library', 'app/learning/learn-worker', 'app/learning/page-thread', 'app/asking/answer-thread'];
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

/**
 * What starts together stands in one file: to find, read and link sixty takes longer than to answer. `shell` is what every verb
 * runs through, `asking` and `store` what every question does. What `--version` needs, and what only some verbs do, stays apart.
 */
const TOGETHER = {
  version: ['-modules/app/package-(?:version|root)\\.js', '-modules/kernel/errors\\.js'],
  shell: [
    '-modules/kernel/',
    '-modules/domain/(?:classification|model-profile|ranking-policy|requester|source|context-policy)\\.js',
    '-modules/app/(?:identity|library|personal|state-folder|learning/ensure-indexed|container|duration)\\.js',
    '-modules/app/configuration/(?:config|registration)\\.js',
    '-modules/adapters/(?:models/|secrets/scanner-version)',
    '-modules/app/(?:audit/(?!verify)|access/local-key|file-lock)',
    '-modules/interfaces/cli/(?!main\\.js|commands/|render|text-layout|explain|request-file|tool-hook)',
    '-modules/interfaces/cli/commands/all\\.js',
    'node_modules/(?:commander|picocolors|canonicalize)/',
  ],
  schemas: ['node_modules/zod/'],
  asking: [
    '-modules/(?:ports|retrieval)/',
    '-modules/engine/(?!merge-segments)',
    '-modules/domain/(?!source-moves|signed-approval|artifact-moves)',
    '-modules/context/(?!explain|diff|citations|package-schema|verify-package|bundle|bill-of)',
    '-modules/text/(?:analyze|characters|chunk-memory|cut-chunk|fold|stop-words|term-namespaces|sanitize|tokens|token-|piece-bound|run-costs|units)',
    '-modules/app/(?:asking/asking|learning/changed-on-disk|mask-secrets|vocabulary/current-vocabulary)\\.js',
    '-modules/app/operations/(?:catalogue|context|paging|scope|search|wire)\\.js',
    '-modules/interfaces/cli/commands/(?:context|search)\\.js',
    '-modules/interfaces/cli/(?:render-(?!evaluation)|text-layout)',
    '-modules/adapters/connectors/(?:disk/(?!watch)|directory/)',
    'node_modules/(?:picomatch|stemmer|ignore)/',
  ],
  store: ['-modules/adapters/stores/sqlite/(?!index-writer|page-filing|page-packing|index-lease|segment-compaction)'],
};
const GROUPS = Object.entries(TOGETHER).map(([name, parts], at) => ({ name, test: new RegExp(parts.join('|')), priority: 9 - at }));

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
  const bundle = await rolldown({
    input,
    platform: 'node',
    external: APART,
    preserveEntrySignatures: 'allow-extension',
    // An operation is loaded when its verb is named; where it lies does not matter.
    checks: { ineffectiveDynamicImport: false },
  });
  const { output } = await bundle.write({
    dir: to,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].mjs',
    codeSplitting: { groups: GROUPS },
  });
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
