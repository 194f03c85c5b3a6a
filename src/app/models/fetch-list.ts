/**
 * Fetches a list of models, from an address or a file, at a person's command only.
 *
 * Invariant: one request, nothing sent but that it is asked for; bounded in bytes and in time, and led nowhere else.
 */

import { Fault } from '../../kernel/errors.js';
import { boundedText } from '../configuration/bounded-text.js';

export const PUBLIC_LIST = 'https://openrouter.ai/api/v1/models';
/** The list of 2026 takes less than a tenth of it. */
const MOST_BYTES = 8 * 1_048_576;
const MOST_SECONDS = 30;

export interface FetchBounds {
  readonly mostBytes?: number;
  readonly mostSeconds?: number;
}

export async function fetchList(from: string, signal: AbortSignal, bounds: FetchBounds = {}): Promise<string> {
  const { mostBytes = MOST_BYTES } = bounds;
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(from)) return boundedText(from, { mostBytes });
  const address = addressOf(from);
  const { mostSeconds = MOST_SECONDS } = bounds;
  try {
    const within = AbortSignal.any([signal, AbortSignal.timeout(mostSeconds * 1_000)]);
    const response = await fetch(address, { redirect: 'manual', signal: within, headers: { accept: 'application/json' } });
    refuseOther(response, address);
    return await textOf(response, mostBytes, address);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Fault) throw error;
    throw new Fault('models/unreachable', { from: shown(address), reason: reasonOf(error, mostSeconds) }, { cause: error });
  }
}

/** What is written down of an address: no query, and nobody's name or password. */
export function shown({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}

/** Nobody on the way may change what is taken over: only this machine is asked in the clear. */
function addressOf(from: string): URL {
  const address = URL.canParse(from) ? new URL(from) : undefined;
  const own = address !== undefined && ['127.0.0.1', '[::1]', 'localhost'].includes(address.hostname);
  if (address?.protocol === 'https:' || (own && address.protocol === 'http:')) return address;
  throw new Fault('input/invalid', { field: '--from', expected: 'an address that begins with https://, or a file' });
}

function refuseOther({ status, headers, ok }: Response, address: URL): void {
  const from = shown(address);
  if (status >= 300 && status < 400) throw new Fault('models/unreachable', { from, reason: 'it sends elsewhere, and is not followed' });
  if (!ok) throw new Fault('models/unreachable', { from, reason: `it answered with status ${status}` });
  if (!/^application\/json\s*(?:;|$)/i.test(headers.get('content-type') ?? ''))
    throw new Fault('models/unusable-list', { from, reason: 'it is not sent as JSON' });
}

async function textOf({ body }: Response, mostBytes: number, address: URL): Promise<string> {
  const from = shown(address);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > mostBytes) throw new Fault('models/unusable-list', { from, reason: `it has more than ${mostBytes} bytes` });
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch (error) {
    throw new Fault('models/unusable-list', { from, reason: 'it is not UTF-8' }, { cause: error });
  }
}

function reasonOf(error: unknown, mostSeconds: number): string {
  if (error instanceof Error && error.name === 'TimeoutError') return `no answer within ${mostSeconds} seconds`;
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return /^[A-Z][A-Z_]+$/.test(code) ? code : 'the connection failed';
}
