/** Figures: medians, tails, and ratios with how far they could be off. */

export interface Spread {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

const RESAMPLES = 1000;

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Ratio of medians, with the middle 95 % of what resampling the questions gives. Both hold one figure per question. */
export function ratioOfMedians(above: readonly number[], below: readonly number[]): Spread {
  const random = generator(20_260_615);
  const ratios: number[] = [];
  for (let round = 0; round < RESAMPLES; round++) {
    const picked = below.map(() => Math.floor(random() * below.length));
    ratios.push(median(picked.map((at) => above[at] ?? 0)) / median(picked.map((at) => below[at] ?? 1)));
  }
  return { value: median(above) / median(below), low: quantile(ratios, 0.025), high: quantile(ratios, 0.975) };
}

/** The exponent e of `y ~ x^e`, by least squares over the logarithms. */
export function exponent(points: readonly { readonly x: number; readonly y: number }[]): number {
  const logs = points.map(({ x, y }) => ({ x: Math.log(x), y: Math.log(y) }));
  const mean = (pick: (point: { x: number; y: number }) => number) => logs.reduce((sum, each) => sum + pick(each), 0) / logs.length;
  const [mx, my] = [mean((each) => each.x), mean((each) => each.y)];
  const over = logs.reduce((sum, each) => sum + (each.x - mx) * (each.y - my), 0);
  return over / logs.reduce((sum, each) => sum + (each.x - mx) ** 2, 0);
}

export function milliseconds(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

export function mebibytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(bytes > 100 * 1024 * 1024 ? 0 : 1)} MiB`;
}

/** mulberry32. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
