/** ATH-06: who asks through a process that runs as another is told of `index` and `doctor` what they would be told had hidden pages never been. */
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { teamSource } from '../../../tests/support/team-source.js';
import { type TemporaryFolder, temporaryFolder } from '../../../tests/support/temporary-folder.js';
import type { Instant } from '../../kernel/clock.js';
import { resolveConfig } from '../configuration/config.js';
import { openContainer } from '../container.js';
import { resolveAsk } from '../identity.js';
import type { Library } from '../library.js';
import type { Call } from './catalogue.js';
import { type DoctorOptions, doctor } from './doctor.js';
import { indexSources } from './index-sources.js';

const NOW = Date.UTC(2026, 10, 30) as Instant;
const folders: TemporaryFolder[] = [];
const libraries: Library[] = [];
afterEach(async () => {
  for (const library of libraries.splice(0)) await library.close();
  for (const folder of folders.splice(0)) folder.dispose();
});

const CONFIG = `version: 1
profile: team
identity: { principal: person:ada, tenants: [main], purposes: [assist], groups: [staff, board], ceiling: restricted }
permissions: { everyone: [staff], board: [board] }
people:
  person:guest: { tenants: [main], purposes: [assist], groups: [staff], ceiling: restricted }
sources:
${teamSource('docs', { allowed_purposes: '[assist]', rules: "[{ glob: 'hr/**', permissions: board }]" })}`;

async function libraryWith(hidden: readonly string[]): Promise<Library> {
  const folder = temporaryFolder();
  folders.push(folder);
  folder.write('colophon.yaml', CONFIG);
  folder.write('docs/a.md', '# Gates\n\nGates open at nine.\n');
  for (const page of hidden) folder.write(`docs/hr/${page}`, '---\nstatus: odd\n---\n# Pay\n\nAmounts, and [a link](nowhere.md).\n');
  const config = await resolveConfig({ cwd: folder.path, env: { COLOPHON_HOME: join(folder.path, 'home') } });
  const library = await openContainer(config, { now: () => NOW });
  libraries.push(library);
  return library;
}

function callAs(library: Library, as?: string): Call {
  const caller = { workload: 'workload://test', defaultClient: 'terminal' };
  const ask = resolveAsk(library.config, as === undefined ? {} : { as }, caller, NOW);
  return { library, ask, signal: new AbortController().signal, progress: () => undefined };
}

const unused = () => Promise.reject(new Error('nothing is to be repaired'));
const LOOK: DoctorOptions = {
  repair: false,
  setAsideRecords: false,
  setIndexAside: unused,
  setRecordsAside: unused,
  provisionalRecords: unused,
};
const toldBy = async (library: Library, as?: string) => {
  const call = callAs(library, as);
  const runs = [await indexSources.run(indexSources.input.parse({}), call), await indexSources.run(indexSources.input.parse({}), call)];
  const { checks } = await doctor(call, LOOK);
  return JSON.stringify([runs, checks.filter(({ name }) => name !== 'state folder')]).replaceAll(library.config.root, '');
};

it('ATH-06: `index` and `doctor` tell another of nothing that hidden pages change', async () => {
  const bare = await toldBy(await libraryWith([]), 'person:guest');
  expect(await toldBy(await libraryWith(['pay.md', 'more.md', 'x.md']), 'person:guest')).toBe(bare);
  expect(bare).toContain('"documents":1');
});

it('tells the identity of the process all of it', async () => {
  const [few, many] = [await toldBy(await libraryWith([])), await toldBy(await libraryWith(['pay.md', 'more.md']))];
  expect(many).not.toBe(few);
  expect(many).toContain('"documents":3');
  expect(many).toContain('3 pages');
});

it('a repair is for who keeps the library', async () => {
  const call = callAs(await libraryWith([]), 'person:guest');
  await expect(doctor(call, { ...LOOK, repair: true })).rejects.toMatchObject({ code: 'access/denied' });
});
