/**
 * `npm run cases -- DIR [--only id,…] [--json] [--jobs N]`: runs every case below a folder and says what failed and why.
 *
 * Ends with the line `N passed, N failed, N skipped`; exits 1 when one failed, 2 when there was nothing to run.
 */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { loadCases } from './case-file.js';
import { type Outcome, runCases } from './run-case.js';

export const MAIN = resolve(dirname(fileURLToPath(import.meta.url)), '../../dist/interfaces/cli/main.js');

export async function main(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      only: { type: 'string' },
      json: { type: 'boolean' },
      jobs: { type: 'string', default: '2' },
      main: { type: 'string', default: MAIN },
    },
  });
  const [folder] = positionals;
  if (folder === undefined || !existsSync(folder)) return complain('Name a folder of cases: npm run cases -- DIR [--only id,…] [--json]');
  const command = resolve(values.main);
  if (!existsSync(command)) return complain(`${command} is not there. Run \`npm run build\` first.`);
  const only = values.only === undefined ? undefined : new Set(values.only.split(',').map((id) => id.trim()));
  const files = loadCases(resolve(folder), only);
  if (files.length === 0)
    return complain(`${join(folder, '*', 'case.json')}: no case${only === undefined ? '' : ` called ${[...only].join(', ')}`}.`);

  const outcomes = await runCases(files, command, Math.max(1, Number(values.jobs)), values.json ? undefined : print);
  const count = (result: Outcome['result']) => outcomes.filter((outcome) => outcome.result === result).length;
  const totals = { passed: count('passed'), failed: count('failed'), skipped: count('skipped') };
  if (values.json) process.stdout.write(`${JSON.stringify({ ...totals, cases: outcomes }, undefined, 2)}\n`);
  else {
    for (const { id, findings } of outcomes.filter(({ result }) => result === 'skipped')) say(`NOT RUN: ${id}: ${findings.join('; ')}`);
    say(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
  }
  return totals.failed > 0 ? 1 : 0;
}

function print({ id, area, result, findings, elapsedMs }: Outcome): void {
  const mark = { passed: 'ok', failed: 'FAILED', skipped: 'SKIPPED' }[result];
  say(`${mark.padEnd(8)} ${id.padEnd(28)} ${area.padEnd(12)} ${String(elapsedMs).padStart(6)} ms`);
  if (result !== 'passed') for (const finding of findings) say(`         - ${finding}`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function complain(message: string): number {
  process.stderr.write(`${message}\n`);
  return 2;
}
