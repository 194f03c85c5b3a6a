/**
 * Progress for a client that may not know how much there is: it hears that work goes on, and nothing of how much.
 *
 * Invariant: the numbers come from the clock alone, so they are the same whatever a hidden page adds.
 */
import type { Progress } from '../../app/operations/catalogue.js';

const BEAT_MS = 250;

export function heartbeat(report: (progress: Progress) => void, now: () => number): (progress: Progress) => void {
  const startedAt = now();
  let last = -1;
  return () => {
    const beat = Math.floor((now() - startedAt) / BEAT_MS);
    if (beat <= last) return;
    last = beat;
    report({ phase: 'being brought up to date', done: beat, total: 0 });
  };
}
