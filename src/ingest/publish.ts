/**
 * Step 8, publish: the page as the index takes it, each artifact with its identity, place, text and terms.
 *
 * Title terms include aliases and tags; identifier terms include those of title and headings, the words of the path, and addresses
 * that the piece links to.
 */
import { artifactId } from '../domain/artifact.js';
import type { FieldTerms } from '../domain/fields.js';
import type { Page } from '../domain/page.js';
import type { PageLink, PreparedArtifact, PreparedPage } from '../domain/prepared-page.js';
import { sha256 } from '../kernel/digest.js';
import { type IndexTerms, indexTerms } from '../text/analyze.js';
import { applyEdits } from '../text/decode-edits.js';
import { type Resolved, resolveLink, resolveRelated, resolveWikiLink } from '../text/links.js';
import type { RawLink } from '../text/outline-links.js';
import { sanitizeForIndex } from '../text/sanitize.js';
import type { Vectors } from './embed.js';
import type { NormalPage } from './normalize.js';
import type { PageProblems } from './page-problems.js';
import type { ParsedPage } from './parse.js';
import { headingsBelowTitle, prefixOf } from './prefix.js';
import type { SafeText } from './sanitize.js';
import type { CutSegment } from './segment.js';

export interface Publication {
  readonly normal: NormalPage;
  readonly safe: SafeText;
  readonly parsed: ParsedPage;
  readonly segments: readonly CutSegment[];
  readonly vectors: Vectors | undefined;
  readonly problems: PageProblems;
}

export function publish({ normal, safe, parsed, segments, vectors, problems }: Publication): PreparedPage {
  const { page, compartment } = normal;
  return {
    page,
    compartment,
    text: applyEdits(safe.text, parsed.outline.shown),
    artifacts: artifactsOf(page, safe, parsed, segments),
    links: [...parsed.outline.links.map((link) => pageLink(link, page, safe)), ...relatedLinks(page, parsed)],
    problems: problems.list,
    removals: removalsOf(safe, parsed),
    ...(vectors === undefined ? {} : { vectors }),
  };
}

function removalsOf(safe: SafeText, { outline }: ParsedPage): Readonly<Record<string, number>> {
  const removals: Record<string, number> = { ...safe.removals };
  for (const { kind } of outline.unseen) removals[`${kind}-markup`] = (removals[`${kind}-markup`] ?? 0) + 1;
  return Object.fromEntries(Object.entries(removals).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Text of a piece as the embedding and lexical input have it. */
export function searchedText(prefix: string, words: string): string {
  return `${sanitizeForIndex(prefix)}\n\n${sanitizeForIndex(words)}`;
}

function artifactsOf(page: Page, safe: SafeText, { outline }: ParsedPage, segments: readonly CutSegment[]): readonly PreparedArtifact[] {
  const shared = sharedTerms(page);
  const seen = new Map<string, number>();
  let ofHeading = Number.NaN;
  let headingTerms: IndexTerms = NO_TERMS;
  return segments.map((segment, ordinal) => {
    const heading = outline.headings[segment.heading];
    const headingPath = heading?.path ?? [];
    if (segment.heading !== ofHeading) headingTerms = indexTerms(sanitizeForIndex(headingsBelowTitle(page, headingPath).join('\n')));
    ofHeading = segment.heading;
    const prefix = prefixOf(page, headingPath, heading?.anchor ?? '');
    const digest = sha256(segment.excerpt);
    const place = `${headingPath.join('\0')}\0${digest}`;
    const ordinalUnderHeading = seen.get(place) ?? 0;
    seen.set(place, ordinalUnderHeading + 1);
    return {
      id: artifactId({ source: page.source, path: page.path, headingPath, ordinalUnderHeading, excerpt: segment.excerpt }),
      headingPath,
      anchor: prefix.anchor,
      ordinal,
      lines: { start: safe.lines.lineAt(segment.start), end: safe.lines.lineAt(Math.max(segment.start, segment.end - 1)) },
      bytes: safe.bytes(segment.start, segment.end),
      excerpt: segment.excerpt,
      prefix: prefix.text,
      digest,
      tokens: segment.tokens,
      fields: fieldTerms(headingTerms, segment, shared, outline.links),
    };
  });
}

const NO_TERMS: IndexTerms = { body: [], identifiers: [] };

interface SharedTerms {
  readonly title: readonly string[];
  readonly summary: readonly string[];
  readonly identifiers: readonly string[];
}

/** Terms that every artifact of the page has. */
function sharedTerms(page: Page): SharedTerms {
  const title = indexTerms(sanitizeForIndex([page.title, ...page.meta.aliases, ...page.meta.tags].join('\n')));
  const summary = indexTerms(sanitizeForIndex(page.summary));
  const path = sanitizeForIndex(page.path);
  const stem = path.replace(/(?<=[^/])\.[A-Za-z0-9]{1,10}$/, '');
  const whole = [path, path.slice(path.lastIndexOf('/') + 1), stem.slice(stem.lastIndexOf('/') + 1)];
  const named = new Set(whole.flatMap((each) => indexTerms(each).identifiers));
  const words = stem.split('/').flatMap((each) => indexTerms(each).body);
  return { title: title.body, summary: summary.body, identifiers: [...title.identifiers, ...named, ...new Set(words)] };
}

function fieldTerms(headings: IndexTerms, segment: CutSegment, shared: SharedTerms, links: readonly RawLink[]): FieldTerms {
  const body = indexTerms(sanitizeForIndex(segment.words));
  const addresses = linksWithin(links, segment.start, segment.end)
    .filter(({ href }) => /^https?:/i.test(href))
    .flatMap(({ href }) => indexTerms(sanitizeForIndex(href)).identifiers);
  return {
    title: shared.title,
    headings: headings.body,
    summary: shared.summary,
    body: body.body,
    identifiers: [...body.identifiers, ...headings.identifiers, ...shared.identifiers, ...addresses],
  };
}

/** `links` are in page order. */
function linksWithin(links: readonly RawLink[], start: number, end: number): readonly RawLink[] {
  let low = 0;
  let high = links.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((links[middle]?.start ?? 0) < start) low = middle + 1;
    else high = middle;
  }
  let to = low;
  while (to < links.length && (links[to]?.start ?? 0) < end) to += 1;
  return links.slice(low, to);
}

function pageLink(link: RawLink, page: Page, safe: SafeText): PageLink {
  const resolved = link.kind === 'wiki' ? resolveWikiLink(link.href) : resolveLink(link.href, page.path);
  return linkOf(link.kind, link.href, link.text, resolved, safe.lines.lineAt(link.start));
}

function relatedLinks(page: Page, { frontMatter }: ParsedPage): readonly PageLink[] {
  const field =
    frontMatter.kind === 'fields' || frontMatter.kind === 'broken'
      ? frontMatter.fields.find(({ key }) => /^(?:related|see[_-]?also)$/i.test(key))
      : undefined;
  return page.meta.related.map((href) => linkOf('related', href, '', resolveRelated(href, page.path), field?.line ?? 1));
}

function linkOf(kind: PageLink['kind'], href: string, text: string, { target, anchor }: Resolved, line: number): PageLink {
  const words = text.slice(0, 500);
  return { kind, href, text: words, terms: indexTerms(sanitizeForIndex(words)).body, target, anchor, line };
}
