/**
 * Ratchet: figures that a commit may better and may not worsen (EVL-05, GAT-03).
 *
 * A baseline holds, for each measure, the value reached and a slack: what one question more or less would move. Being worse than
 * that needs an exception that says why, who allowed it, and until when.
 *
 * Invariant: an exception past its day counts for nothing.
 * Invariant: a baseline is compared with its own earlier states too, so that rewriting the file loosens nothing.
 */
import { z } from 'zod';
import type { Day } from '../kernel/clock.js';
import { direction } from './measures.js';

const entry = z.strictObject({ value: z.number(), slack: z.number().min(0) });

export const baselineFile = z.strictObject({
  schema: z.literal('colophon/baseline@1'),
  set: z.string().min(1),
  /** Figures of other questions are not compared. */
  questionsDigest: z.string().min(1),
  questions: z.int().min(1),
  /** `split.section.measure` → what was reached. */
  measures: z.record(z.string(), entry),
});
export type Baseline = z.output<typeof baselineFile>;

export const exceptionsFile = z.strictObject({
  schema: z.literal('colophon/ratchet-exceptions@1'),
  exceptions: z.array(
    z.strictObject({
      set: z.string().min(1),
      measure: z.string().min(1),
      /** As bad as it may be meanwhile. */
      worst: z.number(),
      reason: z.string().min(20),
      approvedBy: z.string().min(1),
      expires: z.string().regex(/^\d{4}-\d{2}-\d{2}$/),
    }),
  ),
});
export type RatchetException = z.output<typeof exceptionsFile>['exceptions'][number];

export interface RatchetFinding {
  readonly measure: string;
  readonly kind: 'worse' | 'missing' | 'excepted' | 'better' | 'other-questions' | 'loosened';
  readonly sentence: string;
}

export interface Measured {
  readonly questionsDigest: string;
  readonly questions: number;
  readonly measures: ReadonlyMap<string, number>;
}

const FAILS: ReadonlySet<RatchetFinding['kind']> = new Set(['worse', 'missing', 'other-questions', 'loosened']);

export function holds(findings: readonly RatchetFinding[]): boolean {
  return !findings.some(({ kind }) => FAILS.has(kind));
}

export function checkRatchet(
  baseline: Baseline,
  measured: Measured,
  exceptions: readonly RatchetException[],
  today: Day,
): RatchetFinding[] {
  if (baseline.questionsDigest !== measured.questionsDigest) {
    const sentence = 'The questions or their labels changed since the baseline was taken; write it again with --tighten.';
    return [{ measure: '', kind: 'other-questions', sentence }];
  }
  return Object.entries(baseline.measures).flatMap(([measure, { value, slack }]): RatchetFinding[] => {
    const is = measured.measures.get(measure);
    if (is === undefined) return [{ measure, kind: 'missing', sentence: `${measure} is in the baseline and was not measured.` }];
    const gain = (is - value) * direction(measure);
    if (gain > 1e-6) return [{ measure, kind: 'better', sentence: `${measure} ${shown(value)} → ${shown(is)}: tighten the baseline.` }];
    if (gain >= -slack - 1e-6) return [];
    const allowed = exceptions.find((each) => covers(each, baseline.set, measure, is, today));
    const said = `${measure} ${shown(value)} → ${shown(is)}, worse by more than ${shown(slack)}`;
    if (allowed !== undefined)
      return [{ measure, kind: 'excepted', sentence: `${said}; allowed until ${allowed.expires}: ${allowed.reason}` }];
    return [{ measure, kind: 'worse', sentence: `${said}.` }];
  });
}

/** What an earlier state of the baseline promised and this one does not; for the same questions, or fewer than there were. */
export function checkLoosening(
  baseline: Baseline,
  earlier: readonly Baseline[],
  exceptions: readonly RatchetException[],
  today: Day,
): RatchetFinding[] {
  return earlier.flatMap((before) => {
    if (before.questionsDigest !== baseline.questionsDigest) {
      if (before.questions <= baseline.questions) return [];
      return [
        { measure: '', kind: 'loosened', sentence: `The baseline was over ${before.questions} questions, now ${baseline.questions}.` },
      ];
    }
    return Object.entries(before.measures).flatMap(([measure, was]): RatchetFinding[] => {
      const is = baseline.measures[measure];
      if (is === undefined) return [{ measure, kind: 'loosened', sentence: `${measure} was in the baseline and was taken out.` }];
      const looser = (is.value - was.value) * direction(measure) < -1e-6 || is.slack > was.slack + 1e-9;
      if (!looser || exceptions.some((each) => covers(each, baseline.set, measure, is.value, today))) return [];
      return [
        {
          measure,
          kind: 'loosened',
          sentence: `${measure} was ${shown(was.value)} ± ${shown(was.slack)} in the baseline, now ${shown(is.value)} ± ${shown(is.slack)}.`,
        },
      ];
    });
  });
}

/** The better of what was and what is, measure by measure; for other questions, what is. */
export function tightened(baseline: Baseline | undefined, fresh: Baseline): Baseline {
  if (baseline === undefined || baseline.questionsDigest !== fresh.questionsDigest) return fresh;
  const measures = Object.entries(fresh.measures).map(([measure, is]) => {
    const was = baseline.measures[measure];
    const better = was === undefined || (is.value - was.value) * direction(measure) > 0;
    return [measure, better ? { value: is.value, slack: was === undefined ? is.slack : Math.min(is.slack, was.slack) } : was] as const;
  });
  return { ...baseline, measures: { ...baseline.measures, ...Object.fromEntries(measures) } };
}

function covers(exception: RatchetException, set: string, measure: string, value: number, today: Day): boolean {
  if (exception.set !== set || exception.measure !== measure || exception.expires < today) return false;
  return (value - exception.worst) * direction(measure) >= -1e-6;
}

function shown(value: number): string {
  return String(Math.round(value * 1e4) / 1e4);
}
