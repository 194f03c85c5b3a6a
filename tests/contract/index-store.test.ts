import { referenceStore } from '../support/reference-store.js';
import { temporaryIndex } from '../support/temporary-index.js';
import { indexStoreContract } from './index-store.contract.js';

indexStoreContract('sqlite', () => temporaryIndex());

// The oracle keeps the contract too; it cannot prove anything about itself where it is compared with itself.
indexStoreContract('reference', async () => ({ ...referenceStore(), dispose: async () => undefined }));
