/**
 * Filing pages: puts packed page versions into the tables and takes others out, keeping each compartment's counts and content
 * sum exact.
 *
 * Works inside the caller's transaction; `settle` writes the new segments and compacts what grew untidy.
 * Invariant: after settling, counts and sums are what a fresh build of the same pages has.
 */
import type { Compartment } from '../../../domain/compartment.js';
import { decodeDocTable, ID_BYTES, shiftPageRows } from '../../../engine/doc-table.js';
import { mergeSegments } from '../../../engine/merge-segments.js';
import { addMember, EMPTY_SUM, removeMember } from '../../../engine/multiset-hash.js';
import { SEGMENT_KINDS, type SegmentKind } from '../../../engine/segment.js';
import { asBytes, asNumber, asText, type Cell, type Database } from './driver.js';
import { artifactIdsOf } from './page-content.js';
import { DIGEST_BYTES, type PackedCompartment, type PackedPage, type SqlitePages } from './page-packing.js';
import { SegmentCompaction } from './segment-compaction.js';
import { type SegmentCache, SegmentStore } from './segment-store.js';
import { restored, type StorableSegment, storable } from './stored-blocks.js';

interface OpenCompartment {
  readonly row: number;
  pages: number;
  artifacts: number;
  sum: string;
  readonly segments: { readonly kind: SegmentKind; readonly segment: StorableSegment }[];
}

export interface Filed {
  readonly changed: number;
  /** Held already; only the signature is new. */
  readonly touched: number;
}

export class PageFiling {
  readonly #db: Database;
  readonly #segments: SegmentStore;
  readonly #compaction: SegmentCompaction;
  readonly #open = new Map<number, OpenCompartment>();

  constructor(db: Database, cache: SegmentCache) {
    this.#db = db;
    this.#segments = new SegmentStore(db, cache);
    this.#compaction = new SegmentCompaction(db, this.#segments);
  }

  /** Files page versions in place of those held; a version that is held already stays as it is. */
  put(source: string, packed: SqlitePages, transformation: string): Filed {
    const base = this.#nextRow();
    const held = packed.pages.map((page) => this.#isHeld(source, page, transformation));
    const touched = held.filter((each) => each === 'touched').length;
    if (held.every((each) => each !== 'no')) return { changed: 0, touched };
    for (const [number, page] of packed.pages.entries()) if (held[number] === 'no') this.remove(source, page.path);
    const entries = new ArtifactEntries(packed.ids, packed.digests);
    const compartmentOf: OpenCompartment[] = [];
    for (const each of packed.compartments) {
      const kept = each.pages.filter((number) => held[number] === 'no');
      if (kept.length === 0) continue;
      const compartment = this.#compartment(each.compartment);
      for (const number of kept) compartmentOf[number] = compartment;
      compartment.segments.push(...segmentsOf(each, base, kept));
    }
    let contentStart = 0;
    let artifactStart = 0;
    for (const [number, page] of packed.pages.entries()) {
      const compartment = compartmentOf[number];
      if (compartment !== undefined) {
        const row = base + number;
        this.#insertPage(row, compartment.row, page, transformation);
        const body = packed.contents.subarray(contentStart, page.contentEnd);
        this.#db.run('INSERT INTO content (page, meta, body) VALUES (?, ?, ?)', row, page.meta, body);
        entries.add(compartment.row, row, artifactStart, page.artifacts);
        compartment.pages += 1;
        compartment.artifacts += page.artifacts;
        compartment.sum = addMember(compartment.sum, page.metaDigest);
      }
      contentStart = page.contentEnd;
      artifactStart += page.artifacts;
    }
    entries.insertInto(this.#db);
    return { changed: held.filter((each) => each === 'no').length, touched };
  }

  /** Takes a page out; false when it was not there. */
  remove(source: string, path: string): boolean {
    const held = this.#db.get(
      `SELECT p.row AS row, p.compartment AS compartment, p.artifacts AS artifacts, p.meta_digest AS meta_digest, c.body AS content
       FROM page AS p LEFT JOIN content AS c ON c.page = p.row WHERE p.source = ? AND p.path = ?`,
      source,
      path,
    );
    if (held === undefined) return false;
    const row = asNumber(held['row']);
    const compartment = this.#openRow(asNumber(held['compartment']));
    const artifacts = asNumber(held['artifacts']);
    this.#removeArtifacts(row, artifacts, artifactIdsOf(asBytes(held['content'])));
    this.#db.run('DELETE FROM content WHERE page = ?', row);
    this.#db.run('DELETE FROM page WHERE row = ?', row);
    for (const kind of SEGMENT_KINDS) this.#segments.bury(compartment.row, kind, row);
    compartment.pages -= 1;
    compartment.artifacts -= artifacts;
    compartment.sum = removeMember(compartment.sum, asText(held['meta_digest']));
    return true;
  }

  #removeArtifacts(page: number, count: number, ids: Uint8Array): void {
    let removed = 0;
    for (let at = 0; at < ids.length; at += ID_BYTES) {
      removed += this.#db.run('DELETE FROM artifact WHERE id = ? AND page = ?', ids.subarray(at, at + ID_BYTES), page).changes;
    }
    // The stored ids were damaged: what belongs to the page is found the slow way.
    if (removed !== count) this.#db.run('DELETE FROM artifact WHERE page = ?', page);
  }

