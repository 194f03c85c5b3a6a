/**
 * `npm run bench:retrieval -- DIR…`: how well we rank and when we stay silent, over many labelled sets in one run.
 *
 * Ranking stands beside FTS5, MiniSearch and BM25 over whole pages (k1 1.2, b 0.75), with how often an archived page is among the first five. Silence is measured on every question as it is, on the same with its
 * right pages taken away (hard), and on questions about something else (foreign ones of ours, and some of each other set). The floor
 * is chosen for each set on the other sets alone, and for all sets as the policy should have it. Everything is the same in two runs.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Asker, askerOf } from '../src/app/evaluation/asking.js';
import { readBeirFolder } from '../src/app/evaluation/beir-folder.js';
import { openLabelledSet } from '../src/app/evaluation/set.js';
import { DEFAULT_RANKING } from '../src/domain/ranking-policy.js';
import type { BeirSet } from '../src/evaluation/beir.js';
import type { Evidence, Observation } from '../src/evaluation/calibration.js';
import { FOREIGN_QUESTIONS } from '../src/evaluation/foreign-questions.js';
import { relevantPages } from '../src/evaluation/metrics.js';
import type { Question } from '../src/evaluation/question.js';
import { drawLibraries } from './parts/draw-libraries.js';
import { rankAll } from './parts/rank-all.js';
import { setConfigurationFor } from './parts/set-configuration.js';
import { floorTable, rankingTable, type SetFigures, silenceTable, staleTable } from './retrieval-figures.js';

const MOST_LOST = 0.03;
/** Questions taken of each other set. */
const OF_EACH_OTHER = 10;

export async function main(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      questions: { type: 'string' },
      small: { type: 'string', default: '3' },
      json: { type: 'string' },
      cache: { type: 'string' },
    },
  });
  if (positionals.length === 0) {
    process.stderr.write('Name labelled sets: npm run bench:retrieval -- DIR…\n');
    return 2;
  }
  const limit = values.questions === undefined ? undefined : Number(values.questions);
  const sets = await Promise.all(positionals.map((folder) => readBeirFolder(resolve(folder), 'test')));
  const measured: SetFigures[] = [];
  const work = mkdtempSync(join(tmpdir(), 'colophon-drawn-'));
  try {
    for (const [at, set] of sets.entries()) {
      const others = sets.filter((other) => other !== set).flatMap(sampled);
      const whole = { folder: resolve(positionals[at] ?? ''), of: set.name, size: 'whole', limit, cache: values.cache, others } as const;
      measured.push(await measure({ ...whole, peers: set }));
      for (const { size, folder } of drawLibraries(set, Number(values.small), work))
        measured.push(await measure({ folder, of: set.name, size: String(size), limit, others }));
      // A long run that is stopped has kept what it found.
      if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(measured)}\n`);
      process.stderr.write(`${set.name} done\n`);
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  const { strength } = DEFAULT_RANKING.floor;
  process.stdout.write(
    [rankingTable(measured), staleTable(measured), silenceTable(measured, strength), floorTable(measured, MOST_LOST, strength)].join('\n'),
  );
  return 0;
}

function sampled({ queries }: BeirSet): readonly string[] {
  const step = queries.length / OF_EACH_OTHER;
  return Array.from({ length: Math.min(OF_EACH_OTHER, queries.length) }, (_, at) => queries[Math.floor((at + 0.5) * step)]?.text ?? '');
}

interface Task {
  readonly folder: string;
  /** The set it is, or was drawn from. */
  readonly of: string;
  readonly size: string;
  readonly limit: number | undefined;
  readonly cache?: string | undefined;
  readonly others: readonly string[];
  /** Ranked by others too. */
  readonly peers?: BeirSet;
}

async function measure({ folder, of, size, limit, cache, others, peers }: Task): Promise<SetFigures> {
  const signal = new AbortController().signal;
  const set = await openLabelledSet({ beir: folder, config: setConfigurationFor(folder), cache }, { signal, progress: () => undefined });
  try {
    const asker = askerOf(set, signal);
    const answerable = spread(
      set.questions.filter(({ grades }) => relevantPages(grades).length > 0),
      limit,
    );
    const evidence: Evidence = {
      answered: await observed(asker, answerable),
      hard: await observed(asker, answerable.map(withoutAnswer)),
      foreign: await observed(asker, FOREIGN_QUESTIONS.map(unanswerable)),
    };
    const easy = await observed(asker, others.map(unanswerable));
    const ranked = peers === undefined ? [] : await rankAll(asker, answerable, peers, folder);
    const delivered = peers === undefined ? [] : await packages(asker, answerable);
    return { set: of, size, evidence, easy, ranked, delivered };
  } finally {
    await set.close();
  }
}

async function packages(asker: Asker, questions: readonly Question[]): Promise<SetFigures['delivered']> {
  const delivered: SetFigures['delivered'][number][] = [];
  for (const question of questions) {
    const { status, items } = await asker.deliver(question);
    delivered.push({ silent: status === 'no_context', gold: items.some(({ page }) => (question.grades.get(page) ?? 0) > 0) });
  }
  return delivered;
}

async function observed(asker: Asker, questions: readonly Question[]): Promise<Observation[]> {
  const seen: Observation[] = [];
  for (const question of questions) {
    const { strength, found } = await asker.evidence(question);
    seen.push({ strength, found });
  }
  return seen;
}

function withoutAnswer(question: Question): Question {
  return { ...question, absent: new Set([...question.absent, ...relevantPages(question.grades)]), grades: new Map() };
}

function unanswerable(text: string, at: number): Question {
  const none = new Set<string>();
  return { id: `foreign-${at + 1}`, text, slices: {}, grades: new Map(), absent: none, never: none, against: none, ask: {} };
}

/** As many as wanted, evenly from the whole row. */
function spread<T>(row: readonly T[], wanted: number | undefined): readonly T[] {
  if (wanted === undefined || row.length <= wanted) return row;
  return Array.from({ length: wanted }, (_, at) => row[Math.floor((at * row.length) / wanted)]).filter((each) => each !== undefined);
}
