/**
 * Approvals: a person's yes to one call of one tool by one attempt, as events that are only ever added (INJ-07).
 *
 * Invariant: a call is what its key says: tenant, attempt, tool, destination and payload. Nothing that differs in one of them has the
 * approval of another.
 * Invariant: the person's last word counts; it counts until it expires and as often as it says.
 */
import type { Instant } from '../kernel/clock.js';
import { type Digest, digestOf } from '../kernel/digest.js';

export interface ToolCall {
  readonly tenant: string;
  readonly attempt: string;
  readonly tool: string;
  readonly destination: string;
  readonly payload: Digest;
}

/** A person's word on a call. */
export interface Ruling {
  readonly kind: 'approved' | 'refused';
  readonly at: Instant;
  readonly by: string;
  readonly reason: string;
  readonly expiresAt: Instant;
  /** Calls it lasts for; 0 when refused. */
  readonly uses: number;
}

export type ApprovalEvent = { readonly kind: 'asked'; readonly at: Instant } | Ruling | { readonly kind: 'used'; readonly at: Instant };

export type ApprovalStanding =
  | { readonly status: 'open' }
  | { readonly status: 'approved'; readonly ruling: Ruling; readonly usesLeft: number }
  | { readonly status: 'refused'; readonly ruling: Ruling };

export function callKey({ tenant, attempt, tool, destination, payload }: ToolCall): Digest {
  return digestOf({ tenant, attempt, tool, destination, payload });
}

/** Of the events of one call, in their order. */
export function standingOf(events: readonly ApprovalEvent[], at: Instant): ApprovalStanding {
  let ruling: Ruling | undefined;
  let used = 0;
  for (const event of events) {
    if (event.kind === 'approved' || event.kind === 'refused') {
      ruling = event;
      used = 0;
    } else if (event.kind === 'used') used += 1;
  }
  if (ruling === undefined || at >= ruling.expiresAt) return { status: 'open' };
  if (ruling.kind === 'refused') return { status: 'refused', ruling };
  // A clock that was set back must not make an approval last longer.
  if (at < ruling.at || used >= ruling.uses) return { status: 'open' };
  return { status: 'approved', ruling, usesLeft: ruling.uses - used };
}
