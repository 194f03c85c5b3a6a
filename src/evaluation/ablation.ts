/**
 * Ablation: does each stage earn its place on this set, and would another value do better?
 *
 * Many values are tried, and one of forty looks good by luck alone. So a gain is judged with an interval as wide as the number of
 * tries asks for, on the questions for tuning; what is clear there must show on the questions held out.
 *
 * Invariant: nothing is proposed whose lower bound does not clear zero, that the held-out questions contradict, or that costs more
 * time than allowed.
 */
import { BOOTSTRAP, type Difference, pairedDifference } from './bootstrap.js';
import type { Stage, Variant } from './variants.js';

export const VERDICTS = [
  'proposed',
  'earns-its-place',
  'unconfirmed',
  'too-slow',
  'worse',
  'no-difference',
  'cannot-tell',
  'calibrate',
  'circular',
] as const;
export type Verdict = (typeof VERDICTS)[number];

/** Figures of one run, question by question. */
export type Figures = ReadonlyMap<string, number>;

export interface Trial {
  readonly dev: { readonly base: Figures; readonly variant: Figures };
  /** Asked only where dev is clear. */
  readonly heldOut?: { readonly base: Figures; readonly variant: Figures };
  /** The questions were made of what the stage looks at, and would praise it whatever it is worth. */
  readonly isCircular?: boolean;
  /** Processor time beside that of the policy as it is, in the same run. */
  readonly cpuRatio: number;
}

export interface Judgement {
  readonly verdict: Verdict;
  readonly dev: Difference;
  readonly heldOut?: Difference;
  readonly better: number;
  readonly worse: number;
}

/** Weak labels that cannot judge a stage: they are the words by which it finds their page. */
const MADE_OF: Readonly<Partial<Record<Stage, readonly string[]>>> = {
  links: ['link', 'mention'],
  'page names': ['link', 'mention', 'alias'],
};
/** Of a set, before it counts as made of them. */
const CIRCULAR_SHARE = 0.3;

export function isCircular(stage: Stage, classes: readonly (string | undefined)[]): boolean {
  const made = MADE_OF[stage] ?? [];
  return classes.filter((each) => each !== undefined && made.includes(each)).length > classes.length * CIRCULAR_SHARE;
}

/** A ranking may take a quarter more time, no more. */
const MOST_CPU = 1.25;
/** Less than this is the same to whoever asks. */
const NEGLIGIBLE = 0.005;

/** Whether the gain on the tuning questions is clear after `tries` tries. */
export function isClearGain({ dev }: Pick<Trial, 'dev'>, tries: number): boolean {
  const strict = pairedDifference(dev.base, dev.variant, { ...BOOTSTRAP, resamples: 10_000, confidence: 1 - 0.05 / Math.max(1, tries) });
  return strict !== undefined && strict.ci95.low > 0;
}

export function judge(variant: Pick<Variant, 'off' | 'stage'>, trial: Trial, tries: number): Judgement | undefined {
  const dev = pairedDifference(trial.dev.base, trial.dev.variant);
  if (dev === undefined) return undefined;
  const heldOut = trial.heldOut === undefined ? undefined : pairedDifference(trial.heldOut.base, trial.heldOut.variant);
  const moved = [...trial.dev.variant].map(([query, is]) => is - (trial.dev.base.get(query) ?? is));
  return {
    verdict: verdictOf(variant, trial, dev, heldOut, tries),
    dev,
    ...(heldOut === undefined ? {} : { heldOut }),
    better: moved.filter((delta) => delta > 1e-9).length,
    worse: moved.filter((delta) => delta < -1e-9).length,
  };
}

function verdictOf(
  { off, stage }: Pick<Variant, 'off' | 'stage'>,
  trial: Trial,
  dev: Difference,
  heldOut: Difference | undefined,
  tries: number,
): Verdict {
  // Without questions that have no answer, no floor at all always looks best.
  if (stage === 'floor' || stage === 'relative floor') return 'calibrate';
  if (trial.isCircular === true) return 'circular';
  if (isClearGain(trial, tries)) {
    if (heldOut === undefined || heldOut.mean <= 0) return 'unconfirmed';
    return trial.cpuRatio > MOST_CPU ? 'too-slow' : 'proposed';
  }
  if (dev.ci95.high < 0) return off ? 'earns-its-place' : 'worse';
  const isNarrow = dev.ci95.low > -2 * NEGLIGIBLE && dev.ci95.high < 2 * NEGLIGIBLE;
  return isNarrow && Math.abs(dev.mean) < NEGLIGIBLE ? 'no-difference' : 'cannot-tell';
}
