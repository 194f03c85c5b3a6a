import { join } from 'node:path';
import { openRecords } from '../../src/adapters/stores/sqlite/records.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { pageLedgerContract } from './page-ledger.contract.js';

pageLedgerContract('sqlite', async () => {
  const folder = temporaryFolder();
  const file = join(folder.path, 'records.db');
  let records = openRecords({ file });
  return {
    records,
    reopen: async () => {
      await records.close();
      records = openRecords({ file });
      return records;
    },
    dispose: async () => {
      await records.close();
      folder.dispose();
    },
  };
});
