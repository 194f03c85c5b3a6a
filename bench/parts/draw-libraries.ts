/**
 * Small libraries drawn from a labelled set: a few of its questions, their right pages, and other pages up to a size.
 *
 * In a set of thousands of pages another page often answers a question whose right page was taken away; in a small one hardly ever.
 * Invariant: the same set gives the same libraries.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BeirSet, CorpusPage } from '../../src/evaluation/beir.js';
import { below, generator } from '../../src/evaluation/bootstrap.js';
import { relevantPages } from '../../src/evaluation/metrics.js';

export const SIZES = [5, 20, 80] as const;
const MOST_QUESTIONS = 12;
const SEED = 20_260_101;

/** Folders in BEIR layout below `into`, by size. */
export function drawLibraries(
  set: BeirSet,
  librariesPerSize: number,
  into: string,
): readonly { readonly size: number; readonly folder: string }[] {
  const random = generator(SEED);
  const titles = new Map(set.corpus.map((page) => [page.id, page]));
  // A question that was written from some page would have to be asked without it.
  const asked = set.queries.filter(({ id }) => goldOf(set, id).length > 0 && !set.ignored.has(id));
  const questions = asked.length > 0 ? asked : set.queries.filter(({ id }) => goldOf(set, id).length > 0);
  return SIZES.flatMap((size) =>
    Array.from({ length: librariesPerSize }, (_, number) => {
      const pages = new Set<string>();
      const chosen = new Set<string>();
      for (let tries = 0; tries < 200 && chosen.size < Math.min(size, MOST_QUESTIONS); tries++) {
        const { id } = questions[below(questions.length, random)] ?? { id: '' };
        const gold = goldOf(set, id);
        if (gold.length === 0 || new Set([...pages, ...gold]).size > size) continue;
        chosen.add(id);
        for (const page of gold) pages.add(page);
      }
      while (pages.size < Math.min(size, set.corpus.length)) pages.add(set.corpus[below(set.corpus.length, random)]?.id ?? '');
      const folder = join(into, `${set.name}-${size}-${number + 1}`);
      write(
        folder,
        set,
        [...pages].flatMap((page) => titles.get(page) ?? []),
        chosen,
      );
      return { size, folder };
    }),
  );
}

function goldOf({ judgements }: BeirSet, question: string): readonly string[] {
  return relevantPages(judgements.get(question) ?? new Map());
}

function write(folder: string, set: BeirSet, pages: readonly CorpusPage[], questions: ReadonlySet<string>): void {
  mkdirSync(join(folder, 'qrels'), { recursive: true });
  const lines = (values: readonly object[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');
  writeFileSync(join(folder, 'corpus.jsonl'), lines(pages.map(({ id, title, text }) => ({ _id: id, title, text }))));
  writeFileSync(
    join(folder, 'queries.jsonl'),
    lines(set.queries.filter(({ id }) => questions.has(id)).map(({ id, text }) => ({ _id: id, text }))),
  );
  const judged = [...questions].flatMap((id) => goldOf(set, id).map((page) => `${id}\t${page}\t1\n`));
  writeFileSync(join(folder, 'qrels', 'test.tsv'), `query-id\tcorpus-id\tscore\n${judged.join('')}`);
}
