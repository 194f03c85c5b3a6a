/**
 * `npm run bench:growth -- FOLDER… [--sizes 25000,200000,1000000]`: what becomes of the index when the texts grow.
 *
 * Each size is built and asked in turn, everything eligible, in 100 compartments; beyond what the folders hold, texts are copied
 * with part of their words replaced. The exponent is that of `figure ~ artifacts^e`: 1 is in proportion, less is better.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build, filesIn } from './parts/build.js';
import { inOwnProcess } from './parts/child.js';
import { exponent, mebibytes, milliseconds } from './parts/figures.js';
import type { Layout } from './parts/pages.js';
import { readTexts, type Source, sampleQuestions } from './parts/texts.js';

const GROUPS = 100;

interface Row {
  readonly artifacts: number;
  readonly buildMs: number;
  readonly indexBytes: number;
  readonly rssBytes: number;
  readonly medianMs: number;
  readonly p95Ms: number;
}

export async function main(argv: readonly string[], child: string): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      sizes: { type: 'string', default: '25000,200000,1000000' },
      questions: { type: 'string', default: '100' },
      keep: { type: 'string' },
      json: { type: 'string' },
    },
  });
  const missing = positionals.filter((folder) => !existsSync(folder));
  if (positionals.length === 0 || missing.length > 0) {
    process.stderr.write(missing.length > 0 ? `Not there: ${missing.join(', ')}\n` : 'Name at least one BEIR folder or markdown tree.\n');
    return 2;
  }
  const { documents, questions } = readTexts(positionals);
  const texts = sampleQuestions(questions, Number(values.questions));
  const rows: Row[] = [];
  for (const size of values.sizes.split(',').map(Number)) {
    const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'colophon-growth-'));
    mkdirSync(folder, { recursive: true });
    try {
      rows.push(await measure(folder, documents, size, texts, child));
      process.stderr.write(`… ${JSON.stringify(rows.at(-1))}\n`);
    } finally {
      if (values.keep === undefined) rmSync(folder, { recursive: true, force: true });
    }
  }
  process.stdout.write(table(rows));
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(rows, null, 2)}\n`);
  return 0;
}

async function measure(
  folder: string,
  documents: readonly Source[],
  size: number,
  questions: readonly string[],
  child: string,
): Promise<Row> {
  const layout: Layout = { artifacts: size, groups: GROUPS };
  const cpu = process.cpuUsage();
  const { artifacts, built } = await build(folder, documents, layout, { fts: false });
  const { user, system } = process.cpuUsage(cpu);
  const { index } = filesIn(folder, layout);
  const task = { engine: 'colophon', file: index, groups: GROUPS, allGroups: GROUPS, rounds: 4, questions } as const;
  const { rssBytes, medianMs, p95Ms } = inOwnProcess(child, task);
  const buildMs = built.length === 0 ? Number.NaN : (user + system) / 1000;
  return { artifacts, buildMs, indexBytes: statSync(index).size, rssBytes, medianMs, p95Ms };
}

function table(rows: readonly Row[]): string {
  const exponentOf = (pick: (row: Row) => number) => exponent(rows.map((row) => ({ x: row.artifacts, y: pick(row) }))).toFixed(2);
  return [
    '| artifacts | analysis and build, processor time | index | memory of a process that answered all questions four times | median ms | p95 ms |',
    '|---|---|---|---|---|---|',
    ...rows.map(
      (row) =>
        `| ${row.artifacts} | ${(row.buildMs / 1000).toFixed(0)} s | ${mebibytes(row.indexBytes)} | ${mebibytes(row.rssBytes)} | ${milliseconds(row.medianMs)} | ${milliseconds(row.p95Ms)} |`,
    ),
    `| exponent | ${exponentOf((row) => row.buildMs)} | ${exponentOf((row) => row.indexBytes)} | ${exponentOf((row) => row.rssBytes)} | ${exponentOf((row) => row.medianMs)} | ${exponentOf((row) => row.p95Ms)} |`,
    '',
  ].join('\n');
}
