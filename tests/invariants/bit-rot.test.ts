/**
 * T4.6: one bit of a store flips, anywhere in it. Every answer is then the same as before, byte for byte, or is refused, or names
 * what is left out: none is silently another. T6.7: a damaged or deleted index is made again from the sources, the same.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Database } from '../../src/adapters/stores/sqlite/driver.js';
import { openIndexReader } from '../../src/adapters/stores/sqlite/index-reader.js';
import { openRecords } from '../../src/adapters/stores/sqlite/records.js';
import { provisionalRecords, setIndexAside, setRecordsAside } from '../../src/app/container.js';
import { resolveAsk } from '../../src/app/identity.js';
import { learn } from '../../src/app/learning/learn.js';
import type { Library } from '../../src/app/library.js';
import { doctor } from '../../src/app/operations/doctor.js';
import type { EligibleSet } from '../../src/domain/eligibility.js';
import { DEFAULT_RANKING } from '../../src/domain/ranking-policy.js';
import type { Day, Instant } from '../../src/kernel/clock.js';
import { sha256 } from '../../src/kernel/digest.js';
import { Fault } from '../../src/kernel/errors.js';
import type { IndexSnapshot, LexicalQuery } from '../../src/ports/index-reader.js';
import { everythingIn, layLibrary, layPage, openLibrary, PAGES, packageOf, sequence } from '../support/durable-library.js';
import { runs } from '../support/proof-scale.js';
import { memoryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

const clock = { now: () => Date.UTC(2026, 10, 30) as Instant };
const PACKAGES = 24;
const OF_INDEX = ['index.db', 'index.db.sums'];

/** Answers by name; `refused` in place of one that is, or the names of what it says is left out. */
type Answers = ReadonlyMap<string, string>;
interface Verdict {
  silent: number;
  told: number;
  same: number;
  readonly examples: string[];
}

let folder: TemporaryFolder;
let root: string;
let state: string;
beforeAll(async () => {
  folder = memoryFolder();
  root = join(folder.path, 'library');
  state = join(root, '.colophon');
  layLibrary(root);
  await withLibrary(async (library) => {
    await learn(library);
    // Superseded pages, removed ones, and segments that were merged.
    for (let page = 0; page < PAGES; page++) {
      layPage(root, page, page === 3 ? 6 : page === 4 ? 4 : 1);
      if (page % 4 === 0) await learn(library);
    }
    await learn(library);
    for (let at = 0; at < PACKAGES; at++) {
      const binding = { attempt: `attempt ${at % 9}`, createdAt: at as Instant, annex: { generation: String(at) } };
      await library.records.packages.store(packageOf(`question ${at % 20}`), binding);
      await library.records.approvals.taint(`attempt ${at % 9}`, `page-${at % 4}.md`, at as Instant);
    }
  });
});
afterAll(() => folder.dispose());

async function withLibrary<T>(work: (library: Library) => Promise<T>, stateHome?: string): Promise<T> {
  const library = await openLibrary(root, clock, stateHome);
  try {
    return await work(library);
  } finally {
    await library.close();
  }
}

function flip(file: string, random: () => number): void {
  const bytes = readFileSync(file);
  const at = Math.floor(random() * bytes.length);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8));
  writeFileSync(file, bytes);
}

/** Flips a bit in a copy of the store, again and again, and compares what is answered from it. */
async function tryFlips(files: readonly string[], flips: number, seed: number, ask: (file: string) => Promise<Answers>): Promise<Verdict> {
  const random = sequence(seed);
  const verdict: Verdict = { silent: 0, told: 0, same: 0, examples: [] };
  const copy = join(folder.path, 'copy');
  const lay = (): string => {
    rmSync(copy, { recursive: true, force: true });
    mkdirSync(copy);
    for (const file of files) copyFileSync(join(state, file), join(copy, file));
    return join(copy, files[0] ?? '');
  };
  const whole = await ask(lay());
  for (let at = 0; at < flips; at++) {
    const file = lay();
    flip(file, random);
    const answers = await ask(file);
    const other = [...whole].filter(([name, answer]) => answers.get(name) !== answer).map(([name]) => name);
    const silent = other.filter((name) => !/^(refused|left out) /.test(answers.get(name) ?? ''));
    if (silent.length > 0) verdict.silent += 1;
    else if (other.length > 0) verdict.told += 1;
    else verdict.same += 1;
    if (silent.length > 0) verdict.examples.push(`flip ${at}: ${silent.slice(0, 3).join(', ')}`);
  }
  return verdict;
}

