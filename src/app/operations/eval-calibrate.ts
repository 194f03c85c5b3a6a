/**
 * eval calibrate: where the floor stands on your own documents, and where it would serve them better (EVL-13).
 *
 * Every labelled question is asked twice: as it is, and with its right pages taken away, which makes a question without an answer
 * that looks just like the others. Foreign questions make easy ones. A floor is chosen on one part of the pages, and what it does
 * is told from whole packages on the other.
 *
 * Invariant: defaults are not changed.
 */
import { z } from 'zod';
import { areaUnderCurve, operatingPoint, proposeFloor, SIGNALS, type Signal } from '../../evaluation/calibration.js';
import { FOREIGN_QUESTIONS } from '../../evaluation/foreign-questions.js';
import { relevantPages } from '../../evaluation/metrics.js';
import type { Question } from '../../evaluation/question.js';
import { written } from '../../evaluation/variants.js';
import { digestOf } from '../../kernel/digest.js';
import type { Evidence as Observed } from '../evaluation/asking.js';
import { readBeirFolder } from '../evaluation/beir-folder.js';
import { partsOf, tuningSplit } from '../evaluation/parts.js';
import { type EvalSurroundings, type LabelledSet, openLabelledSet } from '../evaluation/set.js';
import { askerUnder } from '../evaluation/trials.js';
import { operation } from './catalogue.js';
import { whichParts, whichSet } from './eval-run.js';
import { answer } from './wire.js';

const input = z.object({
  ...whichSet,
  ...whichParts,
  foreign: z
    .string()
    .min(1)
    .optional()
    .describe('Another set in BEIR layout, whose questions have no answer here; else a list of our own.'),
  mostLost: z.number().min(0).max(0.5).default(0.03).describe('The share of answered questions the floor may cost.'),
});
type CalibrateInput = z.output<typeof input>;

const point = z.object({ lost: z.number(), silentHard: z.number(), silentForeign: z.number() });
const delivered = z.object({ goldInPackage: z.number(), silentHard: z.number(), silentForeign: z.number() });

const output = answer('eval-calibrate', {
  set: z.string(),
  questions: z.object({ chosenOn: z.int(), reportedOn: z.int(), foreign: z.int() }),
  /** How well each sign tells questions with an answer from those without; 0.5 is chance. The floor stands on the first. */
  auc: z.array(z.object({ signal: z.enum(SIGNALS), hard: z.number().nullable(), foreign: z.number().nullable() })),
  current: z.object({ strength: z.number(), evidence: point, delivered }),
  proposed: z.object({ strength: z.number(), evidence: point, delivered }),
  /** What is lost and what is silent with a floor so many times as high. */
  curve: z.array(point.extend({ factor: z.number() })),
  reportDigest: z.string(),
});
export type CalibrateAnswer = z.output<typeof output>;

export const evalCalibrate = operation({
  name: 'eval calibrate',
  summary: 'Where the floor should stand on your own documents: what it loses, what it keeps silent about, and a proposal.',
  authority: 'operate',
  surfaces: ['cli', 'library'],
  input,
  output,
  run: (request, call) => calibrate(request, call),
});

interface Looked {
  readonly answered: readonly Observed[];
  readonly hard: readonly Observed[];
  readonly foreign: readonly Observed[];
}

const FACTORS = [0, 0.25, 0.5, 0.75, 1, 1.25, 1.5] as const;

