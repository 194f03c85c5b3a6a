/**
 * What a request may narrow by its headers: tenant, purpose, ceiling and groups, within what its token holds.
 *
 * Invariant: a header of ours that has no meaning is refused, not ignored: whoever sent it believes that it counts.
 */
import type { RequestNarrowing } from '../../app/access/grant.js';
import { Fault } from '../../kernel/errors.js';

const HEADERS = {
  'colophon-tenant': 'tenant',
  'colophon-purpose': 'purpose',
  'colophon-ceiling': 'ceiling',
  'colophon-groups': 'groups',
  'colophon-freshness-critical': 'freshnessCritical',
} as const;

export const NARROWING_HEADERS = Object.keys(HEADERS) as readonly (keyof typeof HEADERS)[];

function yesOrNo(field: string, value: string): boolean {
  if (value !== 'true' && value !== 'false') throw new Fault('input/invalid', { field, expected: 'true or false' });
  return value === 'true';
}

export function narrowingFrom(headers: Headers): RequestNarrowing {
  const found: Record<string, unknown> = {};
  for (const [name, value] of headers) {
    if (!name.startsWith('colophon-')) continue;
    const field = Object.hasOwn(HEADERS, name) ? HEADERS[name as keyof typeof HEADERS] : undefined;
    if (field === undefined)
      throw new Fault('input/invalid', { field: name.slice(0, 60), expected: `left out; there is ${NARROWING_HEADERS.join(', ')}` });
    // Two headers of a name come joined: which of them was meant is not guessed.
    if (field !== 'groups' && value.includes(',')) throw new Fault('input/invalid', { field: name, expected: 'given once' });
    if (field === 'groups') found[field] = value.split(',').map((each) => each.trim());
    else if (field === 'freshnessCritical') found[field] = yesOrNo(name, value);
    else found[field] = value;
  }
  return found;
}
