/**
 * `npm run bench:context -- DIR…`: how often the right page is inside what an agent is given, at three budgets, and how much it reads
 * before it gets there; ours beside ripgrep-and-truncate and BM25 over pages and passages.
 *
 * DIR is a labelled documentation set in BEIR layout. All see the same pages, questions and budgets, in one run; differences are
 * paired by question. Our tokens are the whole rendering, header and footer included, by the bound of all tokenizers.
 */
import { writeFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openDoor, retrieveFor } from '../src/app/asking/asking.js';
import { compilePackage } from '../src/app/asking/compile-package.js';
import { type Asker, askerOf, exclusionsOf } from '../src/app/evaluation/asking.js';
import { readBeirFolder } from '../src/app/evaluation/beir-folder.js';
import { type LabelledSet, openLabelledSet } from '../src/app/evaluation/set.js';
import type { BeirSet } from '../src/evaluation/beir.js';
import { relevantPages } from '../src/evaluation/metrics.js';
import type { Question } from '../src/evaluation/question.js';
import { Bm25, packed, type Text, truncated } from './bm25.js';
import { comparison, type SetScores } from './context-figures.js';
import { setConfigurationFor } from './parts/set-configuration.js';
import { type Paste, paste, rankFiles, searchedFile, searchWords } from './ripgrep-and-truncate.js';

const BUDGETS = [500, 1500, 4000] as const;
const OURS = 'Colophon';

/** What a question and a budget give. */
type System = (question: Question, budgetTokens: number) => Promise<Paste> | Paste;

