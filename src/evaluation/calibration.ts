/**
 * Calibration: where should the floor stand, so that questions without an answer stay without one and few others are lost?
 *
 * The evidence is coverage, the share of the question's information that the best page holds: it means the same for every question,
 * which a score does not. Hard questions without an answer are made by taking the right pages away; easy ones are foreign.
 *
 * Invariant: a threshold is chosen on one half of the pages and reported on the other.
 */
export const SIGNALS = ['page coverage', 'words in one passage', 'words in title or heading', 'lead over the next page'] as const;
/** Signs by which an answer could be told; the floor stands on the first. */
export type Signal = (typeof SIGNALS)[number];

export interface Observation {
  /** Content words asked for. */
  readonly words: number;
  /** Coverage of the best page there is. */
  readonly best: number;
  /** Coverage of the best right page; 0 where there is none. */
  readonly gold: number;
}

/** The probability that a question with an answer shows more evidence than one without; ties count half. */
export function areaUnderCurve(answered: readonly number[], unanswered: readonly number[]): number | undefined {
  if (answered.length === 0 || unanswered.length === 0) return undefined;
  const negatives = [...unanswered].sort((a, b) => a - b);
  let sum = 0;
  for (const value of answered) {
    const below = lowerBound(negatives, value);
    const upTo = lowerBound(negatives, value, true);
    sum += below + (upTo - below) / 2;
  }
  return sum / (answered.length * negatives.length);
}

/** How many are less than the value, or with `inclusive` not more. */
function lowerBound(sorted: readonly number[], value: number, inclusive = false): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const at = sorted[middle] ?? 0;
    if (at < value || (inclusive && at === value)) low = middle + 1;
    else high = middle;
  }
  return low;
}

export interface OperatingPoint {
  /** Share of questions with an answer whose right page is below the floor. */
  readonly lost: number;
  /** Share of questions without an answer that are answered with silence. */
  readonly silent: number;
}

/** By number of content words: one, two, three, four or more; the last entry stands for all that follow. */
export type CoverageTable = readonly number[];

export function neededFor(words: number, table: CoverageTable): number {
  return table[Math.min(Math.max(words, 1), table.length) - 1] ?? 1;
}

export function operatingPoint(table: CoverageTable, answered: readonly Observation[], unanswered: readonly Observation[]): OperatingPoint {
  const below = (observations: readonly Observation[], evidence: 'best' | 'gold') =>
    observations.filter((each) => each[evidence] < neededFor(each.words, table) - 1e-9).length / Math.max(1, observations.length);
  return { lost: below(answered, 'gold'), silent: below(unanswered, 'best') };
}

/** Questions of one kind each, all asked of the same library. */
export interface Evidence {
  readonly answered: readonly Observation[];
  /** The same with their right pages taken away. */
  readonly hard: readonly Observation[];
  readonly foreign: readonly Observation[];
}

/** What a table is worth: answers kept, and silence where there is none, hard and foreign alike. From 0 to 2; chance is 1. */
export function worthOf(table: CoverageTable, { answered, hard, foreign }: Evidence): number {
  const { lost } = operatingPoint(table, answered, []);
  const silences = [hard, foreign].filter((each) => each.length > 0).map((each) => operatingPoint(table, [], each).silent);
  return 1 - lost + silences.reduce((sum, each) => sum + each, 0) / Math.max(1, silences.length);
}

const STEP = 0.05;
/** A bucket with fewer questions than this says too little to move its threshold. */
const FEWEST = 10;
/** What a table must be worth more than the one there is. */
const LEAST_GAIN = 0.02;

/**
 * For each number of words, the threshold that is worth most among those that lose at most `mostLost`, or no more than is lost now.
 * What a bucket with few questions has, and what is nearly as good, stays.
 */
export function proposeTable(current: CoverageTable, evidence: Evidence, mostLost: number): CoverageTable {
  return current.map((is, at) => {
    const ofBucket = ({ words }: Observation) => Math.min(Math.max(words, 1), current.length) === at + 1;
    const bucket: Evidence = {
      answered: evidence.answered.filter(ofBucket),
      hard: evidence.hard.filter(ofBucket),
      foreign: evidence.foreign.filter(ofBucket),
    };
    if (bucket.answered.length < FEWEST) return is;
    const worth = (threshold: number) => worthOf([threshold], bucket);
    const grid = Array.from({ length: Math.round(1 / STEP) + 1 }, (_, step) => Math.round(step * STEP * 100) / 100);
    const best = (thresholds: readonly number[]) => thresholds.reduce((most, each) => (worth(each) > worth(most) ? each : most), is);
    const lost = (threshold: number) => operatingPoint([threshold], bucket.answered, []).lost;
    const most = Math.max(mostLost, lost(is));
    const choice = best(grid.filter((each) => lost(each) <= most + 1e-9));
    return worth(choice) >= worth(is) + LEAST_GAIN ? choice : is;
  });
}
