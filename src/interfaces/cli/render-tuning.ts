/** What `eval ablate` and `eval calibrate` found, for people who need not know what a metric is. */
import type { AblateAnswer } from '../../app/operations/eval-ablate.js';
import type { CalibrateAnswer } from '../../app/operations/eval-calibrate.js';
import type { Terminal } from './terminal.js';
import { oneLine } from './text-layout.js';

type Page = Pick<Terminal, 'colors' | 'width'>;
type Trial = AblateAnswer['trials'][number];

export interface AblationView {
  /** Where the delta was written. */
  readonly out: string | undefined;
  /** Every value of every stage, not only what each stage is worth. */
  readonly all: boolean;
}

export function renderAblation(answer: AblateAnswer, page: Page, { out, all }: AblationView): string {
  const { dev, heldOut } = answer;
  const { colors } = page;
  return [
    `${colors.bold(answer.set)}: ${dev.questions} questions to tune on, ${heldOut.questions} held out to confirm`,
    '',
    `As it is: order ${points(dev['nDCG@10'])} of 100, right page in the package for ${points(dev.goldInPackage)} of 100 questions.`,
    colors.dim(
      'Order: 100 when the right page is always first, 63 when it is always second, 50 when third, 0 when it is not in the first ten.',
    ),
    colors.dim(
      '[a to b]: with other questions of the same kind the difference would most likely lie there. Only a range without 0 says much.',
    ),
    '',
    ...proposals(answer, page, out),
    '',
    ...(all ? everyTrial(answer, page) : worthOfStages(answer, page)),
    '',
    colors.dim(`policy ${answer.policy.version} ${answer.policy.digest.slice(0, 12)} · report ${answer.reportDigest.slice(0, 12)}`),
    '',
  ].join('\n');
}

/** Two lines a stage: what it does, and what is lost without it, else what the best other value would gain. */
function worthOfStages({ trials, cpuRatios: _, ...rest }: AblateAnswer, page: Page): string[] {
  const { colors } = page;
  const stages = [...new Set(trials.map(({ stage }) => stage))];
  const lines = stages.map((stage) => {
    const own = trials.filter((each) => each.stage === stage);
    const without = own.find(({ off }) => off);
    return { stage, says: own[0]?.says ?? '', shown: without ?? own.reduce((best, each) => (each.dev.mean > best.dev.mean ? each : best)) };
  });
  const group = (title: string, verdicts: readonly Trial['verdict'][]) => {
    const found = lines.filter(({ shown }) => verdicts.includes(shown.verdict));
    return found.length === 0
      ? []
      : ['', colors.bold(title), ...found.flatMap(({ stage, says, shown }) => stageLines(stage, says, shown, page))];
  };
  return [
    colors.bold('What each stage is worth here: how answers change when it is taken away, in points of 100'),
    ...group('Earns its place: without it answers get worse', ['earns-its-place']),
    ...group('Better without it, or with another value', ['proposed']),
    ...group('Looked better without it, and was not when other questions were asked, or takes too much time', ['unconfirmed', 'too-slow']),
    ...group('Makes no difference on these questions', ['no-difference']),
    ...group(`Cannot be told from luck with ${rest.dev.questions} questions`, ['cannot-tell', 'worse']),
    ...group('Cannot be judged by these questions: they were made of links and names themselves', ['circular']),
    ...group('Cannot be judged by questions that all have an answer; ask `eval calibrate`', ['calibrate']),
    '',
    colors.dim('--all shows every value that was tried.'),
  ];
}

const STAGE_WIDTH = 18;

function stageLines(stage: string, says: string, { off, setting, from, to, dev, better, worse }: Trial, { colors, width }: Page): string[] {
  const first = `  ${stage.padEnd(STAGE_WIDTH)} ${colors.dim(oneLine(says, Math.max(20, width - STAGE_WIDTH - 3)))}`;
  if (better + worse === 0) return [first];
  const what = off ? 'without it' : `with ${setting} ${text(to)} instead of ${text(from)}`;
  const range = `[${signed(dev.ci95.low)} to ${signed(dev.ci95.high)}]`;
  return [first, `  ${' '.repeat(STAGE_WIDTH)} ${what}: ${signed(dev.mean)} ${range}, ${better} answered better, ${worse} worse`];
}

function everyTrial(answer: AblateAnswer, { colors, width }: Page): string[] {
  const stages = [...new Set(answer.trials.map(({ stage }) => stage))];
  return [
    colors.bold('Every stage, without it and with other values'),
    ...stages.flatMap((stage) => {
      const own = answer.trials.filter((each) => each.stage === stage);
      const says = colors.dim(oneLine(own[0]?.says ?? '', width - stage.length - 6));
      return ['', `  ${colors.bold(stage)}  ${says}`, ...own.map((each) => `    ${trialLine(each, answer, colors)}`)];
    }),
  ];
}

