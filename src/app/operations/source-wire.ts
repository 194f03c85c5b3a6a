/** How sources and what happened to them stand on the wire. */
import { z } from 'zod';
import { AUTHORITY_CLASSES } from '../../domain/authority.js';
import { CLASSIFICATIONS } from '../../domain/classification.js';
import type { Ask } from '../../domain/requester.js';
import { SOURCE_STATES, type SourceRegistration, standingAt } from '../../domain/source.js';
import type { SourceRecord } from '../../domain/source-record.js';
import type { Instant } from '../../kernel/clock.js';
import { registrationDigest } from '../../sources/register.js';
import { orderEvent } from './order-event.js';

export const sourceEvent = orderEvent(SOURCE_STATES);

export const sourceOnWire = {
  id: z.string(),
  state: z.enum(SOURCE_STATES).describe('As it counts now: a source that missed its freshness promise is degraded.'),
  version: z.int().nonnegative(),
  owner: z.string(),
  proposer: z.string(),
  declared: z.enum(['as-registered', 'changed', 'no-more']).describe('What colophon.yaml says beside what was registered last.'),
  classification: z.enum(CLASSIFICATIONS).nullable(),
  authorityClass: z.enum(AUTHORITY_CLASSES).nullable(),
  tenants: z.array(z.string()),
  purposes: z.array(z.string()),
  permissionsRef: z.string().nullable(),
  supersedes: z.string().nullable(),
  confirmedAt: z.string().nullable(),
  fresh: z.boolean(),
  retiresAt: z.string().nullable(),
};

export function sourceOut(record: SourceRecord, declared: SourceRegistration | undefined, at: Instant) {
  const { id, owner, version, proposer, confirmedAt, retiresAt, freshnessSloMs, registrationDigest: registered } = record;
  const iso = (time: Instant | undefined) => (time === undefined ? null : new Date(time).toISOString());
  const same = declared !== undefined && registrationDigest(declared) === registered;
  return {
    id,
    state: standingAt(record, at).state,
    version,
    owner,
    proposer,
    declared: declared === undefined ? ('no-more' as const) : same ? ('as-registered' as const) : ('changed' as const),
    classification: declared?.classification ?? null,
    authorityClass: declared?.authorityClass ?? null,
    tenants: [...(declared?.tenantScope ?? [])],
    purposes: [...(declared?.allowedPurposes ?? [])],
    permissionsRef: declared?.permissionsRef ?? null,
    supersedes: declared?.supersedes ?? null,
    confirmedAt: iso(confirmedAt),
    fresh: confirmedAt !== undefined && at - confirmedAt <= freshnessSloMs,
    retiresAt: iso(retiresAt),
  };
}

/** For who may read pages of it and does not keep it: their own tenant and purpose alone, and no names of rights. */
export function standingOut(out: ReturnType<typeof sourceOut>, { requester }: Pick<Ask, 'requester'>): ReturnType<typeof sourceOut> {
  const { tenant, purpose } = requester;
  return {
    ...out,
    tenants: out.tenants.filter((each) => each === tenant),
    purposes: out.purposes.filter((each) => each === purpose),
    permissionsRef: null,
    supersedes: null,
  };
}

/** A move without what its keepers said and counted. */
export function movedOut(event: z.output<typeof sourceEvent>): z.output<typeof sourceEvent> {
  return { ...event, reason: '', key: null, expectedVersion: null, detail: {} };
}
