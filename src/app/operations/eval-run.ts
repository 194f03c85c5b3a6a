/**
 * eval run: how well this library's own pipeline ranks and delivers on a labelled set, with intervals.
 *
 * The set becomes a library and goes the whole road: connector, ingest, index, retrieval, context. `retrieval` scores the
 * ranking before floor and caps; `delivered` scores what a preamble would hold.
 *
 * Invariant: everything but `latencyMs` is the same, byte for byte, for two runs of one version on one set (EVL-02).
 * Invariant: pages that `ignore.tsv` names for a question count as absent for it, as evidence too.
 */
import { z } from 'zod';
import type { BeirSet, EvalQuery } from '../../evaluation/beir.js';
import { quantile } from '../../evaluation/bootstrap.js';
import { type PlacedCorpus, placeCorpus } from '../../evaluation/corpus-pages.js';
import type { PageId } from '../../evaluation/metrics.js';
import { RUN_DEPTH, rankPages } from '../../evaluation/page-ranking.js';
import {
  type Answer,
  DELIVERED_METRICS,
  type Delivery,
  type QueryScore,
  RETRIEVAL_METRICS,
  type Section,
  scoreAnswer,
  summarise,
} from '../../evaluation/scoring.js';
import { setConfiguration } from '../../evaluation/set-configuration.js';
import { writeRun } from '../../evaluation/trec-run.js';
import { type Day, type Instant, parseDay } from '../../kernel/clock.js';
import { digestOf } from '../../kernel/digest.js';
import { Fault } from '../../kernel/errors.js';
import { retrieveFor } from '../asking.js';
import { readBeirFolder, readSetConfiguration } from '../beir-folder.js';
import { openEvaluationLibrary } from '../evaluation-library.js';
import { resolveAsk } from '../identity.js';
import type { Library } from '../library.js';
import { writeWhole } from '../write-whole.js';
import { type Call, operation, type Progress } from './catalogue.js';
import { context } from './context.js';
import { answer } from './wire.js';

/** A fixed day, so that no label depends on when a set was measured. */
const DEFAULT_DAY = '2026-01-01';
const PREAMBLE_TOKENS = 1500;
/** Passages asked for at first; more when they are of too few pages. */
const FIRST_PASSAGES = 400;
const MOST_PASSAGES = 25_600;
const TOP_SHOWN = 10;

const input = z.object({
  beir: z.string().min(1).describe('Folder in BEIR layout: corpus.jsonl, queries.jsonl, qrels/SPLIT.tsv.'),
  split: z
    .string()
    .regex(/^[\w.-]+$/)
    .default('test'),
  run: z.string().min(1).optional().describe('File for the rankings in TREC format, 100 pages deep.'),
  config: z.string().min(1).optional().describe('File that maps path globs to status and version; default eval.yaml in the folder.'),
  cache: z.string().min(1).optional().describe('Folder to keep the index in between runs.'),
  limitQueries: z.int().min(1).optional().describe('Only the first questions.'),
  asOf: z.string().default(DEFAULT_DAY).describe('The day the questions are asked on.'),
});
type EvalInput = z.output<typeof input>;

const metrics = z.record(z.string(), z.number());
const section = z.object({ metrics, ci95: z.record(z.string(), z.tuple([z.number(), z.number()])), counts: metrics });
const percentiles = z.object({ p50: z.number(), p95: z.number() });

const output = answer('eval-run', {
  set: z.string(),
  split: z.string(),
  asOf: z.string(),
  policyDigest: z.string(),
  policyVersion: z.string(),
  configuration: setConfiguration,
  corpus: z.object({ shape: z.enum(['tree', 'records']), pages: z.int(), indexed: z.int(), artifacts: z.int(), contentDigest: z.string() }),
  queries: z.int(),
  retrieval: section,
  delivered: section,
  /** Digest of everything here but `latencyMs`. */
  reportDigest: z.string(),
  latencyMs: percentiles.extend({ context: percentiles }),
  perQuery: z.array(
    z.object({
      query: z.string(),
      gold: z.array(z.string()),
      goldRank: z.int().optional(),
      retrieval: metrics,
      delivered: metrics,
      top: z.array(z.string()),
    }),
  ),
});
export type EvalAnswer = z.output<typeof output>;

/** What the measuring needs of its surroundings; no library of the caller's. */
export type EvalSurroundings = Pick<Call, 'signal' | 'progress'>;

export const evalRun = operation({
  name: 'eval run',
  summary: 'Measure ranking and delivery on a labelled set, with confidence intervals.',
  authority: 'operate',
  surfaces: ['cli', 'library'],
  input,
  output,
  run: (request, call) => evaluateFolder(request, call),
});

