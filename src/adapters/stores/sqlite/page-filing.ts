/**
 * Filing pages: puts page versions into the tables and takes them out, keeping each compartment's counts and content sum exact.
 *
 * Works inside the caller's transaction; `settle` writes the new segments and compacts what grew untidy.
 * Invariant: after settling, counts and sums are what a fresh build of the same pages has.
 */
import type { Compartment } from '../../../domain/compartment.js';
import { FIELDS, STEM } from '../../../domain/fields.js';
import type { PreparedArtifact, PreparedPage } from '../../../domain/prepared-page.js';
import { idBytes } from '../../../engine/doc-table.js';
import { addMember, EMPTY_SUM, removeMember } from '../../../engine/multiset-hash.js';
import { nameDocuments } from '../../../engine/page-names.js';
import { type NewDocument, SEGMENT_KINDS, SegmentBuilder, type SegmentKind } from '../../../engine/segment.js';
import { asBytes, asNumber, asText, type Cell, type Database } from './driver.js';
import { targetKey } from './link-targets.js';
import { writePage } from './page-content.js';
import { type SegmentCache, SegmentStore } from './segment-store.js';

const ID_BYTES = 16;
const BODY = FIELDS.indexOf('body');

interface OpenCompartment {
  readonly row: number;
  pages: number;
  artifacts: number;
  sum: string;
  readonly builders: Record<SegmentKind, SegmentBuilder>;
}

export interface FiledPage {
  readonly prepared: PreparedPage;
  readonly signature?: string;
}

export class PageFiling {
  readonly #db: Database;
  readonly #segments: SegmentStore;
  readonly #open = new Map<number, OpenCompartment>();
  readonly #rows = new Map<string, number>();

  constructor(db: Database, cache: SegmentCache) {
    this.#db = db;
    this.#segments = new SegmentStore(db, cache);
  }

