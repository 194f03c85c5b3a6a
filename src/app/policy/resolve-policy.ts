/**
 * From what is written to what is decided by: one `Policy`, the grants of each ref, and what each principal holds.
 *
 * Both forms come through here: the files of a policy, and `permissions` and `people` of colophon.yaml.
 *
 * Invariant: a name that leads nowhere grants nothing. What a principal holds is a group's members, an owner's people, and what its own
 * entry says; nothing else gives a right.
 */
import { byRole, type Grant, type Permissions, type Policy } from '../../domain/policy.js';
import type { SourceRegistration } from '../../domain/source.js';
import { digestOf } from '../../kernel/digest.js';
import type { LibraryConfig, Rights } from '../library.js';
import { instantIn } from './instant-in.js';
import type { PolicyParts } from './policy-parts.js';

export interface ResolvedPolicy {
  readonly policy: Policy;
  readonly permissions: Permissions;
  readonly people: Readonly<Record<string, Rights>>;
}

const BUILT_IN_RETENTION: Policy['retention'] = { 'keep@1': { deletion: 'on-request' } };

export function resolvePolicy(parts: PolicyParts): ResolvedPolicy {
  const named = new Set(Object.values(parts.acls).flatMap((grants) => grants.flatMap(({ principals }) => principals)));
  const memberships = invert(parts.groups);
  const owned = invert(parts.owners);
  const rights = ([principal, { tenants, purposes, ceiling }]: [string, PolicyParts['people'][string]]): [string, Rights] => {
    const groups = [
      ...(memberships.get(principal) ?? []),
      ...(owned.get(principal) ?? []).map((owner) => `owner:${owner}`),
      // A person may be named as the owner of a source; the owner sees what only the owner may see.
      ...(principal.startsWith('person:') ? [`owner:${principal}`] : []),
      ...(named.has(principal) ? [principal] : []),
    ];
    return [principal, { groups, tenants, purposes: purposes.filter((each) => Object.hasOwn(parts.purposes, each)), ceiling }];
  };
  return {
    permissions: Object.fromEntries(Object.entries(parts.acls).map(([ref, grants]) => [ref, grants.map(grantOf)])),
    people: Object.fromEntries(Object.entries(parts.people).map(rights)),
    policy: {
      version: digestOf(inOrder(parts)),
      roles: parts.roles,
      owners: parts.owners,
      keys: Object.fromEntries(Object.entries(parts.people).map(([principal, { keys }]) => [principal, keys])),
      retention: { ...BUILT_IN_RETENTION, ...parts.retention },
    },
  };
}

type Simple = Pick<LibraryConfig, 'permissions' | 'identity' | 'people' | 'profile' | 'sources'>;

/** The policy of a library whose rights all stand in colophon.yaml, or nowhere. */
export function simplePolicy({ permissions, identity, people, profile, sources }: Simple): Policy {
  const everybody = Object.entries({ ...people, [identity.principal]: identity });
  const owners = [...new Set(sources.map(({ owner }: SourceRegistration) => owner))];
  const holders = (owner: string) =>
    everybody
      .filter(([principal, { groups }]) => principal.startsWith('person:') && groups.includes(`owner:${owner}`))
      .map(([principal]) => principal);
  // One person holds all roles of a library of their own; a team says who bears which, in a policy.
  const bearers = profile === 'personal' && identity.principal.startsWith('person:') ? [identity.principal] : [];
  const { principal, groups, tenants, purposes, ceiling } = identity;
  return {
    version: digestOf({ profile, permissions, people: people ?? {}, identity: { principal, groups, tenants, purposes, ceiling } }),
    roles: byRole(() => bearers),
    owners: Object.fromEntries(owners.map((owner) => [owner, holders(owner)])),
    keys: {},
    retention: BUILT_IN_RETENTION,
  };
}

function grantOf({ groups, principals, tenants, purposes, from, to }: PolicyParts['acls'][string][number]): Grant {
  const [begin, end] = [from, to].map((text) => (text === undefined ? undefined : instantIn(text)));
  return {
    groups,
    principals,
    tenants,
    purposes,
    ...(begin === undefined ? {} : { from: begin }),
    ...(end === undefined ? {} : { to: end }),
  };
}

function invert(lists: Readonly<Record<string, readonly string[]>>): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const [name, members] of Object.entries(lists)) {
    for (const member of new Set(members)) {
      const names = found.get(member);
      if (names === undefined) found.set(member, [name]);
      else names.push(name);
    }
  }
  return found;
}

/** Lists are sets: their order says nothing, so it is no new version. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map((each) => ({ each: inOrder(each), text: JSON.stringify(inOrder(each)) ?? '' }));
    return items.sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0)).map(({ each }) => each);
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, each]) => [key, inOrder(each)]));
}

/** Whatever form it is written in. */
export function policyOf(config: LibraryConfig): Policy {
  return config.policy ?? simplePolicy(config);
}
