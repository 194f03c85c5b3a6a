/**
 * `npm run bench:store -- SET… [--artifacts N]`: the compartment index beside SQLite FTS5, on the same texts, in the same run.
 *
 * SET is a folder in BEIR layout. Pages are cut at a fixed length, so that both sides index the same rows; only ratios of one
 * run mean anything.
 */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Database } from '../src/adapters/stores/sqlite/driver.js';
import { openIndexReader } from '../src/adapters/stores/sqlite/index-reader.js';
import { openIndexWriter } from '../src/adapters/stores/sqlite/index-writer.js';
import { artifactId } from '../src/domain/artifact.js';
import { type Compartment, compartment } from '../src/domain/compartment.js';
import type { PreparedArtifact, PreparedPage } from '../src/domain/prepared-page.js';
import type { QueryTerm } from '../src/domain/query.js';
import { DEFAULT_RANKING } from '../src/domain/ranking-policy.js';
import { sealEligible } from '../src/domain/seal-eligible.js';
import type { Day, Instant } from '../src/kernel/clock.js';
import { gitBlobId, sha256 } from '../src/kernel/digest.js';
import { indexTerms, queryTokens, stemOf } from '../src/text/analyze.js';

const CUT_UNITS = 1100;
const GROUPS = 100;
const PAGES_A_BATCH = 200;
const ROUNDS = 3;
const MANIFEST = { analyzer: 'probe', segmenter: 'probe', embedder: 'none' };
const clock = { now: () => 1_780_000_000_000 as Instant };

interface Source {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

interface Line {
  readonly what: string;
  readonly median: number;
  readonly p95: number;
}

export async function main(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: { artifacts: { type: 'string', default: '25000' } },
  });
  if (positionals.length === 0) {
    process.stderr.write('Name at least one folder in BEIR layout.\n');
    return 2;
  }
  const documents = positionals.flatMap((set) => jsonLines(join(set, 'corpus.jsonl')).map(sourceOf));
  const questions = positionals.flatMap((set) => jsonLines(join(set, 'queries.jsonl')).map((row) => String(row['text'])));
  const pages = pagesOf(documents, Number(values.artifacts));
  const folder = mkdtempSync(join(tmpdir(), 'colophon-probe-'));
  try {
    await probe(folder, pages, questions);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return 0;
}

async function probe(folder: string, pages: readonly PreparedPage[], questions: readonly string[]): Promise<void> {
  const artifacts = pages.reduce((sum, page) => sum + page.artifacts.length, 0);
  const sourceBytes = pages.reduce((sum, page) => sum + Buffer.byteLength(page.text), 0);
  const file = join(folder, 'index.db');
  const builtMs = await timed(() => build(file, pages));
  const table = join(folder, 'fts.db');
  const ftsMs = await timed(async () => buildFullText(table, pages));
  say(`${pages.length} pages, ${artifacts} artifacts, ${mib(sourceBytes)} of text, ${questions.length} questions`);
  say(
    `build: index ${Math.round(builtMs)} ms and ${mib(statSync(file).size)}, FTS5 ${Math.round(ftsMs)} ms and ${mib(statSync(table).size)}`,
  );
  for (const line of sizes(file)) say(`  ${line}`);
  const open = await timed(async () => {
    await ask(file, 1, questions.slice(0, 1), 1);
  });
  say(`open, one question, close: ${open.toFixed(1)} ms`);
  for (const share of [GROUPS, 10, 1]) {
    const own = await ask(file, share, questions, ROUNDS);
    const theirs = askFullText(table, share, questions, ROUNDS);
    const ratio = (theirs.median / own.median).toFixed(1);
    say(`${share} % eligible: index ${show(own)}, FTS5 ${show(theirs)}; median FTS5 / index ${ratio}`);
  }
}

async function build(file: string, pages: readonly PreparedPage[]): Promise<void> {
  const writer = await openIndexWriter({ file, clock, holder: 'probe', manifest: MANIFEST });
  for (let at = 0; at < pages.length; at += PAGES_A_BATCH) {
    const upserts = pages.slice(at, at + PAGES_A_BATCH).map((prepared) => ({ prepared }));
    await writer.apply({ source: 'probe', transformation: 'probe', upserts, removals: [] });
  }
  await writer.release();
}

async function ask(file: string, share: number, questions: readonly string[], rounds: number): Promise<Line> {
  const reader = openIndexReader({ file, clock });
  const took: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    for (const question of questions) {
      const terms = termsOf(question);
      const started = performance.now();
      const snapshot = await reader.snapshot();
      const eligible = eligibleGroups(await snapshot.compartments(), share);
      await snapshot.lexical(eligible, { terms, scope: {}, policy: DEFAULT_RANKING, stemming: {}, today: '2026-06-15' as Day, limit: 50 });
      await snapshot.close();
      // The first round fills the caches of both sides.
      if (round > 0 || rounds === 1) took.push(performance.now() - started);
    }
  }
  await reader.close();
  return line('index', took);
}

function buildFullText(file: string, pages: readonly PreparedPage[]): void {
  const db = Database.open(file, { readOnly: false, busyTimeoutMs: 100 });
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -65536');
  db.exec("CREATE VIRTUAL TABLE f USING fts5(title, body, tokenize = 'porter unicode61')");
  db.exec('CREATE TABLE a (row INTEGER PRIMARY KEY, grp INTEGER NOT NULL); CREATE INDEX a_grp ON a (grp, row)');
  let row = 0;
  for (let at = 0; at < pages.length; at += PAGES_A_BATCH) {
    db.transaction(() => {
      for (const page of pages.slice(at, at + PAGES_A_BATCH)) {
        for (const artifact of page.artifacts) {
          row += 1;
          db.run('INSERT INTO f (rowid, title, body) VALUES (?, ?, ?)', row, page.page.title, artifact.excerpt);
          db.run('INSERT INTO a (row, grp) VALUES (?, ?)', row, Number(page.compartment.permissionsRef));
        }
      }
    });
  }
  db.settle();
  db.close();
}

