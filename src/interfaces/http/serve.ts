/**
 * One server on one port, from the first connection to the last: listens, keeps slow and greedy connections short, and stops in order.
 *
 * Invariant: on another address than this machine's own it does not start without somebody to ask for tokens.
 * Invariant: who asks without reading is bounded: in requests taken ahead, in bytes that wait for it, and in time.
 * Invariant: after the signal to stop nothing new is taken; what is under way is answered, or ended when its time is over.
 */
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { Tokens } from '../../app/access/token-file.js';
import { Fault } from '../../kernel/errors.js';
import { addressBlock } from './address-block.js';
import { type HttpApp, httpApp } from './app.js';
import { Connections } from './connections.js';
import type { HttpHost } from './http-host.js';
import { Refusals } from './metrics.js';
import { isLoopback, type Settings } from './settings.js';
import { sent } from './whole-answer.js';

/** A client that has not sent its headers by then will not. */
const HEADERS_MS = 5_000;
const REQUEST_MS = 20_000;
/** Longer than proxies keep theirs, so that none sends a request on a connection that is just being closed. */
const IDLE_MS = 65_000;
const CHECK_MS = 1_000;
const HEADER_BYTES = 16_384;
/** An answer of which nothing is taken for so long will not be read. */
const STILL_MS = 10_000;
/** Requests that one connection may send before it was answered. */
const MOST_AHEAD = 32;
/** So far past that it has not stopped at being told. */
const MUCH_TOO_FAR = 4 * MOST_AHEAD;

export interface HttpServer {
  readonly port: number;
  /** Resolves when the last connection is closed. */
  readonly closed: Promise<void>;
}

export function requireSafe({ host, anonymous, issuers }: Settings, stateFolder: string, nowMs: number): void {
  if (isLoopback(host)) return;
  if (anonymous)
    throw new Fault('serve/unsafe', {
      reason: `${host} is reached from other machines, and --anonymous would answer all of them`,
      hint: 'Leave --anonymous out, and give each client a token: `colophon token create`.',
    });
  if (issuers.length === 0 && !new Tokens(stateFolder).hasValid(nowMs))
    throw new Fault('serve/unsafe', {
      reason: `${host} is reached from other machines, and there is no token and no issuer of any`,
      hint: 'Make a token first: `colophon token create`; or name an issuer under `serve` in colophon.yaml.',
    });
}

/** `stillMs`: how long an answer may wait for a reader who takes nothing of it. */
export async function serveHttp(host: HttpHost, { stillMs = STILL_MS }: { readonly stillMs?: number } = {}): Promise<HttpServer> {
  const { settings, library, stopping } = host;
  const { limits } = settings;
  requireSafe(settings, library.config.stateFolder, Date.now());
  let app: HttpApp | undefined;
  const refusals = new Refusals();
  const connections = new Connections<Socket>(limits, turnAway, timeListened(stopping), refusals.add);
  const server = createAdaptorServer({
    fetch: async (request, env) => {
      const { incoming, outgoing } = env as HttpBindings;
      if (app === undefined) throw new Error('a request came before the server stood');
      const from = { address: addressBlock(incoming.socket.remoteAddress ?? ''), headerFields: incoming.rawHeaders.length / 2 };
      return sent(await app.fetch(request, from), outgoing);
    },
    overrideGlobalObjects: false,
    createServer: ((options: object, listener: RequestListener) =>
      createServer(options, inTurn(connections, refusals, listener))) as typeof createServer,
    serverOptions: {
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      keepAliveTimeout: IDLE_MS,
      connectionsCheckingInterval: CHECK_MS,
      maxHeaderSize: HEADER_BYTES,
      noDelay: true,
    },
  }) as Server;
  // All of them are handed on and counted: Node drops what is above its count without a word, be it what narrows or what tells an origin.
  server.maxHeadersCount = 0;
  server.on('connection', (socket) => {
    socket.once('close', () => connections.leave(socket));
    connections.take(socket, addressBlock(socket.remoteAddress ?? ''));
  });
  const looking = setInterval(() => connections.look(stillMs, taken), Math.min(CHECK_MS, stillMs / 2)).unref();
  server.once('close', () => clearInterval(looking));
  const port = await listening(server, settings);
  app = httpApp(host, { port, connections: () => connections.open, refusals });
  return { port, closed: stopped(server, app, stopping, limits.drainSeconds * 1_000) };
}