function proposals(answer: AblateAnswer, { colors }: Page, out: string | undefined): string[] {
  const unconfirmed = answer.trials.filter(({ verdict }) => verdict === 'unconfirmed' || verdict === 'too-slow');
  const few =
    answer.dev.questions < 100 ? [`${answer.dev.questions} questions are few: only large differences can be told from luck.`] : [];
  if (answer.proposed.length === 0)
    return [
      colors.bold('Proposed: leave everything as it is.'),
      'No other value was clearly better on these questions and on those held out.',
      ...few,
      ...unconfirmed.map((each) => `  ${each.setting} ${text(each.to)} ${WORDS[each.verdict]}`),
    ];
  return [
    colors.bold('Proposed'),
    ...answer.proposed.map(({ setting, from, to, stage }) => {
      const trial = answer.trials.find((each) => each.setting === setting && each.to === to);
      const gain = trial?.dev.mean ?? 0;
      const kept = trial?.heldOut?.mean ?? 0;
      return `  ${colors.green(`${setting}: ${text(from)} → ${text(to)}`)}  ${signed(gain)} on the tuning questions, ${signed(kept)} on those held out (${stage})`;
    }),
    ...unconfirmed.map((each) => `  ${each.setting} ${text(each.to)} ${WORDS[each.verdict]}`),
    out === undefined ? 'Nothing was changed. --out FILE writes this as a delta file.' : `Nothing was changed; the delta is in ${out}.`,
  ];
}

const WORDS: Readonly<Record<Trial['verdict'], string>> = {
  proposed: 'better: proposed',
  'earns-its-place': 'the stage earns its place',
  unconfirmed: 'looked better, and the held-out questions did not bear it out',
  'too-slow': 'better, and takes too much time',
  worse: 'worse',
  'no-difference': 'no difference',
  'cannot-tell': 'cannot tell with so few questions',
  calibrate: 'see `eval calibrate`: this needs questions without an answer',
  circular: 'cannot say: these questions were made of links and names',
};

function trialLine(
  { off, setting, from, to, dev, better, worse, verdict }: Trial,
  { cpuRatios }: AblateAnswer,
  colors: Page['colors'],
): string {
  const what = off ? `without (${setting} ${text(to)})` : `${setting} ${text(from)} → ${text(to)}`;
  const range = `[${signed(dev.ci95.low)} to ${signed(dev.ci95.high)}]`;
  const moved = better + worse === 0 ? 'no question moved' : `${better} better, ${worse} worse`;
  const paint =
    verdict === 'proposed' ? colors.green : verdict === 'worse' ? colors.yellow : verdict === 'earns-its-place' ? colors.cyan : colors.dim;
  const cpu = cpuRatios.find((each) => each.setting === setting && each.to === to)?.ratio;
  const time = cpu !== undefined && (verdict === 'proposed' || verdict === 'too-slow') ? `  ${cpu} × the time` : '';
  return `${what.padEnd(44)} ${signed(dev.mean).padStart(6)} ${range.padEnd(20)} ${moved.padEnd(24)} ${paint(WORDS[verdict])}${time}`;
}

export function renderCalibration(answer: CalibrateAnswer, { colors }: Page): string {
  const { current, proposed, questions, auc, curve } = answer;
  const same = current.strength === proposed.strength;
  const row = (name: string, { delivered }: CalibrateAnswer['current']) =>
    `  ${name.padEnd(12)} ${percent(delivered.goldInPackage).padStart(14)} ${percent(delivered.silentHard).padStart(22)} ${percent(delivered.silentForeign).padStart(18)}`;
  return [
    `${colors.bold(answer.set)}: chosen on ${questions.chosenOn} questions, told on ${questions.reportedOn} others, with ${questions.foreign} foreign ones`,
    '',
    'The floor: how strongly the best passage must answer a question, or nothing is said.',
    `  now       ${current.strength}`,
    `  proposed  ${same ? 'the same: no other is clearly worth more' : proposed.strength}`,
    '',
    colors.bold('whole packages     right page in    silent, answer removed    silent, foreign'),
    row('now', current),
    row('proposed', proposed),
    '',
    colors.bold('the floor times          right page lost    silent, answer removed    silent, foreign'),
    ...curve.map(
      ({ factor, lost, silentHard, silentForeign }) =>
        `  ${String(factor).padStart(8)} ${percent(lost).padStart(28)} ${percent(silentHard).padStart(22)} ${percent(silentForeign).padStart(20)}`,
    ),
    '',
    'Could it tell at all? Shown one question with an answer and one without, each sign is right this often; 50 % is a coin.',
    colors.dim('                                    answer removed    foreign'),
    ...auc.map(
      ({ signal, hard, foreign }, at) =>
        `  ${signal.padEnd(30)} ${percent(hard ?? 0.5).padStart(17)} ${percent(foreign ?? 0.5).padStart(10)}${at === 0 ? '   the floor stands on this' : ''}`,
    ),
    'Nothing was changed.',
    '',
  ].join('\n');
}

function points(share: number): string {
  return (share * 100).toFixed(0);
}

function signed(value: number): string {
  const hundredfold = (value * 100).toFixed(1);
  return Number(hundredfold) > 0 ? `+${hundredfold}` : Number(hundredfold) === 0 ? '0.0' : hundredfold.replace('-', '−');
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value);
}
