import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { packageOf } from '../../../../tests/support/durable-library.js';
import { storageReads } from '../../../../tests/support/storage-reads.js';
import { type TemporaryFolder, temporaryFolder } from '../../../../tests/support/temporary-folder.js';
import type { Instant } from '../../../kernel/clock.js';
import { sha256 } from '../../../kernel/digest.js';
import type { Records } from '../../../ports/records.js';
import { openRecords } from './records.js';

const [MINE, THEIRS] = [sha256('mine'), sha256('theirs')];
let folder: TemporaryFolder;
let records: Records;
beforeEach(() => {
  folder = temporaryFolder();
  records = openRecords({ file: join(folder.path, 'records.db') });
});
afterEach(async () => {
  await records.close();
  folder.dispose();
});

it('T1.7: what others have bound changes nothing of what is read for one owner', async () => {
  const bind = (name: string, owner: string, at: number) =>
    records.packages.store(packageOf(name), { attempt: 'nightly', createdAt: at as Instant, annex: { owner } });
  const rowsRead = async () => {
    const reads = await storageReads([], async () => {
      await records.packages.entries({ limit: 100, owner: MINE });
      await records.packages.entries({ limit: 100, owner: MINE, prefix: 'abcdef' });
      await records.packages.bindingsOf('nightly', MINE);
      await records.packages.identified({ prefix: 'kp_', owner: MINE, limit: 9 });
    });
    return reads.map(({ sql, rows }) => `${rows} of ${sql}`);
  };
  await bind('one', MINE, 1);
  const before = await rowsRead();
  for (let at = 0; at < 40; at++) await bind(`theirs ${at}`, THEIRS, 2 + at);
  expect(await rowsRead()).toEqual(before);
  expect(before.some((each) => each.startsWith('1 of'))).toBe(true);
  await bind('two', MINE, 99);
  expect(await rowsRead()).not.toEqual(before);
});

it('T7.5: a package that was bound a thousand times is as dear to read as one that was bound a hundred times', async () => {
  const entry = packageOf('asked again and again');
  const bind = async (from: number, to: number) => {
    const at = Array.from({ length: to - from }, (_, place) => from + place);
    await Promise.all(
      at.map((each) =>
        records.packages.store(entry, { attempt: `a${each}`, createdAt: each as Instant, annex: { owner: MINE, id: `kp_${each}` } }),
      ),
    );
  };
  const rowsRead = async () => {
    const reads = await storageReads([], async () => {
      expect((await records.packages.get(entry.digest, 50))?.bindings).toHaveLength(50);
      expect((await records.packages.identified({ prefix: 'kp_7', limit: 1 })).found).toHaveLength(1);
    });
    return reads.map(({ sql, rows }) => `${rows} of ${sql}`);
  };
  await bind(0, 100);
  const before = await rowsRead();
  await bind(100, 1_000);
  expect(await rowsRead()).toEqual(before);
});
