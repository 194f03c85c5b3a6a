/**
 * Merging: several segments of one compartment become one. Their keys are walked side by side, and what is written stays written: of a
 * list only the first document's number changes.
 *
 * Invariant: the merged segment is byte for byte what a build of the same live pages in the same order gives.
 */
import { ByteWriter } from './bytes.js';
import { type DocEntry, type DocRun, type DocTable, ID_BYTES } from './doc-table.js';
import { decodePostings, FIELD_COUNT, type MovedList, writeJoined, writeRenumbered } from './postings.js';
import { type WrittenSegment, written } from './segment.js';
import { BlockWriter, KeyCursor, type TermBlock } from './term-blocks.js';

/** A segment to be merged: its parts, which of its pages are dead, and its opened blocks in order. */
export interface MergeInput {
  readonly table: DocTable;
  readonly ids: Uint8Array;
  readonly targets: readonly string[];
  readonly deadPages: ReadonlySet<number>;
  readonly blocks: Iterable<Uint8Array>;
}

/** One segment holding the live documents of all, or undefined when none is left. Inputs ascend by page row and do not overlap. */
export function mergeSegments(inputs: readonly MergeInput[]): WrittenSegment | undefined {
  const runs: DocRun[] = [];
  let documents = 0;
  const renumbered = inputs.map((input) => {
    const map = new Int32Array(input.table.documents).fill(-1);
    for (let run = 0; run < input.table.pages; run++) {
      const pageRow = input.table.pageRows[run] ?? 0;
      if (input.deadPages.has(pageRow)) continue;
      const entries: DocEntry[] = [];
      for (let doc = input.table.starts[run] ?? 0; doc < (input.table.starts[run + 1] ?? 0); doc++) {
        map[doc] = documents++;
        entries.push(storedEntry(input, doc));
      }
      runs.push({ pageRow, documents: entries });
    }
    return map;
  });
  if (runs.length === 0) return undefined;
  return written(runs, documents, mergeTerms(inputs, renumbered));
}

function storedEntry({ table, ids, targets }: MergeInput, doc: number): DocEntry {
  const lengths = table.lengths.subarray(doc * FIELD_COUNT, (doc + 1) * FIELD_COUNT);
  if (table.hasIds) return { lengths, id: ids.subarray(doc * ID_BYTES, (doc + 1) * ID_BYTES) };
  const target = targets[(table.targetOf[doc] ?? 0) - 1];
  return target === undefined ? { lengths } : { lengths, target };
}

interface Walked {
  readonly cursor: KeyCursor;
  readonly map: Int32Array;
  /** No page of its segment is gone, so that all its documents move by the same distance. */
  readonly isWhole: boolean;
}

function mergeTerms(inputs: readonly MergeInput[], renumbered: readonly Int32Array[]): TermBlock[] {
  const blocks: TermBlock[] = [];
  const writer = new BlockWriter((block) => blocks.push(block));
  const walks = inputs.map(({ blocks: own, deadPages }, at): Walked => {
    return { cursor: new KeyCursor(own), map: renumbered[at] ?? new Int32Array(0), isWhole: deadPages.size === 0 };
  });
  const scratch = new ByteWriter(256);
  for (let first = lowestOf(walks); first !== undefined; first = lowestOf(walks)) {
    const same = walks.filter(({ cursor }) => cursor === first || (!cursor.isDone && cursor.compare(first) === 0));
    scratch.clear();
    if (same.every(({ isWhole }) => isWhole)) {
      writeJoined(scratch, same.map(movedList));
      writer.add(first.key, scratch.view());
    } else if (writeRenumbered(scratch, same.map(decodedList))) writer.add(first.key, scratch.view());
    for (const { cursor } of same) cursor.next();
  }
  writer.finish();
  return blocks;
}

function lowestOf(walks: readonly Walked[]): KeyCursor | undefined {
  let lowest: KeyCursor | undefined;
  for (const { cursor } of walks) if (!cursor.isDone && (lowest === undefined || cursor.compare(lowest) < 0)) lowest = cursor;
  return lowest;
}

function movedList({ cursor: { body, start, end }, map }: Walked): MovedList {
  return { body, start, end, by: map[0] ?? 0 };
}

function decodedList({ cursor: { body, start, end }, map }: Walked): Parameters<typeof writeRenumbered>[1][number] {
  return { postings: decodePostings(body.subarray(start, end)), map };
}