async function told(work: () => Promise<unknown>): Promise<string> {
  try {
    return JSON.stringify(await work()) ?? 'nothing';
  } catch (error) {
    if (error instanceof Fault) return `refused ${error.code}`;
    throw error;
  }
}

describe('index.db', () => {
  const query = (word: string): LexicalQuery => ({
    terms: [{ kind: 'word', surface: word, term: word, weight: 1, required: false, content: true }],
    scope: {},
    policy: DEFAULT_RANKING,
    stemming: {},
    today: '2026-11-30' as Day,
    limit: 50,
  });

  /** Everything that can be asked of a snapshot. What it says is not out before it is closed. */
  async function asked(file: string): Promise<Answers> {
    const reader = openIndexReader({ file, clock });
    const answers = new Map<string, string>();
    try {
      const status = () => Promise.all([reader.totals(), reader.checkpoints(), reader.pending(), reader.problems()]);
      answers.set('status', await told(status));
      const closed = await told(async () => {
        const snapshot = await reader.snapshot();
        const compartments = await snapshot.compartments();
        for (const [name, set] of [
          ['all', everythingIn(compartments)],
          ['few', everythingIn(compartments.filter(({ permissionsRef }) => permissionsRef === 'few'))],
        ] as const) {
          for (const [question, work] of questions(snapshot, set)) answers.set(`${name} ${question}`, await told(work));
        }
        await snapshot.close();
      });
      if (closed.startsWith('refused')) return new Map(QUESTIONS.map((question) => [question, closed] as const));
    } finally {
      await reader.close();
    }
    for (const [name, answer] of answers) if (/"damaged":\["/.test(answer)) answers.set(name, `left out ${answer}`);
    return answers;
  }

  let QUESTIONS: readonly string[] = [];
  beforeAll(async () => {
    QUESTIONS = [...(await asked(join(state, 'index.db'))).keys()];
  });

  function questions(snapshot: IndexSnapshot, set: EligibleSet): [string, () => Promise<unknown>][] {
    const words = ['valv', 'edit', 'part', 'term17', 'next', 'nowhere'];
    const pages = Array.from({ length: PAGES }, (_, page) => `${page % 5 === 0 ? 'few/' : ''}page-${page}.md`);
    const onPage =
      (path: string, work: (page: NonNullable<Awaited<ReturnType<IndexSnapshot['page']>>>) => Promise<unknown>) => async () => {
        const page = await snapshot.page(set, undefined, path);
        return page === undefined ? null : work(page);
      };
    return [
      ...words.flatMap((word): [string, () => Promise<unknown>][] => [
        [
          `lexical ${word}`,
          async () => {
            const answer = await snapshot.lexical(set, query(word));
            const ids = [...answer.hits, ...answer.retired].map(({ artifact }) => artifact);
            return { answer, found: await snapshot.artifacts(set, ids) };
          },
        ],
        [`linked ${word}`, () => snapshot.linked(set, query(word))],
        [`named ${word}`, () => snapshot.named(set, [word, 'valve'], query(word))],
      ]),
      ...pages.flatMap((path): [string, () => Promise<unknown>][] => [
        [`page ${path}`, onPage(path, async (page) => page)],
        [`text ${path}`, onPage(path, (page) => snapshot.text(set, page))],
        [`segments ${path}`, onPage(path, (page) => snapshot.segments(set, page))],
        [`links ${path}`, onPage(path, (page) => snapshot.links(set, page))],
        [`backlinks ${path}`, onPage(path, (page) => snapshot.backlinks(set, page))],
      ]),
      ['pages', () => snapshot.pages(set, {}, { limit: 100 })],
      ['pages in a state', () => snapshot.pages(set, { statuses: ['legacy'] }, { limit: 100 })],
      ['counts', () => snapshot.counts(set)],
      ['manifest', () => snapshot.projectedManifest(set)],
    ];
  }

  it('T4.6 never answers otherwise without saying so', async () => {
    const { silent, told, examples } = await tryFlips(OF_INDEX, runs(100), 11, asked);
    expect({ silent, examples }).toEqual({ silent: 0, examples: [] });
    expect(told).toBeGreaterThan(0);
  });

  it('T4.6 would be silent without the sums of its pages', async () => {
    let silent = 0;
    for (let seed = 11; silent === 0 && seed < 31; seed++) silent += (await tryFlips(['index.db'], 40, seed, asked)).silent;
    expect(silent).toBeGreaterThan(0);
  });

  it('T6.7 is made again from the sources, the same, when it was damaged or is gone', { timeout: 1_800_000 }, async () => {
    const wanted = await withLibrary(async (library) => (await learn(library)).contentDigest, join(folder.path, 'fresh'));
    const random = sequence(31);
    const index = join(state, 'index.db');
    for (let time = 0; time < runs(10); time++) {
      for (let bits = 0; bits < 1 + (time % 4) * 30; bits++) flip(index, random);
      const answer = await withLibrary(repaired);
      expect(answer.checks.filter(({ name }) => name === 'index')).toMatchObject([{ outcome: 'ok' }]);
      expect(await withLibrary(async ({ reader }) => (await reader.totals()).contentDigest)).toBe(wanted);
    }
    for (const ending of ['', '-wal', '-shm', '.sums']) rmSync(`${index}${ending}`, { force: true });
    expect(await withLibrary(async (library) => (await learn(library)).contentDigest)).toBe(wanted);
    expect(existsSync(`${index}.sums`)).toBe(true);
  });

  function repaired(library: Library) {
    const workload = { workload: 'workload://colophon/cli', defaultClient: 'terminal' };
    const ask = resolveAsk(library.config, { client: 'terminal' }, workload, clock.now());
    return doctor(
      { library, ask, signal: new AbortController().signal, progress: () => undefined },
      {
        repair: true,
        setAsideRecords: false,
        setIndexAside: () => setIndexAside(library),
        setRecordsAside: () => setRecordsAside(library),
        provisionalRecords,
      },
    );
  }
});

describe('records.db', () => {
  const DIGESTS = Array.from({ length: 20 }, (_, at) => packageOf(`question ${at}`).digest);
  const ABSENT = Array.from({ length: 6 }, (_, at) => sha256(`never stored ${at}`));

  async function asked(file: string): Promise<Answers> {
    const answers = new Map<string, string>();
    const opened = await told(async () => {
      const records = openRecords({ file });
      const ask = async (name: string, work: () => Promise<unknown>) => answers.set(name, await told(work));
      await ask('standings', () => records.registry.standings());
      for (const digest of [...DIGESTS, ...ABSENT]) await ask(`package ${digest}`, () => records.packages.get(digest));
      for (const digest of DIGESTS) await ask(`prefix ${digest}`, () => records.packages.entries({ limit: 3, prefix: digest.slice(0, 9) }));
      for (let attempt = 0; attempt < 11; attempt++)
        await ask(`attempt ${attempt}`, () => records.packages.bindingsOf(`attempt ${attempt}`));
      for (let attempt = 0; attempt < 11; attempt++) await ask(`taints ${attempt}`, () => records.approvals.taintsOf(`attempt ${attempt}`));
      await ask('approvals', () => records.approvals.asked({ limit: 10 }));
      await ask('list', () => records.packages.entries({ limit: 100 }));
      await ask('end of list', () => records.packages.entries({ limit: 100, before: 5 }));
      await records.close();
    });
    if (answers.size === 0) for (const name of QUESTIONS) answers.set(name, opened);
    return answers;
  }

  let QUESTIONS: readonly string[] = [];
  beforeAll(async () => {
    QUESTIONS = [...(await asked(join(state, 'records.db'))).keys()];
  });

  /** As a store without seals would read. */
  async function askedPlainly(file: string): Promise<Answers> {
    const read = async () => {
      const db = Database.open(file, { readOnly: true, busyTimeoutMs: 100 });
      const rows = db.all('SELECT digest, attempt, created_at, annex FROM binding ORDER BY seq DESC');
      const sources = db.all('SELECT id, owner, state, confirmed_at FROM source ORDER BY id');
      db.close();
      return { rows, sources };
    };
    return new Map([['rows', await told(read)]]);
  }

  it('T4.6 never answers otherwise without saying so', async () => {
    const { silent, told, examples } = await tryFlips(['records.db'], runs(100), 17, asked);
    expect({ silent, examples }).toEqual({ silent: 0, examples: [] });
    expect(told).toBeGreaterThan(0);
  });

  it('T4.6 would be silent without seals', async () => {
    expect((await tryFlips(['records.db'], 150, 17, askedPlainly)).silent).toBeGreaterThan(0);
  });
});
