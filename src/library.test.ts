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

it('ATH-03 opens for nobody whom it does not understand', async () => {
  layLibrary(folder.path);
  const open = (more: object) => openLibrary({ root: folder.path, ...more } as Parameters<typeof openLibrary>[0]);
  const refused: readonly (readonly [object, string])[] = [
    [{ as: 'person:ana' }, "as must be an object such as { as: 'person:ana', tenant: 'north' }."],
    [{ as: null }, "as must be an object such as { as: 'person:ana', tenant: 'north' }."],
    [{ as: undefined }, "as must be an object such as { as: 'person:ana', tenant: 'north' }."],
    [{ as: ['person:ana'] }, "as must be an object such as { as: 'person:ana', tenant: 'north' }."],
    [
      { as: { principal: 'person:ana' } },
      'as.principal must be left out; there is as, tenant, purpose, ceiling, groups, client, freshnessCritical.',
    ],
    [{ as: { as: undefined } }, 'as.as must be a name.'],
    [{ as: { as: '' } }, 'as.as must be a name.'],
    [{ as: { groups: 'staff' } }, 'as.groups must be a list of names.'],
    [{ as: { freshnessCritical: 'yes' } }, 'as.freshnessCritical must be true or false.'],
    [{ as: { as: 'person:nobody' } }, 'as.as must be a person who is given rights here.'],
    [{ principal: 'person:ana' }, 'principal must be left out; there is root, as, onProgress, signal.'],
    [{ root: undefined }, 'root must be the path of a folder.'],
  ];
  for (const [more, message] of refused) await expect(open(more)).rejects.toMatchObject({ code: 'input/invalid', message });
  await expect(openLibrary(folder.path as never)).rejects.toMatchObject({ code: 'input/invalid' });
  const library = await open({});
  for (const more of [{ as: null }, { as: { as: 'person:ana' } }, { groups: 'staff' }, { tenant: 5 }, { within: { tenant: 'north' } }])
    await expect(library.search({ query: 'valve', ...more } as never), JSON.stringify(more)).rejects.toMatchObject({
      code: 'input/invalid',
    });
  await library.close();
});

it('OBS-04 who is denied is recorded as whom they asked', async () => {
  folder.write('docs/a.md', '# A\n\nAbout gates.\n');
  folder.write(
    'colophon.yaml',
    `version: 1
profile: personal
identity: { principal: person:ada, tenants: [north, south], purposes: [assist], groups: [staff], ceiling: internal }
people:
  person:bob: { tenants: [north], purposes: [assist], groups: [staff], ceiling: internal }
  person:cam: { tenants: [north], purposes: [assist], groups: [staff], ceiling: internal }
sources: [docs]
`,
  );
  const open = await openLibrary({ root: folder.path });
  await open.index();
  await expect(open.search({ query: 'gates', as: 'person:bob', tenant: 'south' })).rejects.toMatchObject({ code: 'access/denied' });
  await expect(open.search({ query: 'gates', as: 'person:nobody' })).rejects.toMatchObject({ code: 'access/denied' });
  await open.close();
  const bobs = await openLibrary({ root: folder.path, as: { as: 'person:bob' } });
  await expect(bobs.search({ query: 'gates', as: 'person:cam' })).rejects.toMatchObject({ code: 'access/denied' });
  await bobs.close();
  const lines = readFileSync(join(folder.path, '.colophon', 'audit.jsonl'), 'utf8')
    .trim()
    .split('\n');
  const denied = lines
    .map((line) => JSON.parse(line) as { outcome: string; principal: string })
    .filter(({ outcome }) => outcome === 'denied');
  expect(denied.map(({ principal }) => principal)).toEqual(['person:bob', 'person:ada', 'person:bob']);
});
