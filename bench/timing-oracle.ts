/**
 * `npm run bench:timing -- [--pairs N] [--rounds N] [--only NAME]`: can a clock tell what stands on hidden pages alone from what stands nowhere?
 *
 * Words, paths, artifact ids, slips of the hand and names of a vocabulary are looked up in interleaved pairs, one of hidden pages and one of none, in an order that a coin
 * decides; the AUC is how often the hidden one took longer. Two stores that leak are measured beside ours: without them a
 * figure near one half could mean a blind clock. Exits 1 when ours is told apart, or when a leaking one is not.
 */
import { parseArgs } from 'node:util';
import { Database } from '../src/adapters/stores/sqlite/driver.js';
import type { EligibleSet } from '../src/domain/eligibility.js';
import { DEFAULT_RANKING } from '../src/domain/ranking-policy.js';
import type { Ask } from '../src/domain/requester.js';
import { type Vocabulary, vocabularyOf } from '../src/domain/vocabulary.js';
import type { Instant } from '../src/kernel/clock.js';
import type { IndexSnapshot, LexicalQuery } from '../src/ports/index-reader.js';
import { retrieve } from '../src/retrieval/pipeline.js';
import { batchOf, eligibleTo, type PageSpec, TODAY, termOf } from '../tests/support/arbitraries.js';
import { allOf } from '../tests/support/reference-store-mutants.js';
import { type TemporaryIndex, temporaryIndex } from '../tests/support/temporary-index.js';

const PAGES = 1500;
const VOCABULARY = 6000;
const WARM_UP = 300;
/** Hidden pages that hold a hidden word. */
const SPREAD = 20;
/** ASSURANCE T1.7: four standard errors at 3,000 pairs. */
const MOST_APART = 0.03;
/** A leak that the clock sees stands at least this far out. */
const LEAST_CAUGHT = 0.1;

type Look = (asked: string) => unknown;
interface Subject {
  readonly name: string;
  readonly leaks: boolean;
  readonly look: Look;
  readonly hidden: readonly string[];
  readonly absent: readonly string[];
}

export async function main(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: { pairs: { type: 'string', default: '3000' }, rounds: { type: 'string', default: '3' }, only: { type: 'string' } },
  });
  const pairs = Number(values.pairs);
  const rounds = Number(values.rounds);
  const index = await temporaryIndex();
  try {
    let wrong = 0;
    say(`${pairs} interleaved pairs, ${rounds} rounds; a round asks for words that were not asked for before\n\n`);
    say('| looked up | AUC of each round | worst \\|AUC − 0.5\\| | must be |\n|---|---|---:|---|\n');
    const all = (await subjects(index, (pairs + WARM_UP) * rounds)).filter(({ name }) => name.includes(values.only ?? ''));
    for (const subject of all) {
      const aucs = Array.from({ length: rounds }, (_, round) => measure(subject, pairs, round));
      const found = await Promise.all(aucs);
      const worst = found.reduce((most, auc) => Math.max(most, Math.abs(auc - 0.5)), 0);
      const least = found.reduce((most, auc) => Math.min(most, Math.abs(auc - 0.5)), 1);
      const right = subject.leaks ? least >= LEAST_CAUGHT : worst <= MOST_APART;
      if (!right) wrong += 1;
      const bound = subject.leaks ? `≥ ${LEAST_CAUGHT}` : `≤ ${MOST_APART}`;
      say(
        `| ${subject.name} | ${found.map((auc) => auc.toFixed(3)).join(', ')} | ${worst.toFixed(3)} | ${bound}${right ? '' : ' MISSED'} |\n`,
      );
    }
    return wrong === 0 ? 0 : 1;
  } finally {
    await index.dispose();
  }
}

async function measure({ look, hidden, absent }: Subject, pairs: number, round: number): Promise<number> {
  const random = seeded(round + 1);
  const from = round * (pairs + WARM_UP);
  const ofHidden: number[] = [];
  const ofAbsent: number[] = [];
  for (let at = from; at < from + WARM_UP + pairs; at++) {
    const one = hidden[at % hidden.length] ?? '';
    const other = absent[at % absent.length] ?? '';
    const hiddenFirst = random() < 0.5;
    const first = await timed(look, hiddenFirst ? one : other);
    const second = await timed(look, hiddenFirst ? other : one);
    if (at < from + WARM_UP) continue;
    ofHidden.push(hiddenFirst ? first : second);
    ofAbsent.push(hiddenFirst ? second : first);
  }
  return areaUnderCurve(ofHidden, ofAbsent);
}

/** What is asked for is written anew each time: how a string was put together, and where it lies, takes time of its own. */
async function timed(look: Look, asked: string): Promise<number> {
  const fresh = Buffer.from(asked, 'utf8').toString('utf8');
  const startedAt = process.hrtime.bigint();
  await look(fresh);
  return Number(process.hrtime.bigint() - startedAt);
}

