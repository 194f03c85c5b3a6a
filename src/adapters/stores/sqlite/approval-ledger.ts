/**
 * The approval ledger in records.db.
 *
 * Invariant: judging an approval and spending it is one transaction that holds the write lock from its start.
 * Invariant: an event that the disk changed or lost is `store/corrupt`, never taken for one that never was.
 */
import { type ApprovalEvent, type ApprovalStanding, callKey, type Ruling, standingOf, type ToolCall } from '../../../domain/approval.js';
import type { Instant } from '../../../kernel/clock.js';
import { type Digest, digestOf } from '../../../kernel/digest.js';
import type { ApprovalLedger, AskedCall } from '../../../ports/approvals.js';
import { type EventRow, eventsBefore, eventsUnder, lastEvent, putApprovalEvent } from './approval-rows.js';
import type { Database } from './driver.js';

const KEY_PREFIX = /^[0-9a-f]{6,64}$/;
const AT_ONCE = 64;

export class SqliteApprovalLedger implements ApprovalLedger {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async settle(call: ToolCall, shown: string, at: Instant): Promise<ApprovalStanding> {
    const key = callKey(call);
    return this.#db.transaction(() => {
      const events = eventsUnder(this.#db, key);
      const standing = standingOf(events.map(eventOf), at);
      if (standing.status === 'approved') {
        putApprovalEvent(this.#db, { key, kind: 'used', detail: '{}', at });
        return { ...standing, usesLeft: standing.usesLeft - 1 };
      }
      if (standing.status === 'open' && events.at(-1)?.kind !== 'asked')
        putApprovalEvent(this.#db, { key, kind: 'asked', detail: JSON.stringify({ call, shown }), at });
      return standing;
    });
  }

  async rule(key: Digest, { kind, at, by, reason, expiresAt, uses }: Ruling): Promise<boolean> {
    return this.#db.transaction(() => {
      if (!eventsUnder(this.#db, key).some((event) => event.kind === 'asked')) return false;
      putApprovalEvent(this.#db, { key, kind, detail: JSON.stringify({ by, reason, expiresAt, uses }), at });
      return true;
    });
  }

  async find(prefix: string): Promise<readonly AskedCall[]> {
    if (!KEY_PREFIX.test(prefix)) return [];
    return this.#db.reading(() => {
      const rows = eventsUnder(this.#db, prefix);
      const keys = new Set(rows.filter(({ kind }) => kind === 'asked').map(({ key }) => key));
      return [...keys].map((key) => askedCall(rows.filter((each) => each.key === key)));
    });
  }

  async asked({ limit }: { readonly limit: number }): Promise<readonly AskedCall[]> {
    return this.#db.reading(() => {
      const keys = new Set<string>();
      for (let end = lastEvent(this.#db) + 1; end > 1 && keys.size < limit; end -= AT_ONCE) {
        for (const { key, kind } of eventsBefore(this.#db, end, AT_ONCE)) if (kind === 'asked' && keys.size < limit) keys.add(key);
      }
      return [...keys].map((key) => askedCall(eventsUnder(this.#db, key)));
    });
  }

  async taint(attempt: string, by: string, at: Instant): Promise<void> {
    const key = taintKey(attempt);
    this.#db.transaction(() => {
      const known = eventsUnder(this.#db, key).some((event) => taintOf(event) === by);
      if (!known) putApprovalEvent(this.#db, { key, kind: 'tainted', detail: JSON.stringify({ by }), at });
    });
  }

  async taintsOf(attempt: string): Promise<readonly string[]> {
    return this.#db.reading(() => eventsUnder(this.#db, taintKey(attempt)).map(taintOf));
  }
}

function taintKey(attempt: string): Digest {
  return digestOf({ tainted: attempt });
}

function taintOf({ detail }: EventRow): string {
  return (JSON.parse(detail) as { readonly by: string }).by;
}

/** What was shown last stands for the call; the call itself is the same in each, being what the key is of. */
function askedCall(rows: readonly EventRow[]): AskedCall {
  const last = rows.findLast(({ kind }) => kind === 'asked');
  const { call, shown } = JSON.parse(last?.detail ?? '{}') as Pick<AskedCall, 'call' | 'shown'>;
  return { key: (last?.key ?? '') as Digest, call, shown, events: rows.map(eventOf) };
}

/** The seal of the row holds, so it is as it was written above. */
function eventOf({ kind, detail, at }: EventRow): ApprovalEvent {
  if (kind !== 'approved' && kind !== 'refused') return { kind: kind === 'used' ? 'used' : 'asked', at: at as Instant };
  return { kind, at: at as Instant, ...(JSON.parse(detail) as Omit<Ruling, 'kind' | 'at'>) };
}
