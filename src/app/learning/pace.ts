/** How fast a run goes and how long it may still take, said at most ten times a second. */
import type { Clock } from '../../kernel/clock.js';
import type { Progress } from '../operations/catalogue.js';

const INTERVAL_MS = 100;
/** Before this much time a rate is a guess. */
const MEASURED_MS = 1_000;

export type Report = (progress: Progress) => void;

/** Call it with every step; it passes on the first, the last, and what the interval lets through. */
export function paced(phase: string, total: number, clock: Clock, report: Report): (done: number) => void {
  const startedAt = clock.now();
  let saidAt = Number.NEGATIVE_INFINITY;
  return (done) => {
    const now = clock.now();
    if (done < total && now - saidAt < INTERVAL_MS) return;
    saidAt = now;
    const note = noteOf(done, total, now - startedAt);
    report({ phase, done, total, ...(note === undefined ? {} : { note }) });
  };
}

function noteOf(done: number, total: number, elapsedMs: number): string | undefined {
  if (elapsedMs < MEASURED_MS || done === 0 || done >= total) return undefined;
  const perSecond = (done * 1000) / elapsedMs;
  const leftSeconds = Math.ceil((total - done) / perSecond);
  const left = leftSeconds < 90 ? `${leftSeconds} s` : `${Math.ceil(leftSeconds / 60)} min`;
  return `${perSecond < 10 ? perSecond.toFixed(1) : Math.round(perSecond)} pages/s, about ${left} left`;
}
