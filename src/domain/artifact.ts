/**
 * An artifact: one segment of one version of one page, with everything needed to cite and verify it.
 *
 * Invariant: the id is a hash of source, path, heading path, ordinal under that heading and text; no byte range, no pipeline
 * version, no row number, so that an inserted line or an upgrade voids no label and no citation.
 */
import { type Digest, sha256 } from '../kernel/digest.js';

export interface LineRange {
  /** 1-based, inclusive. */
  readonly start: number;
  readonly end: number;
}

export interface ByteRange {
  /** 0-based, end exclusive, in the file's own bytes. */
  readonly start: number;
  readonly end: number;
}

/** What is stored, cited and shown. */
export interface Artifact {
  readonly id: string;
  readonly headingPath: readonly string[];
  /** GitHub-style anchor of the nearest heading; empty before the first. */
  readonly anchor: string;
  /** Position among the page's artifacts, from 0. */
  readonly ordinal: number;
  readonly lines: LineRange;
  readonly bytes: ByteRange;
  /** The source's exact slice, dangerous code points and secrets taken out, plus declared additions (a repeated table header or fence line). */
  readonly excerpt: string;
  /** `title › headings` and the page-one summary: searched, never part of the excerpt. */
  readonly prefix: string;
  /** SHA-256 of the excerpt, checked on every read. */
  readonly digest: Digest;
  /** Upper bound of the excerpt's tokens under every registered tokenizer. */
  readonly tokens: number;
}

export function artifactId(of: {
  readonly source: string;
  readonly path: string;
  readonly headingPath: readonly string[];
  readonly ordinalUnderHeading: number;
  readonly excerpt: string;
}): string {
  const identity = JSON.stringify([of.source, of.path, of.headingPath, of.ordinalUnderHeading, of.excerpt]);
  return `ka_${sha256(identity).slice(0, 32)}`;
}
