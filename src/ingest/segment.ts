/** Step 5, segment: the pieces in which the page is found and cited. */
import { applyEdits } from '../text/decode-edits.js';
import { type Segment, segment } from '../text/segment.js';
import { tokenBound } from '../text/tokens.js';
import type { ParsedPage } from './parse.js';
import type { SafeText } from './sanitize.js';

export interface CutSegment extends Segment {
  /** The source's slice as served, with the lines repeated around it. */
  readonly excerpt: string;
  /** Its words, markup off: what the index reads, before sanitizing. */
  readonly words: string;
}

const BLANK_LINES_AROUND = /^(?:[ \t]*\n)+|(?:\n[ \t]*)+$/g;

export function cutSegments(safe: SafeText, { outline }: ParsedPage): readonly CutSegment[] {
  const { text } = safe;
  const served = (start: number, end: number) => applyEdits(text, outline.shown, start, end);
  return segment({ text, blocks: outline.blocks, tokens: tokenBound, served }).map((piece) => {
    const slice = served(piece.start, piece.end).replace(BLANK_LINES_AROUND, '');
    return {
      ...piece,
      excerpt: piece.before + slice + piece.after,
      words: applyEdits(text, outline.searched, piece.start, piece.end),
    };
  });
}
