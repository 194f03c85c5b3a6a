import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type TemporaryFolder, temporaryFolder } from '../../../tests/support/temporary-folder.js';
import { Database } from '../../adapters/stores/sqlite/driver.js';
import { openLibrary } from '../../library.js';
import { registrationDigest } from '../../sources/register.js';
import { resolveConfig } from '../configuration/config.js';
import { openContainer } from '../container.js';
import type { Library } from '../library.js';
import { ensureIndexed, withStanding } from './ensure-indexed.js';
import { learn } from './learn.js';
import { makePages } from './make-pages.js';

let folder: TemporaryFolder;
let libraries: Library[];
beforeEach(() => {
  folder = temporaryFolder();
  libraries = [];
  vi.stubEnv('COLOPHON_HOME', join(folder.path, 'home'));
  mkdirSync(join(folder.path, 'docs'));
  for (const name of ['a', 'b']) folder.write(`docs/${name}.md`, `# Page ${name}\n\nThe valve of ${name}.\n`);
});
afterEach(async () => {
  for (const library of libraries) await library.close();
  vi.unstubAllEnvs();
  folder.dispose();
});

async function library(): Promise<Library> {
  const opened = await openContainer(await resolveConfig({ env: process.env, cwd: folder.path, folder: join(folder.path, 'docs') }));
  libraries.push(opened);
  return opened;
}
const { signal } = new AbortController();
const ensure = async () => ensureIndexed({ library: await library(), signal, progress: () => undefined }, 'present');

/** Stores one page and no checkpoint, as a run does on its way. */
async function storeOnePage(own: Library, writer: Awaited<ReturnType<Library['writer']>>): Promise<void> {
  const [registration] = own.config.sources;
  if (registration === undefined) throw new Error('no source');
  const { id, owner, initialState, freshnessSloMs } = registration;
  const registered = { id, owner, initialState, freshnessSloMs, registrationDigest: registrationDigest(registration) };
  await own.records.registry.register(registered, own.clock.now());
  const documents = [{ path: 'a.md', sizeBytes: 30 }];
  const made = await makePages(
    own,
    registration,
    { source: registration.id, documents, held: new Map() },
    { signal, step: () => undefined },
  );
  if (made.packed === undefined) throw new Error('no page was made');
  await writer.apply({ source: registration.id, transformation: 't', upserts: [], packed: made.packed, removals: [] });
}

test('while another process builds the index, what is stored answers and says that it is not all; before that there is a plain sentence', async () => {
  const own = await library();
  const writer = await own.writer('index, process 4711');
  await expect(ensure()).rejects.toMatchObject({ code: 'index/begun', message: expect.stringContaining('no page is stored yet') });
  await storeOnePage(own, writer);
  expect(await ensure()).toMatchObject({ standing: { code: 'index/building', severity: 'warning' } });
  const colophon = await openLibrary({ root: join(folder.path, 'docs') });
  try {
    const answer = await colophon.search({ query: 'valve' });
    expect(answer.hits.map(({ path }) => path)).toEqual(['a.md']);
    expect(answer.problems.map(({ code }) => code)).toContain('index/building');
  } finally {
    await colophon.close();
  }
  await writer.release();
  expect((await ensure()).learned).toMatchObject({ documents: 2 });
  expect(await ensure()).toEqual({});
});

test('an index that was built once answers while it is brought up to date, with nothing to add', async () => {
  const own = await library();
  await learn(own);
  const writer = await own.writer('index, process 4711');
  await writer.pending(own.config.sources[0]?.id ?? '', 1);
  const call = { library: await library(), signal, progress: () => undefined };
  expect(await ensureIndexed(call, 'current')).toEqual({});
  expect(withStanding({ problems: [] }, undefined)).toEqual({ problems: [] });
  await writer.release();
});

test('an index of another version is made anew by whoever asks, as a missing one is', async () => {
  const own = await library();
  await ensure();
  await own.close();
  libraries.splice(0);
  const db = Database.open(join(own.config.stateFolder, 'index.db'), { readOnly: false, busyTimeoutMs: 100 });
  db.exec('PRAGMA user_version = 99');
  db.close();
  expect((await ensure()).learned).toMatchObject({ documents: 2 });
  const colophon = await openLibrary({ root: join(folder.path, 'docs') });
  expect((await colophon.search({ query: 'valve' })).hits).toHaveLength(2);
  await colophon.close();
});
