/**
 * Gap scan — does the index hold exactly what the source lists (ING-08)?
 *
 * A page that was refused, or listed and not readable, is accounted for by its problem and is no gap.
 */
import type { Listing } from '../ports/connector.js';
import type { KnownPage } from '../ports/index-writer.js';
import { unseenTest } from './plan-sync.js';

export interface Gaps {
  /** Listed, and not in the index. */
  readonly missing: readonly string[];
  /** In the index, and gone from the source. */
  readonly extra: readonly string[];
  /** In the index with other bytes than the source tells. */
  readonly outdated: readonly string[];
}

export function gapScan(
  listing: Pick<Listing, 'documents' | 'unseen'>,
  known: ReadonlyMap<string, Pick<KnownPage, 'blob'>>,
  accountedFor: ReadonlySet<string>,
): Gaps {
  const listed = new Map(listing.documents.map((document) => [document.path, document]));
  const isUnseen = unseenTest(listing.unseen);
  const missing = [...listed.keys()].filter((path) => !known.has(path) && !accountedFor.has(path)).sort();
  const extra = [...known.keys()].filter((path) => !listed.has(path) && !isUnseen(path)).sort();
  const outdated = [...known].flatMap(([path, { blob }]) => {
    const told = listed.get(path)?.blob;
    return told === undefined || told === blob || accountedFor.has(path) ? [] : [path];
  });
  return { missing, extra, outdated: outdated.sort() };
}

export function isClean(gaps: Gaps): boolean {
  return gaps.missing.length + gaps.extra.length + gaps.outdated.length === 0;
}
