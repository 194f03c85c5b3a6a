/**
 * Stated day: the date a page gives itself, in the front matter of whichever tool made it.
 *
 * Invariant: a calendar day or nothing, so whatever a stranger writes there can say no more than a day.
 */
import type { PageMeta } from '../domain/page.js';
import type { Day } from '../kernel/clock.js';

/** The last change tells more than the first writing. */
const KEYS = ['last_updated', 'lastUpdated', 'updated', 'updated_at', 'lastmod', 'modified', 'date', 'published', 'created_at', 'created'];
const DAY = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?=$|[T ])/;

export function statedDay(other: PageMeta['other']): Day | undefined {
  for (const key of KEYS) {
    const written = Object.hasOwn(other, key) ? other[key] : undefined;
    const day = typeof written === 'string' ? DAY.exec(written)?.[0] : undefined;
    if (day !== undefined) return day as Day;
  }
  return undefined;
}
