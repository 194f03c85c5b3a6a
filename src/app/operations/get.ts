/**
 * get: one page, or some lines of it, as the index holds it: text, meta, labels, links, segments.
 *
 * Invariant: the path is a key, never joined to a folder; what is absent, forbidden or outside is the same fault.
 */
import { z } from 'zod';
import { type Label, labelsOf } from '../../domain/page.js';
import { dayOf } from '../../kernel/clock.js';
import { Fault } from '../../kernel/errors.js';
import type { LinkHit, StoredArtifact, StoredPage } from '../../ports/index-reader.js';
import { type Door, openDoor } from '../asking/asking.js';
import { checkPage } from '../learning/changed-on-disk.js';
import { operation } from './catalogue.js';
import { type FoundPage, findPage } from './find-page.js';
import { answer, bytes, distinct, labels, lines, tier } from './wire.js';

const input = z.object({
  path: z.string().min(1).describe('Page path as search gives it, or an artifact id.'),
  source: z.string().optional(),
  lines: z
    .string()
    .regex(/^\d+(-\d+)?$/, { error: () => 'a line or a range of lines, such as 40-80' })
    .optional()
    .describe('A line or a range, `40-80`.'),
  anchor: z.string().optional().describe('A heading’s anchor, or an `id` of the page: that section.'),
  meta: z.boolean().default(false),
  links: z.boolean().default(false),
  segments: z.boolean().default(false),
  raw: z.boolean().default(false).describe('Take the path exactly as written.'),
});
type GetInput = z.output<typeof input>;

const link = z.object({
  href: z.string(),
  to: z.string().nullable(),
  anchor: z.string(),
  broken: z.boolean(),
  line: z.int().positive(),
  kind: z.string(),
});
const backlink = z.object({ source: z.string(), path: z.string(), line: z.int().positive(), text: z.string() });
const segment = z.object({
  artifact: z.string(),
  headingPath: z.array(z.string()),
  anchor: z.string(),
  lines,
  bytes,
  prefix: z.string(),
  text: z.string(),
  modelTokens: z.int().nonnegative(),
});

const output = answer('get', {
  source: z.string(),
  path: z.string(),
  version: z.object({ blob: z.string() }),
  lines,
  text: z.string(),
  headingPath: z.array(z.string()),
  title: z.string(),
  tier,
  labels,
  meta: z.record(z.string(), z.unknown()).optional(),
  links: z.array(link).optional(),
  backlinks: z.array(backlink).optional(),
  segments: z.array(segment).optional(),
});
export type GetAnswer = z.output<typeof output>;

export const get = operation({
  name: 'get',
  summary: 'Read one page or some lines of it, with its labels and links.',
  authority: 'read',
  surfaces: ['cli', 'mcp', 'http', 'library'],
  safe: true,
  input,
  output,
  async run(asked, call) {
    if (asked.lines !== undefined && asked.anchor !== undefined) {
      throw new Fault('input/invalid', { field: 'lines', expected: 'left out beside an anchor, which names lines itself' });
    }
    const door = await openDoor(call);
    try {
      const { found, request } = await foundAs(door, asked);
      if (found === undefined) throw new Fault('not-found', { what: asked.path });
      const { page, artifact } = found;
      const { snapshot, eligible } = door;
      const [text, segments] = await Promise.all([snapshot.text(eligible, page), snapshot.segments(eligible, page)]);
      const range = rangeOf(request, page, await named(request, { page, segments, text }), artifact);
      const changed = await checkPage(call, page);
      const worn: Label[] = [...labelsOf(page, dayOf(call.ask.at)), ...door.sourceLabels(page.source)];
      return {
        schema: 'colophon/get@1' as const,
        problems: distinct([...page.problems, ...changed.problems]),
        source: page.source,
        path: page.path,
        version: { blob: page.blob },
        lines: range,
        text: sliceLines(text, range, page.lineCount),
        headingPath: artifact !== undefined ? [...artifact.headingPath] : [...headingAt(segments, range.start, request)],
        title: page.title,
        tier: page.tier,
        labels: changed.same ? worn : [...worn, 'unverified-changed' as const],
        ...(request.meta ? { meta: metaOf(page) } : {}),
        ...(request.links ? await linksOf(door, page) : {}),
        ...(request.segments ? { segments: segments.map(segmentOf) } : {}),
      };
    } finally {
      await door.snapshot.close();
    }
  },
});

/** As contexts print it, `leave.md:21-23`, where no page has that very name. What the request says of lines or anchor goes before it. */
async function foundAs(door: Door, request: GetInput): Promise<{ readonly found: FoundPage | undefined; readonly request: GetInput }> {
  const found = await findPage(door, request);
  const [, path, lines] = /^(.+):(\d+(?:-\d+)?)$/.exec(request.path) ?? [];
  if (found !== undefined || request.raw || path === undefined || lines === undefined) return { found, request };
  const isPicked = request.lines !== undefined || request.anchor !== undefined;
  return { found: await findPage(door, { ...request, path }), request: isPicked ? request : { ...request, lines } };
}

interface Range {
  readonly start: number;
  readonly end: number;
}

