/**
 * A thread that answers: it opens a library of its own over the same files, and runs the operations that reading takes most time for.
 *
 * It is to the stores what another process would be: it sees what was committed with its next question, and who may see what is settled
 * there for each request, from what the door handed on.
 *
 * Invariant: who asks, and under which configuration, is told with each question; nothing of the last one is left for the next.
 * Invariant: each question is answered once, under its own number; when the thread ends, whoever waits is told so.
 */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import type { Problem } from '../../domain/problem.js';
import type { Ask } from '../../domain/requester.js';
import { openContainer } from '../container.js';
import { canStartThread, heardError, type ToldError, tellError } from '../learning/thread-errors.js';
import type { Library, LibraryConfig } from '../library.js';
import type { Call, Operation, Progress } from '../operations/catalogue.js';
import { context } from '../operations/context.js';
import { get } from '../operations/get.js';
import { search } from '../operations/search.js';
import { ContextCache, SearchCache } from './context-cache.js';

/** Asked of this very module: another one may be joined into a file of another kind. */
export const CAN_ANSWER_APART = canStartThread(import.meta.url);

const OPERATIONS: ReadonlyMap<string, Operation> = new Map(
  ([context, get, search] as unknown as readonly Operation[]).map((each) => [each.name, each]),
);

interface Post {
  readonly colophon: 'answers';
  readonly config: LibraryConfig;
}

interface Question {
  readonly say: 'ask';
  readonly id: number;
  readonly verb: string;
  readonly input: unknown;
  readonly ask: Ask;
  readonly standing?: Problem;
}

type ToThread =
  | { readonly say: 'config'; readonly config: LibraryConfig }
  | Question
  | { readonly say: 'leave'; readonly id: number; readonly reason: ToldError }
  | { readonly say: 'end' };

type FromThread =
  | { readonly say: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly say: 'progress'; readonly id: number; readonly progress: Progress }
  | { readonly say: 'failed'; readonly id: number; readonly told: ToldError };

interface Waiting {
  readonly progress: Call['progress'];
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** After the word to end, how long it may take to close its stores. */
const GRACE_MS = 5_000;
/** What an answer is made of is short-lived: with room for it, most is gone before it is copied. */
const YOUNG_MB = 64;

export class AnswerThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #exited: Promise<void>;
  #config: LibraryConfig;
  #asked = 0;
  #hasAnswered = false;
  #ended: Error | undefined;

  constructor(config: LibraryConfig) {
    this.#config = config;
    const post: Post = { colophon: 'answers', config };
    this.#worker = new Worker(new URL(import.meta.url), {
      workerData: post,
      // The thread writes nothing.
      stdout: true,
      stderr: false,
      // The handle the store keeps on its file must outlive the thread: closing it would give up the process's locks.
      trackUnmanagedFds: false,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
    this.#worker.on('message', (message: FromThread) => this.#hear(message));
    this.#worker.on('error', (error) => this.#fail(error));
    this.#exited = new Promise((resolve) =>
      this.#worker.on('exit', (code) => {
        this.#fail(new Error(`a thread that answers ended with code ${code}`));
        resolve();
      }),
    );
  }

  /** Questions it has not answered yet. */
  get load(): number {
    return this.#waiting.size;
  }

  get isEnded(): boolean {
    return this.#ended !== undefined;
  }

  /** One that ended before it ever answered would end again. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  async run(verb: string, input: unknown, { library: { config }, ask, signal, progress, standing }: Call): Promise<unknown> {
    if (this.#ended !== undefined) throw this.#ended;
    signal.throwIfAborted();
    if (!isSame(config, this.#config)) this.#tell({ say: 'config', config });
    this.#config = config;
    const id = this.#asked++;
    const leave = () => this.#tell({ say: 'leave', id, reason: tellError(signal.reason) });
    signal.addEventListener('abort', leave, { once: true });
    return new Promise<unknown>((resolve, reject) => {
      this.#tell({ say: 'ask', id, verb, input, ask, ...(standing === undefined ? {} : { standing }) });
      this.#waiting.set(id, { progress, resolve, reject });
    }).finally(() => signal.removeEventListener('abort', leave));
  }

  /** Closes its stores, and comes back when it is gone. */
  async end(): Promise<void> {
    this.#tell({ say: 'end' });
    const impatience = setTimeout(() => void this.#worker.terminate(), GRACE_MS);
    await this.#exited;
    clearTimeout(impatience);
  }

  #tell(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  #hear(message: FromThread): void {
    const waiting = this.#waiting.get(message.id);
    if (message.say === 'progress') {
      waiting?.progress(message.progress);
      return;
    }
    this.#waiting.delete(message.id);
    this.#hasAnswered = true;
    if (message.say === 'answer') waiting?.resolve(message.answer);
    else waiting?.reject(heardError(message.told));
  }

  #fail(error: Error): void {
    this.#ended ??= error;
    for (const { reject } of this.#waiting.values()) reject(this.#ended);
    this.#waiting.clear();
  }
}

/** A configuration is made anew for each request once the policy has changed; the policy in it is not. */
function isSame(one: LibraryConfig, other: LibraryConfig): boolean {
  return one === other || (one.policy !== undefined && one.policy === other.policy);
}

/** The thread's own side. */
async function serve({ config }: Post, port: NonNullable<typeof parentPort>): Promise<void> {
  const opened = await openContainer(config);
  let library: Library = { ...opened, contexts: new ContextCache(), searches: new SearchCache() };
  const running = new Map<number, AbortController>();
  const say = (message: FromThread) => port.postMessage(message);
  const answer = async ({ id, verb, input, ask, standing }: Question) => {
    const leaving = new AbortController();
    running.set(id, leaving);
    try {
      const operation = OPERATIONS.get(verb);
      if (operation === undefined) throw new Error(`${verb} is not answered here`);
      const call: Call = {
        library,
        ask,
        signal: leaving.signal,
        progress: (progress) => say({ say: 'progress', id, progress }),
        ...(standing === undefined ? {} : { standing }),
      };
      say({ say: 'answer', id, answer: await operation.run(input, call) });
    } catch (error) {
      say({ say: 'failed', id, told: tellError(error) });
    } finally {
      running.delete(id);
    }
  };
  port.on('message', (message: ToThread) => {
    if (message.say === 'ask') void answer(message);
    else if (message.say === 'leave') running.get(message.id)?.abort(heardError(message.reason));
    else if (message.say === 'config') library = { ...library, config: message.config };
    else void opened.close().finally(() => port.close());
  });
}

function isPost(data: unknown): data is Post {
  return typeof data === 'object' && data !== null && 'colophon' in data && data.colophon === 'answers';
}

if (!isMainThread && parentPort !== null && isPost(workerData)) void serve(workerData, parentPort);
