/**
 * What a token grants: whom it speaks for, how much of that person's rights, and what for. Made at the door of a server, once per
 * request, from the token alone.
 *
 * Invariant: a grant holds no right: it only narrows what the launch identity and the named person both hold (ATH-03, ATH-11).
 */
import { CLASSIFICATIONS, type Classification } from '../../domain/classification.js';
import type { Ask } from '../../domain/requester.js';
import type { Instant } from '../../kernel/clock.js';
import { Fault } from '../../kernel/errors.js';
import { intersection, type Narrowing, resolveAsk, rightsOf } from '../identity.js';
import type { LibraryConfig, Rights } from '../library.js';
import type { Scope } from './scopes.js';

/** Absent: as much as the person holds. */
export interface Limits {
  readonly tenants?: readonly string[];
  readonly purposes?: readonly string[];
  readonly groups?: readonly string[];
  readonly ceiling?: Classification;
}

export interface Grant {
  /** Absent: the identity the server was started as. */
  readonly principal?: string;
  /** The principal was not written down here by anybody: it must be one of `people`, and never by chance the one the server was started as. */
  readonly onlyListed?: true;
  /** Who calls on the principal's behalf, `workload://…`. */
  readonly workload: string;
  readonly scopes: ReadonlySet<Scope>;
  readonly limits: Limits;
  /** Where answers go; one that is not declared is remote. */
  readonly client: string;
}

/** What a request may still narrow, by its headers. */
export type RequestNarrowing = Pick<Narrowing, 'tenant' | 'purpose' | 'ceiling' | 'groups' | 'freshnessCritical'>;

/** `launch` is what the server was started with. Faults with `access/denied` for whatever is not held. */
export function askWithin(config: LibraryConfig, launch: Narrowing, grant: Grant, asked: RequestNarrowing, at: Instant): Ask {
  const identity = heldBy(config, heldAtLaunch(config, launch), grant);
  // Nobody of that name: in the words of a right that is not held.
  if (identity === undefined) throw new Fault('access/denied', { asked: 'This token' });
  const caller = { workload: grant.workload, defaultClient: grant.client };
  const freshnessCritical = asked.freshnessCritical === true || isCritical(launch);
  return resolveAsk({ ...config, identity, people: {} }, { ...asked, client: grant.client, freshnessCritical }, caller, at);
}

/** Whether nothing of what the server answers for is another tenant's to it; a token with any limit of tenants is one of theirs. */
export function holdsEveryTenant(config: LibraryConfig, launch: Narrowing, grant: Grant): boolean {
  const server = heldAtLaunch(config, launch);
  const held = grant.limits.tenants === undefined ? heldBy(config, server, grant) : undefined;
  return held !== undefined && server.tenants.every((tenant) => held.tenants.includes(tenant));
}

function isCritical({ freshnessCritical, within }: Narrowing): boolean {
  return freshnessCritical === true || (within !== undefined && isCritical(within));
}

type Identity = LibraryConfig['identity'];

function heldBy(config: LibraryConfig, server: Identity, grant: Grant): Identity | undefined {
  const principal = grant.principal ?? server.principal;
  const rights = rightsOf({ ...config, identity: server }, principal);
  if (rights === undefined || (grant.onlyListed === true && !Object.hasOwn(config.people ?? {}, principal))) return undefined;
  return { principal, ...intersection(rights, limitsOf(rights, grant.limits)) };
}

/** All that is left of the identity after what the process was started with. */
function heldAtLaunch(config: LibraryConfig, launch: Narrowing): Identity {
  const outer = launch.within === undefined ? config.identity : heldAtLaunch(config, launch.within);
  const principal = launch.as ?? outer.principal;
  const rights = rightsOf({ ...config, identity: outer }, principal);
  if (rights === undefined) throw new Fault('access/denied', { asked: `--as ${principal}` });
  const { tenant, purpose, groups, ceiling } = launch;
  const limits = {
    ...(tenant === undefined ? {} : { tenants: [tenant] }),
    ...(purpose === undefined ? {} : { purposes: [purpose] }),
    ...(groups === undefined ? {} : { groups }),
    ...(ceiling === undefined ? {} : { ceiling: classificationNamed(ceiling) }),
  };
  return { principal, ...intersection(rights, limitsOf(rights, limits)) };
}

function limitsOf(rights: Rights, limits: Limits): Rights {
  const { tenants, purposes, groups, ceiling } = rights;
  return { tenants, purposes, groups, ceiling, ...limits };
}

function classificationNamed(text: string): Classification {
  const level = CLASSIFICATIONS.find((each) => each === text);
  if (level === undefined) throw new Fault('input/invalid', { field: '--ceiling', expected: `one of ${CLASSIFICATIONS.join(', ')}` });
  return level;
}
