/**
 * The walk: one pass over the syntax tree of a page, noting blocks, links, tags, and the marks that are not words.
 *
 * Invariant: what the parser left unparsed counts as raw HTML, so that comments and tags in it are still found.
 */
import type { Edit } from './decode-edits.js';
import type { Block, BlockKind, Frame } from './outline-blocks.js';
import { decodeEntity } from './outline-entities.js';
import { type HtmlTag, tagAt } from './outline-html.js';
import { parseMarkdown } from './outline-parser.js';
import type { Destination } from './outline-safety.js';

/** The part of a syntax node that the walk reads. */
export interface TreeNode {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly firstChild: TreeNode | null;
  readonly nextSibling: TreeNode | null;
  readonly parent: TreeNode | null;
}

/** A link or image as the parser saw it; whether it leads anywhere is known when all definitions are. */
export interface LinkNode {
  readonly image: boolean;
  readonly start: number;
  readonly end: number;
  readonly textStart: number;
  readonly textEnd: number;
  readonly url?: { readonly start: number; readonly end: number };
  readonly label?: { readonly start: number; readonly end: number };
}

export interface Definition {
  readonly label: string;
  readonly urlStart: number;
  readonly urlEnd: number;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

export interface Walked {
  readonly blocks: readonly Block[];
  readonly links: readonly LinkNode[];
  readonly bareUrls: readonly Range[];
  readonly definitions: readonly Definition[];
  readonly destinations: readonly Destination[];
  readonly inlineTags: readonly HtmlTag[];
  readonly htmlRanges: readonly Range[];
  readonly codeRanges: readonly Range[];
  readonly edits: readonly Edit[];
  readonly unclosedFences: readonly number[];
  /** Where the page was no longer taken apart, because it has too many blocks. */
  readonly unparsedFrom: number | undefined;
}

const BLOCKS: Readonly<Record<string, BlockKind>> = {
  Paragraph: 'paragraph',
  Task: 'paragraph',
  BulletList: 'list',
  OrderedList: 'list',
  ListItem: 'item',
  Blockquote: 'quote',
  FencedCode: 'fence',
  CodeBlock: 'code',
  HTMLBlock: 'html',
  CommentBlock: 'html',
  ProcessingInstructionBlock: 'html',
  Table: 'table',
  HorizontalRule: 'rule',
  LinkReference: 'reference',
  ATXHeading1: 'heading',
  ATXHeading2: 'heading',
  ATXHeading3: 'heading',
  ATXHeading4: 'heading',
  ATXHeading5: 'heading',
  ATXHeading6: 'heading',
  SetextHeading1: 'heading',
  SetextHeading2: 'heading',
};

const LEAVES: ReadonlySet<BlockKind> = new Set(['paragraph', 'heading', 'table']);

/** Nodes of a page, of its blocks and of what is in them, that are looked at one by one; a page of ten thousand lines has as many. */
const MAX_NODES = 400_000;

export function walk(text: string, from: number, components: boolean): Walked {
  const walker = new Walker(text, from, components);
  const skipped: Range[] = [];
  for (const { tree, start, end, unparsed } of parseMarkdown(text, from, components)) {
    walker.base = start;
    tree.iterate({
      enter: (node) => walker.enter(node.name, node.from + start, node.to + start, () => node.node),
      leave: (node) => walker.leave(node.name),
    });
    for (const each of unparsed) skipped.push(each);
    if (walker.nodes <= MAX_NODES || end >= text.length) continue;
    walker.leaveUnparsed(end);
    break;
  }
  const { found } = walker;
  return { ...found, htmlRanges: [...found.htmlRanges, ...skipped].sort((a, b) => a.start - b.start) };
}

interface OpenBlock {
  readonly kind: BlockKind;
  readonly start: number;
  readonly end: number;
  readonly children: Block[];
  frame?: Frame;
  level?: number;
  titleStart?: number;
  titleEnd?: number;
}

class Walker {
  readonly #open: OpenBlock[] = [];
  readonly #blocks: Block[] = [];
  #inHeading = false;
  #leafEnd = 0;
  readonly found = {
    blocks: this.#blocks as readonly Block[],
    links: [] as LinkNode[],
    bareUrls: [] as Range[],
    definitions: [] as Definition[],
    destinations: [] as Destination[],
    inlineTags: [] as HtmlTag[],
    htmlRanges: [] as Range[],
    codeRanges: [] as Range[],
    edits: [] as Edit[],
    unclosedFences: [] as number[],
    unparsedFrom: undefined as number | undefined,
  };

  readonly text: string;
  /** Where the body begins. */
  readonly shift: number;
  /** Where the piece that is walked begins. */
  base = 0;
  nodes = 0;

