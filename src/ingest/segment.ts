/** Step 5, segment: the pieces in which the page is found and cited. */
import type { Page } from '../domain/page.js';
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

export function cutSegments(safe: SafeText, { outline, frontMatter }: ParsedPage, page: Page): readonly CutSegment[] {
  const { text } = safe;
  const served = (start: number, end: number) => applyEdits(text, outline.shown, start, end);
  const excerpt = (start: number, end: number) => withoutBlankLinesAround(served(start, end));
  const pieces = segment({ text, blocks: outline.blocks, tokens: tokenBound, served, excerpt });
  if (pieces.length === 0) return card(frontMatter.bodyStart, page);
  return pieces.map((piece) => ({
    ...piece,
    excerpt: piece.before + excerpt(piece.start, piece.end) + piece.after,
    words: piece.before + applyEdits(text, outline.searched, piece.start, piece.end),
  }));
}

/** A page that is all front matter is found, and shown, by what its front matter says of it. */
function card(bodyStart: number, { title, summary, meta }: Page): readonly CutSegment[] {
  if (bodyStart === 0 || (meta.title ?? meta.description) === undefined) return [];
  const excerpt = summary === '' || summary === title ? title : `${title}\n\n${summary}`;
  return [{ start: 0, end: bodyStart, heading: -1, before: '', after: '', tokens: tokenBound(excerpt), excerpt, words: '' }];
}

function withoutBlankLinesAround(text: string): string {
  let start = 0;
  for (let feed = text.indexOf('\n'); feed >= 0 && text.slice(start, feed).trim() === ''; feed = text.indexOf('\n', start))
    start = feed + 1;
  let end = text.length;
  for (let feed = text.lastIndexOf('\n'); feed >= start && text.slice(feed, end).trim() === ''; feed = text.lastIndexOf('\n', end - 1))
    end = feed;
  return text.slice(start, end);
}
