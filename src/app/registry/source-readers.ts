/**
 * How much of a source somebody may read about: all of it, that it is there and where it stands, or nothing. Moving it is another matter.
 *
 * Invariant: who neither keeps sources nor may read a page of one is told of it what is told of one that was never there (ATH-06).
 * Invariant: who only reads is told no path, no count and no words of its keepers: those may be about pages that are hidden.
 */
import { admits } from '../../domain/classification.js';
import { readersFor } from '../../domain/policy.js';
import type { SourceRegistration } from '../../domain/source.js';
import type { SourceRecord } from '../../domain/source-record.js';
import { answersForAll } from '../answers-for-all.js';
import type { Call } from '../operations/catalogue.js';
import { doorIfBuilt } from '../packages/access.js';
import { isBearer } from './order-move.js';

export type SourceReading = 'whole' | 'standing' | 'nothing';

export async function sourceReading(call: Call): Promise<(record: SourceRecord | undefined) => SourceReading> {
  const keepsAll = answersForAll(call);
  const door = keepsAll ? undefined : await doorIfBuilt(call);
  await door?.snapshot.close();
  const visible = new Set(door?.eligible.compartments.map(({ source }) => source));
  return (record) => {
    if (keepsAll || isBearer(call, record)) return 'whole';
    return record !== undefined && visible.has(record.id) ? 'standing' : 'nothing';
  };
}

/** Whether the declaration alone would let the asker read: of a source that nothing was read of yet. */
export function mayReadDeclared({ ask, library }: Call, source: SourceRegistration): boolean {
  const { tenant, purpose, ceiling, groups } = ask.requester;
  const readers = readersFor(ask, source.permissionsRef, library.config.permissions) ?? [];
  return (
    source.tenantScope.includes(tenant) &&
    source.allowedPurposes.includes(purpose) &&
    admits(ceiling, source.classification) &&
    readers.some((each) => groups.has(each))
  );
}
