import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FAMILIES, sampleOf } from '../../../tests/support/secret-samples.js';
import { type TemporaryFolder, temporaryFolder } from '../../../tests/support/temporary-folder.js';
import type { SourceRegistration } from '../../domain/source.js';
import type { Instant } from '../../kernel/clock.js';
import { resolveConfig } from '../configuration/config.js';
import { openContainer } from '../container.js';
import type { Library, LibraryConfig } from '../library.js';
import { type LearnOptions, learn } from './learn.js';
import { learnInWorker } from './learn-worker.js';

/** After this long, a file's times tell its versions apart. */
const SETTLED_MS = 2_600;

let folder: TemporaryFolder;
let now = 1_000 as Instant;
const clock = { now: () => now };
beforeEach(() => {
  folder = temporaryFolder();
  mkdirSync(join(folder.path, 'docs'));
  now = 1_000 as Instant;
});
afterEach(() => folder.dispose());

const configOf = (home = 'home', path = 'docs') =>
  resolveConfig({ env: { COLOPHON_HOME: join(folder.path, home) }, cwd: folder.path, folder: join(folder.path, path) });

async function within<T>(config: LibraryConfig, body: (library: Library) => Promise<T>): Promise<T> {
  const library = await openContainer(config, clock);
  try {
    return await body(library);
  } finally {
    await library.close();
  }
}
const run = async (options: LearnOptions = {}, config?: LibraryConfig) =>
  within(config ?? (await configOf()), (library) => learn(library, options));
const write = (path: string, text: string | Uint8Array) => folder.write(join('docs', path), text);
const freshDigest = async () => (await run({}, await configOf(`fresh-${now}-${Math.round(performance.now())}`))).contentDigest;

/** The one source of a library, and another folder beside it. */
async function twoSources(): Promise<LibraryConfig> {
  const config = await configOf();
  const [docs] = config.sources;
  if (docs === undefined) throw new Error('no source');
  mkdirSync(join(folder.path, 'more'), { recursive: true });
  const more: SourceRegistration = { ...docs, id: 'more', location: { ...docs.location, path: join(folder.path, 'more') } };
  return { ...config, sources: [docs, more] };
}

