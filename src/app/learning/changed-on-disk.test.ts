import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type TemporaryFolder, temporaryFolder } from '../../../tests/support/temporary-folder.js';
import { gitBlobId } from '../../kernel/digest.js';
import type { Connector } from '../../ports/connector.js';
import { resolveConfig } from '../configuration/config.js';
import { openContainer } from '../container.js';
import type { Library } from '../library.js';
import { checkPage } from './changed-on-disk.js';

let folder: TemporaryFolder;
let library: Library;
let read: string[];
const { signal } = new AbortController();

beforeEach(async () => {
  folder = temporaryFolder();
  vi.stubEnv('COLOPHON_HOME', join(folder.path, 'home'));
  mkdirSync(join(folder.path, 'docs'));
  folder.write('docs/a.md', 'value 1111');
  const opened = await openContainer(await resolveConfig({ env: process.env, cwd: folder.path, folder: join(folder.path, 'docs') }));
  read = [];
  library = { ...opened, connector: (kind) => counting(opened.connector(kind)) };
});
afterEach(async () => {
  vi.restoreAllMocks();
  await library.close();
  vi.unstubAllEnvs();
  folder.dispose();
});

function counting(connector: Connector): Connector {
  return {
    ...connector,
    read: (registration, documents, ended) => {
      read.push(...documents.map(({ path }) => path));
      return connector.read(registration, documents, ended);
    },
  };
}

const place = () => join(folder.path, 'docs/a.md');
const check = (text: string) => checkPage({ library, signal }, { source: 'docs', path: 'a.md', blob: gitBlobId(Buffer.from(text)) });

/** As if the last write were long past. */
function settled(): void {
  vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000);
}

test('RET-26 a file is read once, and again only when it was written since, whatever its size and times say', async () => {
  settled();
  expect(await check('value 1111')).toMatchObject({ same: true });
  expect(await check('value 1111')).toMatchObject({ same: true });
  expect(await check('another')).toMatchObject({ same: false, problems: [{ code: 'page/changed' }] });
  expect(read).toEqual(['a.md']);
  writeFileSync(place(), 'value 2222');
  utimesSync(place(), 1_000_000_000, 1_000_000_000);
  expect(await check('value 1111')).toMatchObject({ same: false, problems: [{ code: 'page/changed' }] });
  expect(read).toEqual(['a.md', 'a.md']);
  folder.remove('docs/a.md');
  expect(await check('value 2222')).toMatchObject({ same: false, problems: [{ code: 'page/gone' }] });
});

test('RET-26 a file that was written a moment ago is read each time', async () => {
  expect(await check('value 1111')).toMatchObject({ same: true });
  expect(await check('value 1111')).toMatchObject({ same: true });
  expect(read).toEqual(['a.md', 'a.md']);
});
