/**
 * How much is let through: so many requests a second for each caller, so many at a time for all, a few that wait, and the rest is
 * turned away at once with the time to come back. Nobody is let wait for longer than an answer is worth.
 *
 * Invariant: what is turned away costs next to nothing, and one caller cannot fill the queue of all.
 * Invariant: who has waited for as long as anybody may is refused then, however wrong the guess at the door was.
 */
import { Fault } from '../../kernel/errors.js';
import type { Refusal } from './metrics.js';
import type { Limits } from './settings.js';

/** Told of each refusal, by its kind alone. */
type Count = (why: Refusal) => void;

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
  private readonly refused: () => void;

  constructor(
    { requestsPerSecond, burst }: Pick<Limits, 'requestsPerSecond' | 'burst'>,
    now: () => number,
    refused: () => void = () => undefined,
  ) {
    this.refused = refused;
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
    if (tokens >= 1) return;
    this.refused();
    throw comeBackIn((1 - tokens) / this.perMs);
  }
}

function comeBackIn(ms: number): Fault {
  return new Fault('limit/too-many-requests', { retryAfterSeconds: Math.max(1, Math.ceil(ms / 1_000)) });
}

interface Waiting {
  readonly caller: string;
  readonly since: number;
  readonly enter: () => void;
  readonly refuse: () => void;
}

/** How much the last departure counts for the pace. */
const NEWEST = 0.2;

interface TurnstileOptions {
  readonly now?: () => number;
  readonly refused?: Count;
  /** How late the process itself is at reading what has come. */
  readonly behindMs?: () => number;
}

export class Turnstile {
  private readonly limits: Pick<Limits, 'concurrent' | 'queued' | 'waitMs'>;
  private readonly now: () => number;
  private readonly refused: Count;
  private readonly behindMs: () => number;
  private readonly waiting: Waiting[] = [];
  private inside = 0;
  /** Time from one departure to the next, as long as there was work in between. */
  private paceMs = 0;
  private departedAt: number | undefined;
  private impatience: NodeJS.Timeout | undefined;

  constructor(limits: Pick<Limits, 'concurrent' | 'queued' | 'waitMs'>, options: TurnstileOptions = {}) {
    this.limits = limits;
    this.now = options.now ?? (() => performance.now());
    this.refused = options.refused ?? (() => undefined);
    this.behindMs = options.behindMs ?? (() => 0);
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

  /** Throws where `caller` would be refused now: before more is made of a request than its head. */
  requireRoom(caller: string): void {
    if (this.inside < this.limits.concurrent) return;
    const { queued, waitMs: most } = this.limits;
    const own = this.waiting.filter((each) => each.caller === caller).length;
    const waitMs = this.behindMs() + (this.waiting.length + 1) * this.paceMs;
    const isFull = this.waiting.length >= queued || own >= Math.max(1, queued / 2);
    if (!isFull && waitMs <= most) return;
    this.refused(isFull ? 'queue' : 'wait');
    throw comeBackIn(waitMs);
  }

  private depart(): void {
    const at = this.now();
    if (this.departedAt !== undefined) this.paceMs += NEWEST * (at - this.departedAt - this.paceMs);
    this.refuseLate();
    // Who waits longest takes the place over; it never stands free in between.
    const next = this.waiting.shift();
    if (next === undefined) this.inside -= 1;
    else next.enter();
    this.departedAt = this.inside > 0 ? at : undefined;
  }

  private async enter(caller: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.requireRoom(caller);
    if (this.inside < this.limits.concurrent) {
      this.inside += 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const place: Waiting = {
        caller,
        since: this.now(),
        enter: () => {
          signal.removeEventListener('abort', leave);
          resolve();
        },
        refuse: () => {
          signal.removeEventListener('abort', leave);
          this.refused('late');
          reject(comeBackIn((this.waiting.length + 1) * this.paceMs));
        },
      };
      const leave = () => {
        const at = this.waiting.indexOf(place);
        if (at >= 0) this.waiting.splice(at, 1);
        reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
      };
      signal.addEventListener('abort', leave, { once: true });
      this.waiting.push(place);
      this.impatience ??= this.atTheLatest(this.limits.waitMs);
    });
  }

  /** Where nobody departs, nobody would look at those who wait. */
  private atTheLatest(inMs: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.refuseLate();
      const [first] = this.waiting;
      const leftMs = (first?.since ?? 0) + this.limits.waitMs - this.now();
      this.impatience = first === undefined ? undefined : this.atTheLatest(Math.max(1, leftMs));
    }, inMs).unref();
  }

  private refuseLate(): void {
    const since = this.now() - this.limits.waitMs;
    for (let first = this.waiting[0]; first !== undefined && first.since < since; first = this.waiting[0]) {
      this.waiting.shift();
      first.refuse();
    }
  }
}

const TICK_MS = 20;
/** One long turn is a pause, and what came in it is answered after it; several of them in a row are a process that is behind. */
const TURNS = 3;

/** How long what has come waits until it is read: the shortest of the last turns of the process, so that a single pause does not count. */
export class Lag {
  private readonly late: number[] = [];
  private ticks = 0;
  private readonly ticking: NodeJS.Timeout;

  constructor(now: () => number = () => performance.now()) {
    let last = now();
    this.ticking = setInterval(() => {
      const at = now();
      this.late.push(Math.max(0, at - last - TICK_MS));
      if (this.late.length > TURNS) this.late.shift();
      last = at;
      this.ticks += 1;
    }, TICK_MS).unref();
  }

  get turns(): number {
    return this.ticks;
  }

  ms(): number {
    return this.late.length < TURNS ? 0 : Math.min(...this.late);
  }

  stop(): void {
    clearInterval(this.ticking);
  }
}
