/**
 * eval run: how well this library's own pipeline ranks and delivers on a labelled set, with intervals.
 *
 * A BEIR set becomes a library and goes the whole road: connector, ingest, index, retrieval, context; a golden set is asked of the
 * library it names. `retrieval` scores the ranking before floor and caps; `delivered` scores what a preamble would hold.
 *
 * Invariant: everything but `latencyMs` is the same, byte for byte, for two runs of one version on one set (EVL-02).
 * Invariant: pages that `ignore.tsv` names for a question count as absent for it, as evidence too.
 */
import { z } from 'zod';
import type { Vocabulary } from '../../domain/vocabulary.js';
import { quantile } from '../../evaluation/bootstrap.js';
import { groupOf, groupScores } from '../../evaluation/groups.js';
import { MISSES } from '../../evaluation/misses.js';
import { type QueryScore, type Section, scoreAnswer } from '../../evaluation/scoring.js';
import { setConfiguration } from '../../evaluation/set-configuration.js';
import { writeRun } from '../../evaluation/trec-run.js';
import { digestOf } from '../../kernel/digest.js';
import { askerOf, explainMiss, type FoundMiss, type Outcome } from '../evaluation/asking.js';
import { type EvalSurroundings, type LabelledSet, openLabelledSet } from '../evaluation/set.js';
import { currentVocabulary } from '../vocabulary/current-vocabulary.js';
import { writeWhole } from '../write-whole.js';
import { operation } from './catalogue.js';
import { answer } from './wire.js';

const TOP_SHOWN = 10;

export const whichSet = {
  beir: z.string().min(1).optional().describe('Folder in BEIR layout: corpus.jsonl, queries.jsonl, qrels/SPLIT.tsv.'),
  golden: z.string().min(1).optional().describe('Folder of a golden set: set.json, questions.jsonl; asked of the library it names.'),
  split: z
    .string()
    .regex(/^[\w.-]+$/, { error: () => 'the name of a split, such as test' })
    .optional()
    .describe('Which judgements: `test` of a BEIR set, `all` of a golden set unless told otherwise.'),
  config: z.string().min(1).optional().describe('File that maps path globs to status and version; default eval.yaml in the folder.'),
  cache: z.string().min(1).optional().describe('Folder to keep the index of a BEIR set in between runs.'),
  limitQueries: z.int().min(1).optional().describe('Only the first questions.'),
  asOf: z.string().optional().describe('The day the questions are asked on; 2026-01-01, or the day of the golden set.'),
};

/** For verbs that choose on some questions and confirm on others. */
export const whichParts = {
  split: whichSet.split.describe('Questions to choose on: `dev`; where a set has none, those of `test` are parted by page.'),
  heldOut: z.string().min(1).optional().describe('Questions to confirm on: `test`, or `held-out` of a golden set.'),
};

const input = z.object({
  ...whichSet,
  run: z.string().min(1).optional().describe('File for the rankings in TREC format, 100 pages deep.'),
});
type EvalInput = z.output<typeof input>;

const metrics = z.record(z.string(), z.number());
const section = z.object({ metrics, ci95: z.record(z.string(), z.tuple([z.number(), z.number()])), counts: metrics });
const percentiles = z.object({ p50: z.number(), p95: z.number() });
const group = z.object({ questions: z.int(), retrieval: section, delivered: section });

const output = answer('eval-run', {
  set: z.string(),
  split: z.string(),
  asOf: z.string(),
  /** Of the questions and their labels. */
  questionsDigest: z.string(),
  policyDigest: z.string(),
  policyVersion: z.string(),
  vocabulary: z.string().exactOptional().describe('Version of the vocabulary it was asked with; absent where none is declared.'),
  configuration: setConfiguration,
  corpus: z.object({
    shape: z.enum(['tree', 'records', 'library']),
    pages: z.int(),
    indexed: z.int(),
    artifacts: z.int(),
    contentDigest: z.string(),
  }),
  queries: z.int(),
  retrieval: section,
  delivered: section,
  /** `class` and every slice of the set → its values. */
  groups: z.record(z.string(), z.record(z.string(), group)),
  /** How many answers were lost, by the step that lost them. */
  misses: z.record(z.string(), z.int()),
  /** Digest of everything here but `latencyMs`. */
  reportDigest: z.string(),
  latencyMs: percentiles.extend({ context: percentiles }),
  perQuery: z.array(
    z.object({
      query: z.string(),
      text: z.string(),
      class: z.string().optional(),
      gold: z.array(z.string()),
      goldRank: z.int().optional(),
      miss: z.enum(MISSES).optional(),
      missDetail: z.string().optional(),
      retrieval: metrics,
      delivered: metrics,
      top: z.array(z.string()),
      inPackage: z.array(z.string()),
    }),
  ),
});
export type EvalAnswer = z.output<typeof output>;
/** What `eval compare` needs of a report; older reports have it too. */
export const evalReport = output;

