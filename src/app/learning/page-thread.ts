/**
 * A thread that makes pages: one portion at a time, for as long as its owner keeps it.
 *
 * Invariant: it opens no index and no records, so it can be ended at any moment and nothing is half written.
 */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { openContainer } from '../container.js';
import type { LibraryConfig } from '../library.js';
import { type MadePages, makePages, type Portion } from './make-pages.js';
import { canStartThread, heardError, type ToldError, tellError } from './thread-errors.js';
import { THREAD_MEMORY } from './thread-memory.js';

interface Post {
  readonly colophon: 'pages';
  readonly config: LibraryConfig;
}

type FromThread = { readonly say: 'step'; readonly done: number } | { readonly say: 'made'; readonly made: MadePages } | ToldError;

/** Asked of this very module: another one may be joined into a file of another kind. */
export const CAN_START = canStartThread(import.meta.url);

const STEP_MS = 100;

interface Task {
  readonly step: (done: number) => void;
  readonly resolve: (made: MadePages) => void;
  readonly reject: (error: Error) => void;
}

export class PageThread {
  readonly #worker: Worker;
  #task: Task | undefined;
  #ended: Error | undefined;

  constructor(config: LibraryConfig) {
    const post: Post = { colophon: 'pages', config };
    // The thread writes nothing: stdout may belong to a protocol.
    this.#worker = new Worker(new URL(import.meta.url), {
      workerData: post,
      stdout: true,
      stderr: false,
      resourceLimits: THREAD_MEMORY,
    });
    this.#worker.on('message', (message: FromThread) => this.#hear(message));
    this.#worker.on('error', (error) => this.#fail(error));
    this.#worker.on('exit', (code) => this.#fail(new Error(`a thread that makes pages ended with code ${code}`)));
  }

  make(portion: Portion, step: (done: number) => void): Promise<MadePages> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== undefined) return reject(this.#ended);
      this.#task = { step, resolve, reject };
      this.#worker.postMessage(portion);
    });
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #hear(message: FromThread): void {
    const task = this.#task;
    if (message.say === 'step') {
      task?.step(message.done);
      return;
    }
    this.#task = undefined;
    if (message.say === 'made') task?.resolve(message.made);
    else task?.reject(heardError(message));
  }

  #fail(error: Error): void {
    this.#ended ??= error;
    this.#task?.reject(this.#ended);
    this.#task = undefined;
  }
}

/** The thread's own side. */
async function serve({ config }: Post, port: NonNullable<typeof parentPort>): Promise<void> {
  const library = await openContainer(config);
  const { signal } = new AbortController();
  const say = (message: FromThread) => port.postMessage(message);
  port.on('message', async (portion: Portion) => {
    let saidAt = Date.now();
    const step = (done: number) => {
      if (Date.now() - saidAt < STEP_MS) return;
      saidAt = Date.now();
      say({ say: 'step', done });
    };
    try {
      const registration = config.sources.find(({ id }) => id === portion.source);
      if (registration === undefined) throw new Error(`no source ${portion.source} is declared`);
      say({ say: 'made', made: await makePages(library, registration, portion, { signal, step }) });
    } catch (error) {
      say(tellError(error));
    }
  });
}

function isPost(data: unknown): data is Post {
  return typeof data === 'object' && data !== null && 'colophon' in data && data.colophon === 'pages';
}

if (!isMainThread && parentPort !== null && isPost(workerData)) void serve(workerData, parentPort);
