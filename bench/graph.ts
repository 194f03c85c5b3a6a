/**
 * `npm run bench:graph -- DIR… [--questions N]`: what would following the links of the best pages add to the ranking?
 *
 * Each question is ranked as always. Then part of the score of the best pages goes along the links that authors wrote and the pages
 * they name as related, over one link, over two, or as a personalised PageRank, and the order is measured again. Questions with
 * several right pages have figures of their own: there a page that words miss could be found through one that they find. Everything
 * is the same in two runs.
 */
import { basename, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openDoor, retrieveFor } from '../src/app/asking/asking.js';
import { askerOf, exclusionsOf } from '../src/app/evaluation/asking.js';
import { type LabelledSet, openLabelledSet } from '../src/app/evaluation/set.js';
import { BOOTSTRAP, below, generator, mean, pairedDifference, quantile } from '../src/evaluation/bootstrap.js';
import { ndcgAt, recallAt, relevantPages } from '../src/evaluation/metrics.js';
import type { Question } from '../src/evaluation/question.js';
import { setConfigurationFor } from './parts/set-configuration.js';
import { type Arm, type Graph, linksBetween, type Scored, spreadOver } from './parts/spread.js';

const WAYS = ['one link', 'two links', 'pagerank'] as const;
const DIRECTIONS = ['out', 'in', 'both'] as const;
const WEIGHTS = [0.02, 0.05, 0.15] as const;
const PASSAGES = 400;
const DEPTH = 10;
/** Looked at from the best five pages. */
const NEAR = { seeds: 5, links: 2 } as const;

interface Ranked {
  readonly question: Question;
  readonly order: readonly Scored[];
}

interface Row {
  readonly set: string;
  readonly arm: string;
  readonly ndcg: ReadonlyMap<string, number>;
  readonly recall: ReadonlyMap<string, number>;
  /** Of questions with several right pages. */
  readonly several: ReadonlyMap<string, number>;
}

interface Reach {
  readonly set: string;
  readonly pages: number;
  readonly links: number;
  readonly questions: number;
  /** Questions with a right page that is not among the first ten. */
  readonly missed: number;
  /** Of these, how many are one or two links from one of the first five. */
  readonly near: readonly number[];
}

export async function main(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...argv], allowPositionals: true, options: { questions: { type: 'string' } } });
  if (positionals.length === 0) {
    process.stderr.write('Name labelled sets: npm run bench:graph -- DIR…\n');
    return 2;
  }
  const rows: Row[] = [];
  const reaches: Reach[] = [];
  for (const folder of positionals) {
    const limit = values.questions === undefined ? undefined : Number(values.questions);
    const measured = await measure(resolve(folder), limit);
    rows.push(...measured.rows);
    reaches.push(measured.reach);
    process.stderr.write(`${basename(folder)} done\n`);
  }
  process.stdout.write(`${reachTable(reaches)}\n${armTable(rows)}\n${halves(rows)}`);
  return 0;
}

async function measure(folder: string, limitQueries: number | undefined) {
  const signal = new AbortController().signal;
  const set = await openLabelledSet(
    { beir: folder, config: setConfigurationFor(folder), limitQueries },
    { signal, progress: () => undefined },
  );
  try {
    const questions = set.questions.filter(({ grades }) => relevantPages(grades).length > 0);
    const graphs = await graphsOf(set, questions[0], signal);
    const ranked: Ranked[] = [];
    for (const question of questions) ranked.push({ question, order: await orderOf(set, question, signal) });
    const rows = [
      figuresOf(set.name, 'as it is', ranked),
      ...arms().map((arm) =>
        figuresOf(
          set.name,
          arm.name,
          ranked.map(({ question, order }) => ({ question, order: spreadOver(order, graphs[arm.along], arm, question.absent) })),
        ),
      ),
    ];
    return { rows, reach: reachOf(set, graphs.both, ranked) };
  } finally {
    await set.close();
  }
}

function arms(): readonly Arm[] {
  return WAYS.flatMap((way) =>
    DIRECTIONS.flatMap((along) => WEIGHTS.map((weight) => ({ name: `${way}, ${along}, ${weight}`, way, along, weight }))),
  );
}

