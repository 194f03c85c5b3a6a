/**
 * A process of its own for what only a process can show: what the first answer costs when nothing is decoded, and what memory
 * many answers take. Started by the bench; prints one line of JSON.
 *
 * `ENGINE FILE GROUPS ALL-GROUPS ROUNDS QUESTION…`. ROUNDS 0 opens, asks the first question and stops.
 */
import { Colophon } from './parts/colophon.js';
import { type Contender, questionOf } from './parts/contender.js';
import { quantile } from './parts/figures.js';
import { Fts5, type Fts5Form } from './parts/fts5.js';

export interface ProcessFigures {
  readonly firstMs: number;
  readonly firstCpuMs: number;
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly rssBytes: number;
  readonly emptyRssBytes: number;
}

async function run([
  engine = '',
  file = '',
  groups = '',
  allGroups = '',
  rounds = '',
  ...texts
]: readonly string[]): Promise<ProcessFigures> {
  const questions = texts.map((text) => questionOf(text, 'content words'));
  const emptyRssBytes = process.memoryUsage.rss();
  const cpu = process.cpuUsage();
  const started = performance.now();
  const contender: Contender = engine === 'colophon' ? new Colophon(file) : new Fts5(file, engine as Fts5Form, Number(allGroups));
  const [first] = questions;
  if (first !== undefined) await contender.ask(first, Number(groups));
  const firstMs = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  const took: number[] = [];
  for (let round = 0; round < Number(rounds); round++) {
    for (const question of questions) {
      const from = performance.now();
      await contender.ask(question, Number(groups));
      if (round > 0) took.push(performance.now() - from);
    }
  }
  const rssBytes = process.memoryUsage.rss();
  await contender.close();
  return {
    firstMs,
    firstCpuMs: (user + system) / 1000,
    medianMs: quantile(took, 0.5),
    p95Ms: quantile(took, 0.95),
    rssBytes,
    emptyRssBytes,
  };
}

if (process.env['COLOPHON_BENCH_CHILD'] === '1') {
  process.stdout.write(`${JSON.stringify(await run(process.argv.slice(2)))}\n`);
}