  /** Tags are looked for in paragraphs as a whole: the parser does not know values in braces. */
  readonly components: boolean;

  constructor(text: string, shift: number, components: boolean) {
    this.text = text;
    this.shift = shift;
    this.components = components;
  }

  enter(name: string, start: number, end: number, node: () => TreeNode): boolean | undefined {
    this.nodes += 1;
    const kind = BLOCKS[name];
    if (kind !== undefined) return this.#enterBlock(name, kind, start, end, node);
    return this.#enterInline(name, start, end, node);
  }

  leave(name: string): void {
    if (BLOCKS[name] === undefined) return;
    const block = this.#open.pop();
    if (block === undefined) return;
    if (block.kind === 'heading') this.#inHeading = false;
    if (this.components && LEAVES.has(block.kind)) this.#tagRanges(block);
    (this.#open.at(-1)?.children ?? this.#blocks).push(block);
  }

  /** The rest of the page, as one block of lines. */
  leaveUnparsed(start: number): void {
    const end = this.#blockEnd(this.text.length);
    this.#blocks.push({ kind: 'paragraph', start, end, children: [] });
    this.found.htmlRanges.push({ start, end });
    this.found.unparsedFrom = start;
  }

  /** What lies between the code of a leaf. */
  #tagRanges(block: OpenBlock): void {
    const { codeRanges, htmlRanges } = this.found;
    let at = block.start;
    let first = codeRanges.length;
    while (first > 0 && (codeRanges[first - 1]?.start ?? 0) >= block.start) first -= 1;
    for (const code of codeRanges.slice(first)) {
      htmlRanges.push({ start: at, end: code.start });
      at = code.end;
    }
    htmlRanges.push({ start: at, end: block.end });
  }

  #enterBlock(name: string, kind: BlockKind, start: number, end: number, node: () => TreeNode): boolean | undefined {
    const block: OpenBlock = { kind, start: this.#lineStart(start), end: this.#blockEnd(end), children: [] };
    this.#open.push(block);
    this.#leafEnd = end;
    if (kind === 'heading') this.#heading(block, name, start, end, node());
    else if (kind === 'fence') this.#fence(block, start, node());
    else if (kind === 'code') this.found.codeRanges.push({ start, end });
    else if (kind === 'table') this.#tableFrame(block, node());
    else if (kind === 'html') this.#html(block, start, end);
    else if (kind === 'reference') this.#definition(start, end, node());
    return undefined;
  }

  #heading(block: OpenBlock, name: string, start: number, end: number, node: TreeNode): void {
    this.#inHeading = true;
    block.level = Number(name.at(-1));
    let titleStart = start;
    let titleEnd = end;
    for (let child = node.firstChild; child !== null; child = child.nextSibling) {
      if (child.name !== 'HeaderMark') continue;
      const [from, to] = this.#at(child);
      if (from === start && name.startsWith('ATX')) titleStart = to;
      else titleEnd = from;
    }
    block.titleStart = titleStart;
    block.titleEnd = titleEnd;
  }

  #fence(block: OpenBlock, start: number, node: TreeNode): void {
    this.found.codeRanges.push({ start, end: block.end });
    const marks: (readonly [number, number])[] = [];
    for (let child = node.firstChild; child !== null; child = child.nextSibling) if (child.name === 'CodeMark') marks.push(this.#at(child));
    const opening = marks[0];
    if (opening === undefined) return;
    const closing = marks[1];
    if (closing === undefined) this.found.unclosedFences.push(opening[0]);
    const openerEnd = this.#lineEnd(opening[0]);
    const lead = this.text.slice(block.start, opening[0]).replace(/[^\s>]/g, ' ');
    const mark = this.text.slice(opening[0], opening[1]);
    const bodyStart = Math.min(openerEnd + 1, block.end);
    block.frame = {
      before: `${lead}${this.text.slice(opening[0], openerEnd)}\n`,
      after: `\n${lead}${mark}`,
      bodyStart,
      bodyEnd: closing === undefined ? block.end : Math.max(bodyStart, this.#lineStart(closing[0])),
    };
  }

  #tableFrame(block: OpenBlock, node: TreeNode): void {
    const header = node.firstChild;
    const delimiter = header?.nextSibling;
    if (header === null || delimiter === null || delimiter === undefined) return;
    const bodyStart = Math.min(this.#lineEnd(this.#at(delimiter)[1]) + 1, block.end);
    const before = this.text
      .slice(block.start, bodyStart)
      .replace(/^[^\n|]*/, (lead) => lead.replace(/[-*+]|\d+[.)]/, (marker) => ' '.repeat(marker.length)));
    block.frame = { before: before.endsWith('\n') ? before : `${before}\n`, after: '', bodyStart, bodyEnd: block.end };
  }

