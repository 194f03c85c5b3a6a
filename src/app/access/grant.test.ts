/** ATH-02, ATH-03, ATH-11: a token and a header only ever narrow what the launch and the person both hold. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CLASSIFICATIONS } from '../../domain/classification.js';
import type { Instant } from '../../kernel/clock.js';
import { Fault } from '../../kernel/errors.js';
import type { LibraryConfig } from '../library.js';
import { askWithin, type Grant, holdsEveryTenant } from './grant.js';

const NAMES = ['a', 'b', 'c'];
const some = fc.subarray(NAMES, { minLength: 1 });
const most = fc.subarray(NAMES, { minLength: 2 });
const maybe = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined, freq: 1 });
const level = fc.constantFrom(...CLASSIFICATIONS);
const rights = fc.record({ tenants: most, purposes: most, groups: some, ceiling: level });
const one = fc.constantFrom(...NAMES);
const defined = (given: object) => Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
const limits = fc.record({ tenants: maybe(most), purposes: maybe(most), groups: maybe(some), ceiling: maybe(level) }).map(defined);
const rarely = <T>(of: fc.Arbitrary<T>) => fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: of });
const narrowing = fc.record({ tenant: rarely(one), purpose: rarely(one), groups: rarely(some), ceiling: maybe(level) }).map(defined);

const rank = (of: string) => (CLASSIFICATIONS as readonly string[]).indexOf(of);
const grantOf = (given: object): Grant => ({
  workload: 'workload://api',
  scopes: new Set(),
  limits: given,
  client: 'unnamed',
  principal: 'person:ana',
});
const configOf = (identity: object, ana: object) =>
  ({ identity: { principal: 'person:server', ...identity }, people: { 'person:ana': ana }, clients: [] }) as unknown as LibraryConfig;

type Rights = Partial<{ tenants: string[]; purposes: string[]; groups: string[]; ceiling: string }>;
type Narrowed = Partial<{ tenant: string; purpose: string; groups: string[]; ceiling: string }>;
type Requester = ReturnType<typeof askWithin>['requester'];

/** Written without the code under test: each of the parties holds what was granted. */
function isHeldBy(requester: Requester, { tenants = NAMES, purposes = NAMES, groups = NAMES, ceiling }: Rights): boolean {
  const isBelow = ceiling === undefined || rank(requester.ceiling) <= rank(ceiling);
  return (
    tenants.includes(requester.tenant) &&
    purposes.includes(requester.purpose) &&
    [...requester.groups].every((each) => groups.includes(each)) &&
    isBelow
  );
}

function isAskedFor(requester: Requester, { tenant = requester.tenant, purpose = requester.purpose, groups, ceiling }: Narrowed): boolean {
  const isNarrowed = tenant === requester.tenant && purpose === requester.purpose;
  return isNarrowed && isHeldBy(requester, { ...(groups === undefined ? {} : { groups }), ...(ceiling === undefined ? {} : { ceiling }) });
}

