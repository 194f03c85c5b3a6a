/**
 * `npm run bench:stages -- --folder DOCUMENTS [--keep FOLDER] [--questions N] [--rounds N] SET…`: what do the stages that need no model
 * cost a question, beside the bare lexical pipeline, in one run over one index?
 *
 * The questions are those of the sets. *Bare* is the question's words as they are written, in passages alone, ranked and read. To it
 * come inflections, the page's evidence, names and links; then a vocabulary that gives one word of each question two other names; then
 * a slip of the hand in one word. Each question is asked twice in a row: what it costs when its words were long not asked for, and when
 * their lists are at hand. CPU is that of all threads; of each question the quickest round counts. `--keep` is that of `bench:load`.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openQuestion } from '../src/app/asking/asking.js';
import { resolveConfig } from '../src/app/configuration/config.js';
import { openContainer } from '../src/app/container.js';
import { EVALUATION_CALLER } from '../src/app/evaluation/labels.js';
import { resolveAsk } from '../src/app/identity.js';
import { learn } from '../src/app/learning/learn.js';
import type { Library } from '../src/app/library.js';
import type { RankingPolicy } from '../src/domain/ranking-policy.js';
import { type Vocabulary, vocabularyOf } from '../src/domain/vocabulary.js';
import type { RetrievalDeps, RetrievalRequest } from '../src/retrieval/draft.js';
import { retrieve } from '../src/retrieval/pipeline.js';
import { foldedWords } from '../src/text/analyze.js';
import { isStopWord } from '../src/text/stop-words.js';
import { milliseconds, quantile, ratioOfMedians } from './parts/figures.js';
import { misspelt } from './parts/misspelt.js';
import { readTexts, sampleQuestions } from './parts/texts.js';

const LEAST_LETTERS = 4;

/** A question as it is written, and with a slip of the hand. */
interface Question {
  readonly text: string;
  readonly slip: string;
}

/** Of a question, and of the same asked again at once, when its lists are at hand. */
interface Cost {
  readonly first: number;
  readonly again: number;
}

interface Way {
  readonly name: string;
  readonly of: keyof Question;
  readonly deps: RetrievalDeps;
  readonly for: RetrievalRequest['for'];
}

export async function main(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      folder: { type: 'string' },
      keep: { type: 'string' },
      questions: { type: 'string', default: '80' },
      rounds: { type: 'string', default: '5' },
    },
  });
  if (values.folder === undefined || positionals.length === 0) {
    process.stderr.write(
      'Say --folder with the documents, and name sets with questions about them: npm run bench:stages -- --folder DIR SET…\n',
    );
    return 2;
  }
  const home = values.keep === undefined ? mkdtempSync(join(tmpdir(), 'colophon-stages-')) : resolve(values.keep);
  mkdirSync(home, { recursive: true });
  const folder = resolve(values.folder);
  const library = await openContainer(await resolveConfig({ root: folder, env: { COLOPHON_HOME: join(home, 'state') }, cwd: folder }));
  try {
    await learn(library, { signal: new AbortController().signal, progress: () => undefined });
    const all = sampleQuestions(readTexts(positionals).questions, Number.POSITIVE_INFINITY);
    const questions = all.slice(0, Number(values.questions)).flatMap((text): Question[] => {
      const slip = misspelt({ id: text, text });
      return slip === undefined ? [] : [{ text, slip }];
    });
    await measure(library, questions, vocabularyFor(questions, all.slice(Number(values.questions))), Number(values.rounds));
    return 0;
  } finally {
    await library.close();
    if (values.keep === undefined) rmSync(home, { recursive: true, force: true });
  }
}

