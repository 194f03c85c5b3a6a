/**
 * `npm run bench:preamble -- DIR…`: how often the right page is inside a 1,500-token preamble, ours beside ripgrep-and-truncate.
 *
 * DIR is a labelled documentation set in BEIR layout. Both see the same pages, the same questions and the same budget, in one
 * run. The difference is paired by question, with a bootstrap interval.
 */
import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readBeirFolder } from '../src/app/beir-folder.js';
import { evalRun, evaluateFolder } from '../src/app/operations/eval-run.js';
import { mean, pairedDifference } from '../src/evaluation/bootstrap.js';
import { relevantPages } from '../src/evaluation/metrics.js';
import { paste, rankFiles, searchedFile, searchWords } from './ripgrep-and-truncate.js';

const BUDGET = 1500;
const PASTES = { whole: undefined, three: 3 } as const;
type Variant = keyof typeof PASTES;

interface SetFigures {
  readonly set: string;
  readonly queries: number;
  readonly ours: ReadonlyMap<string, number>;
  readonly oursTokens: number;
  readonly baseline: Readonly<Record<Variant, ReadonlyMap<string, number>>>;
}

export async function main(argv: readonly string[]): Promise<number> {
  if (argv.length === 0) {
    process.stderr.write('Name labelled sets: npm run bench:preamble -- DIR…\n');
    return 2;
  }
  const rows: SetFigures[] = [];
  for (const folder of argv) {
    rows.push(await measure(resolve(folder)));
    process.stderr.write(`${basename(folder)} done\n`);
  }
  process.stdout.write(table(rows));
  return 0;
}

async function measure(folder: string): Promise<SetFigures> {
  const set = await readBeirFolder(folder, 'test');
  const config = configurationFor(set.name);
  const request = evalRun.input.parse({ beir: folder, ...(config === undefined ? {} : { config }) });
  const answer = await evaluateFolder(request, { signal: new AbortController().signal, progress: () => undefined });
  const ours = new Map(answer.perQuery.flatMap(({ query, delivered }) => pair(query, delivered['goldInPackage'])));

  const files = set.corpus.map(({ id, text }) => searchedFile(id, text));
  const baseline = { whole: new Map<string, number>(), three: new Map<string, number>() };
  for (const query of set.queries) {
    const gold = relevantPages(set.judgements.get(query.id) ?? new Map());
    if (gold.length === 0) continue;
    const words = searchWords(query.text);
    const ranked = rankFiles(files, words, set.ignored.get(query.id) ?? new Set());
    for (const [variant, windowsPerFile] of Object.entries(PASTES) as [Variant, number | undefined][]) {
      const { paths } = paste(ranked, words, { budgetTokens: BUDGET, windowsPerFile });
      baseline[variant].set(query.id, Number(gold.some((page) => paths.includes(page))));
    }
  }
  return { set: set.name, queries: ours.size, ours, oursTokens: answer.delivered.metrics['tokensUsed'] ?? 0, baseline };
}

/** Published path rules of a set, where it has some. */
export function configurationFor(set: string): string | undefined {
  const file = join(dirname(fileURLToPath(import.meta.url)), 'sets', `${set}.yaml`);
  return existsSync(file) ? file : undefined;
}

function pair(query: string, value: number | undefined): [string, number][] {
  return value === undefined ? [] : [[query, value]];
}

function table(rows: readonly SetFigures[]): string {
  const head = ['set', 'questions', 'colophon', 'tokens', 'rg, all windows', 'rg, 3 a file', 'gain over the better', '95 %'];
  const body = rows.map(({ set, queries, ours, oursTokens, baseline }) => {
    const shares = { whole: share(baseline.whole), three: share(baseline.three) };
    const better = shares.three > shares.whole ? baseline.three : baseline.whole;
    const gain = pairedDifference(better, ours);
    const interval = gain === undefined ? '–' : `[${figure(gain.ci95.low)}, ${figure(gain.ci95.high)}]`;
    return [
      set,
      String(queries),
      figure(share(ours)),
      oursTokens.toFixed(0),
      figure(shares.whole),
      figure(shares.three),
      figure(gain?.mean ?? 0),
      interval,
    ];
  });
  const averages = (['ours', 'whole', 'three'] as const).map((name) =>
    mean(rows.map((row) => share(name === 'ours' ? row.ours : row.baseline[name]))),
  );
  const [ours = 0, whole = 0, three = 0] = averages;
  body.push(['mean of sets', '', figure(ours), '', figure(whole), figure(three), figure(ours - Math.max(whole, three)), '']);
  return [head, head.map(() => '---'), ...body].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

function share(values: ReadonlyMap<string, number>): number {
  return mean([...values.values()]);
}

function figure(value: number): string {
  return value.toFixed(3);
}
