/** Standings are those of the moment of asking, whoever moved a source, and are read anew only when something was written. */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { storageReads } from '../../../../tests/support/storage-reads.js';
import { type TemporaryFolder, temporaryFolder } from '../../../../tests/support/temporary-folder.js';
import type { Instant } from '../../../kernel/clock.js';
import { sha256 } from '../../../kernel/digest.js';
import type { Records } from '../../../ports/records.js';
import { openRecords } from './records.js';

const BY = { actor: 'person:ada', reason: 'a leak' };
const NOW = 1 as Instant;
let folder: TemporaryFolder;
let opened: Records[];
beforeEach(() => {
  folder = temporaryFolder();
  opened = [];
});
afterEach(async () => {
  for (const each of opened) await each.close();
  folder.dispose();
});

function open(): Records {
  const records = openRecords({ file: join(folder.path, 'records.db') });
  opened.push(records);
  return records;
}

it('sees the next move at once, its own and that of another connection, and reads nothing when there was none', async () => {
  const [one, other] = [open(), open()];
  const source = { id: 'docs', owner: 'role:docs', initialState: 'active', freshnessSloMs: 1, registrationDigest: sha256('r') } as const;
  await one.registry.register(source, NOW);
  const states = async (records: Records) => (await records.registry.standings()).map(({ state }) => state);
  expect([await states(one), await states(other)]).toEqual([['active'], ['active']]);
  await other.registry.move('docs', 'suspend', BY, NOW);
  expect([await states(one), await states(other)]).toEqual([['suspended'], ['suspended']]);
  await one.registry.confirm('docs', 7 as Instant);
  expect((await other.registry.standings())[0]?.confirmedAt).toBe(7);
  expect((await one.registry.standings())[0]?.confirmedAt).toBe(7);
  const reads = await storageReads([], async () => void (await states(one)));
  expect(reads.filter(({ sql }) => /FROM (?:source|page)/.test(sql))).toEqual([]);
});
