/**
 * Page content: how a page version is written down, and how it is read back with its digests checked.
 *
 * The served text is stored once, compressed, with the artifacts as ranges of it; `meta` binds page, compartment and the
 * content's digest together. Invariant: what does not match its digest is never returned.
 */
import { deflateSync, inflateSync } from 'node:zlib';
import type { Artifact } from '../../../domain/artifact.js';
import type { Compartment } from '../../../domain/compartment.js';
import type { Page } from '../../../domain/page.js';
import type { PageLink, PreparedArtifact, PreparedPage } from '../../../domain/prepared-page.js';
import type { Problem } from '../../../domain/problem.js';
import { type Digest, sha256 } from '../../../kernel/digest.js';
import type { StoredPage } from '../../../ports/index-reader.js';

/** A range of the text in UTF-16 units, or the excerpt itself where it is no slice of the text. */
type ExcerptRef = readonly [number, number] | string;

interface WrittenContent {
  readonly text: string;
  readonly artifacts: readonly (Omit<Artifact, 'excerpt'> & { readonly excerpt: ExcerptRef })[];
  readonly links: readonly PageLink[];
  readonly removals: Readonly<Record<string, number>>;
}

interface WrittenMeta {
  readonly page: Page;
  readonly compartment: Digest;
  readonly problems: readonly Problem[];
  readonly content: Digest;
}

export interface PageContent {
  readonly text: string;
  readonly artifacts: readonly Artifact[];
  /** Ids of artifacts whose excerpt does not match its digest. */
  readonly damaged: readonly string[];
  readonly links: readonly PageLink[];
}

export interface WrittenPage {
  readonly meta: string;
  readonly metaDigest: Digest;
  readonly content: Uint8Array;
  readonly contentDigest: Digest;
}

const COMPRESSION_LEVEL = 4;
/** Beyond this a text is not searched for an excerpt that its lines do not hold. */
const SEARCHED_UNITS = 65_536;

export function writePage(prepared: PreparedPage, artifacts: readonly PreparedArtifact[]): WrittenPage {
  const content: WrittenContent = {
    text: prepared.text,
    artifacts: placeExcerpts(prepared.text, artifacts),
    links: prepared.links,
    removals: prepared.removals,
  };
  const contentBytes = Buffer.from(stableJson(content), 'utf8');
  const contentDigest = sha256(contentBytes);
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
    content: deflateSync(contentBytes, { level: COMPRESSION_LEVEL }),
    contentDigest,
  };
}

/** JSON with sorted keys. A lone surrogate is escaped, so that any text survives. */
function stableJson(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) => {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
    return Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

function placeExcerpts(text: string, artifacts: readonly PreparedArtifact[]): WrittenContent['artifacts'] {
  const lines = lineStarts(text);
  return artifacts.map(({ fields: _, ...artifact }) => ({ ...artifact, excerpt: placeOf(text, lines, artifact) }));
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
export function readContent(compressed: Uint8Array, contentDigest: string): PageContent | undefined {
  const bytes = inflate(compressed);
  if (bytes === undefined || sha256(bytes) !== contentDigest) return undefined;
  const written = JSON.parse(bytes.toString('utf8')) as WrittenContent;
  const artifacts = written.artifacts.map((artifact) => ({ ...artifact, excerpt: excerptAt(written.text, artifact.excerpt) }));
  return {
    text: written.text,
    artifacts,
    damaged: artifacts.filter((artifact) => sha256(artifact.excerpt) !== artifact.digest).map((artifact) => artifact.id),
    links: written.links,
  };
}

function excerptAt(text: string, place: ExcerptRef): string {
  return typeof place === 'string' ? place : text.slice(place[0], place[1]);
}

function inflate(compressed: Uint8Array): Buffer | undefined {
  try {
    return inflateSync(compressed);
  } catch {
    // Damaged beyond unpacking; the caller names the page.
    return undefined;
  }
}
