/** With which tenant a refused request is recorded: the one that was asked for, where they hold it; another’s name is not written beside theirs. */
import type { Ask } from '../../domain/requester.js';
import { Fault } from '../../kernel/errors.js';
import type { Narrowing } from '../identity.js';

export function tenantHeld({ as, tenant, within }: Narrowing, resolve: (asked: Narrowing) => Ask): string {
  const wanted = tenant ?? within?.tenant;
  if (wanted === undefined) return '';
  try {
    return resolve({ tenant: wanted, ...(as === undefined ? {} : { as }), ...(within === undefined ? {} : { within }) }).requester.tenant;
  } catch (error) {
    if (error instanceof Fault) return '';
    throw error;
  }
}
