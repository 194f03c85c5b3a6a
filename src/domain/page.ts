/**
 * A page: one document of a source at one version, with its typed front matter.
 *
 * Invariant: identity is (source, path); equal bytes elsewhere are another page.
 * Invariant: dates are calendar days as written; version-like values keep their spelling.
 */
import type { Day } from '../kernel/clock.js';
import type { AuthorityClass, TrustTier } from './authority.js';
import type { Classification } from './classification.js';

export const PAGE_STATUSES = ['research', 'roadmap', 'experimental', 'approved', 'current', 'legacy', 'deprecated'] as const;
export type PageStatus = (typeof PAGE_STATUSES)[number];

/** Typed front matter (DOC group). A field that was absent or of the wrong type is absent here. */
export interface PageMeta {
  readonly title?: string;
  readonly description?: string;
  readonly status?: PageStatus;
  readonly supersededBy?: string;
  readonly owner?: string;
  readonly verifiedAt?: Day;
  readonly reviewBy?: Day;
  readonly validUntil?: Day;
  readonly authorship?: 'human' | 'llm-assisted' | 'llm-generated';
  readonly origin?: string;
  readonly scope?: 'internal' | 'external';
  readonly sensitivity?: 'private' | 'normal';
  readonly classification?: Classification;
  readonly productVersion?: string;
  readonly tags: readonly string[];
  readonly aliases: readonly string[];
  readonly audience: readonly string[];
  readonly related: readonly string[];
  /** Everything else, as written: scalars as text, for display and filters only. */
  readonly other: Readonly<Record<string, string | readonly string[]>>;
}

export interface Page {
  readonly source: string;
  /** POSIX, from the source's root, in the author's spelling. */
  readonly path: string;
  /** Git blob id of the bytes, for folders too. */
  readonly blob: string;
  readonly title: string;
  /** Page-one summary: description, else the first paragraph, at most 300 characters. */
  readonly summary: string;
  readonly meta: PageMeta;
  readonly tier: TrustTier;
  readonly authorityClass: AuthorityClass;
  /** True only for text a human let in through a git ref (K-29). */
  readonly curated: boolean;
  readonly lineCount: number;
}

export const LABELS = [
  'superseded',
  'expired',
  'overdue',
  'legacy',
  'deprecated',
  'unreviewed',
  'degraded-source',
  'retiring-source',
  'unverified-changed',
] as const;
export type Label = (typeof LABELS)[number];

/** Never enters a context (K-04): superseded or past `valid_until`. Overdue text may, labelled. */
export function isRetired(meta: PageMeta, today: Day): boolean {
  return meta.supersededBy !== undefined || (meta.validUntil !== undefined && meta.validUntil < today);
}

/** The labels a page wears on a day, in the order of LABELS. */
export function labelsOf(page: Pick<Page, 'meta' | 'curated'>, today: Day): Label[] {
  const { meta } = page;
  const worn: Record<Label, boolean> = {
    superseded: meta.supersededBy !== undefined,
    expired: meta.validUntil !== undefined && meta.validUntil < today,
    overdue: meta.reviewBy !== undefined && meta.reviewBy < today,
    legacy: meta.status === 'legacy',
    deprecated: meta.status === 'deprecated',
    unreviewed: !page.curated,
    'degraded-source': false,
    'retiring-source': false,
    'unverified-changed': false,
  };
  return LABELS.filter((label) => worn[label]);
}
