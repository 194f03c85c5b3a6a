/**
 * eval compare: what changed between two runs, question by question, or whether a run holds a baseline.
 *
 * Invariant: it fails for the reasons it names, and for no other; what got better never hides what got worse.
 */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { baselineOf, measuredOf } from '../../evaluation/baseline-of.js';
import { compareRuns } from '../../evaluation/compare-runs.js';
import {
  type Baseline,
  baselineFile,
  checkRatchet,
  exceptionsFile,
  holds,
  type RatchetException,
  type RatchetFinding,
  tightened,
} from '../../evaluation/ratchet.js';
import { dayOf, type Instant } from '../../kernel/clock.js';
import { Fault } from '../../kernel/errors.js';
import { writeWhole } from '../write-whole.js';
import { operation } from './catalogue.js';
import { type EvalAnswer, evalReport } from './eval-run.js';
import { answer } from './wire.js';

const input = z.object({
  before: z.string().min(1).describe('Report of the earlier run (`eval run --json`), or a baseline.'),
  after: z.string().min(1).describe('Report of the later run.'),
  exceptions: z.string().min(1).optional().describe('File of exceptions from a baseline, each with a reason and a last day.'),
  tighten: z.boolean().default(false).describe('Write what got better into the baseline; make it when it is not there.'),
});
type CompareInput = z.output<typeof input>;

const change = z.object({ query: z.string(), text: z.string(), before: z.number(), after: z.number() });

const output = answer('eval-compare', {
  against: z.enum(['run', 'baseline']),
  holds: z.boolean(),
  findings: z.array(z.string()),
  /** What a ratchet says beside its findings: exceptions in force, figures to tighten. */
  notes: z.array(z.string()),
  shared: z.int(),
  onlyBefore: z.array(z.string()),
  onlyAfter: z.array(z.string()),
  measures: z.array(
    z.object({
      measure: z.string(),
      before: z.number(),
      after: z.number(),
      mean: z.number(),
      ci95: z.object({ low: z.number(), high: z.number() }),
      pairs: z.int(),
      significant: z.boolean(),
      verdict: z.enum(['better', 'worse', 'even']),
    }),
  ),
  won: z.array(change),
  lost: z.array(change),
  misses: z.array(z.object({ query: z.string(), text: z.string(), before: z.string(), after: z.string() })),
});
export type CompareAnswer = z.output<typeof output>;

export const evalCompare = operation({
  name: 'eval compare',
  summary: 'Compare two evaluation runs question by question, or a run with a baseline; fails when the later one is worse.',
  authority: 'operate',
  surfaces: ['cli', 'library'],
  input,
  output,
  run: (request) => compareReports(request),
});

export async function compareReports(request: CompareInput): Promise<CompareAnswer> {
  const after = await readReport(request.after);
  const before = await readJson(request.before, request.tighten);
  if (before === undefined || isBaseline(before)) return againstBaseline(request, before, after);
  if (request.tighten)
    throw new Fault('input/invalid', { field: '--tighten', expected: `used with a baseline; ${request.before} is a report` });
  const earlier = reportOf(before, request.before);
  if (earlier.set !== after.set || earlier.split !== after.split) {
    const expected = `of the same set and split (${earlier.set} ${earlier.split}, ${after.set} ${after.split})`;
    throw new Fault('input/invalid', { field: 'the two reports', expected });
  }
  const { findings, measures, ...rest } = compareRuns(earlier, after);
  return {
    ...EMPTY,
    against: 'run',
    holds: findings.length === 0,
    findings: [...findings],
    notes: earlier.vocabulary === after.vocabulary ? [] : [OTHER_VOCABULARY],
    measures: measures.map((each) => ({ ...each, ci95: { ...each.ci95 } })),
    shared: rest.shared,
    onlyBefore: [...rest.onlyBefore],
    onlyAfter: [...rest.onlyAfter],
    won: rest.won.map((each) => ({ ...each })),
    lost: rest.lost.map((each) => ({ ...each })),
    misses: rest.misses.map((each) => ({ ...each })),
  };
}

const OTHER_VOCABULARY = 'The two runs were asked with different vocabularies: what they differ in is not the work of the ranking alone.';

const EMPTY = {
  schema: 'colophon/eval-compare@1' as const,
  problems: [],
  notes: [],
  shared: 0,
  onlyBefore: [],
  onlyAfter: [],
  measures: [],
  won: [],
  lost: [],
  misses: [],
};

async function againstBaseline(request: CompareInput, before: unknown, after: EvalAnswer): Promise<CompareAnswer> {
  const fresh = baselineOf(after);
  const baseline = before === undefined ? undefined : parsed<Baseline>(baselineFile, before, request.before);
  const exceptions = request.exceptions === undefined ? [] : await readExceptions(request.exceptions);
  const findings: RatchetFinding[] = baseline === undefined ? [] : checkRatchet(baseline, measuredOf(after), exceptions, today());
  const failing = findings.filter((each) => !holds([each]));
  const renewed = request.tighten && failing.every(({ kind }) => kind === 'other-questions');
  if (renewed) await writeWhole(request.before, `${JSON.stringify(tightened(baseline, fresh), undefined, 2)}\n`);
  const said = (each: RatchetFinding) => each.sentence;
  return {
    ...EMPTY,
    against: 'baseline',
    holds: renewed || failing.length === 0,
    findings: renewed ? [] : failing.map(said),
    notes: findings.filter((each) => holds([each])).map(said),
    shared: after.queries,
  };
}

/** Exceptions end on a day of the calendar, whatever day a set is asked on. */
export function today() {
  return dayOf(Date.now() as Instant);
}

export async function readExceptions(file: string): Promise<readonly RatchetException[]> {
  return parsed<z.output<typeof exceptionsFile>>(exceptionsFile, await readJson(file, false), file).exceptions;
}

async function readReport(file: string): Promise<EvalAnswer> {
  return reportOf(await readJson(file, false), file);
}

function reportOf(value: unknown, file: string): EvalAnswer {
  return parsed<EvalAnswer>(evalReport, value, file);
}

function isBaseline(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'schema' in value && value.schema === 'colophon/baseline@1';
}

function parsed<T>(schema: z.ZodType<T>, value: unknown, file: string): T {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const issue = read.error.issues[0];
  const where = issue?.path.join('.') ?? '';
  throw new Fault('input/invalid', {
    field: file,
    expected: `a file that \`eval\` wrote (${where === '' ? '' : `${where}: `}${issue?.message ?? 'unreadable'})`,
  });
}

async function readJson(file: string, mayBeAbsent: boolean): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (cause) {
    if (mayBeAbsent && cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    const reason = cause instanceof SyntaxError ? 'it is not JSON' : 'it cannot be read';
    throw new Fault('input/invalid', { field: file, expected: `a report or a baseline; ${reason}` }, { cause });
  }
}
