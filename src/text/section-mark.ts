/** Where a page says that one of its sections needs more than the page: `<!-- colophon: … -->`, in MDX also `{/* colophon: … *\/}`. */
const MARK = /^(?:<!--|\{\/\*)\s*colophon\s*:/i;

export function isSectionMark(text: string, start: number): boolean {
  return MARK.test(text.slice(start, start + 200));
}

/** What the mark says, without its delimiters. */
export function saidInMark(comment: string): string {
  return comment
    .replace(MARK, '')
    .replace(/(?:-->|\*\/\s*\})\s*$/, '')
    .trim();
}

/** Cheap: could there be one at all? */
export function mayHoldMark(text: string): boolean {
  return /colophon\s*:/i.test(text);
}
