/**
 * Compare: two runs on one set, question by question.
 *
 * Means of two runs say little when the questions differ in difficulty; the difference on each question says more, and its interval
 * comes from drawing questions again.
 *
 * Invariant: only questions that both runs asked are compared, and those that one lacks are named.
 * Invariant: the second run fails when a promise is broken on one question more, or a quality is worse with its whole interval.
 */
import { type Difference, mean, pairedDifference } from './bootstrap.js';
import { direction, MEASURES, mayNeverWorsen } from './measures.js';

export interface RunQuestion {
  readonly query: string;
  readonly text?: string | undefined;
  readonly goldRank?: number | undefined;
  readonly miss?: string | undefined;
  readonly retrieval: Readonly<Record<string, number>>;
  readonly delivered: Readonly<Record<string, number>>;
}

export interface Run {
  readonly perQuery: readonly RunQuestion[];
}

export interface MeasureChange extends Difference {
  readonly measure: string;
  readonly before: number;
  readonly after: number;
  readonly verdict: 'better' | 'worse' | 'even';
}

export interface QuestionChange {
  readonly query: string;
  readonly text: string;
  readonly before: number;
  readonly after: number;
}

export interface MissChange {
  readonly query: string;
  readonly text: string;
  /** A miss, or `delivered`. */
  readonly before: string;
  readonly after: string;
}

export interface RunComparison {
  readonly shared: number;
  readonly onlyBefore: readonly string[];
  readonly onlyAfter: readonly string[];
  readonly measures: readonly MeasureChange[];
  /** By nDCG@10, most first. */
  readonly won: readonly QuestionChange[];
  readonly lost: readonly QuestionChange[];
  readonly misses: readonly MissChange[];
  /** Why the second run fails; empty when it holds. */
  readonly findings: readonly string[];
}

const LEADING = 'retrieval.nDCG@10';

export function compareRuns(before: Run, after: Run): RunComparison {
  const earlier = new Map(before.perQuery.map((each) => [each.query, each]));
  const pairs = after.perQuery.flatMap((is) => {
    const was = earlier.get(is.query);
    return was === undefined ? [] : [{ was, is }];
  });
  const shared = new Set(pairs.map(({ is }) => is.query));
  const measures = MEASURES.flatMap((measure) => changeOf(measure, pairs) ?? []);
  const moved = pairs.flatMap((pair) => questionChange(pair) ?? []);
  return {
    shared: shared.size,
    onlyBefore: before.perQuery.map(({ query }) => query).filter((query) => !shared.has(query)),
    onlyAfter: after.perQuery.map(({ query }) => query).filter((query) => !shared.has(query)),
    measures,
    won: moved.filter((each) => each.after > each.before).sort((a, b) => b.after - b.before - (a.after - a.before)),
    lost: moved.filter((each) => each.after < each.before).sort((a, b) => a.after - a.before - (b.after - b.before)),
    misses: pairs.flatMap(missChange),
    findings: measures.flatMap(findingOf),
  };
}

interface Pair {
  readonly was: RunQuestion;
  readonly is: RunQuestion;
}

function changeOf(measure: string, pairs: readonly Pair[]): MeasureChange | undefined {
  const before = new Map<string, number>();
  const after = new Map<string, number>();
  for (const { was, is } of pairs) {
    const [a, b] = [figureOf(was, measure), figureOf(is, measure)];
    if (a === undefined || b === undefined) continue;
    before.set(was.query, a);
    after.set(is.query, b);
  }
  const difference = pairedDifference(before, after);
  if (difference === undefined) return undefined;
  const gain = difference.mean * direction(measure);
  const verdict = difference.significant ? (gain > 0 ? 'better' : 'worse') : 'even';
  return { measure, before: mean([...before.values()]), after: mean([...after.values()]), ...difference, verdict };
}

export function figureOf(question: RunQuestion, measure: string): number | undefined {
  const dot = measure.indexOf('.');
  const section = measure.slice(0, dot) === 'retrieval' ? question.retrieval : question.delivered;
  return section[measure.slice(dot + 1)];
}

function questionChange({ was, is }: Pair): QuestionChange | undefined {
  const [before, after] = [figureOf(was, LEADING), figureOf(is, LEADING)];
  return before === undefined || after === undefined ? undefined : { query: is.query, text: is.text ?? '', before, after };
}

function missChange({ was, is }: Pair): MissChange[] {
  const [before, after] = [was.miss ?? 'delivered', is.miss ?? 'delivered'];
  return before === after ? [] : [{ query: is.query, text: is.text ?? '', before, after }];
}

function findingOf({ measure, mean: by, before, after, verdict, ci95 }: MeasureChange): string[] {
  const range = `${before.toFixed(3)} → ${after.toFixed(3)}`;
  if (mayNeverWorsen(measure) && by * direction(measure) < 0) return [`${measure} ${range}: this may never get worse`];
  if (verdict !== 'worse' || !QUALITIES.has(measure)) return [];
  return [`${measure} ${range}, the difference lies in [${ci95.low.toFixed(3)}, ${ci95.high.toFixed(3)}]`];
}

/** Measures that stand for how good answers are; the others describe them, and being different is no fault. */
const QUALITIES: ReadonlySet<string> = new Set([
  'retrieval.nDCG@10',
  'retrieval.Recall@5',
  'retrieval.Recall@100',
  'retrieval.passage@5',
  'delivered.goldInPackage',
  'delivered.answerInPackage',
  'delivered.abstainedRightly',
  'delivered.bothSides',
]);
