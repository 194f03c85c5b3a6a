/**
 * `npm run bench:compile -- DIR… [--pages N] [--questions N] [--rounds N] [--keep FOLDER]`: what a context costs a running process,
 * beside a bare search of the same questions in the same round.
 *
 * DIR is a set in BEIR layout. Their pages become one library of files with a records store on disk, so that everything `context`
 * does is in the figure: eligibility, ranking, the look at the files, compiling, and storing the package. CPU is that of all threads.
 */
import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { compilePackage } from '../src/app/asking/compile-package.js';
import { ContextCache } from '../src/app/asking/context-cache.js';
import { EVALUATION_CALLER } from '../src/app/evaluation/labels.js';
import { openEvaluationLibrary } from '../src/app/evaluation/library.js';
import { resolveAsk } from '../src/app/identity.js';
import type { Library } from '../src/app/library.js';
import type { Call } from '../src/app/operations/catalogue.js';
import { context } from '../src/app/operations/context.js';
import { search } from '../src/app/operations/search.js';
import { placeCorpus } from '../src/evaluation/corpus-pages.js';
import { NO_SET_CONFIGURATION } from '../src/evaluation/set-configuration.js';
import { milliseconds, quantile, ratioOfMedians } from './parts/figures.js';
import { multiplied, readTexts, type Source, sampleQuestions } from './parts/texts.js';

interface Cost {
  readonly wallMs: number;
  readonly cpuMs: number;
}

interface Way {
  /** Not timed. */
  before?(text: string): Promise<void>;
  run(text: string): Promise<void>;
}

/** Of each question, its quickest round. */
type Costs = Map<string, Map<string, Cost>>;

export async function main(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      pages: { type: 'string' },
      questions: { type: 'string', default: '200' },
      rounds: { type: 'string', default: '5' },
      keep: { type: 'string' },
    },
  });
  if (positionals.length === 0) {
    process.stderr.write('Name labelled sets: npm run bench:compile -- DIR…\n');
    return 2;
  }
  const { documents, questions } = readTexts(positionals);
  const placed = placeCorpus(corpusOf(documents, values.pages === undefined ? documents.length : Number(values.pages)));
  const options = { cache: values.keep, signal: new AbortController().signal, progress: () => undefined };
  const { library, report, close } = await openEvaluationLibrary(placed, NO_SET_CONFIGURATION, options);
  try {
    const asked = sampleQuestions(questions, Number(values.questions));
    const costs = await measure(library, asked, Number(values.rounds));
    process.stdout.write(
      `${report.documents} pages, ${report.artifacts} artifacts of ${positionals.map((each) => basename(each)).join(', ')}; `,
    );
    process.stdout.write(`${asked.length} questions, of each the quickest of ${values.rounds} rounds. Milliseconds.\n\n${table(costs)}`);
    return 0;
  } finally {
    await close();
  }
}

function corpusOf(documents: readonly Source[], pages: number) {
  const corpus: { readonly id: string; readonly title: string; readonly text: string }[] = [];
  const known = new Set<string>();
  for (const { path, title, text } of multiplied(documents)) {
    if (corpus.length >= pages) break;
    const id = known.has(path) ? `more-${corpus.length}/${path}` : path;
    known.add(id);
    corpus.push({ id, title, text });
  }
  return corpus;
}

const BARE = 'search';

async function measure(library: Library, questions: readonly string[], rounds: number): Promise<Costs> {
  const model = library.config.models.find(({ name }) => name === 'generic');
  if (model === undefined) throw new Error('the profile `generic` is missing');
  const ask = () => resolveAsk(library.config, {}, EVALUATION_CALLER, library.clock.now());
  const call = (of: Library): Call => ({ library: of, ask: ask(), signal: new AbortController().signal, progress: () => undefined });
  const compile = (of: Library) => async (text: string) => {
    const { asked } = await compilePackage(call(of), { text, scope: {}, model, ranking: of.config.ranking, mayRaiseCeiling: false });
    await asked.snapshot.close();
  };
  const whole = (of: Library) => async (query: string) => {
    await context.run(context.input.parse({ query, attempt: randomUUID() }), call(of));
  };
  const server: Library = { ...library, contexts: new ContextCache() };
  const ways: Readonly<Record<string, Way>> = {
    [BARE]: {
      run: async (query) => {
        await search.run(search.input.parse({ query }), call(library));
      },
    },
    'compile, nothing stored': { run: compile(library) },
    'the same, compiled before': { before: compile(server), run: compile(server) },
    context: { run: whole(library) },
    'the same, compiled before and stored anew': { before: whole(server), run: whole(server) },
  };
  const costs: Costs = new Map(Object.keys(ways).map((name) => [name, new Map()]));
  // A process that has met the words, as a server has.
  for (const text of questions) await ways[BARE]?.run(text);
  for (let round = 0; round < rounds; round += 1) {
    for (const text of questions) {
      for (const [name, way] of Object.entries(ways)) {
        await way.before?.(text);
        const cost = await costOf(() => way.run(text));
        const before = costs.get(name)?.get(text);
        costs.get(name)?.set(text, before === undefined ? cost : quicker(before, cost));
      }
    }
  }
  return costs;
}

async function costOf(work: () => Promise<void>): Promise<Cost> {
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  await work();
  const wallMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs, cpuMs: (user + system) / 1000 };
}

function quicker(a: Cost, b: Cost): Cost {
  return { wallMs: Math.min(a.wallMs, b.wallMs), cpuMs: Math.min(a.cpuMs, b.cpuMs) };
}

function table(costs: Costs): string {
  const head = ['', 'p50', 'p95', 'CPU p50', 'CPU p95', `wall ÷ ${BARE}`, `CPU ÷ ${BARE}`];
  const bare = [...(costs.get(BARE) ?? new Map<string, Cost>()).values()];
  const rows = [...costs].map(([name, byQuestion]) => {
    const own = [...byQuestion.values()];
    const figures = (['wallMs', 'cpuMs'] as const).flatMap((of) =>
      [0.5, 0.95].map((share) =>
        milliseconds(
          quantile(
            own.map((each) => each[of]),
            share,
          ),
        ),
      ),
    );
    const ratios = (['wallMs', 'cpuMs'] as const).map((of) => {
      const { value, low, high } = ratioOfMedians(
        own.map((each) => each[of]),
        bare.map((each) => each[of]),
      );
      return `${value.toFixed(2)} [${low.toFixed(2)}, ${high.toFixed(2)}]`;
    });
    return [name, ...figures, ...ratios];
  });
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}
