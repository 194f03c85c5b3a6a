/**
 * Step 6, prefix: what a piece of the page needs beside it to be understood alone (ART-08).
 *
 * `title › heading › heading` and the page's summary. Searched with the piece, never part of its excerpt.
 */
import type { Page } from '../domain/page.js';

export interface Prefix {
  readonly headingPath: readonly string[];
  readonly anchor: string;
  readonly text: string;
}

export const PATH_SIGN = ' › ';

export function prefixOf(page: Page, headingPath: readonly string[], anchor: string): Prefix {
  const headings = headingsBelowTitle(page, headingPath);
  const first = [page.title, ...headings].join(PATH_SIGN);
  return { headingPath, anchor, text: page.summary === '' ? first : `${first}\n${page.summary}` };
}

/** The heading path without a first heading that only repeats the title. */
export function headingsBelowTitle(page: Page, headingPath: readonly string[]): readonly string[] {
  return headingPath[0] === page.title ? headingPath.slice(1) : headingPath;
}
