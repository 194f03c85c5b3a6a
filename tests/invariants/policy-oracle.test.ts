/**
 * T1.2: what the program decides is what the requirements say, decision by decision, against an oracle that was written from them alone.
 *
 * Random policies go the whole way: text, reading, resolving, the rights of each principal, the narrowed request, the grants, `judge`.
 */
import { describe, expect, it } from 'vitest';
import { resolveAsk } from '../../src/app/identity.js';
import type { LibraryConfig } from '../../src/app/library.js';
import { underPolicy } from '../../src/app/policy/current-policy.js';
import { readParts } from '../../src/app/policy/policy-parts.js';
import { resolvePolicy } from '../../src/app/policy/resolve-policy.js';
import type { Classification } from '../../src/domain/classification.js';
import { bothRefs, OWNER_ONLY } from '../../src/domain/compartment.js';
import { type CompartmentFacts, judge } from '../../src/domain/eligibility.js';
import { type Permissions, readersFor } from '../../src/domain/policy.js';
import type { Ask } from '../../src/domain/requester.js';
import type { SourceStanding, SourceState } from '../../src/domain/source.js';
import type { Instant } from '../../src/kernel/clock.js';
import type { Digest } from '../../src/kernel/digest.js';
import { Fault } from '../../src/kernel/errors.js';
import { type NaivePage, type NaiveRequest, type NaiveWorld, REASONS, type Reason, reasonsAgainst } from '../support/naive-oracle.js';
import { PEOPLE, pageFrom, policyTextOf, type Random, randomFrom, requestFrom, worldFrom } from '../support/policy-worlds.js';
import { runs } from '../support/proof-scale.js';

/** A million in the long proofs. */
const DECISIONS = runs(1) > 1 ? 1_000_000 : runs(10_000);
const A_WORLD = 100;
/** Nothing here looks a compartment up by its key. */
const UNUSED = '' as Digest;
const CALLER = { workload: 'workload://test', defaultClient: 'terminal' };

/** The configuration of a process launched as each principal; undefined where the policy cannot be used. */
type Launched = (principal: string) => LibraryConfig | undefined;

function launched(world: NaiveWorld): Launched {
  const { parts, findings } = readParts([{ file: 'policy.yaml', text: policyTextOf(world) }]);
  const resolved = resolvePolicy(parts);
  const clients = world.local.map((name) => ({ name, locality: 'local' as const }));
  const made = new Map<string, LibraryConfig>();
  return (principal) => {
    if (findings.length > 0) return undefined;
    const known = made.get(principal);
    if (known !== undefined) return known;
    const base = {
      identity: { principal, groups: [], tenants: [], purposes: [], ceiling: 'public' },
      clients,
      policyPlace: { path: '', identity: {} },
    };
    const config = underPolicy(base as unknown as LibraryConfig, resolved);
    made.set(principal, config);
    return config;
  };
}

/** What a mutant gets wrong, step by step; the honest program changes nothing. */
interface Steps {
  readonly config?: (config: LibraryConfig, request: NaiveRequest) => LibraryConfig;
  readonly request?: (request: NaiveRequest, world: NaiveWorld) => NaiveRequest;
  readonly permissions?: (permissions: Permissions) => Permissions;
  readonly ref?: (ref: string) => string;
  readonly readers?: (readers: readonly string[] | undefined, ask: Ask) => readonly string[] | undefined;
  readonly facts?: (facts: CompartmentFacts, ask: Ask) => CompartmentFacts;
  readonly ask?: (ask: Ask, config: LibraryConfig) => Ask;
}

function decided(config: LibraryConfig | undefined, asked: NaiveRequest, page: NaivePage, steps: Steps = {}): boolean {
  if (config === undefined) return false;
  const ask = askOf(steps.config?.(config, asked) ?? config, asked);
  if (ask === undefined) return false;
  const used = steps.ask?.(ask, config) ?? ask;
  const ref = page.ownerOnly ? OWNER_ONLY : page.refs.reduce((all, each) => bothRefs(all, each));
  const honest = readersFor(used, steps.ref?.(ref) ?? ref, steps.permissions?.(config.permissions) ?? config.permissions);
  const facts: CompartmentFacts = {
    compartment: {
      key: UNUSED,
      source: 'docs',
      tenants: page.tenants,
      permissionsRef: ref,
      classification: page.classification as Classification,
      purposes: page.purposes,
      egress: page.localOnly ? 'local-only' : 'any',
    },
    source: standingOf(page),
    readers: steps.readers === undefined ? honest : steps.readers(honest, used),
  };
  return judge(steps.facts?.(facts, used) ?? facts, used).eligible;
}

