/**
 * What the stores do when the world is against them: missing, foreign, damaged, full and busy files; dead writers; flipped bits.
 * Every refusal is a fault people can act on (T6.3, T6.4, T4.6), and nothing is half written.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Database } from '../../src/adapters/stores/sqlite/driver.js';
import { openIndexReader } from '../../src/adapters/stores/sqlite/index-reader.js';
import { openIndexWriter } from '../../src/adapters/stores/sqlite/index-writer.js';
import { openRecords } from '../../src/adapters/stores/sqlite/records.js';
import { DEFAULT_RANKING } from '../../src/domain/ranking-policy.js';
import { Fault } from '../../src/kernel/errors.js';
import { batchOf, eligibleTo, GROUPS, type PageSpec, TODAY } from '../support/arbitraries.js';
import { runs } from '../support/proof-scale.js';
import { buildStoreProcesses, startStoreProcess } from '../support/store-processes.js';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.js';
import { fixedClock, TEST_MANIFEST } from '../support/temporary-index.js';

const WORD = 'distinguishable';
const page = (at: number): PageSpec => ({
  source: 'handbook',
  path: `page-${at}.md`,
  group: 'staff',
  title: ['install', String(at)],
  summary: ['limits'],
  sections: [
    { heading: 'rate', words: Array.from({ length: 40 }, (_, word) => `${WORD}${(at * 31 + word * 7) % 97}`), repeats: at % 3 === 0 },
  ],
  links: [],
  tags: [],
  aliases: [],
});

const codeOf = async (work: () => Promise<unknown>): Promise<string> => {
  try {
    await work();
    return 'none';
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    expect(error.message).not.toMatch(/SQLITE|sqlite|malformed/);
    return error.code;
  }
};

describe('stores under fault', () => {
  let folder: TemporaryFolder;
  let file: string;
  let program: string;
  let programs: TemporaryFolder;
  const clock = fixedClock();
  const open = (holder = 'test', rest: { readonly verify?: boolean; readonly onChange?: boolean } = {}) =>
    openIndexWriter({ file, clock, holder, manifest: TEST_MANIFEST, ...rest });
  const snapshot = async () => {
    const reader = openIndexReader({ file, clock });
    const taken = await reader.snapshot();
    await taken.close();
    await reader.close();
  };
  const fill = async (count: number) => {
    const writer = await open();
    await writer.apply(batchOf({ source: 'handbook', upserts: Array.from({ length: count }, (_, at) => page(at)), removals: [] }));
    await writer.release();
  };

  beforeAll(async () => {
    programs = temporaryFolder();
    [program] = await buildStoreProcesses(programs, 'store-process');
  });
  afterAll(() => programs.dispose());
  beforeEach(() => {
    folder = temporaryFolder();
    file = join(folder.path, 'state', 'index.db');
  });
  afterEach(() => folder.dispose());

  it('says index/not-built for a missing and for an empty file, and writes nothing', async () => {
    expect(await codeOf(snapshot)).toBe('index/not-built');
    folder.write('state/index.db', '');
    expect(await codeOf(snapshot)).toBe('index/not-built');
    expect(readFileSync(file).length).toBe(0);
  });

  it('says store/corrupt for a file that is not a database, in reader, writer and records', async () => {
    folder.write('state/index.db', 'these are not the bytes you are looking for\n'.repeat(100));
    folder.write('state/records.db', 'these are not the bytes you are looking for\n'.repeat(100));
    expect(await codeOf(snapshot)).toBe('store/corrupt');
    expect(await codeOf(open)).toBe('store/corrupt');
    expect(await codeOf(async () => openRecords({ file: join(folder.path, 'state', 'records.db') }))).toBe('store/corrupt');
  });

  it('refuses another format to readers and builds anew for writers', async () => {
    await fill(2);
    const db = Database.open(file, { readOnly: false, busyTimeoutMs: 100 });
    db.exec('PRAGMA user_version = 99');
    db.close();
    expect(await codeOf(snapshot)).toBe('index/version-mismatch');
    const writer = await open();
    expect((await writer.totals()).documents).toBe(0);
    await writer.release();
  });

  it('builds anew when another analyzer made the index, so that terms never mix', async () => {
    await fill(2);
    const writer = await openIndexWriter({ file, clock, holder: 'test', manifest: { ...TEST_MANIFEST, analyzer: 'another' } });
    expect((await writer.totals()).documents).toBe(0);
    await writer.release();
  });

  it('T6.4: one writer at a time; the lease of a live process is not taken', async () => {
    const writer = await open('first');
    expect(await codeOf(() => open('second'))).toBe('index/busy');
    await writer.release();
    await (await open('third')).release();
  });

  it('T6.4: a writer whose lease ran out and was taken over changes nothing any more', async () => {
    const at = clock.now();
    const first = await open('first');
    clock.set(at + 3_600_000);
    const second = await open('second');
    expect(await codeOf(() => first.apply(batchOf({ source: 'handbook', upserts: [page(1)], removals: [] })))).toBe('index/busy');
    expect((await second.totals()).documents).toBe(0);
    await second.release();
    await first.release();
    clock.set(at);
  });

  it('ING-04: a run that changes nothing writes nothing, and holds up nobody', async () => {
    await fill(3);
    const files = () => readdirSync(dirname(file)).map((name) => [name, readFileSync(join(dirname(file), name)).toString('base64')]);
    const before = files();
    const [first, second] = [await open('first', { onChange: true }), await open('second', { onChange: true })];
    expect([(await first.known('handbook')).size, (await second.known('handbook')).size]).toEqual([3, 3]);
    await first.pending('handbook', 0);
    await first.release();
    expect(files()).toEqual(before);
    await second.apply(batchOf({ source: 'handbook', upserts: [page(7)], removals: [] }));
    await second.release();
    expect((await totalsOf(file)).documents).toBe(4);
  });

  it('T6.4: who waits for a first change is refused when somebody else changed the index meanwhile', async () => {
    await fill(3);
    const waiting = await open('waiting', { onChange: true });
    await waiting.known('handbook');
    const changing = await open('changing', { onChange: true });
    await changing.apply(batchOf({ source: 'handbook', upserts: [page(7)], removals: [] }));
    const late = batchOf({ source: 'handbook', upserts: [page(8)], removals: ['page-0.md'] });
    expect(await codeOf(() => waiting.apply(late))).toBe('index/busy');
    await changing.release();
    expect(await codeOf(() => waiting.apply(late))).toBe('index/busy');
    expect(await codeOf(() => waiting.known('handbook'))).toBe('index/busy');
    await waiting.release();
    expect((await totalsOf(file)).documents).toBe(4);
  });

  it('T6.1: where no sums say that the last writer was done, the lease is taken at once', async () => {
    await fill(3);
    rmSync(`${file}.sums`);
    const writer = await open('first', { onChange: true });
    expect(await codeOf(() => open('second', { onChange: true }))).toBe('index/busy');
    await writer.release();
    expect(existsSync(`${file}.sums`)).toBe(true);
  });

  it('T6.1: a killed writer leaves every acknowledged batch, no half of one, and nothing locked', async () => {
    for (let trial = 0; trial < runs(3); trial++) {
      const own = join(folder.path, `killed-${trial}`, 'index.db');
      const writer = startStoreProcess(program, ['write', own]);
      await vi.waitUntil(() => writer.lines().length > 2 + trial * 3, { timeout: 30_000 });
      writer.child.kill('SIGKILL');
      await writer.ended();
      const acknowledged = Number(writer.lines().at(-1));
      const next = await openIndexWriter({ file: own, clock, holder: 'after', manifest: TEST_MANIFEST });
      const { documents } = await next.totals();
      expect(documents).toBeGreaterThanOrEqual(acknowledged);
      expect(documents % 2).toBe(0);
      await next.release();
      const reader = openIndexReader({ file: own, clock });
      expect(await reader.integrity()).toEqual({ ok: true, damaged: [] });
      await reader.close();
    }
  });

  it('T6.3: a full disk is store/full, leaves the batch out whole, and passes', async () => {
    await fill(3);
    const before = await totalsOf(file);
    const batch = batchOf({ source: 'handbook', upserts: Array.from({ length: 60 }, (_, at) => page(at + 10)), removals: ['page-0.md'] });
    const opening = vi.spyOn(Database, 'open').mockImplementation((path, options) => {
      opening.mockRestore();
      const db = Database.open(path, options);
      const pages = Number(db.get('PRAGMA page_count')?.['page_count']);
      db.exec(`PRAGMA max_page_count = ${pages + 2}`);
      return db;
    });
    const limited = await open();
    expect(await codeOf(() => limited.apply(batch))).toBe('store/full');
    expect(await limited.totals()).toEqual(before);
    await limited.release();
    const again = await open();
    expect(await again.apply(batch)).toEqual({ writes: 61 });
    expect((await again.totals()).documents).toBe(62);
    await again.release();
  });

  it('says library/unwritable when the state folder cannot be made', async () => {
    folder.write('state', 'a file where the folder should be');
    expect(await codeOf(open)).toBe('library/unwritable');
    expect(await codeOf(async () => openRecords({ file: join(folder.path, 'state', 'records.db') }))).toBe('library/unwritable');
  });

  it('T4.6: a flipped bit in stored text is never served: the page is named, and made again on the next run', async () => {
    await fill(12);
    const trials = runs(40);
    const random = sequence(11);
    for (let trial = 0; trial < trials; trial++) {
      const copy = join(folder.path, `copy-${trial}`);
      mkdirSync(copy);
      copyFileSync(file, join(copy, 'index.db'));
      const damagedPath = flipContentBit(join(copy, 'index.db'), random);
      const reader = openIndexReader({ file: join(copy, 'index.db'), clock });
      expect(await reader.integrity()).toEqual({ ok: false, damaged: [`handbook:${damagedPath}`] });
      const view = await reader.snapshot();
      const eligible = eligibleTo(await view.compartments(), GROUPS);
      const { hits } = await view.lexical(eligible, everyPage());
      expect(hits.length).toBe(12);
      const { artifacts, damaged } = await view.artifacts(
        eligible,
        hits.map((hit) => hit.artifact),
      );
      expect(artifacts.length).toBe(11);
      expect(damaged).toEqual(hits.filter((hit) => hit.path === damagedPath).map((hit) => hit.artifact));
      await view.close();
      await reader.close();
      const writer = await openIndexWriter({
        file: join(copy, 'index.db'),
        clock,
        holder: 'test',
        manifest: TEST_MANIFEST,
        verify: true,
      });
      const known = await writer.known('handbook');
      expect(known.size).toBe(11);
      expect(known.has(damagedPath)).toBe(false);
      await writer.release();
    }
  });

  it('T4.6: a flipped bit anywhere in the file gives a named fault or a right answer, never a wrong one', async () => {
    await fill(12);
    const whole = await answersOf(file);
    const random = sequence(23);
    for (let trial = 0; trial < runs(60); trial++) {
      const copy = join(folder.path, `any-${trial}`, 'index.db');
      mkdirSync(dirname(copy));
      copyFileSync(file, copy);
      const bytes = readFileSync(copy);
      const at = Math.floor(random() * bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8));
      writeFileSync(copy, bytes);
      const served = await codeOrTexts(copy);
      for (const text of served) expect(whole).toContain(text);
    }
  });

  it('T6.4: readers in another process see whole batches while a writer works', async () => {
    await fill(2);
    const counting = startStoreProcess(program, ['count', file, '22']);
    await vi.waitUntil(() => counting.lines().length > 0, { timeout: 30_000 });
    const writer = await open();
    for (let round = 0; round < 10; round++) {
      await writer.apply(batchOf({ source: 'handbook', upserts: [page(100 + round * 2), page(101 + round * 2)], removals: [] }));
    }
    await writer.release();
    await counting.ended();
    const seen = counting.lines().map(Number);
    expect(seen[0]).toBe(2);
    expect(seen.at(-1)).toBe(22);
    // Batches of two: an odd number would be half of one.
    expect(seen.filter((each) => each % 2 !== 0)).toEqual([]);
  });

  const everyPage = () => ({
    terms: [{ kind: 'word' as const, surface: 'install', term: 'install', weight: 1, required: false, content: true }],
    scope: {},
    policy: DEFAULT_RANKING,
    stemming: {},
    today: TODAY,
    limit: 100,
  });

  async function totalsOf(path: string) {
    const reader = openIndexReader({ file: path, clock });
    const totals = await reader.totals();
    await reader.close();
    return totals;
  }

  async function answersOf(path: string): Promise<readonly string[]> {
    const reader = openIndexReader({ file: path, clock });
    const view = await reader.snapshot();
    const eligible = eligibleTo(await view.compartments(), GROUPS);
    const { hits } = await view.lexical(eligible, everyPage());
    const { artifacts } = await view.artifacts(
      eligible,
      hits.map((hit) => hit.artifact),
    );
    await view.close();
    await reader.close();
    return artifacts.map((artifact) => JSON.stringify(artifact));
  }

  /** What is served; a fault serves nothing. */
  async function codeOrTexts(path: string): Promise<readonly string[]> {
    try {
      return await answersOf(path);
    } catch (error) {
      if (error instanceof Fault) return [];
      throw error;
    }
  }
});

/** Numbers from 0 to 1, the same every time. */
function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** Flips one bit of one page's stored content and says whose. */
function flipContentBit(path: string, random: () => number): string {
  const db = Database.open(path, { readOnly: false, busyTimeoutMs: 100 });
  const rows = db.all(
    'SELECT c.page AS page, c.body AS body, p.path AS path FROM content AS c JOIN page AS p ON p.row = c.page ORDER BY c.page',
  );
  const row = rows[Math.floor(random() * rows.length)];
  const body = Uint8Array.from(row?.['body'] as Uint8Array);
  const at = Math.floor(random() * body.length);
  body[at] = (body[at] ?? 0) ^ (1 << Math.floor(random() * 8));
  db.run('UPDATE content SET body = ? WHERE page = ?', body, row?.['page'] as number);
  db.close();
  return String(row?.['path']);
}
