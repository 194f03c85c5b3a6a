/**
 * The gate before the protocol layer: one line, one message. A line that is none is answered and forgotten.
 *
 * The SDK's reader drops bad JSON without a word and ends the connection when a line outgrows its buffer; a client that sent
 * one such line would wait for ever, or lose its server.
 *
 * Invariant: never holds more than `limit` bytes, whatever is sent.
 */
import { StringDecoder } from 'node:string_decoder';

/** As the SDK's own reader: 10 MiB. */
export const FRAME_LIMIT_BYTES = 10 * 1024 * 1024;
/** Where a request says its id, if it says it before its arguments. */
const HEAD_BYTES = 512;
const LINE_FEED = 0x0a;

type Id = string | number | null;

export interface FrameGate {
  take(chunk: Buffer): void;
  /** The last line may have no end. */
  end(): void;
}

export interface GateEnds {
  readonly pass: (line: Buffer) => void;
  readonly answer: (frame: string) => void;
}

export function frameGate({ pass, answer }: GateEnds, limit = FRAME_LIMIT_BYTES): FrameGate {
  let parts: Buffer[] = [];
  let bytes = 0;
  let head: Buffer | undefined;

  const keep = (part: Buffer) => {
    if (head !== undefined) return;
    parts.push(part);
    bytes += part.length;
    if (bytes < limit) return;
    head = Buffer.concat(parts).subarray(0, HEAD_BYTES);
    parts = [];
  };
  const close = () => {
    const whole = Buffer.concat(parts);
    const outgrown = head;
    parts = [];
    bytes = 0;
    head = undefined;
    if (outgrown !== undefined) answer(refusal(idIn(outgrown), -32600, `A message must be shorter than ${limit} bytes.`));
    else if (isBlank(whole)) return;
    else if (isMessage(whole, answer)) pass(whole);
  };
  return {
    take: (chunk) => {
      let from = 0;
      for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, from)) {
        keep(chunk.subarray(from, at));
        close();
        from = at + 1;
      }
      if (from < chunk.length) keep(chunk.subarray(from));
    },
    end: close,
  };
}

function isBlank(line: Buffer): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}

function isMessage(line: Buffer, answer: (frame: string) => void): boolean {
  let value: unknown;
  try {
    value = JSON.parse(line.toString('utf8'));
  } catch {
    // What the line says is unknown, so is its id.
    answer(refusal(null, -32700, 'The line is not JSON.'));
    return false;
  }
  if (isEnvelope(value)) return true;
  answer(refusal(idOf(value), -32600, 'A message is one JSON-RPC 2.0 object on a line of its own.'));
  return false;
}

function isEnvelope(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const says = 'method' in value || 'result' in value || 'error' in value;
  return says && 'jsonrpc' in value && value.jsonrpc === '2.0';
}

function idOf(value: unknown): Id {
  if (typeof value !== 'object' || value === null || !('id' in value)) return null;
  return typeof value.id === 'string' || typeof value.id === 'number' ? value.id : null;
}

/** The id of a message of which only the beginning was kept: the one that stands before anything nested. */
function idIn(head: Buffer): Id {
  const text = new StringDecoder('utf8').write(head);
  const found = /^\s*\{[^{}[\]]*?"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+(?=\s*[,}]))/.exec(text)?.[1];
  return found === undefined ? null : (JSON.parse(found) as string | number);
}

function refusal(id: Id, code: number, message: string): string {
  return `${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`;
}
