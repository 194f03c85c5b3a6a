/**
 * Item: a candidate as the package will hold it, or the reason why it may never stand in one.
 *
 * Retrieval has looked at all of this already. A package outlives the request that made it, so it looks again.
 *
 * Invariant: an excerpt whose digest does not hold, or a page retired on the day, gives no item (T4.6, K-04).
 */
import type { Candidate } from '../domain/candidate.js';
import type { ContextProfile, ExcludedItem, Exclusion, PackageItem } from '../domain/context-package.js';
import { isRetired } from '../domain/page.js';
import type { Day } from '../kernel/clock.js';
import { isWellFormed, sha256 } from '../kernel/digest.js';
import { classOf } from './allocate.js';
import { cleanText, inertLine, wellFormed } from './inert.js';
import { namesSummary, reasonFor } from './reason.js';
import { statedDay } from './stated-day.js';

export type DraftItem = Omit<PackageItem, 'position' | 'tokens'>;

/** `required` says why it stands here whatever its rank, and `governing` that it does so as governing text. */
export interface Standing {
  readonly profile: ContextProfile;
  readonly required?: string;
  readonly governing?: boolean;
}

export function draftItem(candidate: Candidate, rank: number, { profile, required, governing }: Standing): DraftItem {
  const { artifact, page } = candidate;
  const { verifiedAt, reviewBy } = page.meta;
  const dated = statedDay(page.meta.other);
  const { excerpt, digest } = shownText(artifact);
  return {
    class: governing === true ? 'governing' : classOf(candidate, profile),
    artifact: artifact.id,
    source: page.source,
    path: wellFormed(page.path),
    blob: page.blob,
    title: wellFormed(page.title),
    headingPath: artifact.headingPath.map(wellFormed),
    anchor: wellFormed(artifact.anchor),
    lines: { start: artifact.lines.start, end: artifact.lines.end },
    bytes: { start: artifact.bytes.start, end: artifact.bytes.end },
    excerpt,
    excerptDigest: digest,
    tier: page.tier,
    classification: page.compartment.classification,
    labels: [...candidate.labels],
    ...(verifiedAt === undefined ? {} : { verifiedAt }),
    ...(reviewBy === undefined ? {} : { reviewBy }),
    ...(dated === undefined ? {} : { dated }),
    ...(required === undefined && namesSummary(candidate) ? { summary: wellFormed(inertLine(page.summary)) } : {}),
    duplicates: candidate.duplicates.map(({ source, path, lines }) => ({
      source,
      path: wellFormed(path),
      lines: { start: lines.start, end: lines.end },
    })),
    reason: required ?? reasonFor(candidate, rank),
  };
}

/** An artifact's text as a package holds it. */
export function shownText({ excerpt: stored, digest }: Pick<Candidate['artifact'], 'excerpt' | 'digest'>) {
  const excerpt = cleanText(stored);
  return { excerpt, digest: excerpt === stored ? digest : sha256(excerpt) };
}

/** Why a candidate may not enter any package on this day; undefined when it may. */
export function bar(candidate: Candidate, today: Day): ExcludedItem | undefined {
  const { artifact, page } = candidate;
  const { supersededBy, validUntil } = page.meta;
  // A label stands for a retirement that another page declares.
  if (supersededBy !== undefined || candidate.labels.includes('superseded')) {
    return excludedFor(candidate, 'superseded', `superseded by ${supersededBy ?? 'another page'}`);
  }
  if (isRetired(page.meta, today) || candidate.labels.includes('expired')) {
    return excludedFor(candidate, 'expired', `valid until ${validUntil ?? 'an earlier day'}`);
  }
  if (!isWellFormed(artifact.excerpt) || sha256(artifact.excerpt) !== artifact.digest) {
    return excludedFor(candidate, 'damaged', 'the stored text does not match its digest');
  }
  return undefined;
}

export function excludedFor({ artifact, page }: Candidate, reason: Exclusion, detail: string): ExcludedItem {
  const { id, headingPath, lines } = artifact;
  return leftOut({ artifact: id, source: page.source, path: page.path, title: page.title, headingPath, lines }, reason, detail);
}

export function leftOut(
  {
    artifact,
    source,
    path,
    title,
    headingPath,
    lines,
  }: Pick<PackageItem, 'artifact' | 'source' | 'path' | 'title' | 'headingPath' | 'lines'>,
  reason: Exclusion,
  detail: string,
): ExcludedItem {
  return { artifact, source, path, title, headingPath, lines, reason, detail };
}

/** Rebuilt field by field: whatever else upstream carries along has no place in a frozen record. */
export function recordedExclusion(item: ExcludedItem): ExcludedItem {
  const { headingPath, lines, closeness } = item;
  return {
    artifact: item.artifact,
    source: item.source,
    path: wellFormed(item.path),
    title: wellFormed(item.title),
    reason: item.reason,
    detail: inertLine(item.detail),
    ...(headingPath === undefined ? {} : { headingPath: headingPath.map(wellFormed) }),
    ...(lines === undefined ? {} : { lines: { start: lines.start, end: lines.end } }),
    ...(closeness === undefined
      ? {}
      : { closeness: { of: closeness.of, percent: closeness.percent, neededPercent: closeness.neededPercent } }),
  };
}