  /** Writes what was collected: the new segments of every touched compartment, counts, sums. */
  settle(): void {
    for (const compartment of this.#open.values()) {
      if (compartment.pages === 0) {
        this.#segments.drop(compartment.row);
        this.#db.run('DELETE FROM compartment WHERE row = ?', compartment.row);
        continue;
      }
      for (const { kind, segment } of compartment.segments) this.#segments.write(compartment.row, kind, segment);
      for (const kind of SEGMENT_KINDS) this.#compaction.compact(compartment.row, kind);
      this.#db.run(
        'UPDATE compartment SET pages = ?, artifacts = ?, content_sum = ? WHERE row = ?',
        compartment.pages,
        compartment.artifacts,
        compartment.sum,
        compartment.row,
      );
    }
    this.#open.clear();
  }

  /** The first page row that was never given out. */
  #nextRow(): number {
    return asNumber(this.#db.get("SELECT seq FROM sqlite_sequence WHERE name = 'page'")?.['seq']) + 1;
  }

  #isHeld(source: string, page: PackedPage, transformation: string): 'same' | 'touched' | 'no' {
    const held = this.#db.get(
      'SELECT row, meta_digest, signature, transformation FROM page WHERE source = ? AND path = ?',
      source,
      page.path,
    );
    if (held === undefined || held['meta_digest'] !== page.metaDigest || held['transformation'] !== transformation) return 'no';
    if (held['signature'] === page.signature) return 'same';
    this.#db.run('UPDATE page SET signature = ? WHERE row = ?', page.signature, asNumber(held['row']));
    return 'touched';
  }

  #insertPage(row: number, compartment: number, page: PackedPage, transformation: string): void {
    const values: Record<string, Cell> = {
      row,
      compartment,
      signature: page.signature,
      transformation,
      artifacts: page.artifacts,
      ...page.columns,
    };
    const names = Object.keys(values);
    this.#db.run(`INSERT INTO page (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`, ...Object.values(values));
  }

  #compartment(compartment: Compartment): OpenCompartment {
    const held = this.#db.get('SELECT row FROM compartment WHERE key = ?', compartment.key);
    if (held !== undefined) return this.#openRow(asNumber(held['row']));
    const { lastRow } = this.#db.run(
      'INSERT INTO compartment (key, source, body, pages, artifacts, content_sum) VALUES (?, ?, ?, 0, 0, ?)',
      compartment.key,
      compartment.source,
      JSON.stringify(compartment),
      EMPTY_SUM,
    );
    return this.#openRow(lastRow);
  }

  #openRow(row: number): OpenCompartment {
    const known = this.#open.get(row);
    if (known !== undefined) return known;
    const stored = this.#db.get('SELECT pages, artifacts, content_sum FROM compartment WHERE row = ?', row);
    const opened: OpenCompartment = {
      row,
      pages: asNumber(stored?.['pages']),
      artifacts: asNumber(stored?.['artifacts']),
      sum: asText(stored?.['content_sum']) || EMPTY_SUM,
      segments: [],
    };
    this.#open.set(row, opened);
    return opened;
  }
}

/** The compartment's segments with the rows of this file, without the pages that stay as they are. */
function segmentsOf({ pages, segments }: PackedCompartment, base: number, kept: readonly number[]): OpenCompartment['segments'] {
  const found: OpenCompartment['segments'] = [];
  const keeps = new Set(kept);
  const deadPages = new Set(pages.filter((number) => !keeps.has(number)).map((number) => base + number));
  for (const kind of SEGMENT_KINDS) {
    const packed = segments[kind];
    if (packed === undefined) continue;
    const shifted = shift(packed, base);
    const segment = deadPages.size === 0 ? shifted : without(shifted, deadPages);
    if (segment !== undefined) found.push({ kind, segment });
  }
  return found;
}

function shift(storable: StorableSegment, by: number): StorableSegment {
  const { segment } = storable;
  const { firstPage, lastPage, table } = segment;
  return { ...storable, segment: { ...segment, firstPage: firstPage + by, lastPage: lastPage + by, table: shiftPageRows(table, by) } };
}

function without(segment: StorableSegment, deadPages: ReadonlySet<number>): StorableSegment | undefined {
  const { table, ...rest } = restored(segment);
  const left = mergeSegments([{ ...rest, table: decodeDocTable(table), deadPages }]);
  return left === undefined ? undefined : storable(left);
}

/** Rows of `artifact`, put in by ascending id, so that neighbours in the tree are written together. */
class ArtifactEntries {
  readonly #ids: Buffer;
  readonly #digests: Uint8Array;
  readonly #entries: { readonly at: number; readonly compartment: number; readonly page: number; readonly position: number }[] = [];

  constructor(ids: Uint8Array, digests: Uint8Array) {
    this.#ids = Buffer.from(ids.buffer, ids.byteOffset, ids.byteLength);
    this.#digests = digests;
  }

  add(compartment: number, page: number, from: number, count: number): void {
    for (let position = 0; position < count; position++) this.#entries.push({ at: from + position, compartment, page, position });
  }

  insertInto(db: Database): void {
    const id = (at: number) => this.#ids.subarray(at * ID_BYTES, (at + 1) * ID_BYTES);
    this.#entries.sort((a, b) =>
      this.#ids.compare(this.#ids, b.at * ID_BYTES, (b.at + 1) * ID_BYTES, a.at * ID_BYTES, (a.at + 1) * ID_BYTES),
    );
    for (const { at, compartment, page, position } of this.#entries) {
      db.run(
        'INSERT OR REPLACE INTO artifact (id, compartment, page, position, digest) VALUES (?, ?, ?, ?, ?)',
        id(at),
        compartment,
        page,
        position,
        this.#digests.subarray(at * DIGEST_BYTES, (at + 1) * DIGEST_BYTES),
      );
    }
  }
}
