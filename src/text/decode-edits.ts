/**
 * Edits on a text, and the way back: what a slice looks like once some ranges are replaced, and where in the original it stood.
 *
 * Invariant: a replacement carries as many line feeds as what it replaces, so line numbers never shift.
 * Invariant: edits are sorted and do not overlap.
 */
import { lastAtOrBefore } from './decode.js';

export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** `text` padded with the line feeds of the range it stands for. */
export function keepingLines(source: string, start: number, end: number, text: string): Edit {
  const feeds = countFeeds(source, start, end) - countFeeds(text, 0, text.length);
  return { start, end, text: feeds > 0 ? text + '\n'.repeat(feeds) : text };
}

export function countFeeds(text: string, start: number, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', start); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** Sorted, and without those that lie inside or overlap an earlier or wider one; of two at the same place the first given stays. */
export function orderEdits(edits: readonly Edit[]): readonly Edit[] {
  const sorted = edits
    .map((edit, order) => ({ edit, order }))
    .sort((a, b) => a.edit.start - b.edit.start || b.edit.end - a.edit.end || a.order - b.order);
  const kept: Edit[] = [];
  let end = -1;
  for (const { edit } of sorted) {
    if (edit.start < end || (edit.start === edit.end && edit.start === end && edit.text === '')) continue;
    kept.push(edit);
    end = edit.end;
  }
  return kept;
}

/** The slice `[start, end)` with the edits that touch it applied; an edit that reaches over a border gives what lies inside. */
export function applyEdits(text: string, edits: readonly Edit[], start = 0, end = text.length): string {
  const first = firstEndingAfter(edits, start);
  let out = '';
  let at = start;
  for (let index = first; index < edits.length; index += 1) {
    const edit = edits[index];
    if (edit === undefined || edit.start >= end) break;
    if (edit.start >= at) out += text.slice(at, edit.start) + (edit.end <= end ? edit.text : clipped(text, edit, edit.start, end));
    else out += clipped(text, edit, at, Math.min(edit.end, end));
    at = Math.min(edit.end, end);
  }
  return out + text.slice(at, end);
}

function clipped(text: string, edit: Edit, start: number, end: number): string {
  const words = start === edit.start ? edit.text.replaceAll('\n', '') : '';
  return words + '\n'.repeat(countFeeds(text, start, end));
}

function firstEndingAfter(edits: readonly Edit[], start: number): number {
  let low = 0;
  let high = edits.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((edits[middle]?.end ?? 0) <= start) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** From offsets in an edited text to offsets in the original; a replacement counts as the whole of what it replaces. */
export interface OffsetMap {
  /** For the first character of a range. */
  start(offset: number): number;
  /** For the end, exclusive, of a range. */
  end(offset: number): number;
}

export const SAME_OFFSETS: OffsetMap = { start: (offset) => offset, end: (offset) => offset };

interface Stretch {
  readonly from: number;
  /** Set for a replacement: where the original goes on. */
  readonly to?: number;
}

export function offsetsBefore(edits: readonly Edit[]): OffsetMap {
  if (edits.length === 0) return SAME_OFFSETS;
  const starts: number[] = [0];
  const stretches: Stretch[] = [{ from: 0 }];
  let shift = 0;
  for (const edit of edits) {
    const start = edit.start + shift;
    if (edit.text.length > 0) {
      starts.push(start);
      stretches.push({ from: edit.start, to: edit.end });
    }
    starts.push(start + edit.text.length);
    stretches.push({ from: edit.end });
    shift += edit.text.length - (edit.end - edit.start);
  }
  const at = (offset: number): readonly [Stretch, number] => {
    const index = lastAtOrBefore(starts, offset);
    return [stretches[index] ?? { from: 0 }, offset - (starts[index] ?? 0)];
  };
  return {
    start(offset) {
      const [stretch, into] = at(offset);
      return stretch.to === undefined ? stretch.from + into : stretch.from;
    },
    end(offset) {
      if (offset === 0) return 0;
      const [stretch, into] = at(offset - 1);
      return stretch.to ?? stretch.from + into + 1;
    },
  };
}

/** First `inner`, then `outer`: for a text that was edited twice. */
export function composed(outer: OffsetMap, inner: OffsetMap): OffsetMap {
  if (outer === SAME_OFFSETS) return inner;
  if (inner === SAME_OFFSETS) return outer;
  return { start: (offset) => outer.start(inner.start(offset)), end: (offset) => outer.end(inner.end(offset)) };
}

/** Line numbers by offset: 1-based, a line ends at its line feed. */
export class LineIndex {
  readonly #starts: readonly number[];
  readonly #length: number;

  constructor(text: string) {
    const starts = [0];
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
    this.#starts = starts;
    this.#length = text.length;
  }

  lineAt(offset: number): number {
    return lastAtOrBefore(this.#starts, offset) + 1;
  }

  startOf(line: number): number {
    return this.#starts[line - 1] ?? this.#length;
  }

  /** Offset of the line's feed, or of the end of the text. */
  endOf(line: number): number {
    const next = this.#starts[line];
    return next === undefined ? this.#length : next - 1;
  }

  /** Lines of the text; a feed at the very end opens no further one. */
  get count(): number {
    const last = this.#starts[this.#starts.length - 1] ?? 0;
    return last === this.#length && this.#length > 0 ? this.#starts.length - 1 : this.#starts.length;
  }
}
