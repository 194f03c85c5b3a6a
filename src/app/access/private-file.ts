/**
 * Reads a file that holds what only its owner may know: keys, tokens.
 *
 * Invariant: a link, what is no regular file, and a file that others may read are refused (`library/unsafe`), and nothing waits for one.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { Fault } from '../../kernel/errors.js';

/** Undefined when there is none. */
export function readPrivateFile(file: string): Buffer | undefined {
  let handle: number;
  try {
    handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    if (code === 'ENOENT') return undefined;
    throw new Fault('library/unsafe', { path: file, reason: `it cannot be read (${code})` }, { cause: error });
  }
  try {
    const found = fstatSync(handle);
    if (!found.isFile()) throw new Fault('library/unsafe', { path: file, reason: 'it is no regular file' });
    if (process.platform !== 'win32' && (found.mode & 0o077) !== 0)
      throw new Fault('library/unsafe', { path: file, reason: 'others may read it, so it is no secret' });
    return readFileSync(handle);
  } finally {
    closeSync(handle);
  }
}