/** Links between pages that the asker of the set may read; what a page names as related is among its links. */
async function graphsOf(set: LabelledSet, like: Question | undefined, signal: AbortSignal): Promise<Record<Arm['along'], Graph>> {
  const out = new Map<string, Set<string>>();
  const into = new Map<string, Set<string>>();
  const link = (from: string, to: string) => {
    if (from === to) return;
    out.set(from, (out.get(from) ?? new Set()).add(to));
    into.set(to, (into.get(to) ?? new Set()).add(from));
  };
  if (like !== undefined) {
    const door = await openDoor(askerOf(set, signal).callFor(like));
    try {
      const pages = await door.snapshot.pages(door.eligible, {}, { limit: Number.MAX_SAFE_INTEGER });
      for (const page of pages) {
        const from = set.pageId(page);
        for (const { to } of await door.snapshot.links(door.eligible, page)) if (to !== undefined) link(from, set.pageId(to));
      }
    } finally {
      await door.snapshot.close();
    }
  }
  const listed = (links: ReadonlyMap<string, ReadonlySet<string>>): Graph =>
    new Map([...links].map(([page, to]) => [page, [...to].sort()]));
  const both = new Map([...out].map(([page, to]) => [page, new Set(to)]));
  for (const [page, from] of into) both.set(page, new Set([...(both.get(page) ?? []), ...from]));
  return { out: listed(out), in: listed(into), both: listed(both) };
}

async function orderOf(set: LabelledSet, question: Question, signal: AbortSignal): Promise<readonly Scored[]> {
  const scope = { exclude: exclusionsOf(question, set) };
  const asked = { text: question.text, scope, limit: PASSAGES, mode: 'any', purpose: 'ranking' } as const;
  const { retrieved, snapshot } = await retrieveFor(askerOf(set, signal).callFor(question), asked);
  await snapshot.close();
  const pages = new Map<string, number>();
  for (const { page, score } of retrieved.candidates) {
    const id = set.pageId(page);
    if (!pages.has(id) && !question.absent.has(id)) pages.set(id, score);
  }
  return [...pages].map(([page, score]) => ({ page, score }));
}

function figuresOf(set: string, arm: string, ranked: readonly Ranked[]): Row {
  const figures = (of: (order: readonly string[], question: Question) => number | undefined, among: readonly Ranked[]) =>
    new Map(
      among.map(({ question, order }) => [
        question.id,
        of(
          order.map(({ page }) => page),
          question,
        ) ?? 0,
      ]),
    );
  const several = ranked.filter(({ question }) => relevantPages(question.grades).length > 1);
  const recall = (order: readonly string[], { grades }: Question) => recallAt(order, grades, DEPTH);
  return {
    set,
    arm,
    ndcg: figures((order, { grades }) => ndcgAt(order, grades, DEPTH), ranked),
    recall: figures(recall, ranked),
    several: figures(recall, several),
  };
}

function reachOf(set: LabelledSet, graph: Graph, ranked: readonly Ranked[]): Reach {
  const missed = ranked.flatMap(({ question, order }) => {
    const first = order.slice(0, DEPTH).map(({ page }) => page);
    const gone = relevantPages(question.grades).filter((page) => !first.includes(page));
    return gone.length === 0 ? [] : [linksBetween(first.slice(0, NEAR.seeds), new Set(gone), graph, NEAR.links)];
  });
  return {
    set: set.name,
    pages: set.pages,
    links: [...graph.values()].reduce((sum, { length }) => sum + length, 0) / 2,
    questions: ranked.length,
    missed: missed.length,
    near: Array.from({ length: NEAR.links }, (_, at) => missed.filter((links) => links === at + 1).length),
  };
}

function reachTable(reaches: readonly Reach[]): string {
  const head = ['set', 'pages', 'linked pairs', 'questions', 'a right page missed in the first 10', '1 link from the first 5', '2 links'];
  return table(
    head,
    reaches.map(({ set, pages, links, questions, missed, near }) =>
      [set, pages, Math.round(links), questions, missed, ...near].map(String),
    ),
  );
}

