/**
 * The stdio connection of one client: what was asked, what is still unanswered, and when the conversation is over.
 *
 * The SDK's transport drops requests in flight when its input ends. A client that pipes its questions and closes is owed the
 * answers, so the end of input is held back until they are written or `drainMs` has passed.
 *
 * Invariant: ids `1` and `"1"` are two requests.
 */
import { EventEmitter, once } from 'node:events';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import type { JSONRPCMessage, JSONRPCRequest, RequestId, Transport } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { frameGate } from './frame-gate.js';

export interface ClientConnection {
  readonly transport: Transport;
  /** Resolves when the client is gone and everything owed is written, or the time for it has passed. */
  readonly ended: Promise<void>;
  /** Aborted when the input has ended and time runs short: whoever waits for more should answer with what is there. */
  readonly leaving: AbortSignal;
  /** Resolves after the first answer was handed to the client. */
  readonly greeted: Promise<void>;
}

const HURRY_SHARE = 0.6;
const LINE_END = Buffer.from('\n');

export function connectStdio(input: Readable, frames: Writable, drainMs: number): ClientConnection {
  const held = new PassThrough();
  const wire = new StdioServerTransport(held, frames);
  const unanswered = new Set<string>();
  const leaving = new AbortController();
  const moments = new EventEmitter();
  const ended = once(moments, 'ended').then(() => undefined);
  const greeted = once(moments, 'greeted').then(() => undefined);
  const timers: NodeJS.Timeout[] = [];
  let inputEnded = false;
  const gate = frameGate({
    pass: (line) => held.write(Buffer.concat([line, LINE_END])),
    answer: (frame) => frames.write(frame),
  });

  const finish = () => {
    for (const timer of timers) clearTimeout(timer);
    inputEnded = true;
    leaving.abort();
    held.end();
    moments.emit('ended');
  };
  const settle = (id: RequestId) => {
    unanswered.delete(keyOf(id));
    if (inputEnded && unanswered.size === 0) finish();
  };
  const leave = () => {
    if (inputEnded) return;
    inputEnded = true;
    // A last message without a line end is still a message. It, like the last chunk, may be on its way through `held`.
    gate.end();
    setImmediate(() => {
      if (unanswered.size === 0) finish();
      else
        timers.push(
          setTimeout(() => leaving.abort(), HURRY_SHARE * drainMs),
          setTimeout(finish, drainMs),
        );
    });
  };

  input.on('data', (chunk) => {
    if (!held.writableEnded) gate.take(chunk);
  });
  input.on('end', leave);
  input.on('close', leave);
  input.on('error', leave);
  frames.on('error', finish);

  const transport: Transport = {
    start: async () => {
      wire.onmessage = (message) => {
        if (isRequest(message)) unanswered.add(keyOf(message.id));
        const cancelled = cancelledId(message);
        if (cancelled !== undefined) settle(cancelled);
        transport.onmessage?.(lenient(message));
      };
      wire.onerror = (error) => transport.onerror?.(error);
      wire.onclose = () => {
        transport.onclose?.();
        finish();
      };
      await wire.start();
    },
    send: async (message) => {
      await wire.send(message);
      if ('method' in message) return;
      moments.emit('greeted');
      if (message.id !== undefined) settle(message.id);
    },
    close: () => wire.close(),
  };
  return { transport, ended, leaving: leaving.signal, greeted };
}

function keyOf(id: RequestId): string {
  return JSON.stringify(id);
}

function isRequest(message: JSONRPCMessage): message is JSONRPCRequest {
  return 'method' in message && 'id' in message;
}

function cancelledId(message: JSONRPCMessage): RequestId | undefined {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return undefined;
  const id: unknown = message.params?.['requestId'];
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

/** Some clients send `arguments: null`, or the object as JSON text; both mean what they plainly mean. */
function lenient(message: JSONRPCMessage): JSONRPCMessage {
  if (!isRequest(message) || message.method !== 'tools/call' || message.params === undefined) return message;
  const given = message.params['arguments'];
  if (given === null) {
    const { arguments: _absent, ...params } = message.params;
    return { ...message, params };
  }
  if (typeof given !== 'string') return message;
  const parsed = parseObject(given);
  return parsed === undefined ? message : { ...message, params: { ...message.params, arguments: parsed } };
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    // Not JSON: the protocol layer refuses it and names the field.
    return undefined;
  }
}
