/**
 * Pages that are withheld from everybody by an order about them (quarantined, invalid, deleted), whoever may read their compartment.
 *
 * Invariant: a withheld page is absent: an answer and its statistics are what they would be if it had never been indexed.
 */

/** One page of a source with its sections that are filed apart, or one text of these. */
export interface WithheldPage {
  readonly source: string;
  readonly path: string;
  /** This text alone; absent: whatever the page and its sections say. */
  readonly blob?: string;
}

/** Sections that are filed by themselves, of whatever page, are named `page§words-3fa9c1d2.md`, some with a count behind. */
const SECTION = /^(.*)§[^/§]*-[0-9a-f]{8}(?:-\d+)?(\.[A-Za-z]+)$/s;

/** The page that a section's name leads to. A file that has the sign in its name and not the rest of it is a page of its own. */
export function pageOfSection(path: string): string | undefined {
  const [, stem, ending] = SECTION.exec(path) ?? [];
  return stem === undefined || ending === undefined ? undefined : `${stem}${ending}`;
}

/** How the names of a page's sections begin, and those of other files may. */
export function sectionPrefix(path: string): string {
  return `${path.replace(/\.[A-Za-z]+$/, '')}§`;
}

/** The order of all lists of them, so that equal sets are equal texts. */
export function byPlace(a: WithheldPage, b: WithheldPage): number {
  const [one, other] = [a, b].map(({ source, path, blob }) => JSON.stringify([source, path, blob ?? '']));
  return (one ?? '') < (other ?? '') ? -1 : one === other ? 0 : 1;
}

export function isWithheld(
  withheld: readonly WithheldPage[],
  page: { readonly source: string; readonly path: string; readonly blob: string },
): boolean {
  return withheld.some((each) => {
    if (each.source !== page.source || (each.blob !== undefined && each.blob !== page.blob)) return false;
    return each.path === page.path || each.path === pageOfSection(page.path);
  });
}
