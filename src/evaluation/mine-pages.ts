/**
 * Mine pages: what a tree's own pages say about each other.
 *
 * Invariant: a sentence is taken as it is read, without markup; nothing is made up or put together.
 */
import type { PageId } from './metrics.js';
import type { WeakLabel } from './weak-labels.js';

export interface MinedPage {
  readonly id: PageId;
  readonly title: string;
  /** As served, with the lines of the file. */
  readonly text: string;
  /** Names besides the title: aliases, paths it once had. */
  readonly aliases: readonly string[];
  readonly headings: readonly string[];
  /** Links that lead to another page of the tree. */
  readonly links: readonly { readonly text: string; readonly href: string; readonly line: number; readonly to: PageId }[];
}

export function minePages(pages: readonly MinedPage[]): WeakLabel[] {
  return pages.flatMap((page) => [...page.links.flatMap((link) => linkLabels(page, link)), ...headingLabels(page), ...aliasLabels(page)]);
}

type Link = MinedPage['links'][number];

/** An author's words on a link say what is found there, unless they only say "here". */
const GENERIC =
  /^(?:here|this|that|see|link|page|docs?|documentation|more|read more|learn more|below|above|guide|details?|next|previous|back|source|example)s?(?: page| here| section)?$/i;

function linkLabels(page: MinedPage, link: Link): WeakLabel[] {
  if (link.to === page.id) return [];
  const base = { pages: [link.to], from: [page.id], where: `${page.id}:${link.line}` };
  const sentence = sentenceAround(page.text, link);
  const text = withoutMarkup(link.text);
  const said = sentence === undefined ? undefined : (described(sentence, text) ?? purposeOf(sentence));
  const labels: WeakLabel[] = [];
  if (!GENERIC.test(text) && !looksLikeAddress(text)) labels.push({ ...base, kind: 'link', text });
  if (said !== undefined) labels.push({ ...base, kind: 'link', text: said });
  else if (sentence !== undefined && isTelling(sentence, text)) labels.push({ ...base, kind: 'mention', text: sentence });
  return labels;
}

function looksLikeAddress(text: string): boolean {
  return /^\S*[/\\]\S*$|^https?:|^[\w.-]+\.(?:mdx?|html?)$/.test(text);
}

/** `[Keys](keys.md): how they are rotated` */
function described(sentence: string, text: string): string | undefined {
  const at = sentence.indexOf(text);
  const rest = at < 0 ? '' : sentence.slice(at + text.length);
  const said = /^["'`)\]]*\s*(?:[:–—]|\s-)\s+(.{12,})$/.exec(rest)?.[1];
  return said === undefined ? undefined : trimmed(said);
}

const PURPOSES = [
  /\bfor (?:more |further |additional |full |complete )?(?:info|information|details?|help|documentation|explanation|reading|instructions) (?:on|about|regarding|of) (.{8,})$/i,
  /\bfor (?:more|details|specifics) (?:on|about) (.{8,})$/i,
  /\bfor (?:a |an )?(?:more |full |complete |detailed )?(?:description|explanation|overview|list) of (.{8,})$/i,
  /\bto (?:find out|learn|read|see|know) (?:more )?(?:about |how )(.{8,})$/i,
  /\bto see (.{8,})$/i,
];

/** `See [keys](keys.md) for more information about rotation` */
function purposeOf(sentence: string): string | undefined {
  for (const pattern of PURPOSES) {
    const said = pattern.exec(sentence)?.[1];
    if (said !== undefined && !/\bsee\b/i.test(said)) return trimmed(said);
  }
  return undefined;
}

const FEWEST_WORDS = 7;
const MOST_WORDS = 40;

/** Long enough to be about something besides the name on the link. */
function isTelling(sentence: string, text: string): boolean {
  const words = sentence.split(' ').length - text.split(' ').length;
  return words >= FEWEST_WORDS && words <= MOST_WORDS && /^[\p{L}\p{N}"'`(]/u.test(sentence);
}

const SPACE = /\s+/g;

/** The sentence of the paragraph, list item or table cell that a link stands in, without markup. */
export function sentenceAround(text: string, link: Pick<Link, 'href' | 'line'>): string | undefined {
  const lines = text.split('\n');
  const at = link.line - 1;
  if (lines[at] === undefined) return undefined;
  let first = at;
  while (first > 0 && !startsBlock(lines[first] ?? '') && continues(lines[first - 1] ?? '')) first -= 1;
  let last = at;
  while (last + 1 < lines.length && continues(lines[last + 1] ?? '') && !startsBlock(lines[last + 1] ?? '')) last += 1;
  const block = lines
    .slice(first, last + 1)
    .join(' ')
    .replace(SPACE, ' ');
  if (/^\s*(?:```|~~~|\|)/.test(block)) return undefined;
  const before = lines.slice(first, at).join(' ').replace(SPACE, ' ').length;
  const place = block.indexOf(link.href, Math.max(0, before - 1));
  if (place < 0) return undefined;
  const start = Math.max(
    0,
    ...[...block.slice(0, place).matchAll(/(?<!\b(?:e\.g|i\.e|etc|vs|cf))[.!?]["')]?\s/g)].map((match) => match.index + match[0].length),
  );
  const end = /(?<!\b(?:e\.g|i\.e|etc|vs|cf))[.!?](?=["')]?(?:\s|$))/.exec(block.slice(place + link.href.length));
  const sentence = block.slice(start, end === null ? undefined : place + link.href.length + end.index);
  const plain = withoutMarkup(sentence.replace(/^\s*(?:[-*+]|\d+[.)])\s+|^\s*(?:>|#+)\s*/, ''));
  return plain === '' ? undefined : plain;
}

function continues(line: string): boolean {
  return line.trim() !== '' && !/^\s*(?:```|~~~|#+\s|\|)/.test(line);
}

function startsBlock(line: string): boolean {
  return /^\s*(?:[-*+]|\d+[.)])\s/.test(line);
}

export function withoutMarkup(text: string): string {
  return text
    .replace(/!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])/g, '$1')
    .replace(/<[^>]+>/g, '')
    .replace(/[`*]/g, '')
    .replace(/(?<=^|\s)_+|_+(?=\s|$)/g, '')
    .replace(SPACE, ' ')
    .trim();
}

function trimmed(text: string): string {
  return text.replace(/[\s.,;:!)]+$/, '').trim();
}

const QUESTION =
  /\?$|^(?:how (?:to|do|does|can|is|are|should)|what (?:is|are|does|do|happens)|why|when (?:to|is|do|should)|where|which|who|can i|should i|do i) /i;

/** A heading is on its own page, so this asks little of a ranker; it is reported apart. */
function headingLabels(page: MinedPage): WeakLabel[] {
  const headings = new Set(page.headings.map(withoutMarkup).filter((heading) => QUESTION.test(heading)));
  return [...headings].map((text) => ({ kind: 'heading', text, pages: [page.id], from: [], where: page.id }));
}

function aliasLabels(page: MinedPage): WeakLabel[] {
  return page.aliases.map((alias) => ({ kind: 'alias', text: asWords(alias), pages: [page.id], from: [], where: page.id }));
}

/** `/old/rotate-keys.html` → `rotate keys` */
export function asWords(alias: string): string {
  if (!/^[^\s]*[/.]|-/.test(alias) || /\s/.test(alias)) return alias;
  const parts = alias
    .replace(/\.(?:mdx?|html?)$/i, '')
    .split('/')
    .filter((part) => part !== '');
  return (parts.at(-1) ?? alias).replace(/[-_]+/g, ' ').trim();
}