async function measure(library: Library, questions: readonly Question[], vocabulary: Vocabulary, rounds: number): Promise<void> {
  const ask = resolveAsk(library.config, {}, EVALUATION_CALLER, library.clock.now());
  const deps = await openQuestion({ library, ask, signal: new AbortController().signal, progress: () => undefined }, { mode: 'any' });
  try {
    const costs = new Map<string, Cost[]>();
    const ways = waysOf(deps, vocabulary);
    // Way after way, so that none finds the lists that another has just made.
    for (let round = 0; round < rounds; round += 1) {
      for (const way of ways) {
        for (const [at, question] of questions.entries()) {
          const run = () =>
            retrieve(way.deps, { ask, text: question[way.of], scope: {}, limit: way.for === 'context' ? 40 : 10, for: way.for });
          const cost = { first: await cpuOf(run), again: await cpuOf(run) };
          const own = costs.get(way.name) ?? [];
          const { first, again } = own[at] ?? cost;
          own[at] = { first: Math.min(first, cost.first), again: Math.min(again, cost.again) };
          costs.set(way.name, own);
        }
      }
    }
    const { artifacts } = await library.reader.totals();
    process.stdout.write(
      `${artifacts} artifacts, ${questions.length} questions, of each the quickest of ${rounds} rounds. CPU in milliseconds.\n\n${table(costs)}`,
    );
  } finally {
    await deps.snapshot.close();
  }
}

const BARE = 'bare: words as written, passages alone';

function waysOf(deps: RetrievalDeps, vocabulary: Vocabulary): readonly Way[] {
  const { vocabulary: _, ...own } = deps;
  const { policy } = own;
  const { synonymWeight: __, typoWeight: ___, nameTypoWeight: ____, ...unnamed } = policy;
  const bare: RankingPolicy = { ...unnamed, pageWeight: 0, legs: { ...policy.legs, metadata: 0, links: 0 }, nearDuplicate: 1 };
  const written = Object.fromEntries(Object.keys(own.stemming).map((source) => [source, 0]));
  const plain = { of: 'text', for: 'search' } as const;
  return [
    { ...plain, name: BARE, deps: { ...own, policy: bare, stemming: written } },
    { ...plain, name: 'inflections, page, names, links, copies', deps: { ...own, policy: { ...policy, typoWeight: 0 } } },
    { ...plain, name: 'and slips looked for, all words known', deps: own },
    { ...plain, name: 'and two other names for a word', deps: { ...own, vocabulary } },
    { ...plain, name: 'and a word misspelt', of: 'slip', deps: { ...own, vocabulary } },
    { name: 'and for a context: floor, caps, contradictions', of: 'slip', for: 'context', deps: { ...own, vocabulary } },
  ];
}

/** The rarest word of each question is a thing, which two words of questions that are not asked call by other names. */
function vocabularyFor(questions: readonly Question[], others: readonly string[]): Vocabulary {
  const none = { broader: [], narrower: [], related: [], deprecated: false } as const;
  const counts = new Map<string, number>();
  for (const { text } of questions) for (const word of telling(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const rarest = questions.flatMap(({ text }) =>
    telling(text)
      .sort((x, y) => (counts.get(x) ?? 0) - (counts.get(y) ?? 0))
      .slice(0, 1),
  );
  const names = [...new Set(others.flatMap(telling))].filter((word) => !counts.has(word));
  const things = [...new Set(rarest)].slice(0, Math.floor(names.length / 2));
  return vocabularyOf(things.map((id, at) => ({ ...none, id, prefLabel: id, altLabels: names.slice(2 * at, 2 * at + 2) })));
}

function telling(text: string): string[] {
  return [...new Set(foldedWords(text))].filter((word) => word.length >= LEAST_LETTERS && !isStopWord(word)).sort();
}

async function cpuOf(run: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function table(costs: ReadonlyMap<string, readonly Cost[]>): string {
  const bare = costs.get(BARE) ?? [];
  const rows = [...costs].map(([name, own]) => [
    name,
    ...(['first', 'again'] as const).flatMap((when) => {
      const [mine, theirs] = [own, bare].map((each) => each.map((cost) => cost[when]));
      if (mine === undefined || theirs === undefined) return [];
      const { value, low, high } = ratioOfMedians(mine, theirs);
      const tail = quantile(mine, 0.95) / quantile(theirs, 0.95);
      return [
        `${milliseconds(quantile(mine, 0.5))} / ${milliseconds(quantile(mine, 0.95))}`,
        `${value.toFixed(2)} [${low.toFixed(2)}, ${high.toFixed(2)}] / ${tail.toFixed(2)}`,
      ];
    }),
  ]);
  const head = ['', 'median / p95', '÷ bare', 'asked again, median / p95', '÷ bare'];
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}
