/**
 * Packs the project, installs the tarball in an empty folder, and asks a question with each Node binary named on the command line
 * (default: the one running). Prints one line per check and ends with `N passed, N failed`.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const nodes = process.argv.slice(2).length > 0 ? process.argv.slice(2) : [process.execPath];
const folder = mkdtempSync(join(tmpdir(), 'colophon-package-'));
let passed = 0;
let failed = 0;
const check = (name, holds, detail = '') => {
  if (holds) passed += 1;
  else failed += 1;
  process.stdout.write(`${holds ? 'ok  ' : 'FAIL'} ${name}${holds || detail === '' ? '' : `: ${detail.slice(0, 600)}`}\n`);
};

try {
  const tarball = resolve(
    folder,
    JSON.parse(
      execFileSync('npm', ['pack', '--json', '--pack-destination', folder], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }),
    )[0].filename,
  );
  writeFileSync(join(folder, 'package.json'), '{ "name": "empty", "private": true }\n');
  const install = spawnSync('npm', ['install', '--no-audit', '--no-fund', tarball], { cwd: folder, encoding: 'utf8' });
  check('npm install of the tarball', install.status === 0, install.stderr);
  check('no compiler ran', !/gyp info|node-gyp rebuild\b.*ok|make(\[\d\])?:/.test(install.stdout + install.stderr), install.stderr);
  const main = join(folder, 'node_modules/colophon/dist/interfaces/cli/main.js');
  const handbook = join(folder, 'node_modules/colophon/examples/handbook');
  const { version } = JSON.parse(readFileSync(join(folder, 'node_modules/colophon/package.json'), 'utf8'));
  for (const node of nodes) {
    const home = mkdtempSync(join(folder, 'home-'));
    const run = (args, input) =>
      spawnSync(node, [main, ...args], {
        encoding: 'utf8',
        cwd: folder,
        env: { ...process.env, COLOPHON_HOME: home },
        input,
        timeout: 120_000,
      });
    const label = `Node ${spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim()}`;
    const told = run(['--version']);
    check(`${label}: --version`, told.stdout.trim() === version, told.stderr);
    const answer = run([join(handbook, 'people'), 'how many unused days of leave may I carry over', '--json']);
    let packageBody;
    try {
      packageBody = JSON.parse(answer.stdout);
    } catch {
      packageBody = { status: 'unreadable' };
    }
    check(
      `${label}: a folder and a question`,
      packageBody.status === 'frozen' && packageBody.items[0].path === 'leave.md',
      answer.stderr + answer.stdout,
    );
    const found = run(['--root', join(handbook, 'people'), 'search', 'ERR-EXP-60', '--json']);
    check(`${label}: search by error code`, found.status === 0 && JSON.parse(found.stdout).hits[0].path === 'expenses.md', found.stderr);
    const known = run(['--root', join(handbook, 'people'), 'models', 'list', '--json']);
    const shipped = known.status === 0 ? JSON.parse(known.stdout).models.filter(({ origin }) => origin === 'shipped') : [];
    check(`${label}: shipped models`, shipped.length >= 20, known.stderr);
    const frames = [
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'check', version: '0' } },
      },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'tools/list' },
    ];
    const server = run(['--root', join(handbook, 'people'), 'mcp'], `${frames.map((frame) => JSON.stringify(frame)).join('\n')}\n`);
    const ids = server.stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line).id);
    check(`${label}: mcp over stdio`, ids.includes(1) && ids.includes(2), server.stderr);
    const script = join(folder, `library-${nodes.indexOf(node)}.mjs`);
    writeFileSync(
      script,
      `import { openLibrary } from 'colophon';\nconst library = await openLibrary({ root: ${JSON.stringify(join(handbook, 'people'))} });\nconst { hits } = await library.search({ query: 'duty desk extension' });\nawait library.close();\nprocess.stdout.write(hits[0].path);\n`,
    );
    const embedded = spawnSync(node, [script], { encoding: 'utf8', cwd: folder, env: { ...process.env, COLOPHON_HOME: home } });
    check(`${label}: library API`, embedded.stdout === 'sick-days.md', embedded.stderr + embedded.stdout);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