describe('askWithin', () => {
  it('ATH-03 never holds what one of server, launch, person, token and header does not', () => {
    const seen = { asked: 0, denied: 0 };
    fc.assert(
      fc.property(rights, narrowing, rights, limits, narrowing, (server, launch, ana, token, headers) => {
        const asked = requesterOr(() => askWithin(configOf(server, ana), launch, grantOf(token), headers, 0 as Instant).requester);
        if (asked === undefined) {
          seen.denied += 1;
          return true;
        }
        seen.asked += 1;
        return [server, ana, token].every((each) => isHeldBy(asked, each)) && [launch, headers].every((each) => isAskedFor(asked, each));
      }),
      { numRuns: 1_500 },
    );
    expect(Math.min(seen.asked, seen.denied)).toBeGreaterThan(100);
  });

  const full = { tenants: NAMES, purposes: NAMES, groups: NAMES, ceiling: 'restricted' };
  it('ATH-02 keeps the person and the program that calls apart', () => {
    const { requester } = askWithin(configOf(full, full), {}, grantOf({}), {}, 0 as Instant);
    expect(requester).toMatchObject({
      principal: 'person:ana',
      workload: 'workload://api',
      client: { name: 'unnamed', locality: 'remote' },
    });
  });

  it('ATH-11 what the environment of the server fixed, under its flags, no token undoes', () => {
    const ask = () => askWithin(configOf(full, full), { within: { tenant: 'a' } }, grantOf({ tenants: ['b'] }), {}, 0 as Instant);
    expect(ask).toThrow(/asks for more/);
    const launched = askWithin(configOf(full, full), { within: { tenant: 'b', ceiling: 'internal' } }, grantOf({}), {}, 0 as Instant);
    expect(launched.requester).toMatchObject({ tenant: 'b', ceiling: 'internal' });
  });

  it('nobody of that name is a denial', () => {
    const stranger = { ...grantOf({}), principal: 'person:eve' };
    expect(() => askWithin(configOf(full, full), {}, stranger, {}, 0 as Instant)).toThrow(/This token asks for more/);
    expect(() => askWithin(configOf(full, full), {}, { ...stranger, principal: '__proto__' }, {}, 0 as Instant)).toThrow(Fault);
  });
});

function requesterOr(resolve: () => Requester): Requester | undefined {
  try {
    return resolve();
  } catch (error) {
    if (error instanceof Fault && error.code === 'access/denied') return undefined;
    throw error;
  }
}

it('ATH-03 freshness that the launch or the header asks for is asked for, and neither takes it back', () => {
  const config = configOf({ tenants: ['a'], purposes: ['a'], groups: ['a'], ceiling: 'internal' }, RIGHTS);
  const critical = (launch: boolean | undefined, header: boolean | undefined) =>
    askWithin(config, defined({ freshnessCritical: launch }), grantOf({}), defined({ freshnessCritical: header }), 0 as Instant)
      .freshnessCritical;
  expect([critical(undefined, undefined), critical(true, undefined), critical(true, false), critical(undefined, true)]).toEqual([
    false,
    true,
    true,
    true,
  ]);
  expect(askWithin(config, { within: { freshnessCritical: true } }, grantOf({}), {}, 0 as Instant).freshnessCritical).toBe(true);
});

const RIGHTS = { tenants: ['a', 'b'], purposes: ['a'], groups: ['a'], ceiling: 'internal' };

it('ATH-02 only who holds every tenant of the server, by no limit of its token, stands for all', () => {
  const holds = (server: readonly string[], ana: readonly string[], token: object, launch: object = {}) =>
    holdsEveryTenant(configOf({ ...RIGHTS, tenants: server }, { ...RIGHTS, tenants: ana }), launch, grantOf(token));
  expect(holds(['a', 'b'], ['a', 'b'], {})).toBe(true);
  expect(holds(['a', 'b'], ['b'], {})).toBe(false);
  expect(holds(['a', 'b'], ['a', 'b'], { tenants: ['a'] })).toBe(false);
  expect(holds(['a', 'b'], ['a', 'b'], { tenants: ['a', 'b'] })).toBe(false);
  expect(holds(['a', 'b'], ['a'], {}, { tenant: 'a' })).toBe(true);
  expect(holds(['a', 'b'], ['a', 'b', 'c'], {})).toBe(true);
  const config = configOf({ ...RIGHTS, tenants: ['a'] }, RIGHTS);
  expect(holdsEveryTenant(config, {}, { ...grantOf({}), principal: 'person:nobody' })).toBe(false);
  expect(holdsEveryTenant(config, {}, { ...grantOf({}), principal: 'person:server' })).toBe(true);
  expect(holdsEveryTenant(config, {}, { ...grantOf({}), principal: 'person:server', onlyListed: true })).toBe(false);
});
