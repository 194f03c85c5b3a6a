/**
 * Links of a page as written: inline, by reference, bare, by wiki name, in HTML; each with its text and place. Code has none.
 */
import { applyEdits, type Edit } from './decode-edits.js';
import { decodeEntities } from './outline-entities.js';
import { attributesOf, type HtmlTag } from './outline-html.js';
import { type LinkNode, normalLabel, type Walked } from './outline-walk.js';

export type RawLinkKind = 'markdown' | 'reference' | 'wiki' | 'image' | 'html';

export interface RawLink {
  readonly kind: RawLinkKind;
  readonly href: string;
  readonly text: string;
  readonly start: number;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

export interface ResolvedLinks {
  readonly links: readonly RawLink[];
  /** Edits that leave of each link its words. */
  readonly edits: readonly Edit[];
}

const ESCAPED = /\\([!-/:-@[-`{-~])/g;

export function resolveLinks(text: string, walked: Walked, tags: readonly HtmlTag[], shown: readonly Edit[]): ResolvedLinks {
  const definitions = new Map<string, Range>();
  for (const { label, urlStart, urlEnd } of walked.definitions) {
    if (!definitions.has(label)) definitions.set(label, { start: urlStart, end: urlEnd });
  }
  const links: RawLink[] = [];
  const edits: Edit[] = [];
  const words = (start: number, end: number) =>
    applyEdits(text, shown, start, end).replace(/[*`]|\s+/g, (found) => (found.trim() === '' ? ' ' : ''));
  let wikiEnd = 0;
  for (const node of walked.links) {
    if (node.start < wikiEnd) continue;
    const wiki = wikiRange(text, node);
    if (wiki !== undefined && node.url === undefined) {
      wikiEnd = wiki.end;
      links.push(wikiLink(text, node, wiki, edits));
      continue;
    }
    const target = node.url ?? definitions.get(normalLabel(labelOf(text, node)));
    if (target === undefined) continue;
    leaveWords(node, edits);
    links.push({
      kind: node.image ? 'image' : node.url === undefined ? 'reference' : 'markdown',
      href: destination(text.slice(target.start, target.end)),
      text: words(node.textStart, node.textEnd),
      start: node.start,
    });
  }
  for (const { start, end } of walked.bareUrls) {
    const href = text.slice(start, end);
    links.push({ kind: 'markdown', href, text: href, start });
  }
  links.push(...htmlLinks(text, tags, words));
  return { links: links.sort((a, b) => a.start - b.start), edits };
}

/** `<a\_b%20c>` as it is meant: brackets, escapes and references gone. */
function destination(written: string): string {
  const bare = written.startsWith('<') && written.endsWith('>') ? written.slice(1, -1) : written;
  return decodeEntities(bare.replace(ESCAPED, '$1'));
}

function labelOf(text: string, node: LinkNode): string {
  const label = node.label === undefined ? '' : text.slice(node.label.start + 1, node.label.end - 1);
  return label === '' ? text.slice(node.textStart, node.textEnd) : label;
}

function leaveWords(node: LinkNode, edits: Edit[]): void {
  edits.push({ start: node.start, end: node.textStart, text: '' }, { start: node.textEnd, end: node.end, text: '' });
}

/** The range with both pairs of brackets, when the link stands in two. */
function wikiRange(text: string, node: LinkNode): Range | undefined {
  if (text[node.textStart] === '[' && text[node.textEnd - 1] === ']') return { start: node.start, end: node.end };
  if (text[node.start - 1] === '[' && text[node.end] === ']') return { start: node.start - 1, end: node.end + 1 };
  return undefined;
}

function wikiLink(text: string, node: LinkNode, range: Range, edits: Edit[]): RawLink {
  const inner = text
    .slice(range.start, range.end)
    .replace(/^!?\[+/, '')
    .replace(/\]+$/, '');
  const bar = inner.indexOf('|');
  const href = (bar < 0 ? inner : inner.slice(0, bar)).replace(/\\$/, '').trim();
  const words = (bar < 0 ? inner : inner.slice(bar + 1)).trim();
  edits.push({ start: range.start, end: range.end, text: bar < 0 ? words : `${words} ` });
  return { kind: 'wiki', href, text: words, start: node.start };
}

type Words = (start: number, end: number) => string;

/** How many tags after a link its end is looked for. */
const LINK_REACH = 20;

function htmlLinks(text: string, tags: readonly HtmlTag[], words: Words): readonly RawLink[] {
  const links: RawLink[] = [];
  for (const [index, tag] of tags.entries()) {
    if (tag.kind === 'close' || tag.kind === 'comment') continue;
    const address = addressOf(text, tag);
    if (address === undefined) continue;
    const label = tag.kind === 'open' ? labelBetween(tags, index, words) : '';
    links.push({ kind: tag.name === 'img' ? 'image' : 'html', href: decodeEntities(address), text: label, start: tag.start });
  }
  return links;
}

/** The address a tag leads to; one that a program works out is not known. */
function addressOf(text: string, tag: HtmlTag): string | undefined {
  const wanted = tag.name === 'img' ? 'src' : 'href';
  const found = attributesOf(text, tag).find(
    ({ name, value, valueStart }) => name === wanted && value !== '' && text[valueStart - 1] !== '{',
  );
  return found?.value;
}

function labelBetween(tags: readonly HtmlTag[], index: number, words: Words): string {
  const tag = tags[index];
  const close = tags.slice(index + 1, index + LINK_REACH).find((each) => each.kind === 'close' && each.name === tag?.name);
  if (tag === undefined || close === undefined) return '';
  return words(tag.end, close.start)
    .replace(/<[^<>]{0,500}>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
