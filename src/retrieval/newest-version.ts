/**
 * Newest version: of pages that are the same page for different product versions, a context takes the newest one, unless the
 * question names a version.
 *
 * The same page: equal path in one source once version numbers are taken out of its folders.
 */
import type { UnderstoodQuery } from '../domain/query.js';
import type { StoredPage } from '../ports/index-reader.js';
import { compareVersions } from './compare-versions.js';
import { type Draft, type Dropped, pageKey } from './draft.js';

const VERSION_IN_FOLDER = /v?\d+(?:[._-](?:\d+|x))*/gi;

export function newestVersion(
  drafts: readonly Draft[],
  query: UnderstoodQuery,
): { readonly kept: readonly Draft[]; readonly dropped: readonly Dropped[] } {
  const newest = newestPages(drafts.map((draft) => draft.artifact.page));
  if (query.scope.productVersion !== undefined || newest.size === 0 || namesVersion(drafts, query)) return { kept: drafts, dropped: [] };
  const kept: Draft[] = [];
  const dropped: Dropped[] = [];
  for (const draft of drafts) {
    const { page } = draft.artifact;
    const other = newest.get(pageKey(page));
    if (other === undefined) kept.push(draft);
    else {
      const detail = `for version ${page.meta.productVersion}; ${other.path} is for ${other.meta.productVersion}`;
      dropped.push({ draft, reason: 'policy', detail });
    }
  }
  return { kept, dropped };
}

/** Older page → the newest page that is the same one. */
function newestPages(pages: readonly StoredPage[]): ReadonlyMap<string, StoredPage> {
  const newest = new Map<string, StoredPage>();
  const versioned = pages.filter((page) => page.meta.productVersion !== undefined);
  for (const page of versioned) {
    const known = newest.get(identityOf(page));
    if (known === undefined || isNewer(page, known)) newest.set(identityOf(page), page);
  }
  const older = new Map<string, StoredPage>();
  for (const page of versioned) {
    const best = newest.get(identityOf(page));
    if (best !== undefined && isNewer(best, page)) older.set(pageKey(page), best);
  }
  return older;
}

function isNewer(a: StoredPage, b: StoredPage): boolean {
  return compareVersions(a.meta.productVersion ?? '', b.meta.productVersion ?? '') > 0;
}

function identityOf(page: StoredPage): string {
  const cut = page.path.lastIndexOf('/') + 1;
  return `${page.source} ${page.path.slice(0, cut).replace(VERSION_IN_FOLDER, '')}${page.path.slice(cut)}`;
}

function namesVersion(drafts: readonly Draft[], query: UnderstoodQuery): boolean {
  const named = new Set(
    query.terms.filter(({ kind, term }) => kind !== 'bigram' && /\d/.test(term)).map(({ term }) => term.replace(/^#?v?/, '')),
  );
  return drafts.some(({ artifact }) => named.has((artifact.page.meta.productVersion ?? '').toLowerCase().replace(/^v/, '')));
}
