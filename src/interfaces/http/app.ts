/**
 * The HTTP surface of a library: every request goes through the same door, in the same order, and most of them end there.
 *
 * count of headers → host and origin → route → token → rate (of the address, where no token is asked for) → scope → body → who asks → a place → the operation, recorded.
 *
 * Invariant: nothing is read of a body, and nothing is told of the library, before the token was found good.
 * Invariant: an answer is made for one request and given to it alone; no server, transport or answer is shared (T8.1).
 */
import { createHash, randomBytes } from 'node:crypto';
import { createMcpHandler, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { Hono } from 'hono';
import { askWithin, type Grant, holdsEveryTenant } from '../../app/access/grant.js';
import { SCOPE_OF, SCOPES, type Scope } from '../../app/access/scopes.js';
import { Tokens } from '../../app/access/token-file.js';
import { answersForAll } from '../../app/answers-for-all.js';
import { UNKNOWN_CALLER } from '../../app/audit/audit-record.js';
import { audited, recordFailure } from '../../app/audit/audited.js';
import { isBuilt, withStanding } from '../../app/learning/ensure-indexed.js';
import type { LibraryConfig } from '../../app/library.js';
import type { Call } from '../../app/operations/catalogue.js';
import { runOperation } from '../../app/operations/run-operation.js';
import { withCurrentPolicy } from '../../app/policy/with-current-policy.js';
import type { Ask } from '../../domain/requester.js';
import { Fault } from '../../kernel/errors.js';
import { authenticator } from './authenticate.js';
import { faultResponse, isOurFault, statusOf } from './fault-response.js';
import { heldUntilEnded } from './held-until-ended.js';
import { hostCheck } from './host-check.js';
import type { Door, HttpHost } from './http-host.js';
import { Issuers } from './issuers.js';
import { Metrics, type Refusals } from './metrics.js';
import { narrowingFrom } from './narrowing-headers.js';
import { openApi } from './openapi.js';
import { inputFromAddress, inputFromBody, readJson, requireBareAddress } from './read-input.js';
import { type Route, routesOf } from './routes.js';
import { traced } from './tracing.js';
import { Lag, RateLimit, Turnstile } from './traffic.js';
import { wholeAnswer } from './whole-answer.js';

export interface HttpApp {
  readonly fetch: (request: Request, from: From) => Promise<Response>;
  readonly close: () => Promise<void>;
}

/** What a request says of itself only where it was received. */
export interface From {
  /** Who counts as one (address-block.ts). */
  readonly address: string;
  /** As many as were sent, those of one name counted apart. */
  readonly headerFields: number;
}

/** Where the server stands once it listens. */
export interface Standing {
  readonly port: number;
  readonly connections: () => number;
  readonly refusals: Refusals;
}

const METADATA = '/.well-known/oauth-protected-resource';
const MCP = '/mcp';
/** A browser sends some twenty. */
const MOST_HEADER_FIELDS = 64;

interface Incoming {
  readonly request: Request;
  readonly id: string;
  readonly from: From;
}

type Handler = (incoming: Incoming) => Promise<Response>;

export function httpApp(host: HttpHost, standing: Standing): HttpApp {
  const { settings, library, audit } = host;
  const { limits } = settings;
  const now = () => Date.now();
  const base = settings.resource ?? `http://${settings.host.includes(':') ? `[${settings.host}]` : settings.host}:${standing.port}`;
  const metadataUrl = `${new URL(base).origin}${METADATA}`;
  const check = hostCheck(settings, standing.port);
  const authenticate = authenticator({
    tokens: new Tokens(library.config.stateFolder, host.keyFor),
    issuers: new Issuers(settings.issuers, () => base, now),
    anonymous: settings.anonymous,
    now,
  });
  const { refusals } = standing;
  const rateOf = (why: 'caller-rate' | 'address-rate') =>
    new RateLimit(
      limits,
      () => performance.now(),
      () => refusals.add(why),
    );
  const callers = rateOf('caller-rate');
  const strangers = rateOf('address-rate');
  /** Who asks for what is open to all; apart from those who guess at tokens, so that these do not stop who looks whether it is alive. */
  const visitors = rateOf('address-rate');
  const lag = new Lag();
  const turnstile = new Turnstile(limits, { refused: refusals.add, behindMs: () => lag.ms() });
  const metrics = new Metrics();
  const routes = routesOf(host.operations);
  const recorder = { log: audit, config: library.config };
  /** Whoever a token names, or the identity of the server where it names nobody. */
  const whoIs = (grant: Grant | undefined) =>
    grant === undefined
      ? UNKNOWN_CALLER
      : { ...UNKNOWN_CALLER, principal: grant.principal ?? host.launch.as ?? library.config.identity.principal, workload: grant.workload };

  /** Lets a request in, or faults; what is refused for want of rights is recorded. */
  async function admit(
    { request, id, from }: Incoming,
    scope: Scope,
    verb: string,
  ): Promise<{ readonly grant: Grant; readonly caller: string }> {
    let grant: Grant | undefined;
    try {
      grant = await authenticate(request.headers);
      const caller = `${grant.principal ?? ''} ${grant.workload}`;
      callers.take(caller);
      if (!grant.scopes.has(scope)) throw new Fault('access/insufficient-scope', { scope });
      return { grant, caller };
    } catch (error) {
      if (!(error instanceof Fault) || !error.code.startsWith('access/')) throw error;
      // Guessing is slowed down before it is written down.
      if (grant === undefined) strangers.take(from.address);
      recordFailure(recorder, { who: whoIs(grant), surface: 'http', verb, request: id }, error);
      throw error;
    }
  }

  /** Who asks, by the policy of the moment; what is not held is refused here, before anything is read. */
  async function doorOf({ request, id }: Incoming, grant: Grant, verb: string): Promise<Door & { readonly now: Ask }> {
    const current = await withCurrentPolicy(library);
    try {
      const narrowing = narrowingFrom(request.headers);
      const ask = (config: LibraryConfig) => askWithin(config, host.launch, grant, narrowing, library.clock.now());
      return { library: current, ask, now: ask(current.config), request: id };
    } catch (error) {
      const tenant = tenantHeld(current.config, grant, request.headers.get('colophon-tenant'));
      const who = { ...whoIs(grant), tenant };
      recordFailure({ log: audit, config: current.config }, { who, surface: 'http', verb, request: id }, error);
      throw error;
    }
  }

  /** The tenant that was asked for, where the caller holds it: another’s name is not written beside this one’s. */
  function tenantHeld(config: LibraryConfig, grant: Grant, asked: string | null): string {
    if (asked === null) return '';
    try {
      return askWithin(config, host.launch, grant, { tenant: asked }, library.clock.now()).requester.tenant;
    } catch (error) {
      if (error instanceof Fault) return '';
      throw error;
    }
  }

  const verb =
    (route: Route): Handler =>
    async (incoming) => {
      const { request, id } = incoming;
      const { operation, methods, input: schema, scope } = route;
      if (!methods.some((each) => each === request.method)) throw new Fault('http/method', { allowed: methods.join(', ') });
      const { grant, caller } = await admit(incoming, scope, operation.name);
      turnstile.requireRoom(caller);
      const { library: current, now: ask } = await doorOf(incoming, grant, operation.name);
      const { searchParams } = new URL(request.url);
      if (request.method !== 'GET') requireBareAddress(searchParams);
      const input =
        request.method === 'GET'
          ? inputFromAddress(operation, schema, searchParams)
          : inputFromBody(operation, schema, await readJson(request, limits.bodyBytes));
      return within(limits.seconds, request.signal, async (signal) => {
        const call: Call = { library: current, ask, signal, progress: () => undefined };
        // Nobody takes a place to wait in.
        await host.indexing.beforeAnswer([signal, host.stopping], () => undefined);
        const answer = await turnstile.pass(caller, signal, () =>
          audited({ log: audit, config: current.config }, { surface: 'http', verb: operation.name, input, ask, request: id }, async () => {
            const [standingProblem] = host.indexing.problems(answersForAll(call));
            return withStanding(await runOperation(operation, input, call), standingProblem);
          }),
        );
        return json(answer);
      });
    };

  const agents = createMcpHandler(
    ({ authInfo }) => {
      const door = authInfo?.extra?.['door'] as Door | undefined;
      if (door === undefined) throw new Error('an agent was served without having been let in');
      return host.mcp(door, host.stopping);
    },
    { maxRequestBodySize: limits.bodyBytes, onerror: (error) => host.log(`mcp: ${error.message}`) },
  );

  const mcp: Handler = async (incoming) => {
    const { request } = incoming;
    const { grant, caller } = await admit(incoming, SCOPE_OF.read, 'mcp');
    const door = await doorOf(incoming, grant, 'mcp');
    const authInfo = { token: '', clientId: grant.workload, scopes: [...grant.scopes], extra: { door } };
    if (request.method !== 'POST') return agents.fetch(request, { authInfo });
    const parsedBody = await readJson(request, limits.bodyBytes).catch((error: unknown) => notJson(error));
    if (parsedBody instanceof Response) return parsedBody;
    if (Array.isArray(parsedBody)) return notOne();
    const inPlace = <T>(run: (signal: AbortSignal) => Promise<T>) =>
      within(limits.seconds, request.signal, (signal) => turnstile.pass(caller, signal, () => run(signal)));
    // The same without its body, which was read: it ends with the time as well as with the client.
    const { url, method, headers } = request;
    const answer = (signal: AbortSignal) => agents.fetch(new Request(url, { method, headers, signal }), { authInfo, parsedBody });
    // Who only listens is no work, for as long as it may last.
    return isListening(parsedBody) ? inPlace(answer) : heldUntilEnded(inPlace, answer, (reason) => errorEvent(parsedBody, reason));
  };

  const figures: Handler = async (incoming) => {
    onlyGet(incoming);
    const { grant } = await admit(incoming, 'colophon:metrics', 'metrics');
    await requireOperator(incoming, grant);
    const gauges = { running: turnstile.running, queued: turnstile.queued, connections: standing.connections() };
    return new Response(metrics.text(gauges, refusals), {
      headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' },
    });
  };

  /** Figures count the requests of all tenants: they are for whoever holds all that the server was started with. */
  async function requireOperator({ id }: Incoming, grant: Grant): Promise<void> {
    const { config } = await withCurrentPolicy(library);
    if (holdsEveryTenant(config, host.launch, grant)) return;
    const fault = new Fault('access/denied', { asked: 'A token that does not hold every tenant of this server' });
    recordFailure({ log: audit, config }, { who: whoIs(grant), surface: 'http', verb: 'metrics', request: id }, fault);
    throw fault;
  }

  /** Whether a question would be answered: there is an index, a policy that can be used, and a log it can be recorded in. */
  async function canAnswer(): Promise<boolean> {
    if (host.stopping.aborted || (library.config.profile === 'team' && !audit.canWrite())) return false;
    try {
      await withCurrentPolicy(library);
      return await isBuilt(library);
    } catch (error) {
      host.log(`not ready: ${wordsFor(error)}`);
      return false;
    }
  }

  /** Without a token: so many a second for each address. */
  const toAll =
    (handler: Handler): Handler =>
    async (incoming) => {
      visitors.take(incoming.from.address);
      return handler(incoming);
    };

  const ready: Handler = async (incoming) => {
    onlyGet(incoming);
    const isReady = await canAnswer();
    return json({ status: isReady ? 'ready' : 'not-ready' }, isReady ? 200 : 503);
  };
  const metadata = fixed({
    resource: base,
    authorization_servers: settings.issuers.map(({ issuer }) => issuer),
    scopes_supported: SCOPES,
    bearer_methods_supported: ['header'],
    resource_name: 'Colophon',
  });

  const app = new Hono<{ Bindings: { readonly id: string; readonly from: From } }>();
  const serve = (path: string, handler: Handler) =>
    app.all(path, ({ req, env }) => measured(path, { request: req.raw, id: env.id, from: env.from }, handler));
  serve('/healthz', toAll(fixed({ status: 'alive' })));
  serve('/readyz', toAll(ready));
  serve('/openapi.json', toAll(fixed(openApi([...routes.values()], host.version, base))));
  serve(METADATA, toAll(metadata));
  serve(`${METADATA}${MCP}`, toAll(metadata));
  serve('/metrics', figures);
  serve(MCP, mcp);
  for (const route of routes.values()) serve(route.path, verb(route));
  app.notFound(({ req, env }) =>
    measured(
      'other',
      { request: req.raw, id: env.id, from: env.from },
      toAll(async () => {
        throw new Fault('http/no-route', {});
      }),
    ),
  );

  /** The one way out: every answer is traced, counted and marked, every fault becomes one. */
  async function measured(route: string, incoming: Incoming, handler: Handler): Promise<Response> {
    const startedAt = performance.now();
    const { request, id, from } = incoming;
    const response = await traced({ method: request.method, route, request: id, headers: request.headers }, async () => {
      try {
        if (from.headerFields > MOST_HEADER_FIELDS) throw new Fault('limit/too-many-headers', { most: MOST_HEADER_FIELDS });
        check(request.headers);
        return await handler(incoming);
      } catch (error) {
        if (isOurFault(error)) host.log(`${request.method} ${route} ${id}: ${wordsFor(error)}`);
        return faultResponse(error, { metadata: metadataUrl, sent: request.headers.has('authorization') });
      }
    });
    metrics.observe(route, response.status, (performance.now() - startedAt) / 1_000);
    response.headers.set('request-id', id);
    response.headers.set('x-content-type-options', 'nosniff');
    if (host.stopping.aborted) response.headers.set('connection', 'close');
    return response;
  }

  return {
    fetch: async (request, from) => app.fetch(request, { id: randomBytes(16).toString('hex'), from }),
    close: () => {
      lag.stop();
      return agents.close();
    },
  };
}

function onlyGet({ request }: Incoming): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') throw new Fault('http/method', { allowed: 'GET' });
}