/** Mean over sets of the paired differences, and each set's own. */
function armTable(rows: readonly Row[]): string {
  const sets = [...new Set(rows.map(({ set }) => set))];
  const bases = new Map(rows.filter(({ arm }) => arm === 'as it is').map((row) => [row.set, row]));
  const names = [...new Set(rows.map(({ arm }) => arm))];
  const delta = (row: Row | undefined, of: 'ndcg' | 'recall' | 'several') => {
    const base = row === undefined ? undefined : bases.get(row.set);
    return row === undefined || base === undefined ? undefined : pairedDifference(base[of], row[of]);
  };
  const lines = names.map((arm) => {
    const own = sets.map((set) => rows.find((row) => row.set === set && row.arm === arm));
    if (arm === 'as it is') {
      const shown = own.map((row) => mean([...(row?.ndcg.values() ?? [])]));
      return [arm, ...[...shown, mean(shown)].map((value) => value.toFixed(3)), meanRecall(own, 'recall'), meanRecall(own, 'several')];
    }
    const changes = own.map((row) => delta(row, 'ndcg'));
    const cells = changes.map((each) =>
      each === undefined ? '' : `${signed(each.mean)}${each.ci95.low > 0 || each.ci95.high < 0 ? '*' : ''}`,
    );
    const gains = own.flatMap((row) => (row === undefined ? [] : [gainsOf(row, bases.get(row.set))]));
    const meanOf = (of: 'ndcg' | 'recall' | 'several') => {
      const means = own.flatMap((row) => delta(row, of)?.mean ?? []);
      return means.length === 0 ? '' : signed(mean(means));
    };
    return [arm, ...cells, `${meanOf('ndcg')} ${range(pooled(gains, 0.05))}`, meanOf('recall'), meanOf('several')];
  });
  const head = ['nDCG@10; changes, * clear of zero', ...sets, 'mean, 95 %', 'recall@10, mean', 'of questions with several right pages'];
  return table(head, lines);
}

type Gains = readonly number[];

/** Question by question, in the order of the set. */
function gainsOf(row: Row, base: Row | undefined): Gains {
  return [...row.ndcg].map(([id, value]) => value - (base?.ndcg.get(id) ?? value));
}

/** Of the mean over sets; questions are drawn anew within each set. */
function pooled(sets: readonly Gains[], alpha: number): { readonly low: number; readonly high: number } {
  const random = generator(BOOTSTRAP.seed);
  const drawn = Array.from({ length: 10_000 }, () =>
    mean(sets.map((gains) => mean(gains.map(() => gains[below(gains.length, random)] ?? 0)))),
  ).sort((a, b) => a - b);
  return { low: quantile(drawn, alpha / 2), high: quantile(drawn, 1 - alpha / 2) };
}

function range({ low, high }: { readonly low: number; readonly high: number }): string {
  return `[${signed(low)}, ${signed(high)}]`;
}

/** The best of many tries looks good by luck: so it is chosen on every other question, and seen on those between them. */
function halves(rows: readonly Row[]): string {
  const bases = new Map(rows.filter(({ arm }) => arm === 'as it is').map((row) => [row.set, row]));
  const names = [...new Set(rows.map(({ arm }) => arm))].filter((arm) => arm !== 'as it is');
  const gains = (arm: string, half: 0 | 1) =>
    rows.filter((row) => row.arm === arm).map((row) => gainsOf(row, bases.get(row.set)).filter((_, at) => at % 2 === half));
  const lines = ([0, 1] as const).map((half) => {
    const over = (arm: string, of: 0 | 1) => mean(gains(arm, of).map(mean));
    const [best = ''] = [...names].sort((a, b) => over(b, half) - over(a, half));
    const other = half === 0 ? 1 : 0;
    return [best, signed(over(best, half)), `${signed(over(best, other))} ${range(pooled(gains(best, other), 0.05))}`];
  });
  const strict = names.filter((arm) => {
    const all = rows.filter((row) => row.arm === arm).map((row) => gainsOf(row, bases.get(row.set)));
    return pooled(all, 0.05 / names.length).low > 0;
  });
  const paid = `Clear of zero on the mean of sets after ${names.length} tries are paid for: ${strict.length === 0 ? 'none' : strict.join('; ')}.`;
  return `${table(['chosen on one half of the questions', 'there', 'on the other half'], lines)}\n${paid}\n`;
}

function meanRecall(rows: readonly (Row | undefined)[], of: 'recall' | 'several'): string {
  return mean(rows.flatMap((row) => (row === undefined || row[of].size === 0 ? [] : [mean([...row[of].values()])]))).toFixed(3);
}

function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(4)}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}