export async function calibrate(request: CalibrateInput, surroundings: EvalSurroundings): Promise<CalibrateAnswer> {
  const set = await openLabelledSet({ ...request, split: await tuningSplit(request) }, surroundings);
  try {
    const current = set.library.config.ranking.floor.strength;
    const foreign = await foreignQuestions(request);
    const { dev: chosenOn, heldOut: reportedOn } = await partsOf(set, request);
    const halves = { chosen: foreign.filter((_, at) => at % 2 === 0), reported: foreign.filter((_, at) => at % 2 === 1) };
    const look = async (answered: readonly Question[], others: readonly Question[]): Promise<Looked> => ({
      answered: await observe(set, answered, 'with their answers', surroundings),
      hard: await observe(set, answered.map(withoutAnswer), 'without their answers', surroundings),
      foreign: await observe(set, others, 'foreign', surroundings),
    });
    const proposed = proposeFloor(current, await look(chosenOn, halves.chosen), request.mostLost);
    const evidence = await look(reportedOn, halves.reported);
    const pointOf = (floor: number) => {
      const { lost, silent } = operatingPoint(floor, evidence.answered, evidence.hard);
      return {
        lost: rounded(lost),
        silentHard: rounded(silent),
        silentForeign: rounded(operatingPoint(floor, [], evidence.foreign).silent),
      };
    };
    const told = async (floor: number) => ({
      strength: floor,
      evidence: pointOf(floor),
      delivered: await deliver(set, floor, { reportedOn, foreign: halves.reported }, surroundings),
    });
    const auc = (signal: Signal, unanswered: readonly Observed[]) => {
      const values = (observed: readonly Observed[]) => observed.map((each) => each.signals[signal]);
      const area = areaUnderCurve(values(evidence.answered), values(unanswered));
      return area === undefined ? null : rounded(area);
    };
    const canonical = {
      schema: 'colophon/eval-calibrate@1' as const,
      problems: [],
      set: set.name,
      questions: { chosenOn: chosenOn.length, reportedOn: reportedOn.length, foreign: halves.reported.length },
      auc: SIGNALS.map((signal) => ({ signal, hard: auc(signal, evidence.hard), foreign: auc(signal, evidence.foreign) })),
      current: await told(current),
      proposed: await told(proposed),
      curve: FACTORS.map((factor) => ({ factor, ...pointOf(current * factor) })),
    };
    return { ...canonical, reportDigest: digestOf(canonical) };
  } finally {
    await set.close();
  }
}

/** The same question in a library that has no page to answer it. */
function withoutAnswer(question: Question): Question {
  return { ...question, absent: new Set([...question.absent, ...relevantPages(question.grades)]), grades: new Map() };
}

async function foreignQuestions({ foreign }: CalibrateInput): Promise<readonly Question[]> {
  const texts = foreign === undefined ? FOREIGN_QUESTIONS : (await readBeirFolder(foreign, 'test')).queries.map(({ text }) => text);
  return texts.map((text, at) => ({
    id: `foreign-${at + 1}`,
    text,
    slices: {},
    grades: new Map(),
    absent: new Set(),
    never: new Set(),
    against: new Set(),
    ask: {},
  }));
}

async function observe(
  set: LabelledSet,
  questions: readonly Question[],
  note: string,
  { signal, progress }: EvalSurroundings,
): Promise<Observed[]> {
  const asker = askerUnder(set, { policy: set.library.config.ranking }, signal);
  const seen: Observed[] = [];
  for (const question of questions) {
    signal.throwIfAborted();
    seen.push(await asker.evidence(question));
    progress({ phase: 'asking', done: seen.length, total: questions.length, note });
  }
  return seen;
}

interface Asked {
  readonly reportedOn: readonly Question[];
  readonly foreign: readonly Question[];
}

/** The whole road, with this floor: what a package holds, and when there is none. */
async function deliver(set: LabelledSet, floor: number, { reportedOn, foreign }: Asked, { signal }: EvalSurroundings) {
  const asker = askerUnder(set, { policy: written(set.library.config.ranking, { 'floor.strength': floor }) }, signal);
  const share = async (questions: readonly Question[], is: (question: Question) => Promise<boolean>) => {
    let count = 0;
    for (const question of questions) {
      signal.throwIfAborted();
      count += Number(await is(question));
    }
    return rounded(count / Math.max(1, questions.length));
  };
  const isSilent = async (question: Question) => (await asker.deliver(question)).status === 'no_context';
  const holdsGold = async (question: Question) =>
    (await asker.deliver(question)).items.some(({ page }) => (question.grades.get(page) ?? 0) > 0);
  return {
    goldInPackage: await share(reportedOn, holdsGold),
    silentHard: await share(reportedOn.map(withoutAnswer), isSilent),
    silentForeign: await share(foreign, isSilent),
  };
}

function rounded(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}
