/**
 * SQLite FTS5 in the forms that are fastest for one case or another; the report takes the fastest of a case.
 *
 * All keep no content, order by `bm25()` itself and are asked for content words or for all words as the others are. `acl` holds
 * a word for each row's group, with weight 0. `+row` keeps SQLite from running the match once per permitted row.
 */

import { Database } from '../../src/adapters/stores/sqlite/driver.js';
import type { PreparedPage } from '../../src/domain/prepared-page.js';
import { type Builder, type Contender, LIMIT, type Question } from './contender.js';
import { groupOf } from './pages.js';

export const FTS5_FORMS = ['tokens', 'rowid', 'join'] as const;
export type Fts5Form = (typeof FTS5_FORMS)[number];
/** Beyond this, a row of OR-ed groups is the slowest form by far. */
const MOST_TOKENS = 100;

export function fts5Builder(file: string): Builder {
  const db = Database.open(file, { readOnly: false, busyTimeoutMs: 100 });
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -65536');
  db.exec("CREATE VIRTUAL TABLE f USING fts5(title, body, acl, content = '', tokenize = 'porter unicode61')");
  db.exec('CREATE TABLE a (row INTEGER PRIMARY KEY, grp INTEGER NOT NULL); CREATE INDEX a_grp ON a (grp, row)');
  let row = 0;
  return {
    add: (pages: readonly PreparedPage[]) =>
      db.transaction(() => {
        for (const page of pages) {
          const group = groupOf(page.compartment);
          for (const artifact of page.artifacts) {
            row += 1;
            db.run('INSERT INTO f (rowid, title, body, acl) VALUES (?, ?, ?, ?)', row, page.page.title, artifact.excerpt, `zgrp${group}`);
            db.run('INSERT INTO a (row, grp) VALUES (?, ?)', row, group);
          }
        }
      }),
    finish: () => {
      db.exec("INSERT INTO f (f) VALUES ('optimize')");
      db.settle();
      db.close();
    },
  };
}

export class Fts5 implements Contender {
  readonly name: string;
  readonly #db: Database;
  readonly #form: Fts5Form;
  readonly #allGroups: number;

  /** With all groups eligible there is no filter, and all forms are one. */
  constructor(file: string, form: Fts5Form, allGroups: number) {
    this.name = `FTS5 (${form})`;
    this.#form = form;
    this.#allGroups = allGroups;
    this.#db = Database.open(file, { readOnly: true, busyTimeoutMs: 100 });
    this.#db.exec('PRAGMA cache_size = -65536; PRAGMA mmap_size = 1073741824');
  }

  static suits(form: Fts5Form, groups: number, allGroups: number): boolean {
    if (groups >= allGroups) return form === 'rowid';
    return form !== 'tokens' || groups <= MOST_TOKENS;
  }

  ask({ words }: Question, groups: number): number {
    if (words.length === 0) return 0;
    const match = words.map((word) => `"${word.replaceAll('"', '""')}"`).join(' OR ');
    return this.#db.all(...this.#statement(match, groups)).length;
  }

  #statement(match: string, groups: number): [string, string] {
    const order = `ORDER BY bm25(f, 3.0, 1.0, 0.0) LIMIT ${LIMIT}`;
    if (groups >= this.#allGroups) return [`SELECT rowid FROM f WHERE f MATCH ? ${order}`, match];
    if (this.#form === 'tokens') {
      const acl = Array.from({ length: groups }, (_, group) => `zgrp${group}`).join(' OR ');
      return [`SELECT rowid FROM f WHERE f MATCH ? ${order}`, `({title body} : (${match})) AND acl : (${acl})`];
    }
    const filter =
      this.#form === 'join'
        ? `FROM f CROSS JOIN a ON a.row = f.rowid AND a.grp < ${groups} WHERE f MATCH ?`
        : `FROM f WHERE f MATCH ? AND +f.rowid IN (SELECT row FROM a WHERE grp < ${groups})`;
    return [`SELECT f.rowid ${filter} ${order}`, match];
  }

  close(): void {
    this.#db.close();
  }
}