export async function evaluateFolder(request: EvalInput, surroundings: EvalSurroundings): Promise<EvalAnswer> {
  const day = parseDay(request.asOf);
  if (day === undefined) throw new Fault('input/invalid', { field: '--as-of', expected: 'a day, YYYY-MM-DD' });
  const set = await readBeirFolder(request.beir, request.split);
  const configuration = await readSetConfiguration(request.beir, request.config);
  const placed = placeCorpus(set.corpus);
  const queries = set.queries.slice(0, request.limitQueries);
  const { library, report, close } = await openEvaluationLibrary(placed, configuration, { ...surroundings, cache: request.cache });
  try {
    const asked = await askAll(library, set, placed, queries, day, surroundings);
    if (request.run !== undefined) {
      await writeWhole(request.run, writeRun(new Map(asked.map((each) => [each.query, each.ranking])), 'colophon'));
    }
    const scores = asked.map((each) => scoreAnswer(each, { grades: set.judgements.get(each.query) ?? new Map(), archived: set.archived }));
    const canonical = {
      schema: 'colophon/eval-run@1' as const,
      problems: report.problems,
      set: set.name,
      split: set.split,
      asOf: day,
      policyDigest: digestOf(library.config.ranking),
      policyVersion: library.config.ranking.version,
      configuration,
      corpus: {
        shape: placed.shape,
        pages: placed.pages.length,
        indexed: report.documents,
        artifacts: report.artifacts,
        contentDigest: report.contentDigest,
      },
      queries: queries.length,
      retrieval: wire(
        summarise(
          RETRIEVAL_METRICS,
          scores.map(({ retrieval }) => retrieval),
        ),
      ),
      delivered: wire(
        summarise(
          DELIVERED_METRICS,
          scores.map(({ delivered }) => delivered),
        ),
      ),
      perQuery: scores.map((score, index) => questionRow(score, asked[index]?.ranking ?? [])),
    };
    const latencyMs = {
      ...spread(asked.map(({ rankMs }) => rankMs)),
      context: spread(asked.map(({ contextMs }) => contextMs)),
    };
    return { ...canonical, reportDigest: digestOf(canonical), latencyMs };
  } finally {
    await close();
  }
}

interface Timed extends Answer {
  readonly rankMs: number;
  readonly contextMs: number;
}

async function askAll(
  library: Library,
  set: BeirSet,
  placed: PlacedCorpus,
  queries: readonly EvalQuery[],
  day: Day,
  { signal, progress }: EvalSurroundings,
): Promise<Timed[]> {
  const at = Date.parse(`${day}T12:00:00Z`) as Instant;
  const ask = resolveAsk(library.config, {}, { workload: 'workload://colophon/eval', defaultClient: 'terminal' }, at);
  const call: Call = { library, ask, signal, progress };
  const timed: Timed[] = [];
  for (const query of queries) {
    signal.throwIfAborted();
    const absent = set.ignored.get(query.id) ?? new Set<PageId>();
    timed.push(await askOne(call, query, placed, absent));
    progress(asking(timed.length, queries.length));
  }
  return timed;
}

const asking = (done: number, total: number): Progress => ({ phase: 'asking', done, total });

async function askOne(call: Call, query: EvalQuery, placed: PlacedCorpus, absent: ReadonlySet<PageId>): Promise<Timed> {
  const exclude = [...absent].map((id) => literalGlob(placed.pathOf(id))).sort();
  const startedAt = performance.now();
  const ranking = await rankedPages(call, query.text, exclude, placed, absent);
  const rankedAt = performance.now();
  const delivery = await delivered(call, query.text, exclude, placed);
  return { query: query.id, ranking, delivery, rankMs: rankedAt - startedAt, contextMs: performance.now() - rankedAt };
}

/** Asks for more passages until enough pages are among them, or there are no more. */
async function rankedPages(
  call: Call,
  text: string,
  exclude: readonly string[],
  placed: PlacedCorpus,
  absent: ReadonlySet<PageId>,
): Promise<PageId[]> {
  for (let limit = FIRST_PASSAGES; ; limit *= 4) {
    const { retrieved, snapshot } = await retrieveFor(call, { text, scope: { exclude }, limit, mode: 'any', purpose: 'ranking' });
    await snapshot.close();
    const passages = retrieved.candidates.map(({ page }) => ({ page: idOf(placed, page.path) }));
    const pages = rankPages(passages, absent);
    if (pages.length >= RUN_DEPTH || passages.length < limit || limit >= MOST_PASSAGES) return pages;
  }
}

async function delivered(call: Call, text: string, exclude: readonly string[], placed: PlacedCorpus): Promise<Delivery> {
  const request = context.input.parse({ query: text, budget: PREAMBLE_TOKENS, exclude });
  const { status, items, budget } = await context.run(request, call);
  return { status, items: items.map(({ path, tokens }) => ({ page: idOf(placed, path), tokens })), tokensUsed: budget.used };
}

function idOf(placed: PlacedCorpus, path: string): PageId {
  const id = placed.idOf(path);
  if (id === undefined) throw new Error(`the index of the set names a page it does not have: ${path}`);
  return id;
}

/** A glob that matches this path and no other. */
function literalGlob(path: string): string {
  return path.replace(/[\\*?[\](){}!+@|]/g, '\\$&');
}

function questionRow(score: QueryScore, ranking: readonly PageId[]): EvalAnswer['perQuery'][number] {
  return {
    query: score.query,
    gold: [...score.gold],
    ...(score.goldRank === undefined ? {} : { goldRank: score.goldRank }),
    retrieval: { ...score.retrieval },
    delivered: { ...score.delivered },
    top: ranking.slice(0, TOP_SHOWN),
  };
}

function wire({ metrics: means, ci95, counts }: Section): EvalAnswer['retrieval'] {
  const intervals = Object.entries(ci95).map(([name, [low, high]]): [string, [number, number]] => [name, [low, high]]);
  return { metrics: { ...means }, ci95: Object.fromEntries(intervals), counts: { ...counts } };
}

function spread(values: readonly number[]): { readonly p50: number; readonly p95: number } {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => Math.round(quantile(sorted, share) * 100) / 100;
  return { p50: at(0.5), p95: at(0.95) };
}
