/**
 * How fresh the index must be before a command goes on, and the run that makes it so.
 *
 * Invariant: another process that is indexing, or a state folder that cannot be written, never stops an answer; what is there is
 * used, and the answer says so.
 */
import { Fault } from '../kernel/errors.js';
import type { LearnReport } from './learn.js';
import type { Library } from './library.js';
import type { Call } from './operations/catalogue.js';
import { isUnwritable } from './state-folder.js';

/**
 * `untouched`: whatever is there, or its absence, is the answer.
 * `present`: built when it never was. Whoever runs a command holds the files, so that is theirs to do; an agent's server decides for itself.
 * `current`: as `present`, and brought up to date with its sources first.
 */
export type Freshness = 'untouched' | 'present' | 'current';

/** What the run did, when there was one. */
export async function ensureIndexed(
  { library, signal, progress }: Pick<Call, 'library' | 'signal' | 'progress'>,
  wanted: Freshness,
): Promise<LearnReport | undefined> {
  if (wanted === 'untouched') return undefined;
  const built = await isBuilt(library);
  if (built && wanted === 'present') return undefined;
  try {
    // Parsers and the like: only for those who index.
    const { learn } = await import('./learn.js');
    return await learn(library, { signal, progress });
  } catch (error) {
    const elsewhere = error instanceof Fault && error.code === 'index/busy';
    if (!((elsewhere || isUnwritable(error)) && (await isBuilt(library)))) throw error;
    return undefined;
  }
}

/** True once a run has finished a source, or at least stored something of one. */
export async function isBuilt(library: Library): Promise<boolean> {
  try {
    return (await library.reader.checkpoints()).length > 0;
  } catch (error) {
    if (error instanceof Fault && error.code === 'index/not-built') return false;
    throw error;
  }
}
