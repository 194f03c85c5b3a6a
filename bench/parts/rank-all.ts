/**
 * How all rankers order the pages of one set, and of the slices that a set lets be told apart: questions whose right pages are live, and the
 * same questions asked about each version of a page that is there for several.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Asker } from '../../src/app/evaluation/asking.js';
import type { BeirSet } from '../../src/evaluation/beir.js';
import { ndcgAt, relevantPages, staleAt } from '../../src/evaluation/metrics.js';
import type { Question } from '../../src/evaluation/question.js';
import { peersOf } from './peer-ranking.js';

export const OURS = 'Colophon';

export interface Ranked {
  /** The set, or a slice of it. */
  readonly name: string;
  readonly slice?: 'live pages' | 'versions named';
  /** nDCG@10 of each question, by ranker. */
  readonly ndcg: Readonly<Record<string, readonly number[]>>;
  /** Whether an archived page is among the first five; of questions whose right pages are live. */
  readonly stale?: Readonly<Record<string, readonly number[]>>;
}

export async function rankAll(asker: Asker, questions: readonly Question[], set: BeirSet, folder: string): Promise<readonly Ranked[]> {
  const versions = versionQuestions(questions, folder);
  const live = questions.filter(
    ({ grades }) => set.archived !== undefined && !relevantPages(grades).some((page) => set.archived?.has(page)),
  );
  const asked = [...questions, ...versions];
  const orders = new Map<string, ReadonlyMap<Question, readonly string[]>>();
  const own = new Map<Question, readonly string[]>();
  for (const question of asked) own.set(question, (await asker.rank(question)).ranking);
  orders.set(OURS, own);
  for (const peer of peersOf(set)) {
    orders.set(peer.name, new Map(asked.map((question) => [question, peer.rank(question)])));
    peer.close();
  }
  const each = (of: readonly Question[], value: (order: readonly string[], question: Question) => number) =>
    Object.fromEntries([...orders].map(([name, order]) => [name, of.map((question) => value(order.get(question) ?? [], question))]));
  const ndcg = (of: readonly Question[]) => each(of, (order, { grades }) => ndcgAt(order, grades, 10) ?? 0);
  const { archived } = set;
  return [
    { name: set.name, ndcg: ndcg(questions) },
    ...(archived === undefined || live.length === 0
      ? []
      : [
          {
            name: `${set.name}, live pages`,
            slice: 'live pages',
            ndcg: ndcg(live),
            stale: each(live, (order, { grades }) => staleAt(order, grades, archived, 5) ?? 0),
          } as const,
        ]),
    ...(versions.length === 0 ? [] : [{ name: `${set.name}, version named`, slice: 'versions named', ndcg: ndcg(versions) } as const]),
  ];
}

/** Of `doc_meta.tsv` with the columns `version` and `family`: each question about one page of a family, asked of every version of it. */
function versionQuestions(questions: readonly Question[], folder: string): readonly Question[] {
  const rows = read(join(folder, 'doc_meta.tsv'));
  const [path, version, family] = ['path', 'version', 'family'].map((name) => rows[0]?.indexOf(name) ?? -1);
  if (path === undefined || version === undefined || family === undefined || Math.min(path, version, family) < 0) return [];
  const pages = rows.slice(1).map((cells) => ({ page: cells[path] ?? '', version: cells[version] ?? '', family: cells[family] ?? '' }));
  return questions.flatMap((question) => {
    const [right] = relevantPages(question.grades);
    const of = pages.find(({ page }) => page === right)?.family;
    const twins = pages.filter((each) => of !== undefined && each.family === of);
    if (twins.length < 2) return [];
    return twins.map((twin) => ({
      ...question,
      id: `${question.id}-${twin.version}`,
      text: `${question.text} (version ${twin.version})`,
      grades: new Map([[twin.page, 1]]),
    }));
  });
}

function read(file: string): readonly (readonly string[])[] {
  try {
    return readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split('\t'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}
