import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type TemporaryFolder, temporaryFolder } from '../../tests/support/temporary-folder.js';
import { resolveConfig } from './configuration/config.js';
import { openContainer } from './container.js';
import { learn } from './learning/learn.js';
import { writeWhole } from './write-whole.js';

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
  folder.write('colophon.yaml', 'version: 1\nprofile: personal\nsources: [docs]\n');
  folder.write('docs/a.md', '# A\n\nText.\n');
});
afterEach(() => folder.dispose());

const state = (name = '') => join(folder.path, '.colophon', name);

async function index() {
  const library = await openContainer(await resolveConfig({ env: {}, cwd: folder.path }));
  try {
    await learn(library);
    return ['', 'index.db', 'records.db', 'records.db-wal'].flatMap((name) => {
      const entry = statSync(state(name), { throwIfNoEntry: false });
      return entry === undefined ? [] : [entry.mode & 0o777];
    });
  } finally {
    await library.close();
  }
}

describe.skipIf(process.platform === 'win32')('a state folder', () => {
  test('is its owner’s alone, and so are the stores and their logs', async () => {
    expect(await index()).toEqual([0o700, 0o600, 0o600, 0o600]);
  });

  test('that was open to others is closed', async () => {
    mkdirSync(state(), { mode: 0o755 });
    expect((await index())[0]).toBe(0o700);
  });

  test('that is a link, or holds one, is not used', async () => {
    mkdirSync(join(folder.path, 'elsewhere'));
    symlinkSync(join(folder.path, 'elsewhere'), state());
    await expect(index()).rejects.toThrow('it is a symbolic link');
  });

  test.each(['index.db', 'records.db', 'index.db-wal', '.gitignore', 'colophon.schema.json'])(
    'with a link as %s is not used',
    async (name) => {
      mkdirSync(state());
      writeFileSync(join(folder.path, 'victim'), 'precious');
      symlinkSync(join(folder.path, 'victim'), state(name));
      await expect(index()).rejects.toMatchObject({ code: 'library/unsafe' });
      expect(statSync(join(folder.path, 'victim')).size).toBe('precious'.length);
    },
  );

  test.each(['index.db', 'records.db'])('leaves another program’s database alone where %s should be', async (name) => {
    mkdirSync(state());
    const theirs = new DatabaseSync(state(name));
    theirs.exec('CREATE TABLE precious (x); INSERT INTO precious VALUES (1)');
    theirs.close();
    await expect(index()).rejects.toMatchObject({ code: 'library/unsafe' });
    const after = new DatabaseSync(state(name));
    expect(after.prepare('SELECT x FROM precious').all()).toEqual([{ x: 1 }]);
    after.close();
  });
});

test('a device or a folder is never replaced by a file', async () => {
  await expect(writeWhole(join(folder.path, 'docs'), 'x')).rejects.toThrow('not a regular file');
  if (process.platform !== 'win32') await expect(writeWhole('/dev/null', 'x')).rejects.toThrow('not a regular file');
});