/** Mann-Whitney: the chance that one of `a` is larger than one of `b`, ties counting half. */
function areaUnderCurve(a: readonly number[], b: readonly number[]): number {
  const all = [...a.map((value) => ({ value, first: true })), ...b.map((value) => ({ value, first: false }))];
  all.sort((x, y) => x.value - y.value);
  let ranks = 0;
  for (let from = 0; from < all.length; ) {
    let to = from;
    while (to < all.length && all[to]?.value === all[from]?.value) to += 1;
    const rank = (from + 1 + to) / 2;
    for (let at = from; at < to; at++) if (all[at]?.first) ranks += rank;
    from = to;
  }
  return (ranks - (a.length * (a.length + 1)) / 2) / (a.length * b.length);
}

async function subjects(index: TemporaryIndex, words: number): Promise<Subject[]> {
  const hidden = Array.from({ length: words }, (_, at) => secretWord(at, 'x'));
  const absent = Array.from({ length: words }, (_, at) => secretWord(at, 'z'));
  const visiblePages = pagesOf('staff', []);
  const hiddenPages = pagesOf('board', hidden);
  for (const upserts of [visiblePages, hiddenPages]) await index.writer.apply(batchOf({ source: 'handbook', upserts, removals: [] }));
  const snapshot = await index.reader.snapshot();
  const compartments = await snapshot.compartments();
  const eligible = eligibleTo(compartments, ['staff']);
  const everything = allOf(compartments);
  const fts = sharedFullText([...visiblePages, ...hiddenPages]);
  const paths = hiddenPages.map(({ path }) => path);
  const ids: string[] = [];
  for (const path of paths) {
    const page = await snapshot.page(everything, 'handbook', path);
    if (page !== undefined) ids.push(...(await snapshot.segments(everything, page)).map(({ id }) => id));
  }
  const word = { hidden, absent };
  const slips = { hidden: hidden.map(slipOf), absent: absent.map(slipOf) };
  const named = names(hidden, absent);
  // The snapshot that found the ids would remember their pages.
  await snapshot.close();
  const own = await index.reader.snapshot();
  return [
    { name: 'a word, ours', leaks: false, look: (asked) => askOf(own, eligible, asked), ...word },
    {
      name: 'a page by its path, ours',
      leaks: false,
      look: (path) => own.page(eligible, 'handbook', path),
      hidden: paths,
      absent: paths.map((path) => path.replace('.md', '.mx')),
    },
    {
      name: 'a passage by its artifact id, ours',
      leaks: false,
      look: (id) => own.artifacts(eligible, [id]),
      hidden: ids,
      absent: ids.map((id) => id.slice(0, -6) + [...id.slice(-6)].reverse().join('')),
    },
    { name: 'a misspelt word, the whole question, ours', leaks: false, look: (asked) => ask(own, asked), ...slips },
    {
      name: 'another name of it, the whole question, ours',
      leaks: false,
      look: (asked) => ask(own, asked, named.vocabulary),
      ...named.right,
    },
    {
      name: 'another name of it, misspelt, the whole question, ours',
      leaks: false,
      look: (asked) => ask(own, asked, named.vocabulary),
      ...named.misspelt,
    },
    {
      name: 'a word, reading hidden postings and then filtering',
      leaks: true,
      look: (asked) => readThenFilter(own, everything, eligible, asked),
      ...word,
    },
    { name: 'a word, in one FTS5 table with a permission filter', leaks: true, look: fts, ...word },
  ];
}

function queryFor(asked: string): LexicalQuery {
  const terms = [termOf(asked), termOf(commonWord(3)), termOf(commonWord(8))];
  return { terms, scope: {}, policy: DEFAULT_RANKING, stemming: {}, today: TODAY, limit: 10 };
}

async function askOf(snapshot: IndexSnapshot, eligible: EligibleSet, asked: string): Promise<unknown> {
  const query = queryFor(asked);
  const { hits } = await snapshot.lexical(eligible, query);
  return [
    hits,
    await snapshot.named(eligible, [asked], query),
    await snapshot.linked(eligible, query),
    await snapshot.artifacts(
      eligible,
      hits.map(({ artifact }) => artifact),
    ),
  ];
}

const READER: Ask = {
  requester: {
    principal: 'person:reader',
    workload: 'workload://bench',
    tenant: 'acme',
    purpose: 'assist',
    groups: new Set(['staff']),
    ceiling: 'restricted',
    client: { name: 'bench', locality: 'local' },
  },
  at: 0 as Instant,
  freshnessCritical: false,
};

