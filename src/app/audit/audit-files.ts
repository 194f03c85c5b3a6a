/**
 * The files of an audit log: `audit.jsonl`, to which lines are added, and the full ones before it, named by the number of their last
 * line, `audit-000000000001234.jsonl`. One chain runs through all of them.
 *
 * Invariant: only regular files are opened, and nothing waits for one: a pipe or a link in their place is refused.
 */
import { closeSync, constants, fstatSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../kernel/errors.js';

export const AUDIT_FILE = 'audit.jsonl';
const FULL_FILE = /^audit-\d{15}\.jsonl$/;
const SEQ_DIGITS = 15;

export function fullFileName(lastSeq: number): string {
  return `audit-${String(lastSeq).padStart(SEQ_DIGITS, '0')}.jsonl`;
}

/** Names of the full files, the oldest first. */
export function fullFiles(stateFolder: string): readonly string[] {
  try {
    return readdirSync(stateFolder)
      .filter((name) => FULL_FILE.test(name))
      .sort();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** Windows has neither of them. */
const NO_LINK = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** A handle on a regular file; `flags` say how. Close it. */
export function openRegular(file: string, flags: number): number {
  const handle = openSafely(file, flags | NO_LINK);
  try {
    if (!fstatSync(handle).isFile()) throw new Fault('library/unsafe', { path: file, reason: 'it is no regular file' });
    return handle;
  } catch (error) {
    closeSync(handle);
    throw error;
  }
}

/** By what the system says, what stands there instead. */
const INSTEAD: Readonly<Record<string, string>> = {
  ELOOP: 'it is a link',
  EMLINK: 'it is a link',
  EISDIR: 'it is a folder',
  ENXIO: 'it is no regular file',
  EACCES: 'this user may not open it',
  EPERM: 'this user may not open it',
};

function openSafely(file: string, flags: number): number {
  try {
    return openSync(file, flags, 0o600);
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? INSTEAD[String(error.code)] : undefined;
    throw reason === undefined ? error : new Fault('library/unsafe', { path: file, reason }, { cause: error });
  }
}

/** Undefined when there is none. */
export function openToReadIfThere(stateFolder: string, name: string): number | undefined {
  try {
    return openRegular(join(stateFolder, name), constants.O_RDONLY);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
