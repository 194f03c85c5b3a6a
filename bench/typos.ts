/**
 * `npm run bench:typos -- DIR…`: what slips of the hand cost, and how much of it comes back, on labelled sets in BEIR layout.
 *
 * One word of each question is misspelt as people do it, by a seeded hand. Each question is ranked as written, misspelt with words
 * taken as they are, and misspelt with the nearest known word in their place; all in one run over one index. Questions that no page
 * answers show what it costs in answers that should not have been given.
 */
import { basename, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type LabelledSet, openLabelledSet } from '../src/app/evaluation/set.js';
import { askerUnder } from '../src/app/evaluation/trials.js';
import type { RankingPolicy } from '../src/domain/ranking-policy.js';
import { mean, meanInterval } from '../src/evaluation/bootstrap.js';
import { FOREIGN_QUESTIONS } from '../src/evaluation/foreign-questions.js';
import { ndcgAt, relevantPages } from '../src/evaluation/metrics.js';
import type { Question } from '../src/evaluation/question.js';
import { misspelt } from './parts/misspelt.js';

interface Figures {
  readonly set: string;
  readonly questions: number;
  readonly clean: readonly number[];
  readonly cleanWith: readonly number[];
  readonly without: readonly number[];
  readonly with: readonly number[];
  /** Foreign questions that were answered, without and with. */
  readonly foreign: readonly [number, number];
  /** Processor time of the clean questions, without and with; and of the misspelt ones. */
  readonly cpu: readonly [number, number, number, number];
}

export async function main(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: { questions: { type: 'string' }, weight: { type: 'string', multiple: true } },
  });
  if (positionals.length === 0) {
    process.stderr.write('Name labelled sets: npm run bench:typos -- DIR…\n');
    return 2;
  }
  const weights = (values.weight ?? []).map(Number);
  const found: Figures[] = [];
  for (const folder of positionals) {
    const limit = values.questions === undefined ? undefined : Number(values.questions);
    found.push(...(await measure(resolve(folder), limit, weights)));
    process.stderr.write(`${basename(folder)} done\n`);
  }
  process.stdout.write(table(found));
  return 0;
}

async function measure(folder: string, limitQueries: number | undefined, weights: readonly number[]): Promise<Figures[]> {
  const signal = new AbortController().signal;
  const set = await openLabelledSet({ beir: folder, limitQueries }, { signal, progress: () => undefined });
  try {
    const base = set.library.config.ranking;
    const off: RankingPolicy = { ...base, typoWeight: 0 };
    const answered = set.questions.filter(({ grades }) => relevantPages(grades).length > 0);
    const asked = answered.flatMap((question) => {
      const text = misspelt(question);
      return text === undefined ? [] : [{ question, slip: { ...question, text } }];
    });
    const clean = asked.map((each) => each.question);
    const slips = asked.map((each) => each.slip);
    await ranked(set, clean, off);
    const figures: Figures[] = [];
    for (const typoWeight of weights.length === 0 ? [base.typoWeight ?? 0] : weights) {
      const on: RankingPolicy = { ...base, typoWeight };
      const [a, b, c, d] = [
        await ranked(set, clean, off),
        await ranked(set, clean, on),
        await ranked(set, slips, off),
        await ranked(set, slips, on),
      ];
      figures.push({
        set: `${set.name}${weights.length === 0 ? '' : ` @${typoWeight}`}`,
        questions: asked.length,
        clean: a.scores,
        cleanWith: b.scores,
        without: c.scores,
        with: d.scores,
        foreign: [await answeredOf(set, off), await answeredOf(set, on)],
        cpu: [a.cpuMs, b.cpuMs, c.cpuMs, d.cpuMs],
      });
    }
    return figures;
  } finally {
    await set.close();
  }
}

async function ranked(set: LabelledSet, questions: readonly Question[], policy: RankingPolicy) {
  const asker = askerUnder(set, { policy }, new AbortController().signal);
  const before = process.cpuUsage();
  const scores: number[] = [];
  for (const question of questions) scores.push(ndcgAt((await asker.rank(question)).ranking, question.grades, 10) ?? 0);
  const { user, system } = process.cpuUsage(before);
  return { scores, cpuMs: (user + system) / 1000 };
}

async function answeredOf(set: LabelledSet, policy: RankingPolicy): Promise<number> {
  const asker = askerUnder(set, { policy }, new AbortController().signal);
  const like = set.questions[0];
  if (like === undefined) return 0;
  let count = 0;
  for (const text of FOREIGN_QUESTIONS) {
    const { status } = await asker.deliver({ ...like, text, grades: new Map(), absent: new Set() });
    if (status === 'frozen') count += 1;
  }
  return count;
}

function table(found: readonly Figures[]): string {
  const share = (figures: Figures) => {
    const lost = mean(figures.clean) - mean(figures.without);
    return lost <= 0 ? '–' : `${Math.round((100 * (mean(figures.with) - mean(figures.without))) / lost)} %`;
  };
  const rows = found.map((each) => {
    const deltas = each.with.map((value, at) => value - (each.without[at] ?? 0));
    const gain = mean(deltas);
    const { low, high } = meanInterval(deltas) ?? { low: 0, high: 0 };
    const harm = each.cleanWith.filter((value, at) => value < (each.clean[at] ?? 0)).length;
    const [clean, cleanWith, without, with_] = each.cpu;
    return [
      each.set,
      each.questions,
      ...[each.clean, each.without, each.with].map((scores) => mean(scores).toFixed(3)),
      `${gain >= 0 ? '+' : ''}${gain.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]`,
      share(each),
      `${(mean(each.cleanWith) - mean(each.clean)).toFixed(4)} (${harm} worse)`,
      `${each.foreign[0]} → ${each.foreign[1]} of ${FOREIGN_QUESTIONS.length}`,
      `${(cleanWith / clean).toFixed(2)}, ${(with_ / without).toFixed(2)}`,
    ].join(' | ');
  });
  const head =
    'set | questions | clean | misspelt, off | misspelt, on | gain, 95 % | recovered | clean, on − off | foreign answered | time on ÷ off: clean, misspelt';
  return `nDCG@10\n\n| ${head} |\n|${'---|'.repeat(head.split('|').length)}\n${rows.map((row) => `| ${row} |`).join('\n')}\n`;
}
