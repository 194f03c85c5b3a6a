/** Evaluation reports for people: what was measured, what was lost and why, what changed. */
import { missSentence } from '../../app/evaluation/words.js';
import type { CompareAnswer } from '../../app/operations/eval-compare.js';
import type { EvalAnswer } from '../../app/operations/eval-run.js';
import { counted } from '../../kernel/counted.js';
import type { Terminal } from './terminal.js';
import { oneLine } from './text-layout.js';

type Page = Pick<Terminal, 'colors' | 'width'>;

const MOST_QUESTIONS = 10;

export function renderRun(answer: EvalAnswer, page: Page): string {
  const { colors } = page;
  const { corpus, latencyMs } = answer;
  const head = `${colors.bold(answer.set)} ${answer.split}: ${counted(answer.queries, 'question')}, ${corpus.indexed} of ${counted(corpus.pages, 'page')}, ${counted(corpus.artifacts, 'passage')}`;
  const rules = answer.configuration.paths.map(
    ({ glob, status, version }) => `  ${glob} → ${[status, version].filter((each) => each !== undefined).join(', ')}`,
  );
  return [
    head,
    ...(rules.length === 0 ? [] : ['with', ...rules]),
    '',
    colors.bold('ranking, before floor and caps'),
    ...rows(answer.retrieval),
    '',
    colors.bold('delivered in a preamble'),
    ...rows(answer.delivered),
    ...groups(answer, page),
    ...misses(answer, page),
    '',
    colors.dim(`policy ${answer.policyVersion} ${answer.policyDigest.slice(0, 12)} · report ${answer.reportDigest.slice(0, 12)}`),
    colors.dim(
      `${latencyMs.p50} ms a ranking (p95 ${latencyMs.p95}), ${latencyMs.context.p50} ms a context (p95 ${latencyMs.context.p95}); for information only`,
    ),
    '',
  ].join('\n');
}

function groups({ groups: all }: EvalAnswer, { colors }: Page): string[] {
  const telling = Object.entries(all).filter(([, values]) => Object.keys(values).length > 1);
  return telling.flatMap(([name, values]) => [
    '',
    colors.bold(`by ${name}`.padEnd(22)) + colors.dim('questions  nDCG@10  page in  answer in  silent rightly'),
    ...Object.entries(values).map(([value, { questions, retrieval, delivered }]) => {
      const cell = (figures: Readonly<Record<string, number>>, measure: string, width: number) => {
        const is = figures[measure];
        return (is === undefined ? '–' : figure(is)).padStart(width);
      };
      const figures = [
        String(questions).padStart(9),
        cell(retrieval.metrics, 'nDCG@10', 9),
        cell(delivered.metrics, 'goldInPackage', 9),
        cell(delivered.metrics, 'answerInPackage', 11),
        cell(delivered.metrics, 'abstainedRightly', 16),
      ];
      return `  ${value.padEnd(20)}${figures.join('')}`;
    }),
  ]);
}

function misses(answer: EvalAnswer, { colors, width }: Page): string[] {
  const lost = answer.perQuery.filter(({ miss }) => miss !== undefined);
  if (lost.length === 0) return [];
  return [
    '',
    colors.bold(`${lost.length} answers were not delivered`),
    ...Object.entries(answer.misses).map(([kind, count]) => `  ${String(count).padStart(4)}  ${kind}: ${missSentence(kind)}`),
    '',
    ...lost
      .slice(0, MOST_QUESTIONS)
      .map(
        ({ query, text, miss, missDetail }) =>
          `  ${oneLine(`${query} ${text} — ${miss}${missDetail === '' ? '' : ` (${missDetail})`}`, width - 2)}`,
      ),
    ...(lost.length > MOST_QUESTIONS ? [colors.dim(`  … and ${lost.length - MOST_QUESTIONS} more; --json lists them all.`)] : []),
  ];
}

function rows({ metrics, ci95, counts }: EvalAnswer['retrieval']): string[] {
  return Object.entries(metrics).map(([name, value]) => {
    const [low = 0, high = 0] = ci95[name] ?? [];
    return `  ${name.padEnd(18)} ${figure(value)}  [${figure(low)}, ${figure(high)}]  over ${counts[name] ?? 0}`;
  });
}

export function renderComparison(answer: CompareAnswer, page: Page): string {
  const { colors, width } = page;
  const verdict = answer.holds ? colors.green('holds') : colors.red('worse');
  const lines = (title: string, entries: readonly string[]) =>
    entries.length === 0
      ? []
      : [
          '',
          colors.bold(title),
          ...entries.slice(0, MOST_QUESTIONS).map((each) => `  ${oneLine(each, width - 2)}`),
          ...more(entries, colors),
        ];
  const moved = ({ query, text, before, after }: { query: string; text: string; before: number | string; after: number | string }) =>
    `${query} ${text} — ${shown(before)} → ${shown(after)}`;
  return [
    `${verdict}: ${counted(answer.shared, 'question')}, against a ${answer.against}`,
    ...answer.findings.map((each) => `  ${colors.red(each)}`),
    ...answer.notes.map((each) => `  ${each}`),
    ...(answer.measures.length === 0 ? [] : ['', colors.bold('measure                      before   after    difference, 95 %')]),
    ...answer.measures.map(({ measure, before, after, mean, ci95, verdict: is }) => {
      const row = `${measure.padEnd(28)} ${figure(before).padEnd(8)} ${figure(after).padEnd(8)} ${figure(mean)} [${figure(ci95.low)}, ${figure(ci95.high)}]`;
      return is === 'even' ? row : `${row}  ${is === 'better' ? colors.green(is) : colors.red(is)}`;
    }),
    ...lines(`${counted(answer.won.length, 'question')} won, by nDCG@10`, answer.won.map(moved)),
    ...lines(`${counted(answer.lost.length, 'question')} lost`, answer.lost.map(moved)),
    ...lines('where answers are lost now, and were before', answer.misses.map(moved)),
    ...lines('only in the earlier run', answer.onlyBefore),
    ...lines('only in the later run', answer.onlyAfter),
    '',
  ].join('\n');
}

function more(entries: readonly string[], colors: Page['colors']): string[] {
  return entries.length > MOST_QUESTIONS ? [colors.dim(`  … and ${entries.length - MOST_QUESTIONS} more; --json lists them all.`)] : [];
}

function shown(value: number | string): string {
  return typeof value === 'string' ? value : figure(value);
}

function figure(value: number): string {
  return Math.abs(value) >= 10 ? value.toFixed(0) : value.toFixed(3);
}