/** Counts the requests of each connection, and works on none that is too many: a connection that runs ahead is told so and closed. */
function inTurn(connections: Connections<Socket>, refusals: Refusals, listener: RequestListener): RequestListener {
  return (request, response) => {
    const { socket } = request;
    const underWay = connections.begin(socket);
    if (underWay <= MOST_AHEAD + 1) response.once('close', () => connections.end(socket));
    if (underWay >= 1 && underWay <= MOST_AHEAD) listener(request, response);
    else if (underWay === MOST_AHEAD + 1) {
      refusals.add('ahead');
      refuseAhead(response);
    }
    // Those in between stay unanswered: the connection ends with what it was told.
    else if (underWay > MUCH_TOO_FAR) socket.destroy();
  };
}

/**
 * What was written wholly, and how much is left of the write under way: Node’s own counts tell of a write only when it is done, and a
 * slow reader takes its time over one.
 */
function taken(socket: Socket): string {
  const { _handle: handle } = socket as Socket & { readonly _handle?: { readonly writeQueueSize?: number } | null };
  return `${socket.bytesWritten - socket.writableLength} ${handle?.writeQueueSize ?? 0}`;
}

function refuseAhead(response: ServerResponse): void {
  const body = JSON.stringify({
    schema: 'colophon/fault@1',
    problems: [],
    code: 'limit/too-many-requests',
    message: `There are more than ${MOST_AHEAD} requests on this connection that wait for their answer.`,
    hint: 'Read the answers before you ask more, or open a second connection.',
  });
  response
    .writeHead(429, {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'content-length': Buffer.byteLength(body),
      'retry-after': '1',
      connection: 'close',
    })
    .end(body);
}

const NO_ROOM = [
  'HTTP/1.1 503 Service Unavailable',
  'content-type: application/json; charset=utf-8',
  'retry-after: 1',
  'connection: close',
];
const NO_ROOM_BODY = JSON.stringify({
  schema: 'colophon/fault@1',
  problems: [],
  code: 'limit/too-many-requests',
  message: 'There are too many connections.',
  hint: 'Come back in a second.',
});
const LAST_WORD_MS = 1_000;

const TURN_MS = 250;

/** Time as the process had it: while it is busy nothing is read, and what came in time waits unread. */
function timeListened(stopping: AbortSignal): () => number {
  let turns = 0;
  const turning = setInterval(() => {
    turns += 1;
  }, TURN_MS).unref();
  stopping.addEventListener('abort', () => clearInterval(turning), { once: true });
  return () => turns * TURN_MS;
}

/** A word before it is closed, for as long as it may take to send it. */
function turnAway(socket: Socket): void {
  socket.end(`${[...NO_ROOM, `content-length: ${Buffer.byteLength(NO_ROOM_BODY)}`].join('\r\n')}\r\n\r\n${NO_ROOM_BODY}`);
  const impatience = setTimeout(() => socket.destroy(), LAST_WORD_MS).unref();
  socket.once('close', () => clearTimeout(impatience));
}

async function listening(server: Server, { host, port }: Settings): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason = error.code === 'EADDRINUSE' ? 'something else listens there' : (error.code ?? error.message);
      reject(new Fault('serve/address', { address: `${host}:${port}`, reason }, { cause: error }));
    });
    server.listen(port, host, resolve);
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

async function stopped(server: Server, app: HttpApp, stopping: AbortSignal, drainMs: number): Promise<void> {
  if (!stopping.aborted) await new Promise((resolve) => stopping.addEventListener('abort', resolve, { once: true }));
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const impatience = setTimeout(() => server.closeAllConnections(), drainMs);
  // A stream to an agent lasts as long as it is let: it ends with the protocol's own goodbye.
  await app.close();
  await closed;
  clearTimeout(impatience);
}
