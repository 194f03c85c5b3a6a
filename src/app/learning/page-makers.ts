/**
 * Page makers: who makes the pages of a run, this thread alone or several at once.
 *
 * Invariant: portions come back in the order they were given, so what is written does not depend on how many threads there are.
 * Invariant: only so many portions are open at once; none is left running when the maker is closed.
 */
import { availableParallelism } from 'node:os';
import { isMainThread } from 'node:worker_threads';
import type { SourceRegistration } from '../../domain/source.js';
import type { Library } from '../library.js';
import { type MadePages, makePages, type Portion } from './make-pages.js';
import type { PageThread } from './page-thread.js';

/** Fewer documents are made before a thread has started. */
const THREADS_FROM = 200;
/** More would wait for the one that writes. */
const MOST_THREADS = 8;
/** Portions that may be finished and wait their turn, beyond those in work. */
const WAITING = 1;

export interface Making {
  readonly registration: SourceRegistration;
  readonly portions: readonly Portion[];
  readonly signal: AbortSignal;
  /** Told now and then, and after the last: how many documents were looked at in all. */
  readonly step: (done: number) => void;
}

export class PageMakers {
  readonly #library: Library;
  #threads: readonly PageThread[] = [];

  constructor(library: Library) {
    this.#library = library;
  }

  async *make(making: Making): AsyncGenerator<MadePages, void, undefined> {
    const documents = making.portions.reduce((sum, portion) => sum + portion.documents.length, 0);
    const threads = documents >= THREADS_FROM ? await this.#started() : [];
    if (threads.length > 0) yield* this.#throughThreads(making, threads);
    else yield* this.#here(making);
  }

  async close(): Promise<void> {
    const threads = this.#threads;
    this.#threads = [];
    await Promise.all(threads.map((thread) => thread.end()));
  }

  async *#here({ registration, portions, signal, step }: Making): AsyncGenerator<MadePages, void, undefined> {
    let before = 0;
    for (const portion of portions) {
      yield await makePages(this.#library, registration, portion, { signal, step: (done) => step(before + done) });
      before += portion.documents.length;
    }
  }

  async *#throughThreads({ portions, signal, step }: Making, threads: readonly PageThread[]): AsyncGenerator<MadePages, void, undefined> {
    const progress = portions.map(() => 0);
    const results: Promise<MadePages>[] = [];
    const idle = [...threads];
    const queue = portions.map((portion, at) => ({ portion, at, ...promised<MadePages>() }));
    let next = 0;
    let delivered = 0;
    const tell = (at: number, done: number) => {
      progress[at] = done;
      step(progress.reduce((sum, each) => sum + each, 0));
    };
    const feed = () => {
      while (idle.length > 0 && next < queue.length && next < delivered + threads.length + WAITING) {
        const thread = idle.pop();
        const task = queue[next++];
        if (thread === undefined || task === undefined) return;
        const { portion, at } = task;
        thread
          .make(portion, (done) => tell(at, done))
          .then(
            (made) => {
              tell(at, made.documents);
              idle.push(thread);
              feed();
              task.resolve(made);
            },
            (error: Error) => task.reject(error),
          );
      }
    };
    for (const { promise } of queue) {
      // Somebody waits for it later, or for none of them any more.
      promise.catch(() => undefined);
      results.push(promise);
    }
    const aborted = abortion(signal);
    try {
      feed();
      for (const result of results) {
        const made = await Promise.race([result, aborted.promise]);
        delivered += 1;
        feed();
        yield made;
      }
    } finally {
      aborted.forget();
      if (idle.length < threads.length) await this.close();
    }
  }

  /** None where no thread can be started. */
  async #started(): Promise<readonly PageThread[]> {
    if (this.#threads.length > 0) return this.#threads;
    const { PageThread, CAN_START } = await import('./page-thread.js');
    if (!CAN_START) return [];
    // Beside a conversation, one processor is left to those who ask.
    const free = isMainThread ? availableParallelism() : availableParallelism() - 1;
    const count = Math.min(Math.max(1, free), MOST_THREADS);
    this.#threads = Array.from({ length: count }, () => new PageThread(this.#library.config));
    return this.#threads;
  }
}

function promised<T>() {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

function abortion(signal: AbortSignal) {
  const { promise, reject } = promised<never>();
  promise.catch(() => undefined);
  const abort = () => reject(signal.reason as Error);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return { promise, forget: () => signal.removeEventListener('abort', abort) };
}
