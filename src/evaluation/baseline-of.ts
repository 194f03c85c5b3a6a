/**
 * From a report to the figures a ratchet holds: the gated measures of each split, with a slack of two questions.
 *
 * Invariant: what is a promise (no leak, nothing stale, exact citations) has no slack.
 */
import { mayNeverWorsen } from './measures.js';
import type { Baseline, Measured } from './ratchet.js';

const GATED = [
  'retrieval.nDCG@10',
  'retrieval.Recall@5',
  'retrieval.Recall@100',
  'retrieval.passage@5',
  'retrieval.stale@5',
  'retrieval.leaked',
  'delivered.goldInPackage',
  'delivered.answerInPackage',
  'delivered.tokensToAnswer',
  'delivered.staleInPackage',
  'delivered.bothSides',
  'delivered.leaked',
  'delivered.duplicates',
  'delivered.citationExact',
  'delivered.abstainedRightly',
] as const;

interface Figures {
  readonly metrics: Readonly<Record<string, number>>;
  readonly counts: Readonly<Record<string, number>>;
}

interface Sections {
  readonly retrieval: Figures;
  readonly delivered: Figures;
}

export interface GatedReport extends Sections {
  readonly set: string;
  readonly split: string;
  readonly questionsDigest: string;
  readonly queries: number;
  readonly groups: Readonly<Record<string, Readonly<Record<string, Sections>>>>;
}

export function baselineOf(report: GatedReport): Baseline {
  const measures = gatedFigures(report).map(
    ({ name, measure, value, count }) => [name, { value, slack: slackOf(measure, value, count) }] as const,
  );
  const { set, questionsDigest, queries } = report;
  return { schema: 'colophon/baseline@1', set, questionsDigest, questions: queries, measures: Object.fromEntries(measures) };
}

export function measuredOf(report: GatedReport): Measured {
  const measures = new Map(gatedFigures(report).map(({ name, value }) => [name, value]));
  return { questionsDigest: report.questionsDigest, questions: report.queries, measures };
}

function gatedFigures(report: GatedReport) {
  const splits = Object.entries(report.groups['split'] ?? { [report.split]: report });
  return splits.flatMap(([split, sections]) =>
    GATED.flatMap((measure) => {
      const [section, name = ''] = measure.split(/\.(.*)/s);
      const { metrics, counts } = section === 'retrieval' ? sections.retrieval : sections.delivered;
      const value = metrics[name];
      return value === undefined ? [] : [{ name: `${split}.${measure}`, measure, value, count: counts[name] ?? 1 }];
    }),
  );
}

/** Two questions may turn without anybody being at fault: our documents are the library, and a page that is added competes with all. */
const QUESTIONS_OF_SLACK = 2;

function slackOf(measure: string, value: number, count: number): number {
  if (mayNeverWorsen(measure)) return 0;
  const slack = measure === 'delivered.tokensToAnswer' ? value * 0.1 : QUESTIONS_OF_SLACK / count;
  return Math.ceil(slack * 1e4) / 1e4;
}
