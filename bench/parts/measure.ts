/**
 * Asking in rounds: every contender is asked every question once per round, the contenders taking turns to begin, so that what
 * else the machine does meets all of them. The first round fills caches and is not counted.
 */
import type { Contender, Question } from './contender.js';
import { median, quantile, ratioOfMedians, type Spread } from './figures.js';

export interface Timing {
  readonly name: string;
  /** One figure for each question. */
  readonly perQuestion: readonly number[];
  readonly medianMs: number;
  readonly p95Ms: number;
}

export interface CaseResult {
  readonly what: string;
  readonly questions: number;
  readonly timings: readonly Timing[];
  /** Of Colophon against the fastest form of FTS5, and what that is. */
  readonly fastest?: string;
  readonly ratio?: Spread;
}

export interface Entry {
  readonly contender: Contender;
  readonly groups: number;
  /** Shown in place of the contender's name. */
  readonly name?: string;
  /** Asked once only: for what takes long and has no caches to fill. */
  readonly once?: boolean;
}

/**
 * What stands for a question's rounds: the middle one, or the quickest, for a machine where other work goes on beside. Processor
 * time would be fairer still, but asking for it can take longer than answering.
 */
export type Of = 'median' | 'quickest';

export async function ask(entries: readonly Entry[], questions: readonly Question[], rounds: number, of: Of): Promise<Timing[]> {
  const took = entries.map(() => questions.map((): number[] => []));
  for (let round = 0; round <= rounds; round++) {
    for (let turn = 0; turn < entries.length; turn++) {
      const at = (turn + round) % entries.length;
      const entry = entries[at];
      if (entry === undefined || (entry.once === true && round !== 1)) continue;
      for (const [number, question] of questions.entries()) {
        const started = performance.now();
        const answer = entry.contender.ask(question, entry.groups);
        if (answer instanceof Promise) await answer;
        if (round > 0) took[at]?.[number]?.push(performance.now() - started);
      }
    }
  }
  return entries.map(({ contender, name }, at) => timingOf(name ?? contender.name, took[at] ?? [], of));
}

export function timingOf(name: string, took: readonly (readonly number[])[], of: Of): Timing {
  const perQuestion = took
    .filter((rounds) => rounds.length > 0)
    .map((rounds) => (of === 'quickest' ? Math.min(...rounds) : median(rounds)));
  const every = of === 'quickest' ? perQuestion : took.flat();
  return { name, perQuestion, medianMs: median(every), p95Ms: quantile(every, 0.95) };
}

/** The first timing against the fastest of those whose name begins with `rival`. */
export function compare(what: string, timings: readonly Timing[], rival = 'FTS5'): CaseResult {
  const [own] = timings;
  const rivals = timings.filter((each) => each.name.startsWith(rival)).sort((a, b) => a.medianMs - b.medianMs);
  const questions = own?.perQuestion.length ?? 0;
  if (own === undefined || rivals[0] === undefined) return { what, questions, timings };
  return { what, questions, timings, fastest: rivals[0].name, ratio: ratioOfMedians(rivals[0].perQuestion, own.perQuestion) };
}
