/**
 * Sections apart: a source of marked sections as a source of documents, each of which is filed by itself.
 *
 * A page is cut before anything else looks at it: the page without its marked sections, and each marked section as a document of its own
 * beside it, `handbook§salaries-3fa9c1.md`. Lines, bytes, blob ids and links of the page are therefore those of a page that never had the
 * section; everything that reads the source, when indexing or later, reads it through this.
 *
 * Invariant: what is not split off stays where it was marked, and raises the whole page; nothing of a marked section is ever in the page.
 * Invariant: the name of a section tells of no other section.
 */

import type { SourceRegistration } from '../domain/source.js';
import { pageOfSection } from '../domain/withheld.js';
import { gitBlobId, sha256 } from '../kernel/digest.js';
import type { Connector, ListedDocument, Listing, SourceDocument, UnreadDocument } from '../ports/connector.js';
import { slug } from '../text/anchors.js';
import { decode } from '../text/decode.js';
import { readFrontMatter } from '../text/front-matter.js';
import { type Heading, outline, type Unseen } from '../text/outline.js';
import { isSectionMark, mayHoldMark, saidInMark } from '../text/section-mark.js';

const SIGN = '§';
const MARKDOWN = /\.(?:md|mdx|markdown|mdown)$/i;
const COMPONENTS = /\.mdx$/i;

export function sectionsApart(connector: Connector): Connector {
  const apart = new Apart(connector);
  return {
    identity: connector.identity,
    version: connector.version,
    watch: (registration, changed) => connector.watch(registration, changed),
    list: (registration, signal) => (isApart(registration) ? apart.list(registration, signal) : connector.list(registration, signal)),
    read: (registration, documents, signal) => (isApart(registration) ? apart : connector).read(registration, documents, signal),
    same: (registration, documents, held, signal) =>
      (isApart(registration) ? apart : connector).same(registration, documents, held, signal),
    // The signature of a page says nothing of what its sections are called.
    signatures: (registration, paths) => (isApart(registration) ? undefined : connector.signatures?.(registration, paths)) ?? new Map(),
  };
}

function isApart({ sections }: SourceRegistration): boolean {
  return sections === 'apart';
}

type Found = SourceDocument | UnreadDocument;

class Apart implements Pick<Connector, 'list' | 'read' | 'same'> {
  readonly #connector: Connector;
  /** Source → path → blob as it was listed last: what a ref is read by. */
  readonly #blobs = new Map<string, ReadonlyMap<string, string>>();

  constructor(connector: Connector) {
    this.#connector = connector;
  }

  /** Only the bytes tell which pages have sections apart, so a listing reads them all. */
  async list(registration: SourceRegistration, signal: AbortSignal): Promise<Listing> {
    const listing = await this.#listed(registration, signal);
    const left = new Map(listing.documents.map((document) => [document.path, document]));
    const documents: ListedDocument[] = [];
    for await (const found of this.#connector.read(registration, listing.documents, signal)) {
      const document = left.get(found.path);
      if (document === undefined) continue;
      left.delete(found.path);
      if ('problem' in found) documents.push(document);
      else {
        const parts = partsOf(found).filter(({ path }) => path === found.path || !left.has(path));
        documents.push(...parts.map(({ path, blob, bytes }) => ({ path, blob, sizeBytes: bytes.byteLength })));
      }
    }
    // What the connector said nothing of when it was read stays as it was listed.
    return { ...listing, documents: [...documents, ...left.values()] };
  }

  async *read(
    registration: SourceRegistration,
    documents: readonly ListedDocument[],
    signal: AbortSignal,
  ): AsyncGenerator<Found, void, undefined> {
    const groups = grouped(documents);
    const blobs = await this.#blobsOf(registration, signal);
    const asListed = (path: string): ListedDocument => {
      const blob = blobs.get(path);
      return { path, sizeBytes: 0, ...(blob === undefined ? {} : { blob }) };
    };
    let at = 0;
    for await (const found of this.#connector.read(
      registration,
      groups.map(({ page }) => asListed(page)),
      signal,
    )) {
      while (at < groups.length && groups[at]?.page !== found.path) at += 1;
      const parts = 'problem' in found ? [] : partsOf(found);
      for (const { path } of groups[at]?.wanted ?? []) {
        const part = parts.find((each) => each.path === path);
        if (part !== undefined) yield part;
        else if (path === found.path) yield found;
        // A file that only looks like a section; or a section that is gone.
        else yield* this.#connector.read(registration, [asListed(path)], signal);
      }
      at += 1;
    }
  }

  async same(
    registration: SourceRegistration,
    documents: readonly ListedDocument[],
    held: ReadonlyMap<string, string>,
    signal: AbortSignal,
  ): Promise<ReadonlySet<string>> {
    const same = new Set<string>();
    // A listing of this kind names bytes and gives no signature; what has one was listed by somebody else.
    const ours = documents.filter(({ signature }) => signature === undefined);
    for await (const found of this.read(registration, ours, signal))
      if (!('problem' in found) && held.get(found.path) === found.blob) same.add(found.path);
    return same;
  }

  async #listed(registration: SourceRegistration, signal: AbortSignal): Promise<Listing> {
    const listing = await this.#connector.list(registration, signal);
    const told = listing.documents.flatMap(({ path, blob }): [string, string][] => (blob === undefined ? [] : [[path, blob]]));
    this.#blobs.set(registration.id, new Map(told));
    return listing;
  }

  /** A folder and a work tree are read as they lie there. */
  async #blobsOf(registration: SourceRegistration, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
    if (registration.location.ref === undefined) return new Map();
    if (!this.#blobs.has(registration.id)) await this.#listed(registration, signal);
    return this.#blobs.get(registration.id) ?? new Map();
  }
}

