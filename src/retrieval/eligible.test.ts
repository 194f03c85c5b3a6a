import { expect, it } from 'vitest';
import { bothRefs, compartment, OWNER_ONLY } from '../domain/compartment.js';
import { judge } from '../domain/eligibility.js';
import { readersFor } from '../domain/policy.js';
import type { Ask } from '../domain/requester.js';
import type { SourceStanding } from '../domain/source.js';

const permissions = { people: ['team'], everyone: ['team', 'guests'], leads: ['leads'] };
const source = { id: 'docs', owner: 'role:docs', state: 'active', freshnessSloMs: 1 } as SourceStanding;

function admits(permissionsRef: string, groups: readonly string[]): boolean {
  const ask: Ask = {
    requester: {
      principal: 'person:a',
      workload: 'workload://a',
      tenant: 'main',
      purpose: 'answer',
      groups: new Set(groups),
      ceiling: 'internal',
      client: { name: 'terminal', locality: 'local' },
    },
    at: 0 as Ask['at'],
    freshnessCritical: false,
  };
  const filed = compartment({
    source: 'docs',
    tenants: ['main'],
    permissionsRef,
    classification: 'internal',
    purposes: ['answer'],
    egress: 'any',
  });
  return judge({ compartment: filed, source, readers: readersFor(ask, permissionsRef, permissions) }, ask).eligible;
}

it('ART-09 admits to a page under two refs only who is in a group of each', () => {
  const wide = bothRefs('people', 'everyone');
  expect(admits(wide, ['guests'])).toBe(false);
  expect(admits(wide, ['team'])).toBe(true);
  const narrow = bothRefs('people', 'leads');
  expect(admits(narrow, ['team'])).toBe(false);
  expect(admits(narrow, ['leads'])).toBe(false);
  expect(admits(narrow, ['team', 'leads'])).toBe(true);
});

it('ART-09 denies when one of the refs does not resolve, and keeps what only the owner sees', () => {
  expect(admits(bothRefs('people', 'nobody'), ['team'])).toBe(false);
  expect(admits(bothRefs('people', 'toString'), ['team'])).toBe(false);
  expect(bothRefs('people', OWNER_ONLY)).toBe(OWNER_ONLY);
  expect(bothRefs('people', 'people')).toBe('people');
});