function askFullText(file: string, share: number, questions: readonly string[], rounds: number): Line {
  const db = Database.open(file, { readOnly: true, busyTimeoutMs: 100 });
  db.exec('PRAGMA cache_size = -65536');
  const took: number[] = [];
  // An id from a subquery must not be pushed into the full-text table: hence the plus.
  const filter = share === GROUPS ? '' : `AND +rowid IN (SELECT row FROM a WHERE grp < ${share})`;
  for (let round = 0; round <= rounds; round++) {
    for (const question of questions) {
      const match = termsOf(question)
        .filter((term) => term.kind === 'word')
        .map((term) => `"${term.surface.replaceAll('"', '""')}"`)
        .join(' OR ');
      if (match === '') continue;
      const started = performance.now();
      db.all(`SELECT rowid FROM f WHERE f MATCH ? ${filter} ORDER BY bm25(f, 3.0, 1.0) LIMIT 50`, match);
      if (round > 0) took.push(performance.now() - started);
    }
  }
  db.close();
  return line('FTS5', took);
}

function sizes(file: string): string[] {
  const db = Database.open(file, { readOnly: true, busyTimeoutMs: 100 });
  const found = db.all('SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY name ORDER BY bytes DESC LIMIT 8');
  db.close();
  return found.map((row) => `${String(row['name'])} ${mib(Number(row['bytes']))}`);
}

/** Content words alone, as a question is asked of either side. */
function termsOf(question: string): QueryTerm[] {
  return queryTokens(question)
    .filter((token) => !token.stop && token.role !== 'part')
    .map(({ kind, surface, term }) => ({
      kind,
      surface,
      term,
      ...(kind === 'word' ? { stem: stemOf(term) ?? term } : {}),
      weight: 1,
      required: false,
      content: true,
    }));
}

function eligibleGroups(compartments: readonly Compartment[], share: number) {
  return sealEligible(
    compartments.map((each) => ({
      compartment: each,
      source: { id: 'probe', state: 'active', owner: 'role:probe', freshnessSloMs: 1 } as const,
      readers: Number(each.permissionsRef) < share ? ['everyone'] : [],
    })),
    {
      at: clock.now(),
      freshnessCritical: false,
      requester: {
        principal: 'person:probe',
        workload: 'workload://probe',
        tenant: 'acme',
        purpose: 'assist',
        groups: new Set(['everyone']),
        ceiling: 'restricted',
        client: { name: 'probe', locality: 'local' },
      },
    },
  );
}

function pagesOf(documents: readonly Source[], most: number): PreparedPage[] {
  const pages: PreparedPage[] = [];
  let artifacts = 0;
  for (const [at, document] of documents.entries()) {
    if (artifacts >= most) break;
    const page = pageOf(document, String(at % GROUPS));
    pages.push(page);
    artifacts += page.artifacts.length;
  }
  return pages;
}

function pageOf({ id, title, text }: Source, group: string): PreparedPage {
  const cuts: string[] = [];
  for (let at = 0; at < text.length; at += CUT_UNITS) cuts.push(text.slice(at, at + CUT_UNITS));
  return {
    page: {
      source: 'probe',
      path: id,
      blob: gitBlobId(Buffer.from(text)),
      title,
      summary: '',
      meta: { tags: [], aliases: [], audience: [], related: [], other: {} },
      tier: 'trusted',
      authorityClass: 'reference',
      curated: true,
      lineCount: 1,
    },
    compartment: compartment({
      source: 'probe',
      tenants: ['acme'],
      permissionsRef: group,
      classification: 'internal',
      purposes: ['assist'],
      egress: 'any',
    }),
    text,
    artifacts: cuts.map((excerpt, ordinal) => artifactOf(id, title, excerpt, ordinal)),
    links: [],
    problems: [],
    removals: {},
  };
}

function artifactOf(path: string, title: string, excerpt: string, ordinal: number): PreparedArtifact {
  const { body, identifiers } = indexTerms(excerpt);
  return {
    id: artifactId({ source: 'probe', path, headingPath: [title], ordinalUnderHeading: ordinal, excerpt }),
    headingPath: [title],
    anchor: '',
    ordinal,
    lines: { start: 1, end: 1 },
    bytes: { start: 0, end: 0 },
    excerpt,
    prefix: title,
    digest: sha256(excerpt),
    tokens: 0,
    fields: { title: indexTerms(title).body, headings: [], summary: [], body, identifiers },
  };
}

function jsonLines(file: string): Record<string, unknown>[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((each) => each.trim() !== '').map((each) => JSON.parse(each) as Record<string, unknown>);
}

function sourceOf(row: Record<string, unknown>): Source {
  return { id: String(row['_id']), title: String(row['title'] ?? ''), text: String(row['text'] ?? '') };
}

async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function line(what: string, took: readonly number[]): Line {
  const sorted = [...took].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { what, median: at(0.5), p95: at(0.95) };
}

function show({ median, p95 }: Line): string {
  return `${median.toFixed(2)} / ${p95.toFixed(2)} ms`;
}

function mib(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
