/** A client that is nothing but lines: it sees every byte the server writes, and may say what no SDK would. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { type Surroundings, startCommand } from './built-command.js';

export interface Frame extends Readonly<Record<string, unknown>> {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export class RawMcp {
  readonly child: ChildProcessWithoutNullStreams;
  readonly exited: Promise<number | null>;
  stdout = '';
  stderr = '';
  private readonly waiting: { accept: (frame: Frame) => boolean; resolve: (frame: Frame) => void }[] = [];
  private unread = '';

  constructor(args: readonly string[], surroundings: Surroundings) {
    this.child = startCommand(['mcp', ...args], surroundings);
    this.child.stdout.setEncoding('utf8').on('data', (chunk: string) => this.take(chunk));
    this.child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      this.stderr += chunk;
    });
    this.child.stdin.on('error', () => undefined);
    this.exited = new Promise((resolve) => this.child.once('close', resolve));
  }

  get lines(): readonly string[] {
    return this.stdout.split('\n').slice(0, -1);
  }

  send(message: object): void {
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  next(accept: (frame: Frame) => boolean): Promise<Frame> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ accept, resolve });
      void this.exited.then((code) => reject(new Error(`the server ended with ${code}: ${this.stderr}`)));
    });
  }

  async ask(id: number | string, method: string, params: object = {}): Promise<Frame> {
    const answer = this.next((frame) => frame.id === id && frame.method === undefined);
    this.send({ id, method, params });
    return answer;
  }

  async greet(protocolVersion = '2025-11-25'): Promise<Frame> {
    const answer = await this.ask('greeting', 'initialize', {
      protocolVersion,
      capabilities: {},
      clientInfo: { name: 'raw', version: '0' },
    });
    this.send({ method: 'notifications/initialized' });
    return answer;
  }

  async call(id: number | string, name: string, args?: unknown): Promise<Frame> {
    return this.ask(id, 'tools/call', args === undefined ? { name } : { name, arguments: args });
  }

  async close(): Promise<number | null> {
    this.child.stdin.end();
    return this.exited;
  }

  private take(chunk: string): void {
    this.stdout += chunk;
    this.unread += chunk;
    const lines = this.unread.split('\n');
    this.unread = lines.pop() ?? '';
    for (const line of lines) {
      const frame = parse(line);
      const at = this.waiting.findIndex(({ accept }) => accept(frame));
      if (at !== -1) this.waiting.splice(at, 1)[0]?.resolve(frame);
    }
  }
}

/** A line that is no frame is looked at by the test that counts lines; here nobody waits for it. */
function parse(line: string): Frame {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}