interface Group {
  readonly page: string;
  readonly wanted: ListedDocument[];
}

/** Documents of one page that follow each other are read with it. */
function grouped(documents: readonly ListedDocument[]): readonly Group[] {
  const groups: Group[] = [];
  for (const document of documents) {
    // Any other path is its own.
    const page = pageOfSection(document.path) ?? document.path;
    const last = groups.at(-1);
    if (last?.page === page) last.wanted.push(document);
    else groups.push({ page, wanted: [document] });
  }
  return groups;
}

/** The page without its marked sections, and those; the page as it is where there are none that can be cut out. */
function partsOf(document: SourceDocument): readonly SourceDocument[] {
  if (!MARKDOWN.test(document.path)) return [document];
  const decoded = decode(document.bytes);
  if (decoded.kind !== 'text' || decoded.encoding !== 'utf-8' || decoded.replaced > 0 || !mayHoldMark(decoded.text)) return [document];
  const { text } = decoded;
  const { headings, unseen } = outline(text, { bodyStart: readFrontMatter(text).bodyStart, components: COMPONENTS.test(document.path) });
  const marks = unseen.filter(({ start, closed }) => closed && isSectionMark(text, start));
  const cuts = cutsFor(text, headings, marks);
  if (cuts.length === 0) return [document];
  const bytesOf = (start: number, end: number) => document.bytes.subarray(decoded.byteOffset(start), decoded.byteOffset(end));
  const whole = marks.filter(({ start }) => isOfThePage(headingAbove(headings, start), headings));
  // Whatever the head of a page says of who may see it holds for each of its sections.
  const head = [
    bytesOf(0, headings[0]?.start ?? 0),
    NEW_LINES,
    ...whole.map(({ start, end }) => Buffer.concat([bytesOf(start, end), NEW_LINES])),
  ];
  const kept: Uint8Array[] = [];
  let from = 0;
  for (const { start, end } of cuts) {
    kept.push(bytesOf(from, start));
    from = end;
  }
  kept.push(bytesOf(from, text.length));
  return [
    made(document.path, Buffer.concat(kept), undefined),
    ...sectionsOf(document.path, cuts, (cut) => Buffer.concat([...head, bytesOf(cut.start, cut.end)])),
  ];
}

const NEW_LINES = Buffer.from('\n\n');

function made(path: string, bytes: Uint8Array, page: string | undefined): SourceDocument {
  return { path, bytes, blob: gitBlobId(bytes), ...(page === undefined ? {} : { page }) };
}

interface Cut {
  readonly start: number;
  readonly end: number;
  readonly title: string;
  /** Of the heading path and the mark. */
  readonly digest: string;
}

/** From the heading of a mark to the next heading that is not below it. A mark within what is cut out already goes with it. */
function cutsFor(text: string, headings: readonly Heading[], marks: readonly Unseen[]): readonly Cut[] {
  const cuts: Cut[] = [];
  for (const mark of marks) {
    const heading = headingAbove(headings, mark.start);
    if (heading === undefined || isOfThePage(heading, headings) || mark.start < (cuts.at(-1)?.end ?? 0)) continue;
    const next = headings.find(({ start, level }) => start > heading.start && level <= heading.level);
    const digest = sha256(JSON.stringify([heading.path, saidInMark(text.slice(mark.start, mark.end))]));
    cuts.push({ start: heading.start, end: next?.start ?? text.length, title: heading.title, digest });
  }
  return cuts;
}

function headingAbove(headings: readonly Heading[], offset: number): Heading | undefined {
  return headings.findLast(({ start }) => start <= offset);
}

/** Under no heading, or under the title: the mark is the page's own. */
function isOfThePage(heading: Heading | undefined, headings: readonly Heading[]): boolean {
  return heading === undefined || (heading === headings[0] && heading.level === 1);
}

function sectionsOf(path: string, cuts: readonly Cut[], bytes: (cut: Cut) => Uint8Array): readonly SourceDocument[] {
  const dot = path.lastIndexOf('.');
  const seen = new Map<string, number>();
  return cuts.map((cut) => {
    const name = `${slug(cut.title).replaceAll(SIGN, '').slice(0, 60) || 'section'}-${cut.digest.slice(0, 8)}`;
    // Alike in heading and mark: the same readers see them, so that they may be counted.
    const nth = (seen.get(name) ?? 0) + 1;
    seen.set(name, nth);
    return made(`${path.slice(0, dot)}${SIGN}${name}${nth === 1 ? '' : `-${nth}`}${path.slice(dot)}`, bytes(cut), path);
  });
}
