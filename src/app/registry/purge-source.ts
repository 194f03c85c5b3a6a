/**
 * Takes what the index holds of a deleted source out of it, and says plainly what was taken out and what was not.
 *
 * Invariant: no answer is given from a source from the moment it is deleted; what is purged after that is only what lies on the disk.
 */

import { SYSTEM_WORKLOAD } from '../../domain/source.js';
import type { StateEvent } from '../../domain/source-record.js';
import { Fault } from '../../kernel/errors.js';
import type { Call } from '../operations/catalogue.js';
import { deleteGonePages, heldOfOrdered } from './delete-pages.js';
import { statedBy } from './order-move.js';

export interface Receipt {
  readonly store: string;
  readonly pages: number;
  readonly contentDigest: string;
  readonly at: string;
  /** What still holds text of the source. */
  readonly kept: readonly string[];
}

export async function purgeSource(call: Call, source: string, made: StateEvent): Promise<Receipt> {
  const { library, ask } = call;
  const held = await heldOfOrdered(library, source);
  const taken = await takenOut(call, source);
  const receipt: Receipt = {
    store: 'index.db',
    ...taken,
    at: new Date(ask.at).toISOString(),
    kept: [
      'packages that were compiled before quote it; nobody may read them any more who may not read the source',
      `the files of the source itself are its owner's, and were not touched`,
    ],
  };
  await deleteGonePages(library.records.pages, {
    source,
    isGone: () => true,
    held,
    by: async () => ({ ...statedBy(call, 'its source was deleted'), actor: SYSTEM_WORKLOAD, workload: SYSTEM_WORKLOAD }),
    at: ask.at,
  });
  await library.records.registry.note(source, 'purge', statedBy(call, made.reason), ask.at, { receipt });
  return receipt;
}

async function takenOut({ library }: Call, source: string): Promise<Pick<Receipt, 'pages' | 'contentDigest'>> {
  try {
    const digest = (await library.reader.checkpoints()).find((each) => each.source === source)?.contentDigest ?? '';
    const writer = await library.writer(`source delete, process ${process.pid}`);
    try {
      const pages = (await writer.known(source)).size;
      await writer.forget(source);
      return { pages, contentDigest: digest };
    } finally {
      await writer.release();
    }
  } catch (error) {
    if (error instanceof Fault && error.code === 'index/not-built') return { pages: 0, contentDigest: '' };
    throw error;
  }
}
