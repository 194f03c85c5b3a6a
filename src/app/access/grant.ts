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
  const server = heldAtLaunch(config, launch);
  const principal = grant.principal ?? server.principal;
  const rights = rightsOf({ ...config, identity: server }, principal);
  // Nobody of that name: in the words of a right that is not held.
  if (rights === undefined || (grant.onlyListed === true && !Object.hasOwn(config.people ?? {}, principal)))
    throw new Fault('access/denied', { asked: 'This token' });
  const identity = { principal, ...intersection(rights, limitsOf(rights, grant.limits)) };
  const caller = { workload: grant.workload, defaultClient: grant.client };
  return resolveAsk({ ...config, identity, people: {} }, { ...asked, client: grant.client }, caller, at);
}

type Identity = LibraryConfig['identity'];

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
