import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { layLibrary } from '../tests/support/durable-library.js';
import { type TemporaryFolder, temporaryFolder } from '../tests/support/temporary-folder.js';
import { openLibrary } from './library.js';

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.dispose());

/** Asks, and lets the log become unwritable before the line of the question is written. */
async function closedWithoutLog(root: string): Promise<string> {
  const library = await openLibrary({ root });
  await library.index();
  await library.status();
  const log = join(root, '.colophon', 'audit.jsonl');
  rmSync(log, { force: true });
  mkdirSync(log);
  return library.close().then(
    () => 'closed',
    (error: { readonly code?: string }) => error.code ?? String(error),
  );
}

it('OBS-03 a team’s library says when it is closed that what was answered could not be recorded', async () => {
  layLibrary(folder.path);
  expect(await closedWithoutLog(folder.path)).toBe('audit/unwritable');
});

it('OBS-03 a personal library closes all the same', async () => {
  folder.write('colophon.yaml', 'version: 1\nprofile: personal\nsources: [docs]\n');
  folder.write('docs/a.md', '# A\n\nAbout gates.\n');
  expect(await closedWithoutLog(folder.path)).toBe('closed');
});

it('OBS-04 who is not known, or asks for more than is held, is refused, and that is in the log', async () => {
  layLibrary(folder.path);
  const library = await openLibrary({ root: folder.path });
  await library.index();
  const asked = { query: 'gates' };
  await expect(library.search({ ...asked, as: 'person:stranger' })).rejects.toMatchObject({ code: 'access/denied' });
  await expect(library.search({ ...asked, tenant: 'elsewhere' })).rejects.toMatchObject({ code: 'access/denied' });
  await library.close();
  const lines = readFileSync(join(folder.path, '.colophon', 'audit.jsonl'), 'utf8')
    .trim()
    .split('\n');
  const denied = lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ outcome }) => outcome === 'denied');
  expect(denied).toHaveLength(2);
  for (const line of denied) expect(line).toMatchObject({ surface: 'library', verb: 'search', code: 'access/denied', tenant: '' });
  expect(JSON.stringify(denied)).not.toContain('elsewhere');
});
