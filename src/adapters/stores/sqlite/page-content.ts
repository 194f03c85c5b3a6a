/**
 * Page content: how a page version is written down, and how it is read back with its digests checked.
 *
 * The served text is stored once, compressed, with the artifacts as ranges of it and what can be worked out left out; `meta`
 * binds page, compartment and the content's digest together.
 * Invariant: what does not match its digest is never returned.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Artifact } from '../../../domain/artifact.js';
import type { Compartment } from '../../../domain/compartment.js';
import type { Page } from '../../../domain/page.js';
import type { PageLink, PreparedArtifact, PreparedPage } from '../../../domain/prepared-page.js';
import type { Problem } from '../../../domain/problem.js';
import { ID_BYTES, idBytes, idText } from '../../../engine/doc-table.js';
import { type Digest, sha256 } from '../../../kernel/digest.js';
import type { StoredPage } from '../../../ports/index-reader.js';
import { indexTerms } from '../../../text/analyze.js';
import { sanitizeForIndex } from '../../../text/sanitize.js';
import { openBytes, SEAL_BYTES, sealBytes } from './sealed-bytes.js';

/** A range of the text in UTF-16 units, or the excerpt itself where it is no slice of the text. */
type ExcerptRef = readonly [number, number] | string;

/** headingPath, anchor, ordinal, lines, bytes, excerpt, prefix (before the summary, when it ends with it), whether it does, tokens. */
type WrittenArtifact = readonly [
  readonly string[],
  string,
  number,
  readonly [number, number],
  readonly [number, number],
  ExcerptRef,
  string,
  0 | 1,
  number,
];

/** kind, href, text, target, anchor, line, and the terms where they are not those of the text. */
type WrittenLink = readonly [PageLink['kind'], string, string, PageLink['target'], string, number, (readonly string[])?];

interface WrittenContent {
  readonly text: string;
  readonly summary: string;
  readonly artifacts: readonly WrittenArtifact[];
  readonly links: readonly WrittenLink[];
  readonly removals: Readonly<Record<string, number>>;
}

interface WrittenMeta {
  readonly page: Page;
  readonly compartment: Digest;
  readonly problems: readonly Problem[];
  readonly content: Digest;
}

/** Artifacts and links are made when they are asked for: a question touches few of a page's. */
export interface PageContent {
  readonly text: string;
  readonly artifacts: readonly Artifact[];
  readonly links: readonly PageLink[];
  /** The artifact at a place among the page's, or undefined where there is none. */
  artifact(position: number): Artifact | undefined;
}

export interface WrittenPage {
  readonly meta: string;
  readonly metaDigest: Digest;
  readonly content: Uint8Array;
  readonly contentDigest: Digest;
}

const COMPRESSION_LEVEL = 6;
/** Beyond this a text is not searched for an excerpt that its lines do not hold. */
const SEARCHED_UNITS = 65_536;
/** In front of the content: how many ids follow before the compressed rest. */
const COUNT_BYTES = 4;

export function writePage(prepared: PreparedPage, artifacts: readonly PreparedArtifact[]): WrittenPage {
  const { summary } = prepared.page;
  const ids = Buffer.concat([countBytes(artifacts.length), ...artifacts.map(({ id }) => idBytes(id))]);
  const content: WrittenContent = {
    text: prepared.text,
    summary,
    artifacts: writeArtifacts(prepared.text, summary, artifacts),
    links: prepared.links.map(writeLink),
    removals: prepared.removals,
  };
  const rest = Buffer.from(JSON.stringify(content), 'utf8');
  const contentDigest = sha256(Buffer.concat([ids, rest]));
  const meta: WrittenMeta = {
    page: prepared.page,
    compartment: prepared.compartment.key,
    problems: prepared.problems,
    content: contentDigest,
  };
  const metaText = stableJson(meta);
  return {
    meta: metaText,
    metaDigest: sha256(metaText),
    content: sealBytes(Buffer.concat([ids, deflateRawSync(rest, { level: COMPRESSION_LEVEL })])),
    contentDigest,
  };
}

function countBytes(count: number): Uint8Array {
  const bytes = Buffer.alloc(COUNT_BYTES);
  bytes.writeUInt32BE(count);
  return bytes;
}

/** The ids of a stored content's artifacts, one after the other; not checked. */
export function artifactIdsOf(content: Uint8Array): Uint8Array {
  return idsIn(content.subarray(SEAL_BYTES));
}

function idsIn(body: Uint8Array): Uint8Array {
  if (body.length < COUNT_BYTES) return new Uint8Array(0);
  const count = new DataView(body.buffer, body.byteOffset).getUint32(0);
  return body.subarray(COUNT_BYTES, COUNT_BYTES + count * ID_BYTES);
}