export async function main(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: { questions: { type: 'string' }, json: { type: 'string' } },
  });
  if (positionals.length === 0) {
    process.stderr.write('Name labelled sets: npm run bench:context -- DIR…\n');
    return 2;
  }
  const sets: SetScores[] = [];
  for (const folder of positionals) {
    sets.push(await measure(resolve(folder), values.questions === undefined ? undefined : Number(values.questions)));
    process.stderr.write(`${basename(folder)} done\n`);
  }
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(sets)}\n`);
  process.stdout.write(BUDGETS.map((budget) => comparison(sets, budget, OURS)).join('\n'));
  return 0;
}

async function measure(folder: string, limitQueries: number | undefined): Promise<SetScores> {
  const beir = await readBeirFolder(folder, 'test');
  const signal = new AbortController().signal;
  const set = await openLabelledSet(
    { beir: folder, limitQueries, config: setConfigurationFor(folder) },
    { signal, progress: () => undefined },
  );
  try {
    const systems: Readonly<Record<string, System>> = {
      [OURS]: ours(set, askerOf(set, signal)),
      [`${OURS}’s order, packed as BM25’s`]: ourOrder(set, askerOf(set, signal)),
      ...ripgrep(beir),
      ...bm25(beir, await segmentsOf(set, askerOf(set, signal))),
    };
    const scores: SetScores['scores'][number][] = [];
    for (const question of set.questions) {
      const gold = new Set(relevantPages(question.grades));
      // Who asks for what was put into an archive asks there.
      if (gold.size === 0 || [...gold].some((page) => set.archived?.has(page))) continue;
      for (const budget of BUDGETS) {
        for (const [system, answer] of Object.entries(systems)) {
          const { read, tokens } = await answer(question, budget);
          const upTo = read.find(({ page }) => gold.has(page))?.upTo;
          const pages = new Set(read.map(({ page }) => page)).size;
          scores.push({
            question: question.id,
            system,
            budget,
            tokens,
            items: read.length,
            pages,
            ...(upTo === undefined ? {} : { upTo }),
          });
        }
      }
    }
    return { set: beir.name, scores };
  } finally {
    await set.close();
  }
}

function ours(set: LabelledSet, asker: Asker): System {
  const { config } = set.library;
  const model = config.models.find(({ name }) => name === 'generic');
  if (model === undefined) throw new Error('the profile `generic` is missing');
  return async (question, ceilingTokens) => {
    const { compiled, asked } = await compilePackage(asker.callFor(question), {
      text: question.text,
      scope: { exclude: exclusionsOf(question, set) },
      model,
      ranking: config.ranking,
      ceilingTokens,
      mayRaiseCeiling: true,
    });
    await asked.snapshot.close();
    const { items, budget } = compiled.package.body;
    let upTo = budget.classes['frame']?.used ?? 0;
    const read = items.map((item) => {
      upTo += item.tokens;
      return { page: set.pageId(item), upTo };
    });
    return { read, tokens: budget.used };
  };
}

/** Our ranking without floor, caps, header and citations: what these cost or gain is the difference to ours. */
function ourOrder(set: LabelledSet, asker: Asker): System {
  const ranked = onceEach(async (question) => {
    const scope = { exclude: exclusionsOf(question, set) };
    const asked = await retrieveFor(asker.callFor(question), { text: question.text, scope, limit: 300, mode: 'any', purpose: 'ranking' });
    await asked.snapshot.close();
    return asked.retrieved.candidates.map(({ page, artifact }) => {
      return { page: set.pageId(page), heading: [page.path, ...artifact.headingPath].join(' › '), text: artifact.excerpt };
    });
  });
  return async (question, budget) => packed(await ranked(question), budget);
}

function ripgrep({ corpus }: BeirSet): Record<string, System> {
  const files = corpus.map(({ id, text }) => searchedFile(id, text));
  const ranked = onceEach((question) => rankFiles(files, searchWords(question.text), question.absent));
  const pasting = (windowsPerFile: number | undefined): System => {
    return (question, budgetTokens) => paste(ranked(question), searchWords(question.text), { budgetTokens, windowsPerFile });
  };
  return { 'ripgrep, all matches': pasting(undefined), 'ripgrep, 3 a file': pasting(3) };
}

function bm25({ corpus }: BeirSet, segments: readonly (Text & { readonly prefix: string })[]): Record<string, System> {
  const pages = new Bm25(corpus.map(({ id, title, text }) => ({ page: id, heading: id, text, searched: `${title}\n${text}` })));
  const bare = new Bm25(segments);
  const headed = new Bm25(segments.map((each) => ({ ...each, searched: `${each.prefix}\n${each.text}` })));
  const rankedBy = (index: Bm25) => onceEach(({ text, absent }) => index.rank(text, absent));
  const ranked = { pages: rankedBy(pages), bare: rankedBy(bare), headed: rankedBy(headed) };
  return {
    'BM25, whole pages': (question, budget) => truncated(ranked.pages(question), budget),
    'BM25, segments': (question, budget) => packed(ranked.bare(question), budget),
    'BM25, segments and their headings': (question, budget) => packed(ranked.headed(question), budget),
  };
}

/** The order is the same for all budgets. */
function onceEach<T>(rank: (question: Question) => T): (question: Question) => T {
  const known = new WeakMap<Question, { readonly ranked: T }>();
  return (question) => {
    const found = known.get(question) ?? { ranked: rank(question) };
    known.set(question, found);
    return found.ranked;
  };
}

/** Our own passages, for BM25 to rank. */
async function segmentsOf(set: LabelledSet, asker: Asker): Promise<(Text & { readonly prefix: string })[]> {
  const [question] = set.questions;
  if (question === undefined) return [];
  const door = await openDoor(asker.callFor(question));
  try {
    const texts: (Text & { readonly prefix: string })[] = [];
    for (const page of await door.snapshot.pages(door.eligible, {}, { limit: Number.MAX_SAFE_INTEGER })) {
      for (const { excerpt, headingPath, prefix } of await door.snapshot.segments(door.eligible, page)) {
        texts.push({ page: set.pageId(page), heading: [page.path, ...headingPath].join(' › '), text: excerpt, prefix });
      }
    }
    return texts;
  } finally {
    await door.snapshot.close();
  }
}
