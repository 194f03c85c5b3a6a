/**
 * The real folder of a source, or the fault that says why there is none.
 *
 * Invariant: a root that vanished or cannot be read is a fault; it is never mistaken for an empty source.
 */
import { opendirSync, realpathSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { SourceRegistration } from '../../../domain/source.js';
import { Fault } from '../../../kernel/errors.js';
import { reasonOf } from './read-document.js';

export function sourceRoot(registration: SourceRegistration): string {
  const { id, location } = registration;
  if (!isAbsolute(location.path) || location.path.includes('\0'))
    throw unreachable(id, location.path, 'its location is not an absolute path');
  try {
    const real = realpathSync.native(location.path);
    // Enough to see that it is a folder and may be read, however much is in it.
    opendirSync(real).closeSync();
    return real;
  } catch (error) {
    throw unreachable(id, location.path, reasonOf(error), error);
  }
}

export function unreachable(sourceId: string, location: string, reason: string, cause?: unknown): Fault {
  return new Fault('source/unreachable', { sourceId, location, reason }, { cause });
}
