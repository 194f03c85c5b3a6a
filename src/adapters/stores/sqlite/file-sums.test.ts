import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../tests/support/temporary-folder.js';
import { fixedClock, TEST_MANIFEST } from '../../../../tests/support/temporary-index.js';
import { Database } from './driver.js';
import { matchesSums } from './file-sums.js';
import { openIndexWriter } from './index-writer.js';

/** Locks this process holds on the file, as Linux lists them. */
function locksOn(file: string): readonly string[] {
  const { ino } = statSync(file);
  const lines = readFileSync('/proc/locks', 'utf8').split('\n');
  return lines.filter((line) => line.includes(`:${ino} `) && line.includes(` ${process.pid} `)).map((line) => line.replace(/^\d+: /, ''));
}

describe.runIf(process.platform === 'linux')('sums of index.db', () => {
  it('T6.4: are worked out without giving up the locks that SQLite holds on the file', async () => {
    const folder = temporaryFolder();
    try {
      const file = join(folder.path, 'index.db');
      const writer = await openIndexWriter({ file, clock: fixedClock(), holder: 'test', manifest: TEST_MANIFEST });
      await writer.release();
      const db = Database.open(file, { readOnly: true, busyTimeoutMs: 0 });
      db.exec('BEGIN');
      db.get('SELECT * FROM manifest');
      const before = locksOn(file);
      expect(before.length).toBeGreaterThan(0);
      expect(matchesSums(db, 'all')).toBe(true);
      expect(locksOn(file)).toEqual(before);
      db.close();
    } finally {
      folder.dispose();
    }
  });
});
