/**
 * Who is asking: the identity fixed at launch, narrowed by what the call says, made into one `Ask`.
 *
 * Invariant: narrowing is an intersection; nothing in a call, a tool argument or a page can add a right (ATH-03, ATH-11).
 * Invariant: what is not held and what does not exist are refused with the same words.
 */
import { admits, CLASSIFICATIONS, type Classification } from '../domain/classification.js';
import type { Ask, ClientProfile } from '../domain/requester.js';
import type { Instant } from '../kernel/clock.js';
import { Fault } from '../kernel/errors.js';
import type { LibraryConfig, Rights } from './library.js';

/** `--as --tenant --purpose --ceiling --group --client`, and the environment's COLOPHON_* of the same names. */
export interface Narrowing {
  readonly as?: string;
  readonly tenant?: string;
  readonly purpose?: string;
  readonly ceiling?: string;
  readonly groups?: readonly string[];
  readonly client?: string;
  readonly freshnessCritical?: boolean;
  /** What the process was started with: said first, and nothing above can undo it. */
  readonly within?: Narrowing;
}

type Held = Pick<LibraryConfig, 'identity' | 'people' | 'clients'>;

export interface Caller {
  /** The process, `workload://colophon/cli`. */
  readonly workload: string;
  /** The client when none is named. */
  readonly defaultClient: string;
}

export function resolveAsk(config: Held, narrowing: Narrowing, caller: Caller, at: Instant): Ask {
  return narrowing.within === undefined
    ? narrowed(config, narrowing, caller, at)
    : narrowedAgain(config, narrowing.within, narrowing, caller, at);
}

/** The launch is resolved as a request of its own; what it holds is all the request may hold. */
function narrowedAgain(config: Held, launch: Narrowing, narrowing: Narrowing, caller: Caller, at: Instant): Ask {
  const { requester, freshnessCritical } = resolveAsk(config, launch, caller, at);
  if (launch.as !== undefined && narrowing.as !== undefined && narrowing.as !== launch.as)
    throw new Fault('access/denied', { asked: `--as ${narrowing.as}` });
  const { rights } = delegate(config, launch.as);
  const identity = {
    principal: requester.principal,
    groups: [...requester.groups],
    tenants: launch.tenant === undefined ? rights.tenants : [requester.tenant],
    purposes: launch.purpose === undefined ? rights.purposes : [requester.purpose],
    ceiling: requester.ceiling,
  };
  const client = launch.client === undefined ? narrowing.client : clientWithin(config.clients, requester.client, narrowing.client);
  const { within: _, client: __, ...asked } = narrowing;
  const again: Narrowing = {
    ...asked,
    ...(client === undefined ? {} : { client }),
    freshnessCritical: freshnessCritical || narrowing.freshnessCritical === true,
  };
  return narrowed({ ...config, identity }, again, caller, at);
}

/** Text may be held back further, from a model here to one elsewhere; never the other way. */
function clientWithin(clients: Held['clients'], fixed: ClientProfile, asked: string | undefined): string {
  if (asked === undefined || asked === fixed.name) return fixed.name;
  if (fixed.locality !== 'local' || clientNamed(clients, asked).locality !== 'remote')
    throw new Fault('access/denied', { asked: `--client ${asked}` });
  return asked;
}

function narrowed(config: Held, narrowing: Narrowing, caller: Caller, at: Instant): Ask {
  const { principal, rights } = delegate(config, narrowing.as);
  return {
    requester: {
      principal,
      workload: caller.workload,
      tenant: oneOf(rights.tenants, narrowing.tenant, '--tenant'),
      purpose: oneOf(rights.purposes, narrowing.purpose, '--purpose'),
      groups: new Set(narrowing.groups === undefined ? rights.groups : someOf(rights.groups, narrowing.groups)),
      ceiling: lowered(rights.ceiling, narrowing.ceiling),
      client: clientNamed(config.clients, narrowing.client ?? caller.defaultClient),
    },
    at,
    freshnessCritical: narrowing.freshnessCritical ?? false,
  };
}

/** What the environment fixes; a flag may only narrow it further. */
export function narrowingFromEnvironment(env: Readonly<Record<string, string | undefined>>): Narrowing {
  const said = (name: string) => (env[name] === '' ? undefined : env[name]);
  const groups = said('COLOPHON_GROUPS')
    ?.split(',')
    .map((each) => each.trim());
  const values = {
    as: said('COLOPHON_AS'),
    tenant: said('COLOPHON_TENANT'),
    purpose: said('COLOPHON_PURPOSE'),
    ceiling: said('COLOPHON_CEILING'),
    client: said('COLOPHON_CLIENT'),
    groups,
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** A client nobody declared may be anything: it counts as remote. */
export function clientNamed(clients: readonly ClientProfile[], name: string): ClientProfile {
  return clients.find((each) => each.name === name) ?? { name, locality: 'remote' };
}

/**
 * From an authenticated principal to what it may do here: its own rights, cut to those of this process, which answers on its behalf
 * (ATH-03). Undefined for a principal nobody knows: that is a denial. `resolveAsk` with `as` set to the principal makes the request.
 */
export function rightsOf({ identity, people }: Pick<Held, 'identity' | 'people'>, principal: string): Rights | undefined {
  if (principal === identity.principal) return identity;
  const other = people !== undefined && Object.hasOwn(people, principal) ? people[principal] : undefined;
  return other === undefined ? undefined : intersection(identity, other);
}

/** What both hold. */
export function intersection(one: Rights, other: Rights): Rights {
  return {
    groups: one.groups.filter((each) => other.groups.includes(each)),
    tenants: one.tenants.filter((each) => other.tenants.includes(each)),
    purposes: one.purposes.filter((each) => other.purposes.includes(each)),
    ceiling: admits(one.ceiling, other.ceiling) ? other.ceiling : one.ceiling,
  };
}

function delegate(config: Pick<Held, 'identity' | 'people'>, as: string | undefined): { principal: string; rights: Rights } {
  const principal = as ?? config.identity.principal;
  const rights = rightsOf(config, principal);
  if (rights === undefined) throw new Fault('access/denied', { asked: `--as ${principal}` });
  return { principal, rights };
}

/** Exactly one tenant and one purpose per request: the one asked for, else the first held (ATH-01). */
function oneOf(held: readonly string[], asked: string | undefined, flag: string): string {
  const chosen = asked ?? held[0];
  if (chosen === undefined) throw new Fault('access/denied', { asked: `A request without ${flag.slice(2)}` });
  if (!held.includes(chosen)) throw new Fault('access/denied', { asked: `${flag} ${chosen}` });
  return chosen;
}

function someOf(held: readonly string[], asked: readonly string[]): readonly string[] {
  const foreign = asked.find((each) => !held.includes(each));
  if (foreign !== undefined) throw new Fault('access/denied', { asked: `--group ${foreign}` });
  return asked;
}

/** A ceiling is a bound, so one above the own changes nothing. */
function lowered(own: Classification, asked: string | undefined): Classification {
  if (asked === undefined) return own;
  const level = CLASSIFICATIONS.find((each) => each === asked);
  if (level === undefined) throw new Fault('input/invalid', { field: '--ceiling', expected: `one of ${CLASSIFICATIONS.join(', ')}` });
  return admits(own, level) ? level : own;
}
