/**
 * One MCP server on standard input and output, from launch to exit.
 *
 * Invariant: the greeting waits for nothing but the configuration: not for the index, not for a model, not for a network.
 * Invariant: the end of the input, the death of the parent or a signal ends the process within three seconds, database closed.
 */
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { AuditLog } from '../../app/audit/audit-log.js';
import type { Library, LibraryConfig } from '../../app/library.js';
import type { Operation } from '../../app/operations/catalogue.js';
import type { Ask } from '../../domain/requester.js';
import { Indexing, type LearnOnce } from './indexing.js';
import { mcpServer } from './server.js';
import { connectStdio } from './stdio-transport.js';
import type { guardStdout } from './stdout-guard.js';

export interface ServeMcp {
  readonly version: string;
  readonly operations: () => Promise<readonly Operation[]>;
  readonly open: () => Promise<Library>;
  readonly ask: (config: LibraryConfig) => Ask;
  readonly learn: LearnOnce;
  /** Calls `update` after each change, until the signal. Absent: not watched. */
  readonly watch?: (library: Library, signal: AbortSignal, update: () => Promise<void>) => Promise<void>;
  readonly frames: ReturnType<typeof guardStdout>;
  readonly stdin: NodeJS.ReadStream;
  /** SIGINT and SIGTERM. */
  readonly interrupted: AbortSignal;
  readonly log: (text: string) => void;
  readonly audit: () => Promise<AuditLog | undefined>;
}

/** What a client that piped its questions and left may still wait for. */
const DRAIN_MS = 1_500;
/** After this the process goes, whatever still holds on. */
const CLOSE_MS = 1_000;
const PARENT_CHECK_MS = 1_000;

export async function serveMcp(serve: ServeMcp): Promise<void> {
  const connection = connectStdio(serve.stdin, serve.frames, DRAIN_MS);
  let opened: Promise<Library> | undefined;
  const library = () => {
    opened ??= serve.open();
    return opened;
  };
  const indexing = new Indexing({
    learn: serve.learn,
    isBuilt: async () => (await import('../../app/learning/ensure-indexed.js')).isBuilt(await library()),
    now: () => performance.now(),
    log: serve.log,
  });
  const { version, operations, ask, log, audit } = serve;
  const host = { version, operations, library, ask, indexing, leaving: connection.leaving, log, audit };
  const handle = serveStdio(() => mcpServer(host), {
    transport: connection.transport,
    onerror: (error) => log(`connection: ${error.message}`),
  });

  const stopping = new AbortController();
  const work = async () => {
    await Promise.race([connection.greeted, connection.ended]);
    if (stopping.signal.aborted) return;
    await indexing.update();
    if (serve.watch === undefined || stopping.signal.aborted) return;
    await serve.watch(await library(), stopping.signal, () => indexing.update());
  };
  const working = work().catch((error: Error) => log(`watching: ${error.message}`));

  await Promise.race([connection.ended, aborted(serve.interrupted), parentGone()]);
  stopping.abort();
  const lastResort = setTimeout(() => process.exit(0), CLOSE_MS);
  lastResort.unref();
  await handle.close();
  await indexing.stop();
  await working;
  // A library that could not be opened has told its callers; there is nothing to close.
  await opened?.then((each) => each.close()).catch((error: Error) => log(`closing: ${error.message}`));
  serve.stdin.destroy();
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

/** A parent that is killed leaves its pipes to whoever else holds them; the process then gets another parent. */
async function parentGone(): Promise<void> {
  const parent = process.ppid;
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(timer);
      resolve();
    }, PARENT_CHECK_MS);
    timer.unref();
  });
}