/** JSON with sorted keys. A lone surrogate is escaped, so that any text survives. */
function stableJson(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) => {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
    return Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

function writeArtifacts(text: string, summary: string, artifacts: readonly PreparedArtifact[]): readonly WrittenArtifact[] {
  const starts = lineStarts(text);
  return artifacts.map((artifact) => {
    const { headingPath, anchor, ordinal, lines, bytes, prefix, tokens } = artifact;
    const ends = summary !== '' && prefix.endsWith(summary);
    return [
      headingPath,
      anchor,
      ordinal,
      [lines.start, lines.end],
      [bytes.start, bytes.end],
      placeOf(text, starts, artifact),
      ends ? prefix.slice(0, prefix.length - summary.length) : prefix,
      ends ? 1 : 0,
      tokens,
    ];
  });
}

function readArtifact(written: WrittenArtifact, id: string, { text, summary }: WrittenContent): Artifact {
  const [headingPath, anchor, ordinal, lines, bytes, place, prefix, ends, tokens] = written;
  const excerpt = typeof place === 'string' ? place : text.slice(place[0], place[1]);
  return {
    id,
    headingPath,
    anchor,
    ordinal,
    lines: { start: lines[0], end: lines[1] },
    bytes: { start: bytes[0], end: bytes[1] },
    excerpt,
    prefix: ends === 1 ? prefix + summary : prefix,
    digest: sha256(excerpt),
    tokens,
  };
}

function writeLink({ kind, href, text, terms, target, anchor, line }: PageLink): WrittenLink {
  const own = linkTerms(text);
  const derived = own.length === terms.length && own.every((term, at) => term === terms[at]);
  return derived ? [kind, href, text, target, anchor, line] : [kind, href, text, target, anchor, line, terms];
}

function readLink([kind, href, text, target, anchor, line, terms]: WrittenLink): PageLink {
  return { kind, href, text, terms: terms ?? linkTerms(text), target, anchor, line };
}

function linkTerms(text: string): readonly string[] {
  return indexTerms(sanitizeForIndex(text)).body;
}

function placeOf(text: string, lines: readonly number[], artifact: Artifact): ExcerptRef {
  const { excerpt } = artifact;
  const from = lines[artifact.lines.start - 1] ?? 0;
  const to = lines[artifact.lines.end] ?? text.length;
  const inLines = text.slice(from, to).indexOf(excerpt);
  if (inLines >= 0) return [from + inLines, from + inLines + excerpt.length];
  const anywhere = text.length <= SEARCHED_UNITS ? text.indexOf(excerpt) : -1;
  return anywhere >= 0 ? [anywhere, anywhere + excerpt.length] : excerpt;
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** The page as it was written, or undefined when the row is damaged. */
export function readMeta(
  meta: string,
  metaDigest: string,
  compartment: Compartment,
): { readonly page: StoredPage; readonly content: Digest } | undefined {
  if (sha256(meta) !== metaDigest) return undefined;
  const read = JSON.parse(meta) as WrittenMeta;
  if (read.compartment !== compartment.key) return undefined;
  return { page: { ...read.page, compartment, problems: read.problems }, content: read.content };
}

/** The page's content, or undefined when it is not what the digest names. */
export function readContent(stored: Uint8Array, contentDigest: string): PageContent | undefined {
  // The seal finds what unpacking would not: bits of the packed form that stand for nothing.
  const body = guarded(() => openBytes(stored));
  if (body === undefined) return undefined;
  const ids = idsIn(body);
  const head = body.subarray(0, COUNT_BYTES + ids.length);
  const rest = guarded(() => inflateRawSync(body.subarray(head.length)));
  if (rest === undefined || sha256(Buffer.concat([head, rest])) !== contentDigest) return undefined;
  return new ReadContent(JSON.parse(rest.toString('utf8')) as WrittenContent, ids);
}

class ReadContent implements PageContent {
  readonly #written: WrittenContent;
  readonly #ids: Uint8Array;
  readonly #artifacts: (Artifact | undefined)[] = [];
  #links: readonly PageLink[] | undefined;

  constructor(written: WrittenContent, ids: Uint8Array) {
    this.#written = written;
    this.#ids = ids;
  }

  get text(): string {
    return this.#written.text;
  }

  get artifacts(): readonly Artifact[] {
    return this.#written.artifacts.flatMap((_, at) => this.artifact(at) ?? []);
  }

  get links(): readonly PageLink[] {
    this.#links ??= this.#written.links.map(readLink);
    return this.#links;
  }

  artifact(position: number): Artifact | undefined {
    const written = this.#written.artifacts[position];
    if (written === undefined) return undefined;
    const id = idText(this.#ids.subarray(position * ID_BYTES, (position + 1) * ID_BYTES));
    this.#artifacts[position] ??= readArtifact(written, id, this.#written);
    return this.#artifacts[position];
  }
}

/** Undefined for what is damaged beyond reading; the caller names the page. */
function guarded<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
