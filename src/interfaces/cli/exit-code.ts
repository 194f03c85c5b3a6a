/** The one place where an outcome becomes an exit code: 0 answered, 1 nothing found or findings, 2 usage, 3 denied, 4 unavailable. */
import type { Fault, FaultKind } from '../../kernel/errors.js';

export const EXIT = { answered: 0, findings: 1, usage: 2, denied: 3, unavailable: 4, interrupted: 130 } as const;

const BY_KIND: Readonly<Record<FaultKind, number>> = {
  invalid: EXIT.usage,
  'not-found': EXIT.findings,
  denied: EXIT.denied,
  conflict: EXIT.unavailable,
  unavailable: EXIT.unavailable,
  corrupt: EXIT.unavailable,
};

export function exitForFault(fault: Fault): number {
  return BY_KIND[fault.kind];
}
