/**
 * The policy: who there is, what each may hold, and who may read what a permissions ref stands for.
 *
 * It is reviewed text, read once per request; its version is the digest of what it says. `colophon.yaml` alone is the simple form of it:
 * lists of groups without conditions. Both are read here, by the same rule.
 *
 * Invariant: closed. A ref that does not resolve, a list that is too long to be trusted, a grant out of its time: each denies.
 * Invariant: a grant only ever adds readers within what the compartment itself allows; tenants and purposes of a grant narrow.
 */
import type { Instant } from '../kernel/clock.js';
import type { Digest } from '../kernel/digest.js';
import { refsOf } from './compartment.js';
import type { Ask } from './requester.js';

/** The five responsibilities (SRC-19). One person may hold several, never by a shared name. */
export const ROLES = ['knowledge', 'source', 'security', 'workflow', 'quality'] as const;
export type Role = (typeof ROLES)[number];

export function byRole(bearers: (role: Role) => readonly string[]): Readonly<Record<Role, readonly string[]>> {
  return {
    knowledge: bearers('knowledge'),
    source: bearers('source'),
    security: bearers('security'),
    workflow: bearers('workflow'),
    quality: bearers('quality'),
  };
}

/** Readers of a ref, on conditions. */
export interface Grant {
  readonly groups: readonly string[];
  readonly principals: readonly string[];
  readonly tenants: readonly string[];
  readonly purposes: readonly string[];
  /** Effective from here on. */
  readonly from?: Instant | undefined;
  /** Effective until here, not including it. */
  readonly to?: Instant | undefined;
}

/** A group by its name, on no further condition; or a grant. */
export type Reader = string | Grant;

/** Permissions ref → who may read. */
export type Permissions = Readonly<Record<string, readonly Reader[]>>;

/** What a longer list would grant is not guessed: it denies, and the policy that holds it is refused. */
export const MOST_READERS = 1_000;

/** The whole of it, as one value. */
export interface Policy {
  /** Digest of the canonical content: the same words in other files or another order are the same version. */
  readonly version: Digest;
  /** Whom each role is given to; owner names (`role:docs`) stand in `owners`. */
  readonly roles: Readonly<Record<Role, readonly string[]>>;
  /** Owner as a source names it → the people it stands for. */
  readonly owners: Readonly<Record<string, readonly string[]>>;
  /** Person → their public keys, SPKI in base64. */
  readonly keys: Readonly<Record<string, readonly string[]>>;
  /** `name@version` → what it says about deleting. */
  readonly retention: Readonly<Record<string, { readonly deletion: 'on-request' | 'never' }>>;
}

/**
 * The subjects that may read for a ref, as far as they concern who asks: what `judge` compares with what the asker holds. A ref made of
 * several grants only who is granted by each: whoever misses one of them finds no subject at all, and one that does not resolve denies.
 */
export function readersFor(ask: Ask, permissionsRef: string, permissions: Permissions): readonly string[] | undefined {
  let found: string | undefined;
  let missed = false;
  for (const ref of refsOf(permissionsRef)) {
    const list = Object.hasOwn(permissions, ref) ? permissions[ref] : undefined;
    if (list === undefined || list.length > MOST_READERS) return undefined;
    const held = heldSubject(list, ask);
    if (held === undefined) missed = true;
    else found ??= held;
  }
  return missed || found === undefined ? [] : [found];
}

/** The first subject of the list by which the asker may read. */
function heldSubject(list: readonly Reader[], { requester, at }: Ask): string | undefined {
  const { groups, tenant, purpose } = requester;
  for (const reader of list) {
    if (typeof reader === 'string') {
      if (groups.has(reader)) return reader;
    } else if (isEffective(reader, at) && reader.tenants.includes(tenant) && reader.purposes.includes(purpose)) {
      const held = subjectsOf(reader).find((each) => groups.has(each));
      if (held !== undefined) return held;
    }
  }
  return undefined;
}

/** A principal that is named holds its own name as a group; through a delegation only what both hold is left, so the name is not. */
function subjectsOf({ groups, principals }: Grant): readonly string[] {
  if (groups.length + principals.length > MOST_READERS) return [];
  return principals.length === 0 ? groups : [...groups, ...principals];
}

export function isEffective({ from, to }: Pick<Grant, 'from' | 'to'>, at: Instant): boolean {
  return (from === undefined || at >= from) && (to === undefined || at < to);
}
