import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { admits, CLASSIFICATIONS } from '../domain/classification.js';
import type { Instant } from '../kernel/clock.js';
import { Fault } from '../kernel/errors.js';
import { clientNamed, type Narrowing, narrowingFromEnvironment, resolveAsk } from './identity.js';
import type { Rights } from './library.js';

const at = 0 as Instant;
const caller = { workload: 'workload://colophon/cli', defaultClient: 'terminal' };
const clients = [{ name: 'terminal', locality: 'local' as const }];
const config = {
  identity: {
    principal: 'person:me',
    groups: ['staff', 'leads'],
    tenants: ['north', 'south'],
    purposes: ['answer'],
    ceiling: 'confidential' as const,
  },
  people: {
    'person:guest': { groups: ['staff', 'board'], tenants: ['south', 'east'], purposes: ['answer'], ceiling: 'restricted' as const },
  },
  clients,
};

function denied(narrowing: Parameters<typeof resolveAsk>[1]): string {
  try {
    resolveAsk(config, narrowing, caller, at);
  } catch (error) {
    if (error instanceof Fault && error.kind === 'denied') return error.message;
    throw error;
  }
  throw new Error('it was allowed');
}

describe('who asks', () => {
  it('ATH-01: has one tenant and one purpose, the first held unless another is asked for', () => {
    expect(resolveAsk(config, {}, caller, at).requester).toMatchObject({ tenant: 'north', purpose: 'answer', ceiling: 'confidential' });
    expect(resolveAsk(config, { tenant: 'south' }, caller, at).requester.tenant).toBe('south');
  });

  it('ATH-01: is denied when there is none', () => {
    const none = { ...config, identity: { ...config.identity, tenants: [] } };
    expect(() => resolveAsk(none, {}, caller, at)).toThrow(Fault);
  });

  it.each([
    [{ tenant: 'east' }, '--tenant east'],
    [{ purpose: 'training' }, '--purpose training'],
    [{ groups: ['staff', 'board'] }, '--group board'],
    [{ as: 'person:nobody' }, '--as person:nobody'],
    [{ as: 'constructor' }, '--as constructor'],
  ])('names the flag that asks for more: %o', (narrowing, flag) => {
    expect(denied(narrowing)).toContain(flag);
  });

  it('ATH-03: delegation is an intersection', () => {
    const { requester } = resolveAsk(config, { as: 'person:guest' }, caller, at);
    expect(requester).toMatchObject({ principal: 'person:guest', tenant: 'south', ceiling: 'confidential' });
    expect([...requester.groups]).toEqual(['staff']);
  });

  it('ATH-03, ATH-11: no narrowing ever adds a right', () => {
    const word = fc.constantFrom('a', 'b', 'c');
    const rights: fc.Arbitrary<Rights> = fc.record({
      groups: fc.uniqueArray(word),
      tenants: fc.uniqueArray(word, { minLength: 1 }),
      purposes: fc.uniqueArray(word, { minLength: 1 }),
      ceiling: fc.constantFrom(...CLASSIFICATIONS),
    });
    const narrowing = fc.record(
      { as: fc.constant('other'), tenant: word, purpose: word, ceiling: fc.constantFrom(...CLASSIFICATIONS), groups: fc.uniqueArray(word) },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(rights, rights, narrowing, (own, other, asked) => {
        let requester: ReturnType<typeof resolveAsk>['requester'];
        try {
          ({ requester } = resolveAsk({ identity: { principal: 'me', ...own }, people: { other }, clients }, asked, caller, at));
        } catch (error) {
          expect(error).toBeInstanceOf(Fault);
          return;
        }
        expect(own.tenants).toContain(requester.tenant);
        expect(own.purposes).toContain(requester.purpose);
        expect(own.groups).toEqual(expect.arrayContaining([...requester.groups]));
        expect(admits(own.ceiling, requester.ceiling)).toBe(true);
        if (asked.as !== undefined) {
          expect(other.groups).toEqual(expect.arrayContaining([...requester.groups]));
          expect(admits(other.ceiling, requester.ceiling)).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('ATH-03: a ceiling above the own is no request for more: the own stays the bound', () => {
    expect(resolveAsk(config, { ceiling: 'restricted' }, caller, at).requester.ceiling).toBe('confidential');
    expect(() => resolveAsk(config, { ceiling: 'secret' }, caller, at)).toThrow('--ceiling');
  });

  it('takes a client nobody declared for a remote one', () => {
    expect(clientNamed(clients, 'something')).toEqual({ name: 'something', locality: 'remote' });
    expect(clientNamed(clients, 'terminal').locality).toBe('local');
  });

  it('reads the environment as narrowing too', () => {
    expect(narrowingFromEnvironment({ COLOPHON_TENANT: 'south', COLOPHON_GROUPS: 'a, b', COLOPHON_AS: '' })).toEqual({
      tenant: 'south',
      groups: ['a', 'b'],
    });
  });
});

describe('what a launch fixed', () => {
  const two = { ...config, clients: [...clients, { name: 'editor', locality: 'remote' as const }] };
  const ask = (within: Narrowing, narrowing: Narrowing) => resolveAsk(two, { ...narrowing, within }, caller, at).requester;

  it('ATH-03: a request narrows it and never widens it', () => {
    expect([...ask({ groups: ['staff'] }, {}).groups]).toEqual(['staff']);
    expect(() => ask({ groups: ['staff'] }, { groups: ['staff', 'leads'] })).toThrow('--group leads');
    expect(ask({ ceiling: 'public' }, { ceiling: 'confidential' }).ceiling).toBe('public');
    expect(ask({ ceiling: 'confidential' }, { ceiling: 'public' }).ceiling).toBe('public');
    expect(() => ask({ tenant: 'north' }, { tenant: 'south' })).toThrow('--tenant south');
    expect(ask({}, { tenant: 'south' }).tenant).toBe('south');
    expect(() => ask({ as: 'person:guest' }, { as: 'person:me' })).toThrow('--as person:me');
    expect(ask({ as: 'person:guest' }, {})).toMatchObject({ principal: 'person:guest', tenant: 'south' });
    const lasting = resolveAsk(two, { freshnessCritical: false, within: { freshnessCritical: true } }, caller, at);
    expect(lasting.freshnessCritical).toBe(true);
  });

  it('ATH-03: text meant for a model elsewhere stays so; text that stays here may be treated as leaving', () => {
    expect(() => ask({ client: 'editor' }, { client: 'terminal' })).toThrow('--client terminal');
    expect(() => ask({ client: 'editor' }, { client: 'unheard-of' })).toThrow('--client unheard-of');
    expect(ask({ client: 'terminal' }, { client: 'editor' }).client.name).toBe('editor');
    expect(ask({ client: 'editor' }, {}).client).toEqual({ name: 'editor', locality: 'remote' });
    expect(ask({}, { client: 'terminal' }).client.locality).toBe('local');
  });
});