  /** Files a page version in place of the one held; `same` when it is held already, `touched` when only its signature is new. */
  put(filed: FiledPage, transformation: string): 'same' | 'touched' | 'changed' {
    const { prepared } = filed;
    const { source, path } = prepared.page;
    const artifacts = withoutTwins(prepared.artifacts);
    const written = writePage(prepared, artifacts);
    const held = this.#db.get('SELECT row, meta_digest, signature, transformation FROM page WHERE source = ? AND path = ?', source, path);
    const signature = filed.signature ?? null;
    if (held !== undefined && held['meta_digest'] === written.metaDigest && held['transformation'] === transformation) {
      if (held['signature'] === signature) return 'same';
      this.#db.run('UPDATE page SET signature = ? WHERE row = ?', signature, asNumber(held['row']));
      return 'touched';
    }
    this.remove(source, path);
    const compartment = this.#compartment(prepared.compartment);
    const row = this.#insertPage(compartment.row, filed, transformation, written.meta, written.metaDigest, {
      ids: concatenate(artifacts.map((artifact) => idBytes(artifact.id))),
      contentDigest: written.contentDigest,
    });
    this.#db.run('INSERT INTO content (page, body) VALUES (?, ?)', row, written.content);
    artifacts.forEach((artifact, position) => {
      this.#db.run(
        'INSERT OR REPLACE INTO artifact (id, compartment, page, position, digest) VALUES (?, ?, ?, ?, ?)',
        idBytes(artifact.id),
        compartment.row,
        row,
        position,
        Buffer.from(artifact.digest, 'hex'),
      );
    });
    compartment.builders.artifact.add(row, artifacts.map(artifactDocument));
    compartment.builders.link.add(row, linkDocuments(prepared));
    compartment.builders.name.add(row, nameDocuments({ ...prepared.page.meta, path, title: prepared.page.title }));
    compartment.pages += 1;
    compartment.artifacts += artifacts.length;
    compartment.sum = addMember(compartment.sum, written.metaDigest);
    return 'changed';
  }

  /** Takes a page out; false when it was not there. */
  remove(source: string, path: string): boolean {
    const held = this.#db.get('SELECT row, compartment, artifacts, meta_digest FROM page WHERE source = ? AND path = ?', source, path);
    if (held === undefined) return false;
    const row = asNumber(held['row']);
    const compartment = this.#openRow(asNumber(held['compartment']));
    const ids = asBytes(held['artifacts']);
    for (let at = 0; at < ids.length; at += ID_BYTES) {
      this.#db.run('DELETE FROM artifact WHERE id = ? AND page = ?', ids.subarray(at, at + ID_BYTES), row);
    }
    this.#db.run('DELETE FROM content WHERE page = ?', row);
    this.#db.run('DELETE FROM page WHERE row = ?', row);
    for (const kind of SEGMENT_KINDS) this.#segments.bury(compartment.row, kind, row);
    compartment.pages -= 1;
    compartment.artifacts -= ids.length / ID_BYTES;
    compartment.sum = removeMember(compartment.sum, asText(held['meta_digest']));
    return true;
  }

  /** Writes what was collected: one new segment per touched compartment and kind, counts, sums. */
  settle(): void {
    for (const compartment of this.#open.values()) {
      if (compartment.pages === 0) {
        this.#segments.drop(compartment.row);
        this.#db.run('DELETE FROM compartment WHERE row = ?', compartment.row);
        continue;
      }
      for (const kind of SEGMENT_KINDS) {
        const builder = compartment.builders[kind];
        if (!builder.isEmpty) this.#segments.write(compartment.row, kind, builder.finish());
        this.#segments.compact(compartment.row, kind);
      }
      this.#db.run(
        'UPDATE compartment SET pages = ?, artifacts = ?, content_sum = ? WHERE row = ?',
        compartment.pages,
        compartment.artifacts,
        compartment.sum,
        compartment.row,
      );
    }
    this.#open.clear();
    this.#rows.clear();
  }

  #insertPage(
    compartment: number,
    filed: FiledPage,
    transformation: string,
    meta: string,
    metaDigest: string,
    content: { readonly ids: Uint8Array; readonly contentDigest: string },
  ): number {
    const { page, problems } = filed.prepared;
    const values: Record<string, Cell> = {
      compartment,
      source: page.source,
      path: page.path,
      blob: page.blob,
      signature: filed.signature ?? null,
      transformation,
      status: page.meta.status ?? null,
      product_version: page.meta.productVersion ?? null,
      verified_at: page.meta.verifiedAt ?? null,
      tags: JSON.stringify(page.meta.tags),
      superseded: page.meta.supersededBy === undefined ? 0 : 1,
      valid_until: page.meta.validUntil ?? null,
      has_problems: problems.length > 0 ? 1 : 0,
      meta,
      meta_digest: metaDigest,
      artifacts: content.ids,
      content_digest: content.contentDigest,
    };
    const names = Object.keys(values);
    const sql = `INSERT INTO page (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
    return this.#db.run(sql, ...Object.values(values)).lastRow;
  }

  #compartment(compartment: Compartment): OpenCompartment {
    const known = this.#rows.get(compartment.key);
    if (known !== undefined) return this.#openRow(known);
    const held = this.#db.get('SELECT row FROM compartment WHERE key = ?', compartment.key);
    const row =
      held === undefined
        ? this.#db.run(
            'INSERT INTO compartment (key, source, body, pages, artifacts, content_sum) VALUES (?, ?, ?, 0, 0, ?)',
            compartment.key,
            compartment.source,
            JSON.stringify(compartment),
            EMPTY_SUM,
          ).lastRow
        : asNumber(held['row']);
    this.#rows.set(compartment.key, row);
    return this.#openRow(row);
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
      builders: { artifact: new SegmentBuilder(), link: new SegmentBuilder(), name: new SegmentBuilder() },
    };
    this.#open.set(row, opened);
    return opened;
  }
}

/** An id names one artifact; should a page hold it twice, the first stands. */
function withoutTwins(artifacts: readonly PreparedArtifact[]): readonly PreparedArtifact[] {
  const seen = new Set<string>();
  return artifacts.filter((artifact) => !seen.has(artifact.id) && seen.add(artifact.id));
}

function artifactDocument(artifact: PreparedArtifact): NewDocument {
  const fields = FIELDS.map((field) => artifact.fields[field]);
  return { fields, lengths: fields.map(lengthOf), id: artifact.id };
}

/** Links that may lead to a page, with their text as the only field. */
function linkDocuments(prepared: PreparedPage): NewDocument[] {
  return prepared.links.flatMap((link) => {
    const target = targetKey(link.target);
    if (target === undefined) return [];
    const fields = FIELDS.map((_, at) => (at === BODY ? link.terms : []));
    return [{ fields, lengths: fields.map(lengthOf), target }];
  });
}

/** Stems are second names of words, not more text. */
function lengthOf(terms: readonly string[]): number {
  let length = 0;
  for (const term of terms) if (!term.startsWith(STEM)) length += 1;
  return length;
}

function concatenate(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
