/**
 * Packing pages: everything about a batch of pages that needs no database, worked out wherever there is time for it.
 *
 * What comes out is plain data that may cross threads: rows as they will be stored and finished segments, with pages numbered
 * from 0 where the file has row numbers. Invariant: equal pages give equal bytes, whichever thread packed them.
 */
import type { Compartment } from '../../../domain/compartment.js';
import { FIELDS, STEM } from '../../../domain/fields.js';
import type { PreparedArtifact, PreparedPage } from '../../../domain/prepared-page.js';
import { idBytes } from '../../../engine/doc-table.js';
import { nameDocuments } from '../../../engine/page-names.js';
import { type NewDocument, SEGMENT_KINDS, SegmentBuilder, type SegmentKind } from '../../../engine/segment.js';
import type { FiledPage, PackedPages } from '../../../ports/index-writer.js';
import type { Cell } from './driver.js';
import { targetKey } from './link-targets.js';
import { writePage } from './page-content.js';
import { type StorableSegment, storable } from './stored-blocks.js';

export const DIGEST_BYTES = 32;
const BODY = FIELDS.indexOf('body');

export interface PackedPage {
  readonly path: string;
  readonly signature: string | null;
  readonly meta: string;
  readonly metaDigest: string;
  /** Columns of `page`, apart from what only the file can tell. */
  readonly columns: Readonly<Record<string, Cell>>;
  /** End of the page's content in `contents`. */
  readonly contentEnd: number;
  readonly artifacts: number;
}

export interface PackedCompartment {
  readonly compartment: Compartment;
  /** Its pages, by their number in the batch, ascending. */
  readonly pages: readonly number[];
  readonly segments: Readonly<Partial<Record<SegmentKind, StorableSegment>>>;
}

export interface SqlitePages {
  readonly pages: readonly PackedPage[];
  readonly compartments: readonly PackedCompartment[];
  /** One row of bytes each, in page order: thousands of small arrays are slow to hand over. */
  readonly contents: Uint8Array;
  readonly ids: Uint8Array;
  readonly digests: Uint8Array;
}

/** One page a path; the last one given stands. */
export function packPages(filed: readonly FiledPage[]): PackedPages {
  const packing = new Packing();
  for (const page of new Map(filed.map((each) => [each.prepared.page.path, each])).values()) packing.add(page);
  return packing.finish() as unknown as PackedPages;
}

/** What `packPages` made. */
export function opened(packed: PackedPages): SqlitePages {
  return packed as unknown as SqlitePages;
}

interface OpenCompartment {
  readonly compartment: Compartment;
  readonly pages: number[];
  readonly builders: Record<SegmentKind, SegmentBuilder>;
}

class Packing {
  readonly #pages: PackedPage[] = [];
  readonly #compartments = new Map<string, OpenCompartment>();
  readonly #contents: Uint8Array[] = [];
  readonly #ids: Uint8Array[] = [];
  readonly #digests: Uint8Array[] = [];
  #contentEnd = 0;

  add({ prepared, signature }: FiledPage): void {
    const artifacts = withoutTwins(prepared.artifacts);
    const written = writePage(prepared, artifacts);
    const ids = Buffer.concat(artifacts.map(({ id }) => idBytes(id)));
    this.#contentEnd += written.content.length;
    this.#contents.push(written.content);
    this.#ids.push(ids);
    this.#digests.push(Buffer.from(artifacts.map(({ digest }) => digest).join(''), 'hex'));
    const number = this.#pages.length;
    this.#pages.push({
      path: prepared.page.path,
      signature: signature ?? null,
      meta: written.meta,
      metaDigest: written.metaDigest,
      columns: columnsOf(prepared, written),
      contentEnd: this.#contentEnd,
      artifacts: artifacts.length,
    });
    const { pages, builders } = this.#open(prepared.compartment);
    pages.push(number);
    builders.artifact.add(number, artifacts.map(artifactDocument));
    builders.link.add(number, linkDocuments(prepared));
    const { path, title, meta } = prepared.page;
    builders.name.add(number, nameDocuments({ ...meta, path, title }));
  }

  finish(): SqlitePages {
    return {
      pages: this.#pages,
      compartments: [...this.#compartments.values()].map(({ compartment, pages, builders }) => ({
        compartment,
        pages,
        segments: Object.fromEntries(
          SEGMENT_KINDS.filter((kind) => !builders[kind].isEmpty).map((kind) => [kind, storable(builders[kind].finish())]),
        ),
      })),
      contents: joined(this.#contents),
      ids: joined(this.#ids),
      digests: joined(this.#digests),
    };
  }

  #open(compartment: Compartment): OpenCompartment {
    const known = this.#compartments.get(compartment.key);
    if (known !== undefined) return known;
    const builders = { artifact: new SegmentBuilder(), link: new SegmentBuilder(), name: new SegmentBuilder() };
    const fresh = { compartment, pages: [], builders };
    this.#compartments.set(compartment.key, fresh);
    return fresh;
  }
}

function columnsOf({ page, problems }: PreparedPage, written: ReturnType<typeof writePage>): PackedPage['columns'] {
  return {
    source: page.source,
    path: page.path,
    blob: page.blob,
    status: page.meta.status ?? null,
    product_version: page.meta.productVersion ?? null,
    verified_at: page.meta.verifiedAt ?? null,
    tags: JSON.stringify(page.meta.tags),
    superseded: page.meta.supersededBy === undefined ? 0 : 1,
    valid_until: page.meta.validUntil ?? null,
    has_problems: problems.length > 0 ? 1 : 0,
    meta_digest: written.metaDigest,
    content_digest: written.contentDigest,
  };
}

/** In memory of its own: a view of a larger buffer would take all of it along to another thread. */
function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** An id names one artifact; should a page hold it twice, the first stands. */
function withoutTwins(artifacts: readonly PreparedArtifact[]): readonly PreparedArtifact[] {
  const seen = new Set<string>();
  return artifacts.filter((artifact) => !seen.has(artifact.id) && seen.add(artifact.id));
}

function artifactDocument({ fields: terms, id }: PreparedArtifact): NewDocument {
  const fields = FIELDS.map((field) => terms[field]);
  return { fields, lengths: fields.map(lengthOf), id };
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
