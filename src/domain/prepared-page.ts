/** What the ingest pipeline hands to the index writer: one page version, cut, analysed and filed. */
import type { Artifact } from './artifact.js';
import type { Compartment } from './compartment.js';
import type { FieldTerms } from './fields.js';
import type { Page } from './page.js';
import type { Problem } from './problem.js';

export interface PreparedArtifact extends Artifact {
  readonly fields: FieldTerms;
}

export const LINK_KINDS = ['markdown', 'reference', 'wiki', 'image', 'related', 'html'] as const;
export type LinkKind = (typeof LINK_KINDS)[number];

/** Where a link leads, worked out from its text alone; whether a page is there is asked of the eligible pages at query time. */
export type LinkTarget =
  | { readonly to: 'page' /** Candidate paths in order of preference, from the source's root. */; readonly paths: readonly string[] }
  | { readonly to: 'name' /** A wiki link's page name. */; readonly name: string }
  | { readonly to: 'self' }
  | { readonly to: 'external' };

export interface PageLink {
  readonly kind: LinkKind;
  /** As written. */
  readonly href: string;
  readonly text: string;
  /** Analysed link text, for the authored-link leg. */
  readonly terms: readonly string[];
  readonly target: LinkTarget;
  /** Fragment without `#`; empty when there is none. */
  readonly anchor: string;
  /** 1-based line in the file. */
  readonly line: number;
}

export interface PreparedPage {
  readonly page: Page;
  readonly compartment: Compartment;
  /** The page as served: decoded, dangerous code points and secrets taken out, line structure of the file kept. */
  readonly text: string;
  readonly artifacts: readonly PreparedArtifact[];
  readonly links: readonly PageLink[];
  readonly problems: readonly Problem[];
  /** How many code points of each class were taken out. */
  readonly removals: Readonly<Record<string, number>>;
  /** One per artifact, in order; absent without an embedding model. */
  readonly vectors?: { readonly model: string; readonly values: readonly Float32Array[] };
}
