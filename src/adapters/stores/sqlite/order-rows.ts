/** What rows of orders have in common, be they about a source or about a page: the digest of an order, its repetition, its event. */
import type { Instant } from '../../../kernel/clock.js';
import { type Digest, digestOf } from '../../../kernel/digest.js';
import { Fault } from '../../../kernel/errors.js';
import { asNumber, asText, type Cell, type Row } from './driver.js';

interface Order {
  readonly event: string;
  readonly by: { readonly actor: string };
  readonly expectedVersion?: number;
  readonly terms: Readonly<Record<string, unknown>>;
}

export function orderDigest({ event, by, expectedVersion, terms }: Order): Digest {
  return digestOf(JSON.parse(JSON.stringify({ event, actor: by.actor, expected: expectedVersion, terms })));
}

/** What came of the same order before; `input/invalid` where its key was another one's. `about`: `source` or `page`. */
export function repeated<E extends { readonly key?: string; readonly detail: Readonly<Record<string, unknown>> }>(
  key: string | undefined,
  ordered: Digest,
  history: readonly E[],
  about: string,
): E | undefined {
  const before = key === undefined ? undefined : history.find((each) => each.key === key);
  if (before === undefined || before.detail['ordered'] === ordered) return before;
  throw new Fault('input/invalid', { field: '--key', expected: `one that was not used for another order about this ${about}` });
}

/** The part of an event that says who ordered it and what came of it. The seal of the row holds, so it is as it was written. */
export function writtenOrder(row: Row) {
  const { workload, policy, key, expected, outcome, ...detail } = parsed(row['detail']);
  return {
    seq: asNumber(row['seq']),
    source: asText(row['source']),
    actor: asText(row['actor']),
    reason: asText(row['reason']),
    at: asNumber(row['at']) as Instant,
    workload: typeof workload === 'string' ? workload : '',
    policy: typeof policy === 'string' ? policy : '',
    ...(typeof key === 'string' ? { key } : {}),
    ...(typeof expected === 'number' ? { expectedVersion: expected } : {}),
    outcome: outcome === 'refused' ? ('refused' as const) : ('made' as const),
    detail,
  };
}

export function parsed(cell: Cell | undefined): Readonly<Record<string, unknown>> {
  return JSON.parse(asText(cell) || '{}') as Readonly<Record<string, unknown>>;
}
