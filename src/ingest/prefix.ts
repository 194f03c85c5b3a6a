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
  const title = isTitleOf(page, headingPath) ? [page.title] : [];
  const first = [...title, ...headings].join(PATH_SIGN);
  return { headingPath, anchor, text: page.summary === '' ? first : `${first}\n${page.summary}` };
}

/** A title that was taken from the first heading says nothing of what stands under another one beside it. */
function isTitleOf(page: Page, headingPath: readonly string[]): boolean {
  return page.meta.title !== undefined || headingPath.length === 0 || headingPath[0] === page.title;
}

/** The heading path without a first heading that only repeats the title. */
export function headingsBelowTitle(page: Page, headingPath: readonly string[]): readonly string[] {
  return headingPath[0] === page.title ? headingPath.slice(1) : headingPath;
}
