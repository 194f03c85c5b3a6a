/**
 * Run files in TREC format: `question Q0 page rank score tag`, one line a page, best first.
 *
 * Scores are places counted from the end: our own are not shown (T1.10), and scorers only need the order.
 *
 * Invariant: ids stand as the set writes them, except that white space, which the format cannot hold, is percent-encoded.
 */
import type { PageId } from './metrics.js';

export function writeRun(rankings: ReadonlyMap<string, readonly PageId[]>, tag: string): string {
  const lines: string[] = [];
  for (const [query, pages] of rankings) {
    pages.forEach((page, place) => {
      lines.push(`${runId(query)} Q0 ${runId(page)} ${place + 1} ${pages.length - place} ${runId(tag)}\n`);
    });
  }
  return lines.join('');
}

/** The form of an id in a run file. */
export function runId(id: string): string {
  return id.replace(/\s/g, (space) => encodeURIComponent(space));
}
