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

/** Of a page's sections that are filed by themselves, whatever begins like this. */
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
    return each.path === page.path || page.path.startsWith(sectionPrefix(each.path));
  });
}
