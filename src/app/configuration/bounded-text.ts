/**
 * The text of a file that says how a library is set up: a regular file, within a size, and not somewhere else than it seems to be.
 *
 * Invariant: nothing that waits is waited for: a pipe, a socket, a device or a folder is refused at once, by its name.
 * Invariant: a file without end is never read to it.
 */
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { sep } from 'node:path';
import { Fault, NO_SUCH_FILE } from '../../kernel/errors.js';

const MOST_BYTES = 65_536;

export interface TextBounds {
  readonly mostBytes?: number;
  /** Folders of which one must hold what the file really is, so that a link in a library cannot make something else of the machine part of it. */
  readonly within?: readonly string[];
}

export async function boundedText(file: string, { mostBytes = MOST_BYTES, within }: TextBounds = {}): Promise<string> {
  try {
    const real = await realpath(file);
    if (within !== undefined && !(await isWithin(real, within)))
      throw new Fault('config/unreadable', { file, reason: 'it is a link that leads out of the library' });
    return await textOf(real, file, mostBytes);
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault('config/unreadable', { file, reason: reasonOf(error) }, { cause: error });
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && error.code === 'ENOENT' ? NO_SUCH_FILE : error.message;
}

async function textOf(real: string, file: string, mostBytes: number): Promise<string> {
  // Not to wait for whoever writes to a pipe; of a regular file nothing changes by it.
  const handle = await open(real, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    if (!(await handle.stat()).isFile()) throw new Fault('config/unreadable', { file, reason: 'it is no regular file' });
    // One byte more than is allowed tells.
    const buffer = Buffer.alloc(mostBytes + 1);
    let filled = 0;
    for (let read = -1; read !== 0 && filled < buffer.length; filled += read) {
      read = (await handle.read(buffer, filled, buffer.length - filled, null)).bytesRead;
    }
    if (filled > mostBytes) throw new Fault('config/invalid', { file, key: 'the file', expected: `at most ${mostBytes / 1024} KiB` });
    return buffer.toString('utf8', 0, filled);
  } finally {
    await handle.close();
  }
}

async function isWithin(real: string, folders: readonly string[]): Promise<boolean> {
  for (const folder of folders) {
    const root = await realpath(folder);
    if (real.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)) return true;
  }
  return false;
}
