/**
 * Plan sync — what a run has to do, from what the source lists and what the index holds.
 *
 * Equal blob ids or equal signatures mean equal bytes; everything else is read and then compared by content (ING-06), so
 * a touched file costs a look and an edit that keeps size and time is still found.
 *
 * Invariant: only what the walk vouches for is removed; a path below `unseen` keeps what the index holds (ING-07).
 * Invariant: a page made by another transformation is made again, whatever its bytes.
 */
import type { ListedDocument, Listing } from '../ports/connector.js';
import type { KnownPage } from '../ports/index-writer.js';

export interface SyncPlan {
  /** Not in the index. */
  readonly added: readonly ListedDocument[];
  /** In the index, and certain to be made again. */
  readonly changed: readonly ListedDocument[];
  /** In the index; only their bytes can tell. */
  readonly unsure: readonly ListedDocument[];
  readonly unchanged: readonly ListedDocument[];
  readonly removed: readonly string[];
  /** Held back from removal because the walk did not see their place. */
  readonly kept: readonly string[];
  /** Everything that must be read, in the order of the listing. */
  readonly toRead: readonly ListedDocument[];
}

type Standing = 'added' | 'changed' | 'unsure' | 'unchanged';

export function planSync(
  listing: Pick<Listing, 'documents' | 'unseen'>,
  known: ReadonlyMap<string, KnownPage>,
  transformation: string,
  full = false,
): SyncPlan {
  const groups: Record<Standing, ListedDocument[]> = { added: [], changed: [], unsure: [], unchanged: [] };
  const toRead: ListedDocument[] = [];
  const listed = new Set<string>();
  for (const document of listing.documents) {
    listed.add(document.path);
    const standing = standingOf(document, known.get(document.path), transformation, full);
    groups[standing].push(document);
    if (standing !== 'unchanged') toRead.push(document);
  }
  const missing = [...known.keys()].filter((path) => !listed.has(path)).sort();
  const isUnseen = unseenTest(listing.unseen);
  return { ...groups, removed: missing.filter((path) => !isUnseen(path)), kept: missing.filter(isUnseen), toRead };
}

/** True for a path that the walk could not see: named itself, or below a named folder. */
export function unseenTest(unseen: readonly string[]): (path: string) => boolean {
  if (unseen.length === 0) return () => false;
  const named = new Set(unseen);
  const folders = unseen.filter((place) => place.endsWith('/') || place === '');
  return (path) => named.has(path) || folders.some((folder) => path.startsWith(folder));
}

function standingOf(document: ListedDocument, known: KnownPage | undefined, transformation: string, full: boolean): Standing {
  if (known === undefined) return 'added';
  if (full || known.transformation !== transformation) return 'changed';
  if (document.blob !== undefined) return document.blob === known.blob ? 'unchanged' : 'changed';
  return document.signature !== undefined && document.signature === known.signature ? 'unchanged' : 'unsure';
}
