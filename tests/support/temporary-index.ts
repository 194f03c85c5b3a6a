/** An index.db in a folder of its own for one test, with its writer and reader. */
import { join } from 'node:path';
import { openIndexReader } from '../../src/adapters/stores/sqlite/index-reader.js';
import { openIndexWriter } from '../../src/adapters/stores/sqlite/index-writer.js';
import type { Clock, Instant } from '../../src/kernel/clock.js';
import type { IndexReader } from '../../src/ports/index-reader.js';
import type { IndexWriter } from '../../src/ports/index-writer.js';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.js';

export const TEST_MANIFEST = { analyzer: 'test', segmenter: 'test', embedder: 'none' };

export interface TemporaryIndex {
  readonly folder: TemporaryFolder;
  readonly file: string;
  readonly reader: IndexReader;
  readonly writer: IndexWriter;
  dispose(): Promise<void>;
}

export function fixedClock(at = 1_780_000_000_000): Clock & { now(): Instant; set(at: number): void } {
  let current = at;
  return {
    now: () => current as Instant,
    set: (next) => {
      current = next;
    },
  };
}

export async function temporaryIndex(clock: Clock = fixedClock()): Promise<TemporaryIndex> {
  const folder = temporaryFolder();
  const file = join(folder.path, 'index.db');
  const writer = await openIndexWriter({ file, clock, holder: 'test', manifest: TEST_MANIFEST });
  const reader = openIndexReader({ file, clock });
  let open = true;
  return {
    folder,
    file,
    reader,
    writer,
    dispose: async () => {
      if (!open) return;
      open = false;
      await reader.close();
      await writer.release();
      folder.dispose();
    },
  };
}
