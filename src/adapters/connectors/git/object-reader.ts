/**
 * Object reader — blobs out of a repository through one `git cat-file --batch`.
 *
 * Object names go in through stdin, a bounded number ahead, and bytes come out in the same order. An object that is
 * missing or damaged is an answer about that object only: git may even die of it, and is started again for the next one.
 *
 * Invariant: bytes are returned only when they hash to the name that was asked for.
 */

import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { Fault } from '../../../kernel/errors.js';
import { type GitOptions, startFailure, startGit } from './run-git.js';
import { isObjectId } from './safe-names.js';

export type ObjectAnswer =
  | { readonly got: 'bytes'; readonly bytes: Uint8Array }
  | { readonly got: 'too-large'; readonly sizeBytes: number }
  | { readonly got: 'missing' | 'damaged' };

/** Asked for before they are taken: enough to keep git busy, few enough to keep memory small. */
const AHEAD = 32;
const SILENCE_MS = 120_000;

/** One answer per object id, in order. */
export async function* readObjects(
  ids: readonly string[],
  options: GitOptions,
  maxBytes: number,
): AsyncGenerator<ObjectAnswer, void, undefined> {
  for (let at = 0; at < ids.length; at++) {
    for await (const answer of readUntilDeath(ids.slice(at), options, maxBytes)) {
      at++;
      yield answer;
    }
    // Short of the end, git died on the object it had not answered for.
    if (at < ids.length) yield { got: 'missing' };
  }
}

async function* readUntilDeath(
  ids: readonly string[],
  options: GitOptions,
  maxBytes: number,
): AsyncGenerator<ObjectAnswer, void, undefined> {
  const child = startGit(['cat-file', '--batch'], options);
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Fault('git/failed', { command: 'cat-file', reason: 'it could not be started' });
  const started = new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.name === 'AbortError' ? error : startFailure('cat-file', error, options.folder)),
    );
  });
  // A dead git shows as the end of its output; the broken pipe on our side adds nothing.
  stdin.on('error', () => stdin.destroy());
  child.stderr?.resume();
  try {
    await started;
    const bytes = new ByteSource(child, stdout[Symbol.asyncIterator]() as AsyncIterator<Buffer>);
    let asked = 0;
    for (let answered = 0; answered < ids.length; answered++) {
      for (; asked < ids.length && asked < answered + AHEAD; asked++) stdin.write(`${checked(ids[asked])}\n`);
      if (asked === ids.length) stdin.end();
      const answer = await readAnswer(bytes, ids[answered] ?? '', maxBytes);
      if (answer === undefined) return;
      yield answer;
    }
  } finally {
    child.kill('SIGKILL');
    options.signal?.throwIfAborted();
  }
}

function checked(id: string | undefined): string {
  if (id === undefined || !isObjectId(id)) throw new Fault('git/failed', { command: 'cat-file', reason: 'an object name is malformed' });
  return id;
}

/** Undefined when git ended before it had answered. */
async function readAnswer(bytes: ByteSource, id: string, maxBytes: number): Promise<ObjectAnswer | undefined> {
  const header = await bytes.line();
  if (header === undefined) return undefined;
  const [, type, size] = header.split(' ');
  if (type !== 'blob' || size === undefined) {
    if (type !== undefined && size !== undefined) await bytes.skip(Number(size) + 1);
    return { got: 'missing' };
  }
  const sizeBytes = Number(size);
  if (sizeBytes > maxBytes) return (await bytes.skip(sizeBytes + 1)) ? { got: 'too-large', sizeBytes } : undefined;
  const body = await bytes.take(sizeBytes);
  if (body === undefined || !(await bytes.skip(1))) return undefined;
  return objectId(body, id.length) === id ? { got: 'bytes', bytes: body } : { got: 'damaged' };
}

function objectId(bytes: Uint8Array, length: number): string {
  const hash = createHash(length === 64 ? 'sha256' : 'sha1');
  return hash.update(`blob ${bytes.byteLength}\0`).update(bytes).digest('hex');
}

/** Lines and counted bytes out of a stream of chunks. */
class ByteSource {
  readonly #child: ChildProcess;
  readonly #chunks: AsyncIterator<Buffer>;
  #held: Buffer = Buffer.alloc(0);

  constructor(child: ChildProcess, chunks: AsyncIterator<Buffer>) {
    this.#child = child;
    this.#chunks = chunks;
  }

  async line(): Promise<string | undefined> {
    const parts: Buffer[] = [];
    for (;;) {
      const end = this.#held.indexOf(10);
      if (end >= 0) {
        parts.push(this.#held.subarray(0, end));
        this.#held = this.#held.subarray(end + 1);
        return Buffer.concat(parts).toString('utf8');
      }
      parts.push(this.#held);
      if (!(await this.#more())) return undefined;
    }
  }

  async take(count: number): Promise<Buffer | undefined> {
    const whole = Buffer.allocUnsafe(count);
    let filled = 0;
    for (;;) {
      const used = this.#held.copy(whole, filled, 0, Math.min(this.#held.byteLength, count - filled));
      filled += used;
      this.#held = this.#held.subarray(used);
      if (filled === count) return whole;
      if (!(await this.#more())) return undefined;
    }
  }

  async skip(count: number): Promise<boolean> {
    let left = count;
    for (;;) {
      const used = Math.min(left, this.#held.byteLength);
      left -= used;
      this.#held = this.#held.subarray(used);
      if (left === 0) return true;
      if (!(await this.#more())) return false;
    }
  }

  async #more(): Promise<boolean> {
    const silence = setTimeout(() => this.#child.kill('SIGKILL'), SILENCE_MS);
    try {
      const { done, value } = await this.#chunks.next();
      this.#held = done === true ? Buffer.alloc(0) : value;
      return done !== true;
    } finally {
      clearTimeout(silence);
    }
  }
}
