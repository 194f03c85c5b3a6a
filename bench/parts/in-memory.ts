/** MiniSearch and Orama: engines that hold everything in memory. Stemming is left off in both, which is their quicker setting. */
import { create, insertMultiple, search } from '@orama/orama';
import MiniSearch from 'minisearch';
import type { PreparedPage } from '../../src/domain/prepared-page.js';
import { type Builder, type Contender, LIMIT, type Question } from './contender.js';
import { groupOf } from './pages.js';

/** Above this they take minutes to build and gigabytes to hold. */
export const MOST_IN_MEMORY = 30_000;

interface Row {
  readonly id: string;
  readonly title: string;
  readonly body: string;
  readonly grp: number;
}

export function miniSearch(): Builder & Contender {
  const index = new MiniSearch<Row>({ fields: ['title', 'body'], storeFields: ['grp'], searchOptions: { boost: { title: 3 } } });
  return {
    name: 'MiniSearch',
    add: (pages) => index.addAll(rowsOf(pages)),
    finish: () => undefined,
    ask: ({ words }: Question, groups) =>
      index.search(words.join(' '), { filter: (hit) => Number(hit['grp']) < groups }).slice(0, LIMIT).length,
    close: () => index.removeAll(),
  };
}

export function orama(allGroups: number): Builder & Contender {
  const db = create({ schema: { title: 'string', body: 'string', grp: 'number' } as const });
  return {
    name: 'Orama',
    add: async (pages) => {
      await insertMultiple(db, [...rowsOf(pages)], 1000);
    },
    finish: () => undefined,
    ask: async ({ words }: Question, groups) => {
      const where = groups < allGroups ? { where: { grp: { lt: groups } } } : {};
      const found = await search(db, { term: words.join(' '), limit: LIMIT, threshold: 1, boost: { title: 3 }, ...where });
      return found.hits.length;
    },
    close: () => undefined,
  };
}

function rowsOf(pages: readonly PreparedPage[]): Row[] {
  return pages.flatMap(({ page, compartment, artifacts }) =>
    artifacts.map(({ id, excerpt }) => ({ id, title: page.title, body: excerpt, grp: groupOf(compartment) })),
  );
}