/** The pipeline as a search runs it, slips mended and other names looked for. */
function ask(snapshot: IndexSnapshot, asked: string, vocabulary?: Vocabulary): Promise<unknown> {
  return retrieve(
    {
      snapshot,
      standings: [{ id: 'handbook', state: 'active', owner: 'role:docs', freshnessSloMs: 1 }],
      permissions: { staff: ['staff'], board: ['board'] },
      policy: DEFAULT_RANKING,
      ...(vocabulary === undefined ? {} : { vocabulary }),
      stemming: {},
      reranker: { id: 'none', rerank: async () => undefined },
      embedder: { id: 'none', dimensions: 0, embed: async () => [] },
      today: TODAY,
    },
    { ask: READER, text: `${commonWord(3)} ${commonWord(8)} ${asked}`, scope: {}, limit: 10, for: 'search' },
  );
}

/** Things that have another name, which stands nowhere, for each word; and their names with a letter left out. */
function names(hidden: readonly string[], absent: readonly string[]) {
  const things = (words: readonly string[], last: string) => words.map((word, at) => ({ word, name: secretWord(at, last) }));
  const [ofHidden, ofAbsent] = [things(hidden, 'g'), things(absent, 'k')];
  const none = { broader: [], narrower: [], related: [], deprecated: false } as const;
  const vocabulary = vocabularyOf(
    [...ofHidden, ...ofAbsent].map(({ word, name }) => ({ ...none, id: name, prefLabel: name, altLabels: [word] })),
  );
  const right = { hidden: ofHidden.map(({ name }) => name), absent: ofAbsent.map(({ name }) => name) };
  return { vocabulary, right, misspelt: { hidden: right.hidden.map(slipOf), absent: right.absent.map(slipOf) } };
}

/** MUTANT: looks everywhere and keeps what is permitted. */
async function readThenFilter(snapshot: IndexSnapshot, everything: EligibleSet, eligible: EligibleSet, asked: string): Promise<unknown> {
  const { hits } = await snapshot.lexical(everything, queryFor(asked));
  return snapshot.artifacts(
    eligible,
    hits.map(({ artifact }) => artifact),
  );
}

/** MUTANT: what most tools do. */
function sharedFullText(pages: readonly PageSpec[]): Look {
  const db = Database.open(':memory:', { readOnly: false, busyTimeoutMs: 0 });
  db.exec('CREATE VIRTUAL TABLE passage USING fts5(body, content_group UNINDEXED)');
  db.transaction(() => {
    for (const { sections, group } of pages) {
      for (const { words } of sections) db.run('INSERT INTO passage (body, content_group) VALUES (?, ?)', words.join(' '), group);
    }
  });
  return (asked) =>
    db.all(
      "SELECT rowid FROM passage WHERE passage MATCH ? AND content_group = 'staff' ORDER BY rank LIMIT 10",
      `"${asked}" OR "${commonWord(900)}"`,
    );
}

function pagesOf(group: string, secrets: readonly string[]): PageSpec[] {
  const random = seeded(group.length);
  const own = new Map<number, string[]>();
  secrets.forEach((word, at) => {
    for (let n = 0; n < SPREAD; n++) {
      const page = (at * 31 + n * 73) % PAGES;
      const words = own.get(page) ?? [];
      words.push(word);
      own.set(page, words);
    }
  });
  return Array.from({ length: PAGES }, (_, n): PageSpec => {
    const words = (count: number) => Array.from({ length: count }, () => commonWord(Math.floor(VOCABULARY * random() ** 3)));
    return {
      source: 'handbook',
      path: `${group}/${String(n).padStart(5, '0')}.md`,
      group,
      title: words(3),
      summary: words(8),
      sections: [
        { heading: words(2).join(' '), words: [...words(80), ...(own.get(n) ?? [])], repeats: false },
        { heading: words(2).join(' '), words: words(80), repeats: false },
      ],
      links: [{ to: `${group}/${String((n * 7) % PAGES).padStart(5, '0')}.md`, kind: 'path', words: words(3) }],
      tags: [],
      aliases: [],
    };
  });
}

const LETTERS = 'bcdfghklmnprstvz';

function commonWord(at: number): string {
  return `${LETTERS[at % 16]}a${at.toString(36)}o`;
}

/** Of letters alone, so that it may be misspelt; `x` words stand on hidden pages, others nowhere. All are alike, and lie in one place. */
function secretWord(at: number, last: string): string {
  const letters = [...(at * 40503).toString(16)].map((digit) => LETTERS[Number.parseInt(digit, 16)]).join('');
  return `${LETTERS[(at * 7) % 16]}u${letters}q${last}`;
}

/** Without its vowel. */
function slipOf(word: string): string {
  return word.charAt(0) + word.slice(2);
}

function seeded(seed: number): () => number {
  let state = (seed * 2654435761 + 1) >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

function say(text: string): void {
  process.stdout.write(text);
}
