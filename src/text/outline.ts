/**
 * Outline: the headings, blocks and links of a markdown page, each at its exact place, and what of it is not for reading.
 *
 * One walk over the syntax tree. `shown` are the edits that make text fit to be served (comments, scripts, hidden elements out);
 * `searched` adds those that leave words only (markup, link targets, tags out).
 *
 * Invariant: all offsets are those of the text given; nothing is copied, moved or normalised here.
 * Invariant: time is linear in the text: inline markup that would cost more is left unparsed and scanned instead.
 */
import { Anchors, splitAuthorId } from './anchors.js';
import { applyEdits, type Edit, keepingLines, orderEdits } from './decode-edits.js';
import { endOfFurtherBlock } from './front-matter.js';
import { type Block, isHeadingBlock, mergeBlocks } from './outline-blocks.js';
import { componentComments, moduleRanges } from './outline-components.js';
import { attributesOf, type HtmlRange, type HtmlTag, isMarkup, scanHtml, spokenText, TextSearch, unseenRanges } from './outline-html.js';
import { type RawLink, resolveLinks } from './outline-links.js';
import { activeEdits } from './outline-safety.js';
import { type Walked, walk } from './outline-walk.js';

export type { Block } from './outline-blocks.js';
export type { RawLink } from './outline-links.js';

export interface Heading {
  /** 1 to 6. */
  readonly level: number;
  /** Plain text: no markup, no link targets. */
  readonly title: string;
  readonly anchor: string;
  /** From the outermost heading down to this one. */
  readonly path: readonly string[];
  readonly start: number;
  readonly end: number;
}

/** Something on the page that a reader of the rendered page does not see. */
export interface Unseen {
  readonly start: number;
  readonly end: number;
  readonly kind: HtmlRange['kind'];
  readonly closed: boolean;
  readonly words: number;
}

export interface Outline {
  readonly headings: readonly Heading[];
  /** Top-level blocks in order, headings among them; what is not shown is not here. */
  readonly blocks: readonly Block[];
  readonly links: readonly RawLink[];
  readonly shown: readonly Edit[];
  readonly searched: readonly Edit[];
  readonly unseen: readonly Unseen[];
  /** Offsets of fences that nothing closes. */
  readonly unclosedFences: readonly number[];
  /** Where the page was no longer taken apart, because it has too many blocks. */
  readonly unparsedFrom?: number;
  /** Offset of a further front matter block, when there is one. */
  readonly furtherBlock?: { readonly start: number; readonly end: number };
}

export interface OutlineOptions {
  /** Where the front matter ends. */
  readonly bodyStart: number;
  /** JSX and module statements are markup. */
  readonly components: boolean;
}

export function outline(text: string, { bodyStart, components }: OutlineOptions): Outline {
  const further = bodyStart > 0 ? furtherBlock(text, bodyStart) : undefined;
  const walked = walk(text, further?.end ?? bodyStart, components);
  const tags = tagsOf(text, walked);
  const unseen = unseenOf(text, walked, tags, components);
  const shown = orderEdits([...unseen.edits, ...activeEdits(text, tags, walked.destinations)]);
  const links = resolveLinks(text, walked, tags, shown);
  const searched = orderEdits([...shown, ...walked.edits, ...links.edits, ...tags.flatMap((tag) => tagEdit(text, tag))]);
  const whole: Block[] = further === undefined ? [] : [{ kind: 'paragraph', start: further.start, end: further.end, children: [] }];
  const blocks = mergeBlocks(text, [...whole, ...walked.blocks], unseen.ranges);
  return {
    headings: headingsOf(text, blocks, searched),
    blocks,
    links: links.links,
    shown,
    searched,
    unseen: unseen.reported,
    unclosedFences: walked.unclosedFences,
    ...(walked.unparsedFrom === undefined ? {} : { unparsedFrom: walked.unparsedFrom }),
    ...(further === undefined ? {} : { furtherBlock: further }),
  };
}

