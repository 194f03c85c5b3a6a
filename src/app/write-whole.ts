/**
 * Writes a file whole or not at all: to a fresh name beside it, then renamed into place.
 */
import { rename, rm, stat, writeFile } from 'node:fs/promises';
import { Fault } from '../kernel/errors.js';

export async function writeWhole(file: string, text: string): Promise<void> {
  const there = await stat(file).catch(() => undefined);
  if (there !== undefined && !there.isFile()) throw new Fault('file/unwritable', { file, reason: 'it is not a regular file' });
  const fresh = `${file}.${process.pid}.new`;
  try {
    await writeFile(fresh, text, { flag: 'wx' });
    await rename(fresh, file);
  } catch (error) {
    await rm(fresh, { force: true });
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    if (code === 'ENOSPC') throw new Fault('store/full', { file }, { cause: error });
    throw new Fault('file/unwritable', { file, reason: code }, { cause: error });
  }
}
