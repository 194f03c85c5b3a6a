/**
 * Learn in a worker thread, so that whoever answers questions is never blocked by parsing.
 *
 * The worker opens its own library from the same configuration and takes the writer's lease like any other process; the
 * index's readers see its batches as they are committed. From TypeScript sources (tests), where no compiled file exists
 * for a thread to start from, the run happens in the calling thread.
 *
 * Invariant: one worker, one run: it ends with the run, and an abort ends it at the next page.
 */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { openContainer } from '../container.js';
import type { LibraryConfig } from '../library.js';
import type { Progress } from '../operations/catalogue.js';
import { type LearnOptions, type LearnReport, learn } from './learn.js';
import { canStartThread, heardError, type ToldError, tellError } from './thread-errors.js';
import { THREAD_MEMORY } from './thread-memory.js';

interface Job {
  readonly colophon: 'learn';
  readonly config: LibraryConfig;
  readonly sources?: readonly string[];
  readonly full: boolean;
}

type FromWorker =
  | { readonly say: 'progress'; readonly progress: Progress }
  | { readonly say: 'done'; readonly report: LearnReport }
  | ToldError;

const ABORT = 'abort';
/** After an abort, how long a run may take to reach its next page before the thread is ended: a batch is whole or not at all. */
const GRACE_MS = 5_000;

export async function learnInWorker(config: LibraryConfig, options: LearnOptions = {}): Promise<LearnReport> {
  options.signal?.throwIfAborted();
  return canStartThread(import.meta.url) ? learnInThread(config, options) : learnHere(config, options);
}

async function learnHere(config: LibraryConfig, options: LearnOptions): Promise<LearnReport> {
  const library = await openContainer(config);
  try {
    return await learn(library, options);
  } finally {
    await library.close();
  }
}

function learnInThread(config: LibraryConfig, options: LearnOptions): Promise<LearnReport> {
  const { signal, progress } = options;
  const job: Job = {
    colophon: 'learn',
    config,
    full: options.full === true,
    ...(options.sources === undefined ? {} : { sources: options.sources }),
  };
  return new Promise<LearnReport>((resolve, reject) => {
    // The thread writes nothing: stdout may belong to a protocol.
    const worker = new Worker(new URL(import.meta.url), {
      workerData: job,
      stdout: true,
      stderr: false,
      // The handle the store keeps on its file must outlive the thread: closing it would give up the process's locks.
      trackUnmanagedFds: false,
      resourceLimits: THREAD_MEMORY,
    });
    let grace: NodeJS.Timeout | undefined;
    const abort = () => {
      worker.postMessage(ABORT);
      grace = setTimeout(() => void worker.terminate(), GRACE_MS).unref();
    };
    const end = (settle: () => void) => {
      clearTimeout(grace);
      signal?.removeEventListener('abort', abort);
      settle();
    };
    signal?.addEventListener('abort', abort, { once: true });
    worker.on('message', (message: FromWorker) => {
      if (message.say === 'progress') progress?.(message.progress);
      else if (message.say === 'done') end(() => resolve(message.report));
      else end(() => reject(errorOf(message, signal)));
    });
    worker.on('error', (error) => end(() => reject(error)));
    worker.on('exit', (code) =>
      end(() => reject(signal?.aborted === true ? signal.reason : new Error(`the indexing thread ended with code ${code}`))),
    );
  });
}

function errorOf(message: ToldError, signal: AbortSignal | undefined): unknown {
  return message.say === 'error' && signal?.aborted === true ? signal.reason : heardError(message);
}

/** The thread's own side. */
async function serve(job: Job, port: NonNullable<typeof parentPort>): Promise<void> {
  const stopping = new AbortController();
  port.on('message', (message: unknown) => {
    if (message === ABORT) stopping.abort();
  });
  const say = (message: FromWorker) => port.postMessage(message);
  try {
    const { sources, full } = job;
    say({
      say: 'done',
      report: await learnHere(job.config, {
        sources,
        full,
        signal: stopping.signal,
        progress: (progress) => say({ say: 'progress', progress }),
      }),
    });
  } catch (error) {
    say(tellError(error));
  } finally {
    port.close();
  }
}

function isJob(data: unknown): data is Job {
  return typeof data === 'object' && data !== null && 'colophon' in data && data.colophon === 'learn';
}

if (!isMainThread && parentPort !== null && isJob(workerData)) void serve(workerData, parentPort);
