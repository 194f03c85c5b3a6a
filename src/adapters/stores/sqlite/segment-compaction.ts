/**
 * Compaction: how many segments a compartment has, and which of them are merged when.
 *
 * Invariant: only neighbours are merged, so page ranges never overlap.
 */
import { mergeSegments } from '../../../engine/merge-segments.js';
import type { SegmentKind } from '../../../engine/segment.js';
import { asNumber, asText, type Database } from './driver.js';
import { guardDamage, type SegmentStore } from './segment-store.js';
import { storable } from './stored-blocks.js';

/** More segments of a kind in a compartment than this are merged, those apart that are full. */
const MOST_SEGMENTS = 8;
/** A segment of this many documents is left alone: merging it again would cost much memory and time, and gain little. */
const FULL_DOCUMENTS = 32_768;
/** Nor are segments merged to more than this for the sake of tidiness alone. */
const TIDY_DOCUMENTS = 4096;
/** Nor those that are so many times as large as what came later. */
const TIDY_RATIO = 8;
/** A segment with more than this share of removed pages is written anew. */
const MOST_DEAD = 0.25;
export class SegmentCompaction {
  readonly #db: Database;
  readonly #segments: SegmentStore;

  constructor(db: Database, segments: SegmentStore) {
    this.#db = db;
    this.#segments = segments;
  }

  /** Keeps the compartment's segments few and mostly alive. */
  compact(compartment: number, kind: SegmentKind): void {
    const stored = this.#sizes(compartment, kind);
    const open = stored.slice(stored.findLastIndex((each) => each.live >= FULL_DOCUMENTS) + 1);
    const from = stored.length - open.length + (open.length > MOST_SEGMENTS ? mergeFrom(open.map((each) => each.live)) : open.length);
    for (const each of stored.slice(0, from)) if (each.dead > each.pages * MOST_DEAD) this.#merge(compartment, kind, [each.row]);
    const tail = stored.slice(from).map((each) => each.row);
    if (tail.length > 0) this.#merge(compartment, kind, tail);
  }

  /**
   * Merges what many small batches left, when there will be no more of them for a while: a question reads every segment of each
   * compartment. A segment is taken in unless it is many times as large as all that follow, so that few are written again and again.
   * Says whether anything was merged.
   */
  tidy(): boolean {
    let merged = false;
    for (const row of this.#db.all('SELECT compartment, kind FROM segment GROUP BY compartment, kind HAVING count(*) > 1')) {
      const compartment = asNumber(row['compartment']);
      const kind = asText(row['kind']) as SegmentKind;
      const stored = this.#sizes(compartment, kind);
      let from = stored.length - 1;
      let tail = stored[from]?.live ?? 0;
      for (let next = stored[from - 1]?.live; next !== undefined && next <= TIDY_RATIO * tail && next + tail <= TIDY_DOCUMENTS; ) {
        from -= 1;
        tail += next;
        next = stored[from - 1]?.live;
      }
      if (from === stored.length - 1) continue;
      this.#merge(
        compartment,
        kind,
        stored.slice(from).map((each) => each.row),
      );
      merged = true;
    }
    return merged;
  }

  #sizes(
    compartment: number,
    kind: SegmentKind,
  ): { readonly row: number; readonly pages: number; readonly dead: number; readonly live: number }[] {
    return this.#db
      .all(
        `SELECT row, pages, documents, (SELECT count(*) FROM tombstone AS t WHERE t.segment = s.row) AS dead
         FROM segment AS s WHERE compartment = ? AND kind = ? ORDER BY first_page`,
        compartment,
        kind,
      )
      .map((row) => {
        const pages = asNumber(row['pages']);
        const dead = asNumber(row['dead']);
        return { row: asNumber(row['row']), pages, dead, live: (asNumber(row['documents']) * (pages - dead)) / Math.max(1, pages) };
      });
  }

  #merge(compartment: number, kind: SegmentKind, rows: readonly number[]): void {
    const merged = guardDamage(this.#db.file, () => mergeSegments(rows.map((row) => this.#segments.mergeInput(row))));
    for (const row of rows) this.#segments.remove(row);
    if (merged !== undefined) this.#segments.write(compartment, kind, storable(merged));
  }
}

/** Where the tail to merge begins: it takes in older segments as long as they are not much larger than all that follow. */
function mergeFrom(sizes: readonly number[]): number {
  let from = sizes.length - 2;
  let tail = (sizes[from] ?? 0) + (sizes[from + 1] ?? 0);
  while (from > 0 && ((sizes[from - 1] ?? 0) <= tail || from > MOST_SEGMENTS)) {
    from -= 1;
    tail += sizes[from] ?? 0;
  }
  return from;
}
