/** Random policies and requests for the decision proof: near enough to what is allowed that each rule decides alone often enough. */
import type { NaiveGrant, NaivePage, NaiveRequest, NaiveWorld } from './naive-oracle.js';

export type Random = () => number;

/** The same numbers on every machine. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0 || 1;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export const DAY = 86_400_000;
export const BASE = Date.UTC(2026, 5, 1);
const LEVELS = ['public', 'internal', 'confidential', 'restricted'] as const;
export const TENANTS = ['north', 'south', 'east'];
export const PURPOSES = ['answer', 'audit', 'train'];
const UNDECLARED = 'sell';
export const PEOPLE = ['person:ada', 'person:bob', 'person:cyd', 'agent:dot', 'agent:eli'];
const STRANGERS = ['person:zed', 'constructor', 'agent:none'];
const GROUPS = ['staff', 'leads', 'board', 'guests'];
const OWNERS = ['role:docs', 'role:wiki', 'person:bob'];
const STATES = ['proposed', 'approved', 'active', 'degraded', 'suspended', 'retiring', 'revoked', 'deleted'];
const FOREVER = Number.MAX_SAFE_INTEGER;

const pick = <T>(random: Random, items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
const chance = (random: Random, share: number) => random() < share;
const some = <T>(random: Random, items: readonly T[], share: number): T[] => items.filter(() => chance(random, share));
const oneAtLeast = <T>(random: Random, items: readonly T[], share: number): T[] => {
  const chosen = some(random, items, share);
  return chosen.length > 0 ? chosen : [pick(random, items)];
};

function grantIn(random: Random, kind: string): NaiveGrant {
  const day = () => BASE + Math.floor(random() * 10) * DAY;
  const named = kind === 'named' || chance(random, 0.1);
  return {
    groups: named && chance(random, 0.7) ? [] : oneAtLeast(random, GROUPS, 0.35),
    principals: named ? oneAtLeast(random, PEOPLE, 0.4) : [],
    tenants: kind === 'tenant' ? [pick(random, TENANTS)] : oneAtLeast(random, TENANTS, 0.9),
    purposes: kind === 'purpose' ? [pick(random, PURPOSES)] : oneAtLeast(random, PURPOSES, 0.9),
    from: kind === 'time' || chance(random, 0.1) ? day() : 0,
    to: kind === 'time' || chance(random, 0.1) ? BASE + 10 * DAY + Math.floor(random() * 10) * DAY : FOREVER,
  };
}

const KINDS = ['group', 'group', 'group', 'named', 'time', 'tenant', 'purpose'];

export function worldFrom(random: Random): NaiveWorld {
  const usable = !chance(random, 0.04);
  const acls = Object.fromEntries(
    KINDS.map((kind, at) => [`${kind}${at}`, Array.from({ length: 1 + Math.floor(random() * 2) }, () => grantIn(random, kind))] as const),
  );
  const readers = Array.from({ length: 1_001 }, (_, at) => `group-${at}`);
  const long = { ...grantIn(random, 'group'), groups: [...GROUPS, ...readers] };
  return {
    usable,
    purposes: PURPOSES,
    people: Object.fromEntries(
      PEOPLE.map((name) => [
        name,
        {
          tenants: oneAtLeast(random, TENANTS, 0.96),
          purposes: [...oneAtLeast(random, PURPOSES, 0.96), ...(chance(random, 0.5) ? [UNDECLARED] : [])],
          ceiling: pick(random, ['internal', 'confidential', 'restricted', 'restricted', 'restricted']),
        },
      ]),
    ),
    groups: Object.fromEntries(
      GROUPS.map((group) => [group, some(random, [...PEOPLE, ...STRANGERS.filter((each) => each.includes(':'))], 0.85)]),
    ),
    owners: { 'role:docs': oneAtLeast(random, PEOPLE.slice(0, 3), 0.6), 'role:wiki': oneAtLeast(random, PEOPLE.slice(0, 3), 0.4) },
    acls: usable ? acls : { ...acls, long: [long] },
    local: ['terminal', 'here'],
  };
}

export function requestFrom(random: Random): NaiveRequest {
  const name = () => (chance(random, 0.03) ? pick(random, STRANGERS) : pick(random, PEOPLE));
  const chain = chance(random, 0.35) ? [name(), name()] : [name()];
  return {
    // Who asks for themselves is no delegation.
    chain: chain[0] === chain[1] ? chain.slice(1) : chain,
    tenant: pick(random, TENANTS),
    purpose: chance(random, 0.02) ? UNDECLARED : pick(random, PURPOSES),
    ceiling: chance(random, 0.88) ? 'restricted' : pick(random, LEVELS),
    narrowedTo: chance(random, 0.12)
      ? oneAtLeast(random, [...GROUPS, ...OWNERS.map((owner) => `owner:${owner}`), ...PEOPLE], 0.5)
      : undefined,
    client: pick(random, ['terminal', 'terminal', 'here', 'far', 'unheard-of']),
    critical: chance(random, 0.15),
    // Often to the day, where grants begin and end.
    at: BASE + Math.floor(random() * 20) * DAY + (chance(random, 0.5) ? 0 : Math.floor(random() * DAY)),
  };
}

export function pageFrom(random: Random, world: NaiveWorld, { at, tenant, purpose }: NaiveRequest): NaivePage {
  const refs = Object.keys(world.acls);
  const ref = () => (chance(random, 0.03) ? pick(random, ['nowhere', 'toString']) : pick(random, refs));
  const state = chance(random, 0.9) ? pick(random, ['active', 'active', 'active', 'active', 'degraded', 'retiring']) : pick(random, STATES);
  const slo = DAY;
  return {
    tenants: chance(random, 0.96) ? [...new Set([tenant, ...some(random, TENANTS, 0.3)])] : oneAtLeast(random, TENANTS, 0.3),
    purposes: chance(random, 0.96) ? [...new Set([purpose, ...some(random, PURPOSES, 0.3)])] : oneAtLeast(random, PURPOSES, 0.3),
    classification: pick(random, ['public', 'public', 'public', 'internal', 'confidential', 'restricted']),
    refs: chance(random, 0.1) ? [...new Set([ref(), ref()])] : [ref()],
    ownerOnly: chance(random, 0.06),
    localOnly: chance(random, 0.1),
    source: {
      registered: !chance(random, 0.03),
      state,
      owner: pick(random, OWNERS),
      confirmedAt: at - Math.floor(random() * 3) * (slo / 2) - (chance(random, 0.2) ? 1 : 0),
      slo,
      retiresAt: at + (chance(random, 0.6) ? DAY : chance(random, 0.5) ? 0 : -DAY),
    },
  };
}

/** The policy of the world as its files would say it. */
export function policyTextOf(world: NaiveWorld): string {
  const iso = (time: number) => new Date(time).toISOString();
  const grant = ({ from, to, ...rest }: NaiveGrant) => ({
    ...rest,
    ...(from === 0 ? {} : { from: iso(from) }),
    ...(to === FOREVER ? {} : { to: iso(to) }),
  });
  return JSON.stringify({
    version: 1,
    purposes: Object.fromEntries(world.purposes.map((each) => [each, each])),
    people: world.people,
    groups: world.groups,
    owners: world.owners,
    acls: Object.fromEntries(Object.entries(world.acls).map(([ref, grants]) => [ref, grants.map(grant)])),
  });
}
