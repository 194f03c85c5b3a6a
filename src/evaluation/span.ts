/**
 * Span: which artifacts of a page hold these words?
 *
 * Words are compared with runs of white space as one blank, so that a line broken elsewhere is the same span.
 *
 * Invariant: undefined means the page does not say it any more; a span that lies over a cut is found in all it touches.
 */
export interface Segment {
  readonly id: string;
  readonly excerpt: string;
}

export interface Located {
  /** In page order; never empty. */
  readonly artifacts: readonly string[];
  /** No artifact holds all of it. */
  readonly apart: boolean;
}

export function locateSpan(span: string, segments: readonly Segment[]): Located | undefined {
  const wanted = blanked(span);
  const texts = segments.map(({ id, excerpt }) => ({ id, text: blanked(excerpt) }));
  const whole = texts.filter(({ text }) => text.includes(wanted)).map(({ id }) => id);
  if (whole.length > 0) return { artifacts: whole, apart: false };
  const start = texts
    .map(({ text }) => text)
    .join(' ')
    .indexOf(wanted);
  if (wanted === '' || start < 0) return undefined;
  const end = start + wanted.length;
  const touched: string[] = [];
  let at = 0;
  for (const { id, text } of texts) {
    if (at < end && at + text.length > start) touched.push(id);
    at += text.length + 1;
  }
  return { artifacts: touched, apart: true };
}

function blanked(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
