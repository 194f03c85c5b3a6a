/**
 * BEIR layout, written: what `beir.ts` reads, from a tree and its weak labels.
 *
 * Invariant: what is written is read back as it was; qrels are parted into dev and test as the labels are.
 */
import type { PageId } from './metrics.js';
import type { MinedSet } from './weak-labels.js';

export interface WrittenPage {
  readonly id: PageId;
  readonly title: string;
  readonly text: string;
}

/** File name → text. */
export function writeBeir(pages: readonly WrittenPage[], { labels }: Pick<MinedSet, 'labels'>): Record<string, string> {
  const jsonLines = (values: readonly object[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');
  const judgements = (split: 'dev' | 'test') =>
    `query-id\tcorpus-id\tscore\n${labels
      .filter((label) => label.split === split)
      .flatMap(({ id, pages: gold }) => gold.map((page) => `${id}\t${page}\t1\n`))
      .join('')}`;
  const ignored = labels.flatMap(({ id, from }) => from.map((page) => `${id}\t${page}\n`));
  return {
    'corpus.jsonl': jsonLines(pages.map(({ id, title, text }) => ({ _id: id, title, text }))),
    'queries.jsonl': jsonLines(
      labels.map(({ id, text, kind, split, where }) => ({ _id: id, text, metadata: { class: kind, slices: { split }, where } })),
    ),
    'qrels/dev.tsv': judgements('dev'),
    'qrels/test.tsv': judgements('test'),
    'ignore.tsv': `query-id\tcorpus-id\n${ignored.join('')}`,
  };
}
