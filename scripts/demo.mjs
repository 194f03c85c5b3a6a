/**
 * A few questions, asked for real: `npm run demo [FOLDER] ["question"]`. Without a folder, the documentation that came with npm.
 * Keeps its state in a temporary folder and leaves nothing behind.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const main = join(root, 'dist/interfaces/cli/main.js');
const home = mkdtempSync(join(tmpdir(), 'colophon-demo-'));
const [named, question] = process.argv.slice(2);
const folder = named ?? npmDocumentation();

try {
  if (!existsSync(main)) execFileSync(process.execPath, [join(root, 'scripts/build.mjs')], { cwd: root, stdio: 'inherit' });
  if (folder === undefined) say('npm came without its documentation here; name a folder: npm run demo -- ./docs');
  else if (named !== undefined && !statSync(named, { throwIfNoEntry: false })?.isDirectory()) {
    process.stderr.write(`${named}: there is no such folder. Name a folder of documents: npm run demo -- ./docs "your question"\n`);
    process.exitCode = 2;
  } else {
    const asked = question ?? (named === undefined ? 'how do I publish a scoped package publicly?' : titleIn(named));
    if (asked === undefined) {
      say('A folder of documents. There is no page in it to ask about.');
      run(folder);
    } else {
      say('A folder of documents, and a question. Nothing is configured.');
      run(folder, asked);
      say('The same question again, now that there is an index.');
      run(folder, asked, '--json', '--quiet');
    }
  }
  if (process.exitCode !== 2) showHandbook(join(root, 'examples/handbook'));
} finally {
  rmSync(home, { recursive: true, force: true });
}

function showHandbook(handbook) {
  say('A handbook of two companies. The policy of 2023 was superseded, so it stays out, and says why.');
  run(handbook, 'how many days of leave may I carry over?', '--tenant', 'ferries');
  say('Why is the old policy not in it?');
  run('why-not', 'archive/leave-2023.md', '--root', handbook, '--tenant', 'ferries');
  say('Two companies, one question. Each is told what is its own, and nothing of the other.');
  run('context', 'whom do I call at night?', '--root', handbook, '--tenant', 'ferries');
  run('context', 'whom do I call at night?', '--root', handbook, '--tenant', 'clinic');
  say('A page nobody vouches for is fenced, and the package says so.');
  run('context', 'travel tips for the ferry', '--root', handbook, '--tenant', 'ferries');
}

/** What the first page of a folder calls itself: a question the folder can answer, whatever it is about. */
function titleIn(place) {
  const page = firstPage([place]);
  if (page === undefined) return undefined;
  const heading = /^(?:title:|#)[ \t]+["']?(.*?)["'#\s]*$/m.exec(readFileSync(page, 'utf8'))?.[1];
  return (
    heading ||
    basename(page)
      .replace(/\.\w+$/, '')
      .replaceAll(/[-_]+/g, ' ')
  );
}

/** Breadth first, by name. */
function firstPage(folders) {
  const below = [];
  for (const place of folders) {
    const entries = readdirSync(place, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
    const page = entries.find((each) => each.isFile() && /\.(?:md|mdx|markdown|mdown|txt)$/i.test(each.name));
    if (page !== undefined) return join(place, page.name);
    const inner = entries.filter((each) => each.isDirectory() && !/^(?:\.|node_modules$)/.test(each.name));
    below.push(...inner.map((each) => join(place, each.name)));
  }
  return below.length === 0 ? undefined : firstPage(below);
}

function run(...args) {
  const shown = args.map((arg) =>
    /[\s?]/.test(arg) ? JSON.stringify(arg) : arg.startsWith('/') ? relative(process.cwd(), arg) || '.' : arg,
  );
  const startedAt = performance.now();
  const json = args.includes('--json');
  process.stdout.write(`\n$ colophon ${shown.join(' ')}\n`);
  const done = spawnSync(process.execPath, [main, ...args], {
    env: { ...process.env, COLOPHON_HOME: home },
    encoding: 'utf8',
    stdio: ['ignore', json ? 'pipe' : 'inherit', 'inherit'],
  });
  if (json && done.stdout) {
    const { status, budget, items, digest } = JSON.parse(done.stdout);
    process.stdout.write(
      `${status}: ${items.length} passages, ${budget.used} of ${budget.ceiling} tokens, package ${digest.slice(0, 12)}\n`,
    );
  }
  process.stdout.write(`(${((performance.now() - startedAt) / 1000).toFixed(1)} s)\n`);
  if (done.status !== 0 && done.status !== 1) process.exitCode = 1;
}

function say(text) {
  process.stdout.write(`\n# ${text}\n`);
}

function npmDocumentation() {
  const roots = [
    join(dirname(process.execPath), '../lib/node_modules'),
    join(dirname(process.execPath), 'node_modules'),
    '/usr/share/nodejs',
  ];
  const asked = spawnSync('npm', ['root', '--global'], { encoding: 'utf8', shell: process.platform === 'win32' });
  if (asked.status === 0) roots.unshift(asked.stdout.trim());
  return roots.map((each) => join(each, 'npm/docs/content')).find((each) => existsSync(each));
}
