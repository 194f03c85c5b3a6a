/**
 * `npm run bench:start-up -- [--pages N | --folder DIR] [--rounds N] [--node FILE]…`: what a person waits for, as ratios.
 *
 * A cold start indexes the folder and answers; the second question only answers; the hook is what a prompt waits for. Each
 * stands beside `node -e 0` of the same binary in the same round, because absolute times move with the machine.
 */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const MAIN = resolve(dirname(fileURLToPath(import.meta.url)), '../dist/interfaces/cli/main.js');
const QUESTION = 'how are the pumps of the lower basin drained';

interface Timing {
  readonly name: string;
  readonly ms: readonly number[];
}

export function main(argv: readonly string[]): number {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      pages: { type: 'string', default: '1000' },
      rounds: { type: 'string', default: '7' },
      folder: { type: 'string' },
      node: { type: 'string', multiple: true, default: [process.execPath] },
    },
  });
  if (!existsSync(MAIN)) {
    process.stderr.write('dist/ is not there. Run `npm run build` first.\n');
    return 2;
  }
  const base = mkdtempSync(join(tmpdir(), 'colophon-bench-'));
  try {
    const folder = values.folder === undefined ? writePages(base, Number(values.pages)) : resolve(values.folder);
    for (const node of values.node) report(node, measure(node, base, folder, Math.max(1, Number(values.rounds))));
    return 0;
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

function measure(node: string, base: string, folder: string, rounds: number): Timing[] {
  const timings = new Map<string, number[]>();
  const time = (name: string, args: readonly string[], home: string, input = '') => {
    const startedAt = performance.now();
    const run = spawnSync(node, args, { input, encoding: 'utf8', env: { ...process.env, COLOPHON_HOME: home, NO_COLOR: '1' } });
    const ms = performance.now() - startedAt;
    refuseFailure(name, run);
    timings.set(name, [...(timings.get(name) ?? []), ms]);
  };
  const event = JSON.stringify({ hook_event_name: 'UserPromptSubmit', session_id: 's', prompt: QUESTION, cwd: folder });
  for (let round = 0; round < rounds; round += 1) {
    const home = join(base, `home-${round}`);
    time('node -e 0', ['-e', '0'], home);
    if (round < 3) time('cold start: index and answer', [MAIN, folder, QUESTION], home);
    else spawnSync(node, [MAIN, 'index', folder], { env: { ...process.env, COLOPHON_HOME: home } });
    time('second question', [MAIN, folder, QUESTION], home);
    time('search', [MAIN, 'search', '--root', folder, QUESTION], home);
    time('prompt hook', [MAIN, 'hook', 'claude-code', folder], home, event);
    time('--version', [MAIN, '--version'], home);
  }
  return [...timings].map(([name, ms]) => ({ name, ms }));
}

function refuseFailure(name: string, run: SpawnSyncReturns<string>): void {
  if (run.status !== 0 && run.status !== 1) throw new Error(`${name} ended with ${run.status ?? run.signal}: ${run.stderr.slice(0, 400)}`);
}

function report(node: string, timings: readonly Timing[]): void {
  const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
  const floor = median(timings.find(({ name }) => name === 'node -e 0')?.ms ?? []);
  process.stdout.write(`Node ${version}\n| what | median ms | slowest ms | × node -e 0 |\n| --- | --- | --- | --- |\n`);
  for (const { name, ms } of timings) {
    process.stdout.write(`| ${name} | ${median(ms).toFixed(0)} | ${Math.max(...ms).toFixed(0)} | ${(median(ms) / floor).toFixed(1)} |\n`);
  }
  process.stdout.write('\n');
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

const NOUNS = [
  'pump',
  'basin',
  'sluice',
  'valve',
  'gauge',
  'boiler',
  'winch',
  'lock',
  'gate',
  'turbine',
  'filter',
  'hose',
  'drain',
  'tank',
  'weir',
  'beacon',
];
const VERBS = ['drained', 'cleaned', 'painted', 'inspected', 'closed', 'opened', 'measured', 'replaced', 'greased', 'sealed'];

/** Pages of a few sections, different enough that words have different weights; the same every time. */
function writePages(base: string, count: number): string {
  const folder = join(base, 'pages');
  mkdirSync(folder);
  let state = 12_345;
  const pick = <T>(from: readonly T[]): T => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    const item = from[Math.floor((state / 0x1_0000_0000) * from.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  };
  for (let page = 0; page < count; page += 1) {
    const sections = Array.from({ length: 4 }, (_, index) => {
      const sentences = Array.from(
        { length: 8 },
        () =>
          `The ${pick(NOUNS)} of the ${pick(['upper', 'lower'])} ${pick(NOUNS)} is ${pick(VERBS)} every ${pick(['day', 'week', 'month'])}.`,
      );
      return `## Section ${index + 1}: ${pick(NOUNS)} ${page}\n\n${sentences.join(' ')}\n`;
    });
    writeFileSync(join(folder, `page-${page}.md`), `# The ${pick(NOUNS)} ${page}\n\n${sections.join('\n')}`);
  }
  return folder;
}
