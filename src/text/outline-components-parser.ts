/**
 * How MDX differs from markdown for the parser: a tag opens no block of its own, indentation makes no code, and a fence may be
 * indented as deep as the component it stands in.
 */
import type { BlockContext, LeafBlock, LeafBlockParser, Line, MarkdownConfig } from '@lezer/markdown';

const FENCE = /^(`{3,})[^`]*$|^(~{3,})/;

export const COMPONENT_BLOCKS: MarkdownConfig = {
  remove: ['IndentedCode', 'HTMLBlock'],
  parseBlock: [
    {
      name: 'ComponentFence',
      before: 'FencedCode',
      parse: (cx, line) => isIndented(line) && indentedFence(cx, line),
      leaf: (): LeafBlockParser => ({ nextLine: endsBeforeFence, finish: () => false }),
    },
  ],
};

/** So deep that the parser itself would take the line for a paragraph's. */
function isIndented(line: Line): boolean {
  return line.indent - line.baseIndent >= 4;
}

function fenceMark(line: Line): string | undefined {
  const found = FENCE.exec(line.text.slice(line.pos));
  return found?.[1] ?? found?.[2];
}

/** The paragraph before an indented fence ends where the fence begins. */
function endsBeforeFence(cx: BlockContext, line: Line, leaf: LeafBlock): boolean {
  if (!isIndented(line) || fenceMark(line) === undefined) return false;
  const end = leaf.start + leaf.content.length;
  cx.addLeafElement(leaf, cx.elt('Paragraph', leaf.start, end, cx.parser.parseInline(leaf.content, leaf.start)));
  return true;
}

function indentedFence(cx: BlockContext, line: Line): boolean {
  const mark = fenceMark(line);
  if (mark === undefined) return false;
  const start = cx.lineStart + line.pos;
  const depth = cx.depth;
  const children = [cx.elt('CodeMark', start, start + mark.length)];
  let end = cx.lineStart + line.text.length;
  while (cx.nextLine() && containersOf(line, depth) >= depth) {
    const text = line.text.slice(line.pos).trimEnd();
    const closes = text.length >= mark.length && text === (mark[0] ?? '').repeat(text.length);
    end = cx.lineStart + line.text.length;
    if (!closes) continue;
    children.push(cx.elt('CodeMark', cx.lineStart + line.pos, cx.lineStart + line.pos + text.length));
    cx.nextLine();
    break;
  }
  cx.addElement(cx.elt('FencedCode', start, end, children));
  return true;
}

/** How many containers the line goes on with; the parser keeps it beside its documented fields. */
function containersOf(line: Line, otherwise: number): number {
  const { depth } = line as Line & { readonly depth?: number };
  return depth ?? otherwise;
}
