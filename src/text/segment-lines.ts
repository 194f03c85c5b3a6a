/**
 * Cutting a line that is too long for one segment: after a sentence if there is one near, else between words, else between
 * characters as people see them.
 *
 * Invariant: the parts give back the line; no part begins within a surrogate pair, an emoji sequence, a flag or an accented letter.
 */
export interface LinePart {
  readonly start: number;
  readonly tokens: number;
}

/** Share of a part within which a better place to cut is looked for. */
const LOOK_BACK = 0.25;
const SENTENCE_END = /[.!?…。！？؟।][)"'”’\]]*[\s\u3000]*$|[。！？]$/;
const CONTINUES = /^(?:\p{M}|\p{Emoji_Modifier}|\u200c|\u200d|\ufe0e|\ufe0f|[\u{e0020}-\u{e007f}])/u;
const REGIONAL = /\p{Regional_Indicator}$/u;

export function* cutLine(
  text: string,
  start: number,
  end: number,
  room: number,
  tokens: (start: number, end: number) => number,
): Generator<LinePart> {
  let at = start;
  let guess = Math.max(16, Math.floor(room * 2));
  while (at < end) {
    let length = Math.min(guess, end - at);
    let size = tokens(at, at + length);
    while (size > room && length > 1) {
      length = Math.max(1, Math.min(length - 1, Math.floor((length * room * 0.95) / size)));
      size = tokens(at, at + length);
    }
    const to = at + length >= end ? end : goodCut(text, at, at + length);
    yield { start: at, tokens: to === at + length ? size : tokens(at, to) };
    guess = Math.max(16, Math.min(Math.floor((length * room) / Math.max(1, size)), length * 2));
    at = to;
  }
}

/** The best place to cut in the last quarter before `limit`; never at `start`. */
function goodCut(text: string, start: number, limit: number): number {
  const earliest = Math.max(start + 1, limit - Math.floor((limit - start) * LOOK_BACK));
  let blank: number | undefined;
  for (let at = limit; at > earliest; at -= 1) {
    const before = text[at - 1] ?? '';
    if (!isBoundary(before)) continue;
    if (SENTENCE_END.test(text.slice(Math.max(start, at - 6), at))) return at;
    blank ??= at;
  }
  return blank ?? wholeCharacter(text, start, limit);
}

function isBoundary(unit: string): boolean {
  return (
    unit === ' ' || unit === '\t' || unit === '\u3000' || unit === '。' || unit === '！' || unit === '？' || unit === '、' || unit === '，'
  );
}

function wholeCharacter(text: string, start: number, limit: number): number {
  let at = limit;
  const floor = Math.max(start + 1, limit - 64);
  while (at > floor && !isCharacterStart(text, at)) at -= 1;
  if (at > floor || isCharacterStart(text, at)) return at;
  if (!isLow(text, limit)) return limit;
  return limit - 1 > start ? limit - 1 : limit + 1;
}

function isLow(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function isCharacterStart(text: string, at: number): boolean {
  if (isLow(text, at)) return false;
  const rest = text.slice(at, at + 2);
  if (CONTINUES.test(rest) || text[at - 1] === '\u200d') return false;
  return !(REGIONAL.test(text.slice(at - 2, at)) && /^\p{Regional_Indicator}/u.test(rest) && flagsBefore(text, at) % 2 === 1);
}

function flagsBefore(text: string, at: number): number {
  let count = 0;
  for (let index = at; index >= 2 && count < 64 && REGIONAL.test(text.slice(index - 2, index)); index -= 2) count += 1;
  return count;
}
