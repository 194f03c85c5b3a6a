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

type Refused = Pick<AuditEvent, 'surface' | 'workload' | 'tenant'> & Partial<Pick<AuditEvent, 'principal'>>;

/** Of who asked for more than the process was started with; without a name that was let in, it was the process that asked. */
export function deniedOnce(config: LibraryConfig, caller: Refused, error: unknown): void {
  const { surface, workload, tenant, principal = config.identity.principal } = caller;
  const who = { principal, workload, tenant, purpose: '' };
  recordFailure({ log: logOf(config), config }, { who, surface, verb: 'open' }, error);
}

function logOf(config: LibraryConfig): AuditLog {
  return new AuditLog({ ...auditPlaceOf(config), flushMs: 0 });
}
