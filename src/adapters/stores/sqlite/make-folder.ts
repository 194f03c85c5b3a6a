/** Makes the folder a store lives in, or says why it cannot. */
import { mkdirSync } from 'node:fs';
import { Fault } from '../../../kernel/errors.js';

export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOSPC') throw new Fault('store/full', { file: path }, { cause: error });
    const reason = code === 'ENOTDIR' || code === 'EEXIST' ? 'a file is in its place' : 'the folder cannot be made';
    throw new Fault('library/unwritable', { path, reason }, { cause: error });
  }
}
