/**
 * Resolve: is it clear who asks, through what, for whom, and why? Without that there is no question (ATH-01).
 *
 * Invariant: nothing is looked up before this has passed.
 */
import { CLASSIFICATIONS } from '../domain/classification.js';
import type { Ask } from '../domain/requester.js';
import { Fault } from '../kernel/errors.js';

export function resolve(ask: Ask): void {
  const { principal, workload, tenant, purpose, ceiling } = ask.requester;
  for (const [field, value] of Object.entries({ principal, workload, tenant, purpose })) {
    if (value === '') throw new Fault('input/invalid', { field, expected: 'named; a request without it is denied' });
  }
  if (!CLASSIFICATIONS.includes(ceiling)) {
    throw new Fault('input/invalid', { field: 'ceiling', expected: `one of ${CLASSIFICATIONS.join(', ')}` });
  }
}