describe('one source', () => {
  test('ING-04 the second run over equal files writes nothing, even when they were touched', async () => {
    for (let at = 0; at < 5; at++) write(`p${at}.md`, `# Page ${at}\n\nText ${at}.\n`);
    const first = await run();
    expect(first).toMatchObject({ documents: 5, sources: [{ state: 'active', walk: 'complete', seen: 5, added: 5, failed: 0 }] });
    for (const touched of [false, true]) {
      if (touched) utimesSync(join(folder.path, 'docs/p1.md'), 5, 5);
      now = (now + 1_000) as Instant;
      const again = await run();
      expect(again).toMatchObject({ writes: 0, generation: first.generation, contentDigest: first.contentDigest });
      expect(again.sources[0]).toMatchObject({ added: 0, changed: 0, removed: 0, unchanged: 5 });
    }
  });

  test('ING-04 a checkout that gives every file a new time changes nothing, and is compared only once', async () => {
    const paths = Array.from({ length: 520 }, (_, at) => `d${at % 9}/p${at}.md`);
    for (const path of paths) write(path, `# Page\n\nText of ${path}.\n`);
    const first = await run();
    for (const path of paths) folder.age(join('docs', path));
    await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
    const said: string[] = [];
    const progress = ({ phase, done, total }: { phase: string; done: number; total: number }) => said.push(`${phase} ${done}/${total}`);
    expect(await run({ progress })).toMatchObject({ writes: 0, generation: first.generation, sources: [{ unchanged: 520, changed: 0 }] });
    expect(said.filter((each) => each.startsWith('comparing'))).toEqual([expect.stringMatching(/ 520\/520$/)]);
    said.length = 0;
    write('d0/p0.md', '# Page\n\nAnother text.\n');
    expect(await run({ progress })).toMatchObject({ sources: [{ unchanged: 519, changed: 1 }] });
    expect(said.filter((each) => each.startsWith('comparing'))).toEqual([expect.stringMatching(/ 1\/1$/)]);
  });

  test('ING-07 edits, renames, moves, twins and deletes leave what a fresh build would', async () => {
    write('a.md', '# A\n\none\n');
    write('SETUP.md', '# Setup\n\ntext\n');
    write('north/readme.md', 'same\n');
    write('south/readme.md', 'same\n');
    await run();
    write('a.md', '# A\n\ntwo\n');
    renameSync(join(folder.path, 'docs/SETUP.md'), join(folder.path, 'docs/Setup.md'));
    rmSync(join(folder.path, 'docs/north'), { recursive: true });
    write('new/b.md', 'b\n');
    const after = await run();
    expect(after.sources[0]).toMatchObject({ seen: 4, added: 2, changed: 1, removed: 2, unchanged: 1 });
    expect(after.documents).toBe(4);
    expect(after.contentDigest).toBe(await freshDigest());
    expect((await run({ full: true })).contentDigest).toBe(after.contentDigest);
  });

  test('ING-07 the last page of a source goes like any other, and an empty source says so', async () => {
    write('a.md', 'a\n');
    await run();
    rmSync(join(folder.path, 'docs/a.md'));
    const after = await run();
    expect(after).toMatchObject({ documents: 0, sources: [{ removed: 1, walk: 'complete' }] });
    expect(after.problems.map(({ code }) => code)).toEqual(['source/empty']);
  });

  test('ING-07 a source that lists no document any more keeps its pages until somebody says that they are gone', async () => {
    for (let at = 0; at < 8; at++) write(`p${at}.md`, `# Page ${at}\n\nText ${at}.\n`);
    const before = await run();
    renameSync(join(folder.path, 'docs'), join(folder.path, 'unmounted'));
    mkdirSync(join(folder.path, 'docs'));
    for (const again of [await run(), await run({ full: true })]) {
      expect(again).toMatchObject({ documents: 8, contentDigest: before.contentDigest });
      expect(again.sources).toMatchObject([{ walk: 'partial', seen: 0, removed: 0 }]);
      expect(again.problems).toMatchObject([{ code: 'source/emptied', severity: 'error' }]);
      expect(again.problems[0]?.message).toContain('lists no document, and the index holds 8 pages of it; they were kept');
      expect(again.problems[0]?.hint).toContain('--allow-empty');
    }
    rmSync(join(folder.path, 'docs'), { recursive: true });
    renameSync(join(folder.path, 'unmounted'), join(folder.path, 'docs'));
    expect(await run()).toMatchObject({ documents: 8, problems: [], sources: [{ walk: 'complete', unchanged: 8 }] });
    rmSync(join(folder.path, 'docs'), { recursive: true });
    mkdirSync(join(folder.path, 'docs'));
    const gone = await run({ allowEmpty: true });
    expect(gone).toMatchObject({ documents: 0, sources: [{ removed: 8, walk: 'complete' }] });
    expect(gone.problems.map(({ code }) => code)).toEqual(['source/empty']);
  });

  test('T2.10 a document whose name is a secret is named nowhere, though it could not be read, nor followed', async () => {
    const secret = sampleOf(FAMILIES[0]?.[1].sample ?? (() => ''), 7);
    write('a.md', 'a\n');
    write(`keys/${secret}.md`, new Uint8Array(40 * 1024 * 1024));
    symlinkSync('nowhere.md', join(folder.path, `docs/${secret}.md`));
    const after = await run();
    expect(after.problems.map(({ code, path }) => `${code} ${path}`).sort()).toEqual(['page/secret-masked ', 'page/secret-masked keys']);
    expect(JSON.stringify(after)).not.toContain(secret);
    await within(await configOf(), async ({ reader }) => {
      expect((await reader.problems()).length).toBe(2);
      expect(JSON.stringify(await reader.problems())).not.toContain(secret);
    });
    for (const name of readdirSync(join(folder.path, 'home'), { recursive: true, withFileTypes: true })) {
      if (name.isFile()) expect(readFileSync(join(name.parentPath, name.name)).includes(secret), name.name).toBe(false);
    }
  });

  test('ING-20 a page that became binary is refused, named, and taken out; the others stay', async () => {
    write('a.md', 'a\n');
    write('b.md', 'b\n');
    await run();
    write('b.md', new Uint8Array([0, 1, 2, 0, 255, 0, 0, 7]));
    const after = await run();
    expect(after).toMatchObject({ documents: 1, sources: [{ failed: 1, removed: 1, unchanged: 1 }] });
    expect(after.problems.map(({ code, path }) => `${code} ${path}`)).toEqual(['page/binary b.md']);
    const again = await run();
    expect(again).toMatchObject({ writes: 0, documents: 1, sources: [{ failed: 1, removed: 0 }] });
    expect(again.problems.map(({ code }) => code)).toEqual(['page/binary']);
  });

  test('a vanished root is a fault and loses nothing', async () => {
    write('a.md', 'a\n');
    const config = await configOf();
    await run({}, config);
    renameSync(join(folder.path, 'docs'), join(folder.path, 'away'));
    await expect(run({}, config)).rejects.toMatchObject({ code: 'source/unreachable' });
    renameSync(join(folder.path, 'away'), join(folder.path, 'docs'));
    expect(await run({}, config)).toMatchObject({ writes: 0, documents: 1 });
  });

  test('ING-05 an interrupted run says what is left, and the next one does the rest', async () => {
    for (let at = 0; at < 60; at++) write(`p${at}.md`, `# Page ${at}\n\nText ${at}.\n`);
    const stopping = new AbortController();
    const progress = ({ phase }: { phase: string }) => {
      if (phase.startsWith('indexing')) stopping.abort();
    };
    await expect(run({ signal: stopping.signal, progress })).rejects.toThrow();
    const config = await configOf();
    await within(config, async (library) => expect(await library.reader.pending()).toBeGreaterThan(0));
    const after = await run();
    expect(after.documents).toBe(60);
    expect(after.contentDigest).toBe(await freshDigest());
    await within(config, async (library) => expect(await library.reader.pending()).toBe(0));
  });

  test('progress counts every document and ends at the total', async () => {
    for (let at = 0; at < 4; at++) write(`p${at}.md`, `${at}\n`);
    const said: string[] = [];
    await run({ progress: ({ phase, done, total }) => said.push(`${phase} ${done}/${total}`) });
    expect(said[0]).toMatch(/^listing/);
    expect(said.at(-1)).toMatch(/^indexing .* 4\/4$/);
  });
});

