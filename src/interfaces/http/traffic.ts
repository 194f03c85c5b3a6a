/**
 * How much is let through: so many requests a second for each caller, so many at a time for all, a few that wait, and the rest is
 * turned away at once with the time to come back. Nobody is let wait for longer than an answer is worth.
 *
 * Invariant: what is turned away costs next to nothing, and one caller cannot fill the queue of all.
 */
import { Fault } from '../../kernel/errors.js';
import type { Limits } from './settings.js';

interface Bucket {
  tokens: number;
  at: number;
}

/** More callers than this at the same time are not told apart by memory: the one that has been quiet longest is forgotten. */
const MOST_CALLERS = 10_000;

export class RateLimit {
  private readonly buckets = new Map<string, Bucket>();
  private readonly perMs: number;
  private readonly burst: number;
  private readonly now: () => number;

  constructor({ requestsPerSecond, burst }: Pick<Limits, 'requestsPerSecond' | 'burst'>, now: () => number) {
    this.perMs = requestsPerSecond / 1_000;
    this.burst = burst;
    this.now = now;
  }

  /** Throws `limit/too-many-requests` when the caller has used what it has. */
  take(caller: string): void {
    const at = this.now();
    const known = this.buckets.get(caller) ?? { tokens: this.burst, at };
    const tokens = Math.min(this.burst, known.tokens + Math.max(0, at - known.at) * this.perMs);
    this.buckets.delete(caller);
    if (this.buckets.size >= MOST_CALLERS) this.buckets.delete(this.buckets.keys().next().value ?? '');
    this.buckets.set(caller, { tokens: Math.max(0, tokens - (tokens >= 1 ? 1 : 0)), at });
    if (tokens < 1)
      throw new Fault('limit/too-many-requests', { retryAfterSeconds: Math.max(1, Math.ceil((1 - tokens) / this.perMs / 1_000)) });
  }
}

interface Waiting {
  readonly caller: string;
  readonly enter: () => void;
}

/** How much the last departure counts for the pace. */
const NEWEST = 0.2;

export class Turnstile {
  private readonly limits: Pick<Limits, 'concurrent' | 'queued' | 'waitMs'>;
  private readonly now: () => number;
  private readonly waiting: Waiting[] = [];
  private inside = 0;
  /** Time from one departure to the next, as long as there was work in between. */
  private paceMs = 0;
  private departedAt: number | undefined;

  constructor(limits: Pick<Limits, 'concurrent' | 'queued' | 'waitMs'>, now: () => number = () => performance.now()) {
    this.limits = limits;
    this.now = now;
  }

  get running(): number {
    return this.inside;
  }

  get queued(): number {
    return this.waiting.length;
  }

  async pass<T>(caller: string, signal: AbortSignal, run: () => Promise<T>): Promise<T> {
    await this.enter(caller, signal);
    try {
      return await run();
    } finally {
      this.depart();
    }
  }

  private depart(): void {
    const at = this.now();
    if (this.departedAt !== undefined) this.paceMs += NEWEST * (at - this.departedAt - this.paceMs);
    // Who waits longest takes the place over; it never stands free in between.
    const next = this.waiting.shift();
    if (next === undefined) this.inside -= 1;
    else next.enter();
    this.departedAt = this.inside > 0 ? at : undefined;
  }

  private async enter(caller: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.inside < this.limits.concurrent) {
      this.inside += 1;
      return;
    }
    const own = this.waiting.filter((each) => each.caller === caller).length;
    const waitMs = (this.waiting.length + 1) * this.paceMs;
    // Whoever would wait too long is better told so at once.
    if (this.waiting.length >= this.limits.queued || own >= Math.max(1, this.limits.queued / 2) || waitMs > this.limits.waitMs)
      throw new Fault('limit/too-many-requests', { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)) });
    await new Promise<void>((resolve, reject) => {
      const place: Waiting = {
        caller,
        enter: () => {
          signal.removeEventListener('abort', leave);
          resolve();
        },
      };
      const leave = () => {
        const at = this.waiting.indexOf(place);
        if (at >= 0) this.waiting.splice(at, 1);
        reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
      };
      signal.addEventListener('abort', leave, { once: true });
      this.waiting.push(place);
    });
  }
}
