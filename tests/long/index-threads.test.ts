/** A run that is large enough for several threads leaves what one thread leaves, and ends when it is told to. */
import { rmSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resolveConfig } from '../../src/app/configuration/config.js';
import { openContainer } from '../../src/app/container.js';
import { learn } from '../../src/app/learning/learn.js';
import type { Library } from '../../src/app/library.js';
import { environment, MAIN, runCommand, startCommand } from '../support/built-command.js';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.js';

const PAGES = 420;
let place: TemporaryFolder;
const file = (at: number) => `docs/part-${at % 7}/page-${at}.md`;
const page = (at: number, text = '') =>
  `# Page ${at}\n\nSee [the next](page-${at + 7}.md).\n\n## Detail ${at}\n\n${`The gauge of tern ${at} reads \`gauge_${at}\`. `.repeat(20)}\n\n${text}\n`;
beforeEach(() => {
  place = temporaryFolder();
  for (let at = 0; at < PAGES; at++) place.write(file(at), page(at));
  place.write('docs/binary.md', new Uint8Array(4000));
});
afterEach(() => place.dispose());

const surroundings = () => ({ cwd: place.path, env: environment(place.path) });
const index = async (...more: string[]) => JSON.parse((await runCommand(['index', 'docs', '--json', ...more], surroundings())).stdout);

async function opened<T>(home: string, work: (library: Library) => Promise<T>): Promise<T> {
  const config = await resolveConfig({ env: { COLOPHON_HOME: home }, cwd: place.path, folder: join(place.path, 'docs') });
  const library = await openContainer(config);
  try {
    return await work(library);
  } finally {
    await library.close();
  }
}

async function generationOf({ reader }: Library): Promise<number> {
  const snapshot = await reader.snapshot();
  await snapshot.close();
  return snapshot.manifest.generation;
}

/** From TypeScript sources no thread is started. */
function inOneThread(): Promise<{ contentDigest: string; artifacts: number }> {
  return opened(join(place.path, `alone-${performance.now()}`), (library) => learn(library));
}

const search = async (words: string) =>
  JSON.parse((await runCommand(['search', words, '--root', 'docs', '--json'], surroundings())).stdout);

describe('indexing in several threads', () => {
  it('the built command can start them', async () => {
    const { CAN_START } = await import(pathToFileURL(join(dirname(MAIN), '../../app/learning/page-thread.js')).href);
    expect(CAN_START).toBe(true);
  });

  it('ING-04 leaves what one thread leaves; a further run, touched or not, writes nothing', async () => {
    const alone = await inOneThread();
    const first = await index();
    expect(first).toMatchObject({ documents: PAGES, contentDigest: alone.contentDigest, artifacts: alone.artifacts });
    expect(first.sources[0]).toMatchObject({ added: PAGES, failed: 1 });
    expect(first.problems.map(({ code }: { code: string }) => code)).toContain('page/binary');
    for (const touched of [false, true]) {
      if (touched) for (let at = 0; at < PAGES; at++) utimesSync(join(place.path, file(at)), 1_000_000, 1_000_000);
      const again = await index();
      expect(again).toMatchObject({ writes: 0, generation: first.generation, contentDigest: first.contentDigest });
      expect(again.sources[0]).toMatchObject({ unchanged: PAGES, added: 0, changed: 0 });
    }
    const remade = await index('--full');
    expect(remade).toMatchObject({ contentDigest: first.contentDigest, generation: first.generation });
  });

  it('ING-07 pages that changed among many that did not are told apart in a full run', async () => {
    await index();
    for (let at = 0; at < 30; at += 3) place.write(file(at), page(at, 'The gauge was replaced.'));
    rmSync(join(place.path, file(400)));
    const after = await index('--full');
    expect(after.documents).toBe(PAGES - 1);
    expect(after.contentDigest).toBe((await inOneThread()).contentDigest);
  });

  it('ING-05 killed between two batches, it goes on from the last one; questions are answered meanwhile', async () => {
    const before = await index();
    // Enough new text for several batches.
    for (let at = 0; at < PAGES; at++) place.write(file(at), page(at, `The bridge over water ${at} is long. `.repeat(200)));
    const child = startCommand(['index', 'docs', '--json'], surroundings());
    const ended = new Promise<NodeJS.Signals | null>((resolve) => child.once('exit', (_, signal) => resolve(signal)));
    const home = environment(place.path)['COLOPHON_HOME'] ?? '';
    const generation = await opened(home, async (library) => {
      for (;;) {
        const written = await generationOf(library);
        if (written > before.generation) return written;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    });
    child.kill('SIGSTOP');
    const answered = await search('the gauge of tern');
    child.kill('SIGKILL');
    expect(await ended).toBe('SIGKILL');
    expect(answered).toMatchObject({ schema: 'colophon/search@1', hits: expect.arrayContaining([expect.anything()]) });
    const next = await index();
    expect(next.sources[0].unchanged).toBeGreaterThan(0);
    expect(next.sources[0].changed).toBeGreaterThan(0);
    expect(next.sources[0].changed + next.sources[0].unchanged).toBe(PAGES);
    expect(next.generation).toBeGreaterThan(generation);
    expect(next.contentDigest).toBe((await inOneThread()).contentDigest);
  });

  it('ING-05 an interrupted run ends at once, with whole batches, and the next one does the rest', async () => {
    const child = startCommand(['index', 'docs', '--json'], surroundings());
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    await new Promise((resolve) => setTimeout(resolve, 700));
    child.kill('SIGINT');
    await ended;
    expect((await index()).contentDigest).toBe((await inOneThread()).contentDigest);
  });
});
