/**
 * The one place where a fault becomes an HTTP answer: CONTRACT's fault object, with the status of its kind.
 *
 * Invariant: what is wrong with the library itself is told without its files' names; the server's own log has them.
 * Invariant: absent and forbidden are the same fault, and so the same bytes.
 */
import { hintFor } from '../../app/fault-hints.js';
import { Fault, type FaultCode, type FaultKind } from '../../kernel/errors.js';
import { wholeAnswer } from './whole-answer.js';

const BY_KIND: Readonly<Record<FaultKind, number>> = {
  invalid: 400,
  denied: 403,
  'not-found': 404,
  conflict: 409,
  unavailable: 503,
  corrupt: 503,
};

const BY_CODE: Readonly<Partial<Record<FaultCode, number>>> = {
  'access/unauthenticated': 401,
  'http/method': 405,
  'limit/too-large': 413,
  'http/media-type': 415,
  'limit/too-many-requests': 429,
  'limit/too-many-headers': 431,
  // Reaches nobody: it stands for them in the figures.
  'http/gone': 499,
};

/** About the request, so that whoever sent it may be told all of it. */
const ABOUT_THE_REQUEST: ReadonlySet<FaultKind> = new Set(['invalid', 'denied', 'not-found']);
const OURS = /^(?:library|config|store|file|git|index|policy|audit)\//;
const TOLD: ReadonlySet<string> = new Set(['index/begun', 'limit/too-many-requests', 'limit/too-slow', 'http/gone']);

export interface ChallengeWords {
  /** Address of the metadata of this resource, RFC 9728. */
  readonly metadata: string;
  readonly sent: boolean;
}

export function faultResponse(error: unknown, challenge: ChallengeWords): Response {
  const fault = error instanceof Fault ? error : undefined;
  const status = statusOf(error);
  const headers = new Headers({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
  if (status === 401) headers.set('www-authenticate', unauthenticated(challenge));
  if (fault?.code === 'access/insufficient-scope') {
    const { scope } = fault.data as { readonly scope: string };
    headers.set('www-authenticate', `Bearer error="insufficient_scope", scope="${scope}", resource_metadata="${challenge.metadata}"`);
  }
  const data: Readonly<Record<string, unknown>> = fault?.data ?? {};
  if (status === 429) headers.set('retry-after', String(data['retryAfterSeconds']));
  if (status === 503) headers.set('retry-after', '1');
  if (status === 405) headers.set('allow', String(data['allowed']));
  if (status === 413) headers.set('connection', 'close');
  return wholeAnswer(JSON.stringify({ schema: 'colophon/fault@1', problems: [], ...wordsOf(fault) }), { status, headers });
}

export function statusOf(error: unknown): number {
  if (!(error instanceof Fault)) return 500;
  if (OURS.test(error.code)) return 503;
  return BY_CODE[error.code as FaultCode] ?? BY_KIND[error.kind as FaultKind];
}

/** Whether the server's own log should say more. */
export function isOurFault(error: unknown): boolean {
  return !(error instanceof Fault) || !(ABOUT_THE_REQUEST.has(error.kind) || TOLD.has(error.code)) || OURS.test(error.code);
}

function wordsOf(fault: Fault | undefined) {
  if (fault === undefined)
    return {
      code: 'internal/unexpected',
      message: 'Colophon could not answer this because of a fault of its own.',
      hint: 'The log of the server tells more. Other requests still work.',
    };
  if (!isOurFault(fault)) return { code: fault.code, message: overHttp(fault), hint: hintFor(fault, 'http') };
  return {
    code: fault.code,
    message: 'The library cannot answer this at present.',
    hint: 'Ask again later. The log of the server tells its operator more.',
  };
}

const HEADER_OF: Readonly<Record<string, string>> = {
  '--tenant': 'Colophon-Tenant',
  '--purpose': 'Colophon-Purpose',
  '--ceiling': 'Colophon-Ceiling',
  '--group': 'Colophon-Groups',
};

/** What narrows is a flag at a terminal and a header here; only the beginning is ours, the rest is what was sent. */
function overHttp({ message, code }: Fault): string {
  const flag = /^--[a-z]+(?= )/.exec(message)?.[0];
  const named = flag === undefined ? message : `${HEADER_OF[flag] ?? flag}${message.slice(flag.length)}`;
  return code === 'access/denied' ? named.replace(/ this library was opened with\.$/, ' the token holds.') : named;
}

/** RFC 6750: without a token there was nothing wrong with one. */
function unauthenticated({ metadata, sent }: ChallengeWords): string {
  const wrong = sent ? 'error="invalid_token", ' : '';
  return `Bearer ${wrong}scope="colophon:read", resource_metadata="${metadata}"`;
}
