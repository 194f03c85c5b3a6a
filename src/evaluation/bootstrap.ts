/**
 * Bootstrap: how far could a mean be off, had other questions of the same kind been asked?
 *
 * Invariant: the generator is seeded and integer-only, so the same scores give the same interval on every machine.
 */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

export interface BootstrapOptions {
  readonly resamples: number;
  readonly seed: number;
  /** Two-sided, e.g. 0.95. */
  readonly confidence: number;
}

export const BOOTSTRAP: BootstrapOptions = { resamples: 2000, seed: 20_260_101, confidence: 0.95 };

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Percentile interval of the mean; undefined for no values. */
export function meanInterval(values: readonly number[], options: BootstrapOptions = BOOTSTRAP): Interval | undefined {
  if (values.length === 0) return undefined;
  const random = generator(options.seed);
  const means = new Float64Array(options.resamples);
  for (let round = 0; round < options.resamples; round += 1) {
    let sum = 0;
    for (let draw = 0; draw < values.length; draw += 1) sum += values[below(values.length, random)] ?? 0;
    means[round] = sum / values.length;
  }
  means.sort();
  const tail = (1 - options.confidence) / 2;
  return { low: quantile(means, tail), high: quantile(means, 1 - tail) };
}

/** Paired comparison of two runs on the questions both scored. */
export interface Difference {
  readonly pairs: number;
  /** Mean of `after` − `before`. */
  readonly mean: number;
  readonly ci95: Interval;
  /** The interval lies wholly on one side of zero. */
  readonly significant: boolean;
}

export function pairedDifference(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
  options: BootstrapOptions = BOOTSTRAP,
): Difference | undefined {
  const deltas: number[] = [];
  for (const query of [...before.keys()].sort()) {
    const was = before.get(query);
    const is = after.get(query);
    if (was !== undefined && is !== undefined) deltas.push(is - was);
  }
  const interval = meanInterval(deltas, options);
  if (interval === undefined) return undefined;
  return { pairs: deltas.length, mean: mean(deltas), ci95: interval, significant: interval.low > 0 || interval.high < 0 };
}

/** Linear interpolation between closest ranks of sorted values. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  const position = (sorted.length - 1) * share;
  const lower = Math.floor(position);
  const from = sorted[lower] ?? 0;
  const to = sorted[Math.min(lower + 1, sorted.length - 1)] ?? from;
  return from + (to - from) * (position - lower);
}

/** Mulberry32: 32 bits of state, the same sequence everywhere. */
export function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

export function below(limit: number, random: () => number): number {
  return Math.floor((random() / 0x1_0000_0000) * limit);
}

/** Wilson's interval of a share, 95 %: honest where a few were counted, too. */
export function wilson(hits: number, of: number): Interval {
  const z = 1.959964;
  const share = hits / of;
  const middle = (share + (z * z) / (2 * of)) / (1 + (z * z) / of);
  const reach = (z * Math.sqrt((share * (1 - share)) / of + (z * z) / (4 * of * of))) / (1 + (z * z) / of);
  return { low: Math.max(0, middle - reach), high: Math.min(1, middle + reach) };
}
