/** A raw line-by-line conversation with the stdio server, so that what it really writes can be judged. */
import type { ChildProcess } from 'node:child_process';
import { list, type Product } from './product.js';

export interface Message extends Readonly<Record<string, unknown>> {
  readonly id?: number | string;
  readonly method?: string;
}

export interface Reply {
  readonly message: Message;
  readonly elapsedMs: number;
}

const ANSWER_MS = 60_000;

export class McpSession {
  readonly child: ChildProcess;
  readonly #lines: string[] = [];
  #rest = Buffer.alloc(0);
  #stderr = '';
  readonly #waiting = new Map<string, (message: Message) => void>();
  #searchTool: string | undefined;
  readonly closed: Promise<number | null>;
  /** Bytes on standard output that are no UTF-8 text. */
  invalidBytes = false;

  constructor(product: Product, flags: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
    this.child = product.workspace.start(process.execPath, product.argv(['mcp', ...flags]), { env });
    this.child.stdout?.on('data', (chunk: Buffer) => this.#take(chunk));
    this.child.stderr?.on('data', (chunk: Buffer) => {
      this.#stderr += chunk.toString('utf8');
    });
    this.child.stdin?.on('error', () => undefined);
    this.closed = new Promise((resolve) => this.child.once('close', (exit) => resolve(exit)));
  }

  /** Every line written to standard output so far, and a rest without a line end. */
  get lines(): readonly string[] {
    return this.#rest.length === 0 ? this.#lines : [...this.#lines, this.#rest.toString('utf8')];
  }

  get stderr(): string {
    return this.#stderr;
  }

  get messages(): Message[] {
    return this.lines.flatMap((line) => {
      try {
        return [JSON.parse(line) as Message];
      } catch {
        // Judged by stdout_all_jsonrpc.
        return [];
      }
    });
  }

  /** Sends one message; for a request, waits for its answer. */
  async send(message: Message): Promise<Reply | undefined> {
    const ready = (await this.#named(message)) as Message;
    const startedAt = performance.now();
    const answered = ready.id === undefined ? undefined : this.#answer(ready.id);
    this.child.stdin?.write(`${JSON.stringify(ready)}\n`);
    if (answered === undefined) return undefined;
    return { message: await answered, elapsedMs: performance.now() - startedAt };
  }

  /** Closes standard input and waits for the end; null when it did not come in time. */
  async end(withinMs: number): Promise<{ readonly exit: number | null; readonly elapsedMs: number; readonly timedOut: boolean }> {
    const startedAt = performance.now();
    this.child.stdin?.end();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), withinMs);
    });
    const exit = await Promise.race([this.closed, late]);
    clearTimeout(timer);
    if (exit === 'late') this.child.kill('SIGKILL');
    return { exit: exit === 'late' ? null : exit, elapsedMs: performance.now() - startedAt, timedOut: exit === 'late' };
  }

  async initialize(): Promise<void> {
    await this.send({
      jsonrpc: '2.0',
      id: 'i',
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'cases', version: '0' } },
    });
    await this.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  /** `$SEARCH` stands for the server's search tool, whatever its name. */
  async #named(message: Message): Promise<unknown> {
    const text = JSON.stringify(message);
    if (!text.includes('"$SEARCH"')) return message;
    if (this.#searchTool === undefined) {
      const reply = await this.send({ jsonrpc: '2.0', id: '$tools', method: 'tools/list' });
      const tools = list((reply?.message['result'] as Record<string, unknown> | undefined)?.['tools']).map(({ name }) => String(name));
      this.#searchTool = tools.find((name) => /search/.test(name)) ?? 'no-search-tool';
    }
    return JSON.parse(text.replaceAll('"$SEARCH"', JSON.stringify(this.#searchTool)));
  }

  #answer(id: number | string): Promise<Message> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no answer to request ${JSON.stringify(id)} within ${ANSWER_MS} ms`)), ANSWER_MS);
      this.#waiting.set(JSON.stringify(id), (message) => {
        clearTimeout(timer);
        resolve(message);
      });
      void this.closed.then((exit) => {
        clearTimeout(timer);
        reject(new Error(`the server ended (exit ${exit}) before it answered ${JSON.stringify(id)}: ${this.#stderr.trim().slice(0, 300)}`));
      });
    });
  }

  #take(chunk: Buffer): void {
    let rest = Buffer.concat([this.#rest, chunk]);
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      const bytes = rest.subarray(0, end);
      const line = bytes.toString('utf8');
      if (!Buffer.from(line, 'utf8').equals(bytes)) this.invalidBytes = true;
      this.#lines.push(line);
      rest = rest.subarray(end + 1);
      this.#deliver(line);
    }
    this.#rest = Buffer.from(rest);
  }

  #deliver(line: string): void {
    try {
      const message = JSON.parse(line) as Message;
      if (message.id !== undefined && message.method === undefined) this.#waiting.get(JSON.stringify(message.id))?.(message);
    } catch {
      // Not a message; stdout_all_jsonrpc judges it.
    }
  }
}