function askOf(
  config: LibraryConfig,
  { chain, tenant, purpose, ceiling, narrowedTo, client, critical, at }: NaiveRequest,
): Ask | undefined {
  try {
    const [launch = '', as = launch] = chain;
    const delegated = as === launch ? {} : { as };
    // Asking for a group one does not hold is refused as a whole; here only those held are asked for.
    const held = narrowedTo === undefined ? undefined : resolveAsk(config, delegated, CALLER, at as Instant).requester.groups;
    const groups = narrowedTo?.filter((each) => held?.has(each) === true);
    const narrowing = {
      tenant,
      purpose,
      ceiling,
      client,
      freshnessCritical: critical,
      ...(groups === undefined ? {} : { groups }),
      ...delegated,
    };
    return resolveAsk(config, narrowing, CALLER, at as Instant);
  } catch (error) {
    if (error instanceof Fault && error.code === 'access/denied') return undefined;
    throw error;
  }
}

function standingOf({ source: { registered, state, owner, confirmedAt, slo, retiresAt } }: NaivePage): SourceStanding | undefined {
  if (!registered) return undefined;
  const retires = state === 'retiring' ? { retiresAt: retiresAt as Instant } : {};
  return { id: 'docs', state: state as SourceState, owner, confirmedAt: confirmedAt as Instant, freshnessSloMs: slo, ...retires };
}

interface Trial {
  readonly world: NaiveWorld;
  readonly config: Launched;
  readonly request: NaiveRequest;
  readonly page: NaivePage;
  readonly against: readonly Reason[];
}

function* trials(count: number, seed: number): Generator<Trial> {
  const random: Random = randomFrom(seed);
  for (let done = 0; done < count; ) {
    const world = worldFrom(random);
    const config = launched(world);
    for (let at = 0; at < A_WORLD && done < count; at += 1, done += 1) {
      const request = requestFrom(random);
      const page = pageFrom(random, world, request);
      yield { world, config, request, page, against: reasonsAgainst(world, request, page) };
    }
  }
}

const launchOf = ({ config, request }: Trial) => config(request.chain[0] ?? '');