interface Read {
  readonly page: StoredPage;
  readonly segments: readonly StoredArtifact[];
  readonly text: string;
}

/** The section of an anchor: a heading's, or a place that is named in HTML. Undefined where none is asked for, or there is none. */
async function named({ anchor }: GetInput, { page, segments, text }: Read): Promise<Range | undefined> {
  const name = anchor?.replace(/^#/, '');
  if (name === undefined) return undefined;
  const section = sectionAt(segments, name);
  if (section !== undefined) return section;
  const { namedPlace } = await import('../../text/named-place.js');
  const place = namedPlace(text, name, /\.mdx$/i.test(page.path));
  if (place === undefined) return undefined;
  const line = text.slice(0, place).split('\n').length;
  const around = segments.find(({ lines: { end } }) => line <= end) ?? segments.at(-1);
  if (around === undefined) return { start: line, end: line };
  return around.anchor === '' ? beforeHeadings(segments) : sectionAt(segments, around.anchor);
}

/** What stands before the first heading. */
function beforeHeadings(segments: readonly StoredArtifact[]): Range {
  const first = segments.findIndex(({ anchor }) => anchor !== '');
  const own = first < 0 ? segments : segments.slice(0, first);
  return { start: own[0]?.lines.start ?? 1, end: Math.max(...own.map(({ lines: { end } }) => end)) };
}

function rangeOf(request: GetInput, page: StoredPage, section: Range | undefined, artifact: StoredArtifact | undefined): Range {
  const last = Math.max(1, page.lineCount);
  if (request.lines !== undefined) {
    const [start = 1, end = start] = request.lines.split('-').map(Number);
    if (start < 1 || end < start || start > last) {
      throw new Fault('input/invalid', { field: 'lines', expected: `a range within 1-${last} of ${page.path}` });
    }
    return { start, end: Math.min(end, last) };
  }
  if (request.anchor !== undefined) {
    if (section === undefined) throw new Fault('not-found', { what: `${page.path}#${request.anchor.replace(/^#/, '')}` });
    return section;
  }
  return artifact === undefined ? { start: 1, end: last } : artifact.lines;
}

/** From the heading with this anchor to the end of what stands under it. */
function sectionAt(segments: readonly StoredArtifact[], anchor: string): Range | undefined {
  const first = segments.findIndex((each) => each.anchor === anchor);
  const head = segments[first];
  if (head === undefined) return undefined;
  let end = head.lines.end;
  for (const each of segments.slice(first + 1)) {
    const under = head.headingPath.every((heading, depth) => each.headingPath[depth] === heading);
    const twin = each.anchor !== anchor && each.headingPath.length === head.headingPath.length;
    if (!under || twin) break;
    end = Math.max(end, each.lines.end);
  }
  return { start: head.lines.start, end };
}

function headingAt(segments: readonly StoredArtifact[], line: number, request: GetInput): readonly string[] {
  const whole = request.lines === undefined && request.anchor === undefined;
  if (whole) return [];
  return segments.find((each) => each.lines.start <= line && line <= each.lines.end)?.headingPath ?? [];
}

function sliceLines(text: string, range: { start: number; end: number }, lineCount: number): string {
  if (range.start === 1 && range.end >= lineCount) return text;
  return text
    .split(/(?<=\n)/)
    .slice(range.start - 1, range.end)
    .join('');
}

/** Front matter as typed, in the names authors write; what was not given is absent. */
function metaOf({ meta, tier, authorityClass, curated, compartment }: StoredPage): Record<string, unknown> {
  const { other, ...typed } = meta;
  const snake = Object.entries(typed).map(([key, value]) => [key.replace(/[A-Z]/g, (upper) => `_${upper.toLowerCase()}`), value]);
  return {
    ...other,
    ...Object.fromEntries(snake),
    tier,
    authority_class: authorityClass,
    curated,
    classification: compartment.classification,
  };
}

async function linksOf({ snapshot, eligible }: Door, page: StoredPage) {
  const [out, back] = await Promise.all([snapshot.links(eligible, page), snapshot.backlinks(eligible, page)]);
  return {
    links: out.map((each) => ({
      href: each.link.href,
      to: destination(each, page),
      anchor: each.link.anchor,
      broken: each.to === undefined && (each.link.target.to === 'page' || each.link.target.to === 'name'),
      line: each.link.line,
      kind: each.link.kind,
    })),
    backlinks: back.map((each) => ({ source: each.source, path: each.from, line: each.link.line, text: each.link.text })),
  };
}

/** Where it leads; for a broken link the path it would have been. */
function destination({ link: { target }, to }: LinkHit, page: StoredPage): string | null {
  if (to !== undefined) return to.path;
  if (target.to === 'self') return page.path;
  if (target.to === 'page') return target.paths[0] ?? null;
  return target.to === 'name' ? target.name : null;
}

function segmentOf(each: StoredArtifact) {
  return {
    artifact: each.id,
    headingPath: [...each.headingPath],
    anchor: each.anchor,
    lines: each.lines,
    bytes: each.bytes,
    prefix: each.prefix,
    text: each.excerpt,
    modelTokens: each.tokens,
  };
}
