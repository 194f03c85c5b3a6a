/** Connector for plain folders: what is on disk now, by the folder's own ignore files and the default exclusions. */
import type { SourceRegistration } from '../../../domain/source.js';
import type { Connector, ListedDocument, Listing, SourceDocument, UnreadDocument } from '../../../ports/connector.js';
import { listingOf } from '../disk/listing.js';
import { readDocument } from '../disk/read-document.js';
import { sameBytes } from '../disk/same-bytes.js';
import { selectionOf } from '../disk/selection.js';
import { signaturesAt } from '../disk/signature.js';
import { sourceRoot, unreachable } from '../disk/source-root.js';
import { FolderWalk } from './walk.js';

export function directoryConnector(): Connector {
  return { identity: 'workload://colophon/directory', version: 'directory@1', list, read, same, signatures, watch };
}

async function list(registration: SourceRegistration, signal: AbortSignal): Promise<Listing> {
  signal.throwIfAborted();
  const root = sourceRoot(registration);
  const walked = await new FolderWalk(registration.id, root, selectionOf(registration.location), signal).run();
  // A root that went away during the walk looks like an empty one; asking again tells them apart.
  if (sourceRoot(registration) !== root) throw unreachable(registration.id, registration.location.path, 'it was replaced during the walk');
  return listingOf(registration.id, walked, { pinned: false });
}

async function* read(
  registration: SourceRegistration,
  documents: readonly ListedDocument[],
  signal: AbortSignal,
): AsyncIterable<SourceDocument | UnreadDocument> {
  const root = sourceRoot(registration);
  for (const document of documents) {
    signal.throwIfAborted();
    yield readDocument(registration.id, root, document.path);
  }
}

async function same(
  registration: SourceRegistration,
  documents: readonly ListedDocument[],
  held: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  return sameBytes(sourceRoot(registration), documents, held, signal);
}

function signatures({ location }: SourceRegistration, paths: readonly string[]): ReadonlyMap<string, string> {
  return signaturesAt(location.path, paths);
}

async function watch(registration: SourceRegistration, changed: () => void): Promise<() => Promise<void>> {
  const { watchFolder } = await import('../disk/watch-folder.js');
  return watchFolder({ root: sourceRoot(registration), selection: selectionOf(registration.location), extra: [] }, changed);
}
