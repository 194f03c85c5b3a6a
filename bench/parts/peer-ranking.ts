/**
 * How others rank the pages of a labelled set: SQLite FTS5, MiniSearch, and plain BM25 over whole pages.
 *
 * All see titles and texts as the set has them, are asked for any of the question's words but function words, and leave out what
 * counts as absent for the question. The order is cut where the measures end.
 */
import MiniSearch from 'minisearch';
import { Database } from '../../src/adapters/stores/sqlite/driver.js';
import type { BeirSet } from '../../src/evaluation/beir.js';
import type { Question } from '../../src/evaluation/question.js';
import { Bm25 } from '../bm25.js';
import { searchWords } from '../ripgrep-and-truncate.js';

const DEPTH = 100;

export interface Peer {
  readonly name: string;
  rank(question: Pick<Question, 'text' | 'absent'>): readonly string[];
  close(): void;
}

export function peersOf(set: BeirSet): readonly Peer[] {
  return [bm25(set), fts5(set), miniSearch(set)];
}

function bm25({ corpus }: BeirSet): Peer {
  const index = new Bm25(corpus.map(({ id, title, text }) => ({ page: id, heading: id, text, searched: `${title}\n${text}` })));
  return {
    name: 'BM25, whole pages',
    rank: ({ text, absent }) => index.rank(text, absent).map(({ page }) => page),
    close: () => undefined,
  };
}

function fts5({ corpus }: BeirSet): Peer {
  const db = Database.open(':memory:', { readOnly: false, busyTimeoutMs: 100 });
  db.exec("CREATE VIRTUAL TABLE f USING fts5(title, body, content = '', tokenize = 'porter unicode61')");
  db.transaction(() => {
    for (const [row, { title, text }] of corpus.entries())
      db.run('INSERT INTO f (rowid, title, body) VALUES (?, ?, ?)', row + 1, title, text);
  });
  return {
    name: 'FTS5',
    rank: ({ text, absent }) => {
      const words = searchWords(text);
      if (words.length === 0) return [];
      const match = words.map((word) => `"${word.replaceAll('"', '""')}"`).join(' OR ');
      const limit = DEPTH + absent.size;
      const rows = db.all(`SELECT rowid FROM f WHERE f MATCH ? ORDER BY bm25(f, 3.0, 1.0) LIMIT ${limit}`, match);
      return present(
        rows.map((row) => corpus[Number(row['rowid']) - 1]?.id ?? ''),
        absent,
      );
    },
    close: () => db.close(),
  };
}

function miniSearch({ corpus }: BeirSet): Peer {
  const index = new MiniSearch<{ readonly id: number; readonly title: string; readonly body: string }>({
    fields: ['title', 'body'],
    searchOptions: { boost: { title: 3 } },
  });
  index.addAll(corpus.map(({ title, text }, id) => ({ id, title, body: text })));
  return {
    name: 'MiniSearch',
    rank: ({ text, absent }) => {
      const found = index.search(searchWords(text).join(' '));
      return present(
        found.slice(0, DEPTH + absent.size).map(({ id }) => corpus[Number(id)]?.id ?? ''),
        absent,
      );
    },
    close: () => index.removeAll(),
  };
}

function present(ranked: readonly string[], absent: ReadonlySet<string>): readonly string[] {
  return ranked.filter((page) => !absent.has(page)).slice(0, DEPTH);
}
