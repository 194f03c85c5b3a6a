/**
 * Checks what a program says about who asks, before anything is decided by it.
 *
 * Invariant: what is not understood is refused; left unsaid by mistake it would leave more rights than were meant.
 */
import { Fault } from '../kernel/errors.js';
import type { Narrowing } from './identity.js';

interface Kind {
  readonly expected: string;
  readonly fits: (value: unknown) => boolean;
}

const isName = (value: unknown): boolean => typeof value === 'string' && value !== '';
const NAME: Kind = { expected: 'a name', fits: isName };

const KINDS: Readonly<Record<Exclude<keyof Narrowing, 'within'>, Kind>> = {
  as: NAME,
  tenant: NAME,
  purpose: NAME,
  ceiling: NAME,
  groups: { expected: 'a list of names', fits: (value) => Array.isArray(value) && value.every(isName) },
  client: NAME,
  freshnessCritical: { expected: 'true or false', fits: (value) => typeof value === 'boolean' },
};

/** `prefix` names where it was said. */
export function checkNarrowing(given: unknown, prefix = ''): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new Fault('input/invalid', { field: prefix, expected: "an object such as { as: 'person:ana', tenant: 'north' }" });
  for (const [name, value] of Object.entries(given)) {
    const field = prefix === '' ? name : `${prefix}.${name}`;
    const kind = Object.hasOwn(KINDS, name) ? KINDS[name as keyof typeof KINDS] : undefined;
    if (kind === undefined) throw new Fault('input/invalid', { field, expected: `left out; there is ${Object.keys(KINDS).join(', ')}` });
    if (!kind.fits(value)) throw new Fault('input/invalid', { field, expected: kind.expected });
  }
}
