import { join } from 'node:path';
import { openIndexReader } from '../../src/adapters/stores/sqlite/index-reader.js';
import { openIndexWriter } from '../../src/adapters/stores/sqlite/index-writer.js';
import type { Instant } from '../../src/kernel/clock.js';
import { referenceStore } from '../support/reference-store.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { indexStoreContract } from './index-store.contract.js';

const clock = { now: () => 1_780_000_000_000 as Instant };

indexStoreContract('sqlite', async () => {
  const folder = temporaryFolder();
  const file = join(folder.path, 'index.db');
  const manifest = { analyzer: 'test', segmenter: 'test', embedder: 'none' };
  const writer = await openIndexWriter({ file, clock, holder: 'test', manifest });
  const reader = openIndexReader({ file, clock });
  let open = true;
  return {
    writer,
    reader,
    dispose: async () => {
      if (!open) return;
      open = false;
      await reader.close();
      await writer.release();
      folder.dispose();
    },
  };
});

// The oracle keeps the contract too; it cannot prove anything about itself where it is compared with itself.
indexStoreContract('reference', async () => ({ ...referenceStore(), dispose: async () => undefined }));
