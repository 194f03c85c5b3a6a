/** Records what one command did: for a process that answers once and ends. */
import type { LibraryConfig } from '../library.js';
import type { Call } from '../operations/catalogue.js';
import { AuditLog, auditPlaceOf } from './audit-log.js';
import type { AuditEvent } from './audit-record.js';
import { audited, recordFailure } from './audited.js';

interface Once {
  readonly surface: AuditEvent['surface'];
  readonly verb: string;
  readonly input: unknown;
}

export async function auditedOnce<T>(about: Once, { library, ask }: Pick<Call, 'library' | 'ask'>, run: () => Promise<T>): Promise<T> {
  const { config } = library;
  return audited({ log: logOf(config), config }, { ...about, ask }, run);
}

/** Of who asked for more than the process was started with. */
export function deniedOnce(config: LibraryConfig, caller: Pick<AuditEvent, 'surface' | 'workload' | 'tenant'>, error: unknown): void {
  const { surface, workload, tenant } = caller;
  const who = { principal: config.identity.principal, workload, tenant, purpose: '' };
  recordFailure({ log: logOf(config), config }, { who, surface, verb: 'open' }, error);
}

function logOf(config: LibraryConfig): AuditLog {
  return new AuditLog({ ...auditPlaceOf(config), flushMs: 0 });
}