export const evalRun = operation({
  name: 'eval run',
  summary: 'Measure ranking and delivery on a labelled set, with confidence intervals and the reason for every miss.',
  authority: 'operate',
  surfaces: ['cli', 'library'],
  input,
  output,
  run: (request, call) => evaluateFolder(request, call),
});

export async function evaluateFolder(request: EvalInput, surroundings: EvalSurroundings): Promise<EvalAnswer> {
  const set = await openLabelledSet(request, surroundings);
  try {
    const asked = await askAll(set, surroundings);
    if (request.run !== undefined) {
      await writeWhole(request.run, writeRun(new Map(asked.map(({ outcome }) => [outcome.query, outcome.ranking])), 'colophon'));
    }
    const canonical = reportOf(set, asked, await currentVocabulary(set.library.config));
    const latencyMs = {
      ...spread(asked.map(({ outcome }) => outcome.rankMs)),
      context: spread(asked.map(({ outcome }) => outcome.contextMs)),
    };
    return { ...canonical, reportDigest: digestOf(canonical), latencyMs };
  } finally {
    await set.close();
  }
}

interface Asked {
  readonly outcome: Outcome;
  readonly score: QueryScore;
  readonly miss: FoundMiss | undefined;
}

async function askAll(set: LabelledSet, { signal, progress }: EvalSurroundings): Promise<Asked[]> {
  const asker = askerOf(set, signal);
  const asked: Asked[] = [];
  for (const question of set.questions) {
    signal.throwIfAborted();
    const outcome = await asker.ask(question);
    const score = scoreAnswer(outcome, { ...question, archived: set.archived });
    asked.push({ outcome, score, miss: await explainMiss(set, asker, question, outcome, score) });
    progress({ phase: 'asking', done: asked.length, total: set.questions.length });
  }
  return asked;
}

function reportOf(set: LabelledSet, asked: readonly Asked[], vocabulary: Vocabulary | undefined) {
  const { library, report, questions } = set;
  const scores = asked.map(({ score }) => score);
  const { retrieval, delivered } = groupOf(scores);
  return {
    schema: 'colophon/eval-run@1' as const,
    problems: report.problems,
    set: set.name,
    split: set.split,
    asOf: set.asOf,
    questionsDigest: set.questionsDigest,
    policyDigest: digestOf(library.config.ranking),
    policyVersion: library.config.ranking.version,
    ...(vocabulary === undefined ? {} : { vocabulary: vocabulary.version }),
    configuration: set.configuration,
    corpus: {
      shape: set.shape,
      pages: set.pages,
      indexed: report.documents,
      artifacts: report.artifacts,
      contentDigest: report.contentDigest,
    },
    queries: questions.length,
    retrieval: wire(retrieval),
    delivered: wire(delivered),
    groups: groupsOf(scores, questions),
    misses: missCounts(asked),
    perQuery: asked.map((each, at) => questionRow(each, questions[at]?.text ?? '', questions[at]?.class)),
  };
}

function groupsOf(scores: readonly QueryScore[], questions: LabelledSet['questions']): EvalAnswer['groups'] {
  const entries = Object.entries(groupScores(scores, questions)).map(([name, values]) => {
    const groups = Object.entries(values).map(([value, each]) => {
      return [value, { questions: each.questions, retrieval: wire(each.retrieval), delivered: wire(each.delivered) }] as const;
    });
    return [name, Object.fromEntries(groups)] as const;
  });
  return Object.fromEntries(entries);
}

function missCounts(asked: readonly Asked[]): Record<string, number> {
  const counts = MISSES.map((kind) => [kind, asked.filter(({ miss }) => miss?.miss === kind).length] as const);
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

function questionRow({ outcome, score, miss }: Asked, text: string, kind: string | undefined): EvalAnswer['perQuery'][number] {
  return {
    query: score.query,
    text,
    ...(kind === undefined ? {} : { class: kind }),
    gold: [...score.gold],
    ...(score.goldRank === undefined ? {} : { goldRank: score.goldRank }),
    ...(miss === undefined ? {} : { miss: miss.miss, missDetail: miss.detail }),
    retrieval: { ...score.retrieval },
    delivered: { ...score.delivered },
    top: outcome.ranking.slice(0, TOP_SHOWN),
    inPackage: outcome.delivery.items.map(({ page }) => page),
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