  #html(block: OpenBlock, start: number, end: number): void {
    this.found.htmlRanges.push({ start, end });
    const opener = this.text.slice(block.start, this.#lineEnd(start));
    const bodyStart = Math.min(this.#lineEnd(start) + 1, block.end);
    if (opener.length <= 200 && !opener.includes('<!--')) block.frame = { before: `${opener}\n`, after: '', bodyStart, bodyEnd: block.end };
  }

  #definition(start: number, end: number, node: TreeNode): void {
    let label = '';
    for (let child = node.firstChild; child !== null; child = child.nextSibling) {
      const [from, to] = this.#at(child);
      if (child.name === 'LinkLabel') label = this.text.slice(from + 1, to - 1);
      else if (child.name === 'URL') {
        this.found.definitions.push({ label: normalLabel(label), urlStart: from, urlEnd: to });
        this.found.destinations.push({ start: from, end: to, image: false });
      }
    }
    this.found.edits.push({ start, end, text: ' ' });
  }

  #enterInline(name: string, start: number, end: number, node: () => TreeNode): boolean | undefined {
    const { edits } = this.found;
    switch (name) {
      case 'Link':
      case 'Image':
        this.#link(name === 'Image', start, end, node());
        return undefined;
      case 'URL':
        if (!this.#belongsToLink(node())) this.found.bareUrls.push({ start, end });
        return undefined;
      case 'HTMLTag':
      case 'Comment':
      case 'ProcessingInstruction': {
        if (this.components) return undefined;
        const tag = tagAt(this.text, start, end, this.#leafEnd);
        if (tag !== undefined) this.found.inlineTags.push({ ...tag, end });
        return undefined;
      }
      case 'InlineCode':
        this.found.codeRanges.push({ start, end });
        return undefined;
      case 'CodeMark':
        edits.push({ start, end, text: this.#inHeading ? '' : ' ' });
        return undefined;
      case 'EmphasisMark':
      case 'StrikethroughMark':
        edits.push({ start, end, text: '' });
        return undefined;
      case 'Escape':
        edits.push({ start, end: start + 1, text: '' });
        return undefined;
      case 'Entity': {
        const decoded = decodeEntity(this.text.slice(start, end));
        if (decoded !== undefined) edits.push({ start, end, text: decoded });
        return undefined;
      }
      default:
        return undefined;
    }
  }

  #link(image: boolean, start: number, end: number, node: TreeNode): void {
    let textStart = start + (image ? 2 : 1);
    let textEnd = end - 1;
    let marks = 0;
    let url: Range | undefined;
    let label: Range | undefined;
    for (let child = node.firstChild; child !== null; child = child.nextSibling) {
      const [from, to] = this.#at(child);
      if (child.name === 'LinkMark') {
        marks += 1;
        if (marks === 1) textStart = to;
        else if (marks === 2) textEnd = from;
      } else if (child.name === 'URL' && marks >= 2) url = { start: from, end: to };
      else if (child.name === 'LinkLabel') label = { start: from, end: to };
    }
    this.found.links.push({
      image,
      start,
      end,
      textStart,
      textEnd,
      ...(url === undefined ? {} : { url }),
      ...(label === undefined ? {} : { label }),
    });
    if (url !== undefined) this.found.destinations.push({ ...url, image });
  }

  #belongsToLink(node: TreeNode): boolean {
    const parent = node.parent?.name;
    if (parent === 'LinkReference') return true;
    if (parent !== 'Link' && parent !== 'Image') return false;
    let marks = 0;
    for (let child = node.parent?.firstChild ?? null; child !== null && child.from < node.from; child = child.nextSibling) {
      if (child.name === 'LinkMark') marks += 1;
    }
    return marks >= 2;
  }

  #at(node: TreeNode): readonly [number, number] {
    return [node.from + this.base, node.to + this.base];
  }

  #lineStart(offset: number): number {
    return Math.max(this.shift, this.text.lastIndexOf('\n', offset - 1) + 1);
  }

  /** A block that the end of the page closes includes the last feed; the block does not. */
  #blockEnd(end: number): number {
    return end > 0 && this.text[end - 1] === '\n' ? end - 1 : this.#lineEnd(end);
  }

  #lineEnd(offset: number): number {
    const feed = this.text.indexOf('\n', offset);
    return feed < 0 ? this.text.length : feed;
  }
}

/** Labels match without regard to case and blanks. */
export function normalLabel(label: string): string {
  return label.trim().replace(/\s+/g, ' ').toLowerCase();
}