describe('several sources', () => {
  test('one that cannot be reached keeps its pages and stops no other', async () => {
    const config = await twoSources();
    write('a.md', 'a\n');
    folder.write('more/m.md', 'm\n');
    await run({}, config);
    rmSync(join(folder.path, 'more'), { recursive: true });
    write('b.md', 'b\n');
    const after = await run({}, config);
    expect(after.documents).toBe(3);
    expect(after.sources.map(({ id, walk, added }) => [id, walk, added])).toEqual([
      ['docs', 'complete', 1],
      ['more', 'partial', 0],
    ]);
    expect(after.problems.map(({ code, source }) => `${code} ${source}`)).toEqual(['source/unreachable more']);
  });

  test('one that is no longer declared is forgotten, and the run says so', async () => {
    const config = await twoSources();
    write('a.md', 'a\n');
    folder.write('more/m.md', 'm\n');
    expect(await run({}, config)).toMatchObject({ documents: 2 });
    const after = await run();
    expect(after.documents).toBe(1);
    expect(after.problems.map(({ code, source }) => `${code} ${source}`)).toEqual(['source/forgotten more']);
  });

  test('SRC-01 a run of named sources leaves the others alone and refuses names that nobody registered', async () => {
    const config = await twoSources();
    write('a.md', 'a\n');
    folder.write('more/m.md', 'm\n');
    const after = await run({ sources: ['more'] }, config);
    expect(after).toMatchObject({ documents: 1, sources: [{ id: 'more' }] });
    await expect(run({ sources: ['nope'] }, config)).rejects.toMatchObject({ code: 'source/unknown' });
  });
});

describe('standing', () => {
  test('SM-S2 a proposed source of a team is not read; SM-S4 an approved one is active after its first checkpoint', async () => {
    write('a.md', 'a\n');
    const config = await configOf();
    const as = (initialState: SourceRegistration['initialState'], id: string): LibraryConfig => ({
      ...config,
      profile: 'team',
      sources: config.sources.map((source) => ({ ...source, id, initialState })),
    });
    const proposed = await run({}, as('proposed', 'one'));
    expect(proposed).toMatchObject({ documents: 0, sources: [{ state: 'proposed', walk: 'partial', seen: 0 }] });
    expect(proposed.problems.map(({ code }) => code)).toEqual(['source/closed']);
    const approved = await run({}, as('approved', 'two'));
    expect(approved).toMatchObject({ documents: 1, sources: [{ state: 'active' }] });
  });

  test('ING-02 another connector than the registered one writes nothing', async () => {
    write('a.md', 'a\n');
    const config = await configOf();
    const sources = config.sources.map((source) => ({ ...source, connectorIdentity: 'workload://colophon/other' }));
    await expect(run({}, { ...config, sources })).rejects.toMatchObject({ code: 'input/invalid' });
  });

  test('ING-16 every complete walk is confirmed at its own time', async () => {
    write('a.md', 'a\n');
    const config = await configOf();
    for (const at of [5_000, 9_000]) {
      now = at as Instant;
      await run({}, config);
      await within(config, async ({ records }) => expect((await records.registry.standings())[0]?.confirmedAt).toBe(at));
    }
  });
});

test('the same run from a surface that must not block', async () => {
  write('a.md', 'a\n');
  const config = await configOf();
  expect(await learnInWorker(config)).toMatchObject({ documents: 1 });
  await expect(learnInWorker(config, { signal: AbortSignal.abort() })).rejects.toThrow();
});

describe('a state that is declared after the first index', () => {
  const declaring = async (initialState: SourceRegistration['initialState']): Promise<LibraryConfig> => {
    const config = await configOf();
    return { ...config, sources: config.sources.map((source) => ({ ...source, initialState })) };
  };

  test.each(['suspended', 'retiring', 'revoked'] as const)('SRC-14 %s restricts an active source, and stays', async (state) => {
    write('a.md', '# A\n\nText.\n');
    expect((await run()).sources[0]).toMatchObject({ state: 'active' });
    const after = await run({}, await declaring(state));
    expect(after.sources[0]).toMatchObject({ state });
    expect(after.problems.map(({ code }) => code)).toEqual(['source/closed']);
    // Taking the word out of the file sets nothing free, and says so.
    const again = await run();
    expect(again.sources[0]).toMatchObject({ state });
    expect(again.problems.map(({ code }) => code)).toContain('source/declared-state');
  });

  test('SRC-14 one that would set back an active source is only told', async () => {
    write('a.md', '# A\n\nText.\n');
    await run();
    const after = await run({}, await declaring('deleted'));
    expect(after.sources[0]).toMatchObject({ state: 'active' });
    expect(after.problems[0]).toMatchObject({ code: 'source/declared-state', message: expect.stringContaining('is active') });
  });
});