describe('T1.2 decisions', () => {
  it(`ATH-07: ${DECISIONS} random decisions: no false allow, no false denial; each rule alone decides often enough`, () => {
    let allows = 0;
    const alone = new Map<Reason, number>(REASONS.map((reason) => [reason, 0]));
    const wrong: string[] = [];
    for (const trial of trials(DECISIONS, 20_261_130)) {
      const { against, request, page } = trial;
      const allowed = against.length === 0;
      if (decided(launchOf(trial), request, page) !== allowed && wrong.length < 5)
        wrong.push(JSON.stringify({ against, request, page, world: trial.world }));
      if (allowed) allows += 1;
      const [only, another] = against;
      if (only !== undefined && another === undefined) alone.set(only, (alone.get(only) ?? 0) + 1);
    }
    expect(wrong).toEqual([]);
    expect(allows / DECISIONS).toBeGreaterThanOrEqual(0.2);
    // One in a thousand, so that a million decisions try each rule a thousand times alone.
    const rare = [...alone].filter(([, count]) => count < DECISIONS / 1_000);
    expect(rare).toEqual([]);
  }, 3_600_000);

  const every = (trial: Ask['requester']['tenant'] | undefined) => (trial === undefined ? [] : [trial]);
  const mapGrants =
    (change: (grant: Exclude<Permissions[string][number], string>) => Permissions[string][number]) => (permissions: Permissions) =>
      Object.fromEntries(
        Object.entries(permissions).map(([ref, list]) => [ref, list.map((each) => (typeof each === 'string' ? each : change(each)))]),
      );
  const MUTANTS: readonly (readonly [string, Steps])[] = [
    ['takes grants whose time is over', { permissions: mapGrants(({ from: _, to: __, ...rest }) => rest) }],
    [
      'takes grants a moment too long',
      { permissions: mapGrants((grant) => ({ ...grant, ...(grant.to === undefined ? {} : { to: (grant.to + 1) as Instant }) })) },
    ],
    ['overlooks the tenants of a grant', { permissions: mapGrants((grant) => ({ ...grant, tenants: ['north', 'south', 'east'] })) }],
    [
      'overlooks the purposes of a grant',
      { permissions: mapGrants((grant) => ({ ...grant, purposes: ['answer', 'audit', 'train', 'sell'] })) },
    ],
    ['forgets who is named in a grant', { permissions: mapGrants((grant) => ({ ...grant, principals: [] })) }],
    ['lets a ref through that leads nowhere', { readers: (readers, { requester }) => readers ?? [...requester.groups] }],
    ['asks for one of several refs alone', { ref: (ref) => ref.split('+')[0] ?? ref }],
    [
      'lets the delegate have all it holds itself',
      {
        config: (config, { chain: [, as] }) =>
          as === undefined ? config : { ...config, identity: { ...config.identity, ...config.people?.[as] } },
      },
    ],
    [
      'lets the launch have all it holds itself',
      {
        config: (config, { chain: [, as] }) =>
          as === undefined ? config : { ...config, people: { ...config.people, [as]: config.identity } },
      },
    ],
    [
      'takes a stranger for whoever launched it',
      {
        config: (config, { chain: [, as] }) =>
          as === undefined || config.people?.[as] !== undefined
            ? config
            : { ...config, people: { ...config.people, [as]: config.identity } },
      },
    ],
    [
      'serves what is suspended',
      { facts: (facts) => (facts.source?.state === 'suspended' ? { ...facts, source: { ...facts.source, state: 'active' } } : facts) },
    ],
    [
      'keeps nothing that is degraded',
      { facts: (facts) => (facts.source?.state === 'degraded' ? { ...facts, source: { ...facts.source, state: 'suspended' } } : facts) },
    ],
    [
      'serves what has retired',
      {
        facts: (facts) =>
          facts.source?.retiresAt === undefined
            ? facts
            : { ...facts, source: { ...facts.source, retiresAt: Number.MAX_SAFE_INTEGER as Instant } },
      },
    ],
    ['overlooks that a request is freshness-critical', { ask: (ask) => ({ ...ask, freshnessCritical: false }) }],
    [
      'overlooks the tenants of a page',
      { facts: (facts, { requester }) => ({ ...facts, compartment: { ...facts.compartment, tenants: every(requester.tenant) } }) },
    ],
    [
      'overlooks the purposes of a page',
      { facts: (facts, { requester }) => ({ ...facts, compartment: { ...facts.compartment, purposes: every(requester.purpose) } }) },
    ],
    ['overlooks the ceiling', { ask: (ask) => ({ ...ask, requester: { ...ask.requester, ceiling: 'restricted' } }) }],
    [
      'takes every client for a local one',
      { ask: (ask) => ({ ...ask, requester: { ...ask.requester, client: { name: 'x', locality: 'local' } } }) },
    ],
    [
      'gives back the groups that were narrowed away',
      {
        ask: (ask, config) => ({
          ...ask,
          requester: {
            ...ask.requester,
            groups: new Set([
              ...ask.requester.groups,
              ...(config.identity.principal === ask.requester.principal ? config.identity.groups : []),
            ]),
          },
        }),
      },
    ],
    [
      'takes everybody for the owner',
      {
        ask: (ask) => ({
          ...ask,
          requester: {
            ...ask.requester,
            groups: new Set([...ask.requester.groups, 'owner:role:docs', 'owner:role:wiki', 'owner:person:bob']),
          },
        }),
      },
    ],
  ];
  it.each(MUTANTS)('the proof can fail: a program that %s is caught', (_, steps) => {
    let caught = 0;
    for (const trial of trials(10_000, 7)) {
      if (decided(launchOf(trial), trial.request, trial.page, steps) !== (trial.against.length === 0)) caught += 1;
      if (caught === 3) break;
    }
    expect(caught).toBeGreaterThanOrEqual(3);
  });

  it('a list that is too long in colophon.yaml denies, where a program that cut it would allow', () => {
    const long = { staff: ['staff', ...Array.from({ length: 1_000 }, (_, at) => `group-${at}`)] };
    const ask = { requester: { groups: new Set(['staff']), tenant: 'north', purpose: 'answer' }, at: 0 } as unknown as Ask;
    expect(readersFor(ask, 'staff', long)).toBeUndefined();
    expect(readersFor(ask, 'staff', { staff: long.staff.slice(0, 1_000) })).toEqual(['staff']);
    expect(PEOPLE.length).toBeGreaterThan(3);
  });
});