/** What is the same for all as long as the server stands: made once, and not sent again to whoever has it. */
function fixed(answer: object): Handler {
  const bytes = Buffer.from(JSON.stringify(answer));
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-cache', etag };
  return async (incoming) => {
    onlyGet(incoming);
    const known = incoming.request.headers.get('if-none-match')?.split(',') ?? [];
    if (known.some((each) => each.trim().replace(/^W\//, '') === etag)) return new Response(null, { status: 304, headers });
    return wholeAnswer(bytes, { headers });
  };
}

function json(answer: unknown, status = 200): Response {
  return wholeAnswer(JSON.stringify(answer), {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
  });
}

/** What an agent sends is answered in its own protocol, where the body can be read at all. */
function notJson(error: unknown): Response {
  if (!(error instanceof Fault) || statusOf(error) !== 400) throw error;
  return json({ jsonrpc: '2.0', id: null, error: { code: -32_700, message: error.message } }, 400);
}

/** One request is one call: a batch would be many under one admission. No version that is served has batches. */
function notOne(): Response {
  const message = 'Send one message a request; batches are not taken.';
  return json({ jsonrpc: '2.0', id: null, error: { code: -32_600, message } }, 400);
}

/** The answer of a stream whose time is over: what was asked has failed, and why. */
function errorEvent(message: unknown, reason: unknown): string | undefined {
  const id = typeof message === 'object' && message !== null && 'id' in message ? message.id : undefined;
  if (!(reason instanceof Fault) || (typeof id !== 'string' && typeof id !== 'number')) return undefined;
  const { code, hint, message: said } = reason;
  const error = { code: ProtocolErrorCode.InternalError, message: said, data: { code, hint } };
  return `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, error })}\n\n`;
}

function isListening(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'method' in message && message.method === 'subscriptions/listen';
}

/** Ends with the time, with the client, or with the answer, whichever comes first. */
async function within<T>(seconds: number, gone: AbortSignal, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = new AbortController();
  const leave = () => late.abort(new Fault('http/gone', {}));
  if (gone.aborted) leave();
  else gone.addEventListener('abort', leave, { once: true });
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const fault = new Fault('limit/too-slow', { seconds });
      late.abort(fault);
      reject(fault);
    }, seconds * 1_000);
  });
  try {
    return await Promise.race([run(late.signal), tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

/** Of a fault of ours, for the log: its code and place; of anything else, where it happened. */
function wordsFor(error: unknown): string {
  if (error instanceof Fault) return `${error.code} ${error.message}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
