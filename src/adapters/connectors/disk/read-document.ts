/**
 * Reads one document from disk, and only from below the root.
 *
 * Invariant: the bytes come from a regular file whose real path is inside the real root; a link is never followed out of it.
 * Invariant: the blob id is that of the bytes returned, whatever happens to the file meanwhile.
 */
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { Problem } from '../../../domain/problem.js';
import { gitBlobId } from '../../../kernel/digest.js';
import type { SourceDocument, UnreadDocument } from '../../../ports/connector.js';
import { identityOf, signatureOf } from './signature.js';

/** No page a person wrote is this large; reading it would only hurt the run. */
export const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;

const ATTEMPTS = 3;
/** `O_NONBLOCK` so that a pipe put in a file's place cannot hold the run; neither flag exists on Windows. */
export const PLAIN_FILE = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** `realRoot` is the root's own real path. */
export function readDocument(source: string, realRoot: string, path: string): SourceDocument | UnreadDocument {
  try {
    const real = realpathSync.native(join(realRoot, path));
    if (!isInside(realRoot, real))
      return unread(source, path, 'page/unreadable', 'leads out of the source', 'Copy the file into the source.');
    return readReal(source, path, real);
  } catch (error) {
    return unread(source, path, 'page/unreadable', `could not be read: ${reasonOf(error)}`, 'Check the file and its permissions.');
  }
}

function readReal(source: string, path: string, real: string): SourceDocument | UnreadDocument {
  const handle = openSync(real, PLAIN_FILE);
  try {
    for (let attempt = 1; ; attempt++) {
      const before = fstatSync(handle, { bigint: true });
      if (!before.isFile())
        return unread(source, path, 'page/unreadable', 'is not a regular file', 'Leave it out with an `exclude` pattern.');
      if (before.size > MAX_DOCUMENT_BYTES) return tooLarge(source, path, Number(before.size));
      const bytes = readFromStart(handle, Number(before.size));
      const after = fstatSync(handle, { bigint: true });
      const whole = identityOf(before) === identityOf(after) && BigInt(bytes.byteLength) === after.size;
      if (!whole && attempt < ATTEMPTS) continue;
      const signature = whole ? signatureOf(after, Date.now()) : undefined;
      return { path, blob: gitBlobId(bytes), bytes, ...(signature === undefined ? {} : { signature }) };
    }
  } finally {
    closeSync(handle);
  }
}

/** At most one byte more than expected: enough to notice that the file has grown. */
function readFromStart(handle: number, expectedBytes: number): Uint8Array {
  const buffer = Buffer.allocUnsafe(expectedBytes + 1);
  let filled = 0;
  while (filled < buffer.byteLength) {
    const got = readSync(handle, buffer, filled, buffer.byteLength - filled, filled);
    if (got === 0) break;
    filled += got;
  }
  return buffer.subarray(0, filled);
}

export function tooLarge(source: string, path: string, sizeBytes: number): UnreadDocument {
  return unread(
    source,
    path,
    'page/too-large',
    `has ${Math.round(sizeBytes / 1024 / 1024)} MB; the limit is ${MAX_DOCUMENT_BYTES / 1024 / 1024} MB`,
    'Split the file, or leave it out with an `exclude` pattern.',
  );
}

export function unread(source: string, path: string, code: Problem['code'], what: string, hint: string): UnreadDocument {
  return { path, problem: { code, severity: 'warning', source, path, message: `${path} ${what}.`, hint } };
}

export function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** The system's own word for a failed file operation, without the path it repeats. */
export function reasonOf(error: unknown): string {
  const code = codeOf(error);
  return REASONS[code] ?? (code === '' ? String(error) : code);
}

export function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'it is not there',
  ENOTDIR: 'it is not a folder',
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  ELOOP: 'links lead in a circle',
  ENAMETOOLONG: 'the path is too long',
  EMFILE: 'too many open files',
  EIO: 'the disk reports an error',
};
