/** Words and lines as the expectations mean them. */
const STOP = new Set(
  'a an and are as at be by can could did do does for from had has have how i in into is it its me my not of off on or our out please so tell that the their them then there these they this those to us was we were what when where which who why will with would you your'.split(
    ' ',
  ),
);

/** The query's content words, lower-cased, edge punctuation off; inner punctuation belongs to the word. */
export function contentWords(query: string): string[] {
  const words = query
    .normalize('NFKC')
    .toLowerCase()
    .split(/\s+/u)
    .map((word) => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''))
    .filter((word) => word !== '' && !STOP.has(word));
  return [...new Set(words)];
}

/** True when the text holds the word on its own, whatever the case. */
export function holdsWord(text: string, word: string): boolean {
  const folded = text.normalize('NFKC').toLowerCase();
  for (let at = folded.indexOf(word); at >= 0; at = folded.indexOf(word, at + 1)) {
    const before = folded.slice(0, at).match(/.$/su)?.[0] ?? ' ';
    const after = folded.slice(at + word.length).match(/^./su)?.[0] ?? ' ';
    if (!/[\p{L}\p{N}]/u.test(before) && !/[\p{L}\p{N}]/u.test(after)) return true;
  }
  return false;
}

/** 1-based numbers of the lines that hold the text. */
export function linesWith(content: string, text: string): number[] {
  return content.split(/\r\n|\n|\r/).flatMap((line, index) => (line.includes(text) ? [index + 1] : []));
}

/** Every text in a JSON value, keys included, one after the other. */
export function allText(value: unknown): string {
  if (typeof value === 'string') return `${value}\n`;
  if (Array.isArray(value)) return value.map(allText).join('');
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value)
      .map(([key, inner]) => `${key}\n${allText(inner)}`)
      .join('');
  }
  return value === undefined || value === null ? '' : `${String(value)}\n`;
}

/** Value equality of JSON data. */
export function same(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, index) => same(item, b[index]));
  }
  if (typeof a === 'object' && a !== null && typeof b === 'object' && b !== null) {
    const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
    return [...keys].every((key) => same((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]));
  }
  return a === b;
}
