/**
 * Measures by name, `section.measure`: which way is better, and which may never get worse at all.
 *
 * Invariant: every measure of a report has a direction here, so that no comparison guesses it.
 */
import { DELIVERED_METRICS } from './delivery.js';
import { RETRIEVAL_METRICS } from './scoring.js';

const LOWER_IS_BETTER: ReadonlySet<string> = new Set([
  'stale@5',
  'staleInPackage',
  'leaked',
  'duplicates',
  'abstained',
  'tokensToGold',
  'tokensToAnswer',
  'tokensUsed',
  'items',
]);

/** Promises, not qualities: one question worse is a fault, whatever the interval says. */
const NEVER_WORSE: ReadonlySet<string> = new Set(['leaked', 'staleInPackage', 'stale@5', 'citationExact']);

export const MEASURES: readonly string[] = [
  ...RETRIEVAL_METRICS.map((name) => `retrieval.${name}`),
  ...DELIVERED_METRICS.map((name) => `delivered.${name}`),
];

/** How much more of it is how much better: 1 or -1. */
export function direction(measure: string): 1 | -1 {
  return LOWER_IS_BETTER.has(plain(measure)) ? -1 : 1;
}

export function mayNeverWorsen(measure: string): boolean {
  return NEVER_WORSE.has(plain(measure));
}

function plain(measure: string): string {
  return measure.slice(measure.lastIndexOf('.') + 1);
}
