/**
 * Indexing beside a conversation: it starts after the greeting, runs in a worker, and answers never wait for all of it.
 *
 * A first answer waits a little, because a small folder is ready sooner than an agent could ask again; after that every answer
 * comes from what is there and says that more is coming.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Progress } from '../../app/operations/catalogue.js';
import type { Problem } from '../../domain/problem.js';
import { Fault } from '../../kernel/errors.js';

/** One run, in a worker: resolves when the index is as the sources are. */
export type LearnOnce = (signal: AbortSignal, progress: (progress: Progress) => void) => Promise<void>;

export interface IndexingOptions {
  readonly learn: LearnOnce;
  /** False while no source has ever been indexed to its end. */
  readonly isBuilt: () => Promise<boolean>;
  readonly now: () => number;
  /** For people, on stderr. */
  readonly log: (text: string) => void;
  /**
   * Many ask at once: of a library that was indexed before, only the answer that sets a run off waits for it. The others would wait for
   * the sake of a few, each run anew.
   */
  readonly onlyFirstWaits?: true;
}

/** Longest an answer waits for a library that has never been indexed; clients give up after thirty seconds or more. */
const FIRST_WAIT_MS = 5_000;
/** Longest it waits for changes to be picked up. */
const REFRESH_WAIT_MS = 400;
/** A conversation goes on for hours while files change; a run that finds nothing new is cheap. */
const REFRESH_AFTER_MS = 30_000;
const BUSY_RETRY_MS = 1_000;

export class Indexing {
  private readonly stopping = new AbortController();
  private readonly listeners = new Set<(progress: Progress) => void>();
  private readonly options: IndexingOptions;
  private running: Promise<void> | undefined;
  private latest: Progress | undefined;
  private endedAt: number | undefined;
  private failure: string | undefined;
  private again = false;

  constructor(options: IndexingOptions) {
    this.options = options;
  }

  /** Brings the index up to date; asked for during a run, one more follows it. Never rejects. */
  async update(): Promise<void> {
    if (this.running !== undefined) {
      this.again = true;
      return this.running;
    }
    if (this.stopping.signal.aborted) return;
    this.running = this.run();
    return this.running;
  }

  /** Called before each answer. Returns when the index is current, or when the answer should go ahead without. */
  async beforeAnswer(signals: readonly AbortSignal[], progress: (progress: Progress) => void): Promise<void> {
    const { now, isBuilt, onlyFirstWaits = false } = this.options;
    const isFirst = this.running === undefined && (this.endedAt === undefined || now() - this.endedAt > REFRESH_AFTER_MS);
    if (isFirst) void this.update();
    const run = this.running;
    if (run === undefined) return;
    const patience = this.endedAt === undefined && !(await isBuilt()) ? FIRST_WAIT_MS : REFRESH_WAIT_MS;
    if (patience === REFRESH_WAIT_MS && onlyFirstWaits && !isFirst) return;
    this.listeners.add(progress);
    try {
      await firstOf(run, patience, [...signals, this.stopping.signal]);
    } finally {
      this.listeners.delete(progress);
    }
  }

  /** What an answer given now must say about the index; how many pages there are in all only to whoever may know (`whole`). */
  problems(whole: boolean): readonly Problem[] {
    const building = { code: 'index/building', source: '', path: '' } as const;
    if (this.running !== undefined) {
      const { done = 0, total = 0 } = this.latest ?? {};
      const far = total === 0 || !whole ? '' : ` (${done} of ${total})`;
      const message = `The index is being brought up to date${far}; this answer may be partial.`;
      return [{ ...building, severity: 'info', message, hint: 'Ask again in a few seconds for the whole.' }];
    }
    if (this.failure === undefined) return [];
    const message = `The index could not be brought up to date${whole ? `: ${this.failure}` : '.'}`;
    return [
      { ...building, severity: 'warning', message, hint: 'This answer is from what was indexed before. `colophon doctor` tells more.' },
    ];
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    do {
      this.again = false;
      this.latest = undefined;
      await this.once();
    } while (this.again && !this.stopping.signal.aborted);
    this.endedAt = this.options.now();
    this.running = undefined;
  }

  private async once(): Promise<void> {
    try {
      await this.options.learn(this.stopping.signal, (progress) => {
        this.latest = progress;
        for (const listener of this.listeners) listener(progress);
      });
      this.failure = undefined;
    } catch (error) {
      if (this.stopping.signal.aborted) return;
      if (error instanceof Fault && error.code === 'index/busy') {
        // Another process is at it. What it writes is seen here too, so its end is what we wait for.
        await pause(BUSY_RETRY_MS, this.stopping.signal);
        this.again = true;
        return;
      }
      this.failure = error instanceof Error ? error.message : String(error);
      this.options.log(`indexing: ${this.failure}`);
    }
  }
}

async function firstOf(run: Promise<void>, patienceMs: number, signals: readonly AbortSignal[]): Promise<void> {
  if (signals.some((each) => each.aborted)) return;
  const enough = new AbortController();
  try {
    await Promise.race([run, pause(patienceMs, AbortSignal.any([...signals, enough.signal]))]);
  } finally {
    enough.abort();
  }
}

/** Resolves after the time, or at the signal. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch((error: Error) => {
    if (error.name !== 'AbortError') throw error;
  });
}