/** Every tag and comment of a page, in page order; those in code are none. */
export function htmlTags(text: string, { bodyStart, components }: OutlineOptions): readonly HtmlTag[] {
  return tagsOf(text, walk(text, bodyStart, components));
}

function furtherBlock(text: string, bodyStart: number): { start: number; end: number } | undefined {
  let start = bodyStart;
  while (text[start] === '\n') start += 1;
  if (!text.startsWith('---', start)) return undefined;
  const length = endOfFurtherBlock(text.slice(start));
  return length === undefined ? undefined : { start, end: start + length };
}

/** Tags the parser found inline, and those inside what it leaves unparsed, in page order. */
function tagsOf(text: string, walked: Walked): readonly HtmlTag[] {
  const search = new TextSearch(text);
  const scanned = walked.htmlRanges.flatMap(({ start, end }) => scanHtml(text, start, end, search));
  return [...walked.inlineTags, ...scanned].sort((a, b) => a.start - b.start);
}

interface UnseenFound {
  readonly edits: readonly Edit[];
  readonly ranges: readonly { readonly start: number; readonly end: number }[];
  readonly reported: readonly Unseen[];
}

function unseenOf(text: string, walked: Walked, tags: readonly HtmlTag[], components: boolean): UnseenFound {
  const html = unseenRanges(text, tags);
  const comments = components ? componentComments(text, walked.codeRanges) : [];
  const modules = components ? moduleRanges(text, walked.blocks) : [];
  const ranges = [...html, ...comments].sort((a, b) => a.start - b.start);
  const reported = ranges.map((range) => ({ ...range, words: wordsIn(text, range.start, range.end) }));
  const all = [...ranges, ...modules].sort((a, b) => a.start - b.start);
  return { edits: all.map(({ start, end }) => keepingLines(text, start, end, '')), ranges: all, reported };
}

/** Words of a comment or hidden element, its delimiters and tags not counted. */
function wordsIn(text: string, start: number, end: number): number {
  const inner = text.slice(start, Math.min(end, start + 2000)).replace(/^<!--|^\{\/\*|-->$|\*\/\s*\}$/g, ' ');
  return inner.replace(/<[^<>]{0,500}>/g, ' ').match(/[\p{L}\p{N}_-]{2,}/gu)?.length ?? 0;
}

const TIGHT = new Set(['a', 'b', 'code', 'em', 'i', 'mark', 's', 'small', 'span', 'strong', 'sub', 'sup', 'u', 'wbr', '']);

function tagEdit(text: string, tag: HtmlTag): readonly Edit[] {
  const attributes = attributesOf(text, tag);
  if (!isMarkup(tag, attributes)) return [];
  const spoken = spokenText(attributes);
  return [keepingLines(text, tag.start, tag.end, spoken === '' ? (TIGHT.has(tag.name) ? '' : ' ') : ` ${spoken} `)];
}

function headingsOf(text: string, blocks: readonly Block[], searched: readonly Edit[]): readonly Heading[] {
  const anchors = new Anchors();
  const open: { readonly level: number; readonly title: string }[] = [];
  const headings: Heading[] = [];
  for (const block of blocks) {
    if (!isHeadingBlock(block)) continue;
    const { title, id } = splitAuthorId(plainText(text, searched, block.titleStart, block.titleEnd));
    while ((open.at(-1)?.level ?? 0) >= block.level) open.pop();
    open.push({ level: block.level, title });
    headings.push({
      level: block.level,
      title,
      anchor: anchors.next(title, id),
      path: open.map((each) => each.title),
      start: block.start,
      end: block.end,
    });
  }
  return headings;
}

/** Words of a range on one line. */
export function plainText(text: string, searched: readonly Edit[], start: number, end: number): string {
  return applyEdits(text, searched, start, end).replace(/\s+/g, ' ').trim();
}
