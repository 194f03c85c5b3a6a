/**
 * Same bytes: which of the listed files still are the blobs that are held of them, told without handing their bytes over.
 *
 * Reading a whole document checks more and costs several times as much; after a checkout, thousands of files have only new times.
 * Invariant: a path is named when the file that was listed under it has the bytes of that blob; whoever is not named may be anything.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { gitBlobId } from '../../../kernel/digest.js';
import type { ListedDocument } from '../../../ports/connector.js';
import { codeOf, MAX_DOCUMENT_BYTES, PLAIN_FILE } from './read-document.js';
import { identityOf } from './signature.js';

/** Files after which other work of the process gets a turn. */
const TURN = 500;

/** `realRoot` is the root's own real path; `blobs` has the blob id held under a path. */
export async function sameBytes(
  realRoot: string,
  documents: readonly ListedDocument[],
  blobs: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const same = new Set<string>();
  let buffer = Buffer.allocUnsafe(256 * 1024);
  for (const [at, document] of documents.entries()) {
    if (at % TURN === TURN - 1) await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
    const { path, sizeBytes } = document;
    const blob = blobs.get(path);
    if (blob === undefined || sizeBytes > MAX_DOCUMENT_BYTES) continue;
    if (sizeBytes >= buffer.length) buffer = Buffer.allocUnsafe(sizeBytes + 1);
    if (blobAt(join(realRoot, path), document, buffer) === blob) same.add(path);
  }
  return same;
}

/**
 * Undefined when it is not the file that was listed, or cannot be read. A write while it is read gives other bytes, or bytes that are
 * held and another signature.
 */
function blobAt(place: string, { signature, sizeBytes }: ListedDocument, buffer: Buffer): string | undefined {
  let handle: number;
  try {
    handle = openSync(place, PLAIN_FILE);
  } catch (error) {
    return unlessOurs(error);
  }
  try {
    const stats = fstatSync(handle, { bigint: true });
    if (!stats.isFile() || (signature !== undefined && identityOf(stats) !== signature)) return undefined;
    let filled = 0;
    for (let got = -1; got !== 0 && filled <= sizeBytes; filled += got) {
      got = readSync(handle, buffer, filled, sizeBytes + 1 - filled, filled);
    }
    return filled === sizeBytes ? gitBlobId(buffer.subarray(0, filled)) : undefined;
  } catch (error) {
    return unlessOurs(error);
  } finally {
    closeSync(handle);
  }
}

/** What the system has to say about a file is for whoever reads it to report. */
function unlessOurs(error: unknown): undefined {
  if (codeOf(error) === '') throw error;
  return undefined;
}
