/**
 * A key of this user on this machine, from which tokens and the audit log take their own: it stands in the user's state folder, never
 * in a library's, so that a state folder that came with a checkout brings no key and no token that counts.
 *
 * Invariant: made once, for its owner alone; a file that others may read is refused.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, statSync, writeSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Fault } from '../../kernel/errors.js';
import { stateHome } from '../state-folder.js';
import { readPrivateFile } from './private-file.js';

const FILE = 'local.key';
const BYTES = 32;

type Environment = Readonly<Record<string, string | undefined>>;

/** A key for one use; keys for two uses tell nothing of each other. */
export type KeyFor = (use: string) => Buffer;

export function localKey(env: Environment = process.env): KeyFor {
  const folder = stateHome(env);
  const key = readKey(join(folder, FILE)) ?? makeKey(folder, env);
  return (use) => createHmac('sha256', key).update(use).digest();
}

function readKey(file: string): Buffer | undefined {
  const bytes = readPrivateFile(file);
  if (bytes !== undefined && bytes.length < BYTES)
    throw new Fault('library/unsafe', { path: file, reason: 'it is not a key of this program' });
  return bytes?.subarray(0, BYTES);
}

/** Two processes may make it at once: whoever comes second reads the first one's. */
function makeKey(folder: string, env: Environment): Buffer {
  const file = join(folder, FILE);
  // A user without a home gets none made by us.
  const isNamed = (env['COLOPHON_HOME'] ?? '') !== '' || (env['XDG_STATE_HOME'] ?? '') !== '';
  if (!isNamed && statSync(homedir(), { throwIfNoEntry: false }) === undefined)
    throw new Fault('library/unwritable', { path: folder, reason: 'the home folder of this user does not exist' });
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const handle = openSync(file, 'wx', 0o600);
    try {
      const key = randomBytes(BYTES);
      writeSync(handle, key);
      return key;
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    const raced = codeOf(error) === 'EEXIST' ? readWhenWritten(file) : undefined;
    if (raced !== undefined) return raced;
    throw new Fault('library/unwritable', { path: folder, reason: codeOf(error) }, { cause: error });
  }
}

/** The other process has made the file and is about to fill it. */
function readWhenWritten(file: string): Buffer | undefined {
  for (let tries = 0; ; tries += 1) {
    try {
      return readKey(file);
    } catch (error) {
      if (tries >= 50 || !(error instanceof Fault)) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
