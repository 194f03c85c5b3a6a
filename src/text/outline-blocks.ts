/**
 * Blocks: the pieces of a page that belong together, and what must be repeated when one of them is too large to stay whole.
 *
 * Invariant: a block starts at the beginning of a line and ends at the end of one.
 */
export const BLOCK_KINDS = [
  'heading',
  'paragraph',
  'fence',
  'code',
  'table',
  'list',
  'item',
  'quote',
  'html',
  'math',
  'rule',
  'reference',
] as const;
export type BlockKind = (typeof BLOCK_KINDS)[number];

export interface Block {
  readonly kind: BlockKind;
  readonly start: number;
  readonly end: number;
  /** Items of a list, blocks of an item or a quote. */
  readonly children: readonly Block[];
  /** What stays around every piece when the block is cut. */
  readonly frame?: Frame;
  readonly level?: number;
  readonly titleStart?: number;
  readonly titleEnd?: number;
}

export interface Frame {
  /** Lines put before every piece but the first: a fence's opening, a table's header. With its line feed. */
  readonly before: string;
  /** Lines put after every piece but the last: a fence's closing. With a line feed in front. */
  readonly after: string;
  /** The lines between which the block may be cut. */
  readonly bodyStart: number;
  readonly bodyEnd: number;
}

export type HeadingBlock = Block & { readonly level: number; readonly titleStart: number; readonly titleEnd: number };

export function isHeadingBlock(block: Block): block is HeadingBlock {
  return block.kind === 'heading' && block.level !== undefined;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Blocks that nobody sees go; a formula that blank lines or a rule would tear apart becomes one block. */
export function mergeBlocks(text: string, blocks: readonly Block[], unseen: readonly Range[]): readonly Block[] {
  return mergeMath(text, withoutUnseen(text, blocks, unseen));
}

function withoutUnseen(text: string, blocks: readonly Block[], unseen: readonly Range[]): readonly Block[] {
  if (unseen.length === 0) return blocks;
  let index = 0;
  return blocks.filter((block) => {
    while (index < unseen.length && (unseen[index]?.end ?? 0) <= block.start) index += 1;
    const range = unseen[index];
    if (range === undefined || range.start > block.start + leadingSpace(text, block)) return true;
    return range.end < block.end && text.slice(range.end, block.end).trim() !== '';
  });
}

function leadingSpace(text: string, block: Block): number {
  const line = text.slice(block.start, Math.min(block.end, block.start + 200));
  return line.length - line.trimStart().length;
}

/** Longest formula, in blocks, that is looked for; more than that is a forgotten delimiter. */
const MATH_REACH = 60;

function mergeMath(text: string, blocks: readonly Block[]): readonly Block[] {
  const merged: Block[] = [];
  for (let index = 0; index < blocks.length; index += 1) {
    const block = blocks[index];
    if (block === undefined) break;
    const last = endOfMath(text, blocks, index);
    if (last === undefined) merged.push(block);
    else {
      merged.push(mathBlock(text, block.start, blocks[last]?.end ?? block.end));
      index = last;
    }
  }
  return merged;
}

function endOfMath(text: string, blocks: readonly Block[], index: number): number | undefined {
  const block = blocks[index];
  if (block === undefined || (block.kind !== 'paragraph' && block.kind !== 'heading') || !opensMath(text, block)) return undefined;
  if (delimiters(text, block) % 2 === 0) return block.kind === 'paragraph' ? index : undefined;
  const limit = Math.min(blocks.length, index + MATH_REACH);
  for (let next = index + 1; next < limit; next += 1) {
    const candidate = blocks[next];
    if (candidate === undefined || candidate.kind === 'fence') return undefined;
    if (delimiters(text, candidate) % 2 === 1) return next;
  }
  return undefined;
}

function opensMath(text: string, block: Block): boolean {
  return text.startsWith('$$', block.start + leadingSpace(text, block));
}

function delimiters(text: string, block: Block): number {
  let count = 0;
  for (let at = text.indexOf('$$', block.start); at >= 0 && at < block.end; at = text.indexOf('$$', at + 2)) count += 1;
  return count;
}

function mathBlock(text: string, start: number, end: number): Block {
  const feed = text.indexOf('\n', start);
  const bodyStart = feed < 0 || feed >= end ? end : feed + 1;
  const lastFeed = text.lastIndexOf('\n', end - 1);
  const bodyEnd = Math.max(bodyStart, lastFeed < 0 ? end : lastFeed + 1);
  return { kind: 'math', start, end, children: [], frame: { before: '$$\n', after: '\n$$', bodyStart, bodyEnd } };
}
