/**
 * Threads that answer, so that an answer takes one core and a server has them all: whoever asks the same again comes to the same thread,
 * which keeps what it found, unless that one has more to do than others.
 *
 * Invariant: an operation is run once, here or there, with the same call; where no thread can be started it is run here.
 */
import type { LibraryConfig } from '../library.js';
import type { Call, Operation } from '../operations/catalogue.js';
import type { AnswerThread } from './answer-thread.js';

/** Questions that may wait behind one for the sake of what its thread keeps, while another has nothing to do. */
const MOST_BEHIND = 1;

/** What reading takes most time for. */
const ANSWERED_APART: ReadonlySet<string> = new Set(['context', 'get', 'search']);

type Thread = Pick<AnswerThread, 'load' | 'isEnded' | 'hasAnswered' | 'run' | 'end'>;

interface Starting {
  /** Below two, answers stay in the thread that asks for them. */
  readonly count: number;
  readonly log: (text: string) => void;
}

export async function openAnswerThreads(config: LibraryConfig, starting: Starting): Promise<AnswerThreads> {
  const { AnswerThread: Own, CAN_ANSWER_APART } = await import('./answer-thread.js');
  return new AnswerThreads({ ...starting, start: CAN_ANSWER_APART ? () => new Own(config) : undefined });
}

export class AnswerThreads {
  readonly #log: (text: string) => void;
  readonly #start: (() => Thread) | undefined;
  readonly #threads: Thread[];

  /** `start` is undefined where no thread can be started. */
  constructor({ count, log, start }: Starting & { readonly start: (() => Thread) | undefined }) {
    this.#log = log;
    this.#start = start;
    this.#threads = start !== undefined && count > 1 ? Array.from({ length: count }, () => start()) : [];
  }

  async run(operation: Operation, input: unknown, call: Call): Promise<unknown> {
    const thread = ANSWERED_APART.has(operation.name) ? this.#threadFor(operation.name, input, call) : undefined;
    return thread === undefined ? operation.run(input, call) : thread.run(operation.name, input, call);
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.splice(0).map((each) => each.end()));
  }

  /** None where there are none, or none could stand. */
  #threadFor(verb: string, input: unknown, { ask: { requester } }: Call): Thread | undefined {
    this.#replaceEnded();
    const own = this.#threads[placeOf(JSON.stringify([verb, requester.principal, requester.tenant, input]), this.#threads.length)];
    if (own === undefined) return undefined;
    const least = this.#threads.reduce((best, each) => (each.load < best.load ? each : best), own);
    return own.load - least.load > MOST_BEHIND ? least : own;
  }

  #replaceEnded(): void {
    for (const each of this.#threads.filter(({ isEnded }) => isEnded)) {
      const next = each.hasAnswered ? this.#start?.() : undefined;
      this.#log(`a thread that answers has ended; ${next === undefined ? 'it is done without' : 'another takes its place'}`);
      this.#threads.splice(this.#threads.indexOf(each), 1, ...(next === undefined ? [] : [next]));
    }
  }
}

/** FNV-1a: no secret, and the same everywhere. */
function placeOf(text: string, places: number): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0) % places;
}
