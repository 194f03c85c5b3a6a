/**
 * May the asker be told figures of the whole library? Whoever answers for every source, and the identity the process runs as, which
 * holds the files; nobody whom it merely asks for.
 */
import { answersForAll } from './answers-for-all.js';
import type { Call } from './operations/catalogue.js';

export function tellsOfAll(call: Pick<Call, 'library' | 'ask'>): boolean {
  return call.ask.requester.principal === call.library.config.identity.principal || answersForAll(call);
}
