/**
 * Calibration: where should the floor stand, so that questions without an answer stay without one and few others are lost?
 *
 * The evidence is the strength of the best passage, which means the same for every question and library, as a score does not. Hard
 * questions without an answer are made by taking the right pages away; easy ones are foreign.
 *
 * Invariant: a floor is chosen on questions, or on sets, that it is not judged by.
 */
export const SIGNALS = [
  'strength of the best passage',
  'page coverage',
  'words in one passage',
  'words in title or heading',
  'lead over the next page',
] as const;
/** Signs by which an answer could be told; the floor stands on the first. */
export type Signal = (typeof SIGNALS)[number];

export interface Observation {
  /** Of the best passage there is; 0 where nothing was found. */
  readonly strength: number;
  /** A right page is among what was found. */
  readonly found: boolean;
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
  /** Of the questions whose right page was found, the share that is answered with silence. */
  readonly lost: number;
  /** Share of questions without an answer that are answered with silence. */
  readonly silent: number;
}

export function operatingPoint(floor: number, answered: readonly Observation[], unanswered: readonly Observation[]): OperatingPoint {
  const below = (observations: readonly Observation[]) =>
    observations.filter(({ strength }) => strength < floor - 1e-9).length / Math.max(1, observations.length);
  return { lost: below(answered.filter(({ found }) => found)), silent: below(unanswered) };
}

/** Questions of one kind each, all asked of the same library. */
export interface Evidence {
  readonly answered: readonly Observation[];
  /** The same with their right pages taken away. */
  readonly hard: readonly Observation[];
  readonly foreign: readonly Observation[];
}

/** What a floor is worth: answers kept, and silence where there is none, hard and foreign alike. From 0 to 2; chance is 1. */
export function worthOf(floor: number, { answered, hard, foreign }: Evidence): number {
  const { lost } = operatingPoint(floor, answered, []);
  const silences = [hard, foreign].filter((each) => each.length > 0).map((each) => operatingPoint(floor, [], each).silent);
  return 1 - lost + silences.reduce((sum, each) => sum + each, 0) / Math.max(1, silences.length);
}

const STEP = 0.002;
const HIGHEST = 0.2;
const GRID = Array.from({ length: Math.round(HIGHEST / STEP) + 1 }, (_, step) => Math.round(step * STEP * 1000) / 1000);
/** With fewer questions than this nothing is proposed. */
const FEWEST = 10;
/** What a floor must be worth more than the one there is. */
const LEAST_GAIN = 0.02;

/** For one library: the floor that is worth most among those that lose at most `mostLost`, or no more than is lost now. What is nearly as good stays. */
export function proposeFloor(current: number, evidence: Evidence, mostLost: number): number {
  if (evidence.answered.filter(({ found }) => found).length < FEWEST) return current;
  const lost = (floor: number) => operatingPoint(floor, evidence.answered, []).lost;
  const most = Math.max(mostLost, lost(current));
  const allowed = GRID.filter((floor) => lost(floor) <= most + 1e-9);
  const choice = allowed.reduce((best, each) => (worthOf(each, evidence) > worthOf(best, evidence) ? each : best), current);
  return worthOf(choice, evidence) >= worthOf(current, evidence) + LEAST_GAIN ? choice : current;
}

/**
 * For every library: the highest floor that loses at most `mostLost` of any set, and half of that on the mean of the sets, so that there
 * is something in hand for a set that nobody has seen.
 */
export function floorForAll(sets: readonly Pick<Evidence, 'answered'>[], mostLost: number): number {
  const isAllowed = (floor: number) => {
    const losses = sets.map(({ answered }) => operatingPoint(floor, answered, []).lost);
    const mean = losses.reduce((sum, each) => sum + each, 0) / Math.max(1, losses.length);
    return mean <= mostLost / 2 + 1e-9 && losses.every((each) => each <= mostLost + 1e-9);
  };
  return GRID.reduce((highest, floor) => (isAllowed(floor) ? Math.max(highest, floor) : highest), 0);
}
