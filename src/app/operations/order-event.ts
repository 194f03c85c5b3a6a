/** How an order and what came of it stand on the wire, be it about a source or about a page. */
import { z } from 'zod';
import type { StateEvent } from '../../domain/source-record.js';

/** `states`: those that what the order is about can be in. */
export function orderEvent<const States extends readonly string[]>(states: States) {
  return z.object({
    seq: z.int().positive(),
    event: z.string(),
    from: z.enum(states),
    to: z.enum(states),
    outcome: z.enum(['made', 'refused']),
    actor: z.string(),
    workload: z.string(),
    reason: z.string(),
    policy: z.string().describe('Version of the policy it was judged by.'),
    at: z.string(),
    key: z.string().nullable(),
    expectedVersion: z.int().nullable(),
    detail: z.record(z.string(), z.unknown()),
  });
}

type RecordedOrder<State> = Omit<StateEvent, 'source' | 'event' | 'from' | 'to'> & {
  readonly event: string;
  readonly from: State;
  readonly to: State;
};

export function eventOut<State>(order: RecordedOrder<State>) {
  const { seq, event, from, to, outcome, actor, workload, reason, policy, at, key, expectedVersion, detail } = order;
  const when = new Date(at).toISOString();
  const named = { key: key ?? null, expectedVersion: expectedVersion ?? null };
  return { seq, event, from, to, outcome, actor, workload, reason, policy, at: when, ...named, detail: { ...detail } };
}
