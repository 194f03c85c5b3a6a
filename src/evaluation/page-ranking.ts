/**
 * From a ranking of artifacts to a ranking of pages: a page stands where its best artifact stands.
 *
 * Invariant: order is the artifacts' own; a page appears once; a page that counts as absent does not appear.
 */
import type { PageId } from './metrics.js';

/** How deep a run goes (CONTRACT: 100 pages). */
export const RUN_DEPTH = 100;

export function rankPages(
  artifacts: readonly { readonly page: PageId }[],
  absent: ReadonlySet<PageId> = new Set(),
  depth: number = RUN_DEPTH,
): PageId[] {
  const pages = new Set<PageId>();
  for (const { page } of artifacts) {
    if (pages.size === depth) break;
    if (!absent.has(page)) pages.add(page);
  }
  return [...pages];
}
