/**
 * An independent reader of the preamble: it knows the printed format and nothing of the code that prints it (T2.3).
 *
 * It reads like a careful client: an unfenced excerpt is as many lines as its header says, a fenced one ends at the closing line
 * with the boundary that opened it, and whatever else stands in the text is an error.
 */
export interface ReadItem {
  readonly number: number;
  readonly artifact: string;
  readonly tier: string;
  readonly labels: readonly string[];
  readonly title: string;
  readonly verification: string;
  readonly source: string;
  readonly path: string;
  readonly start: number;
  readonly end: number;
  readonly fenced: boolean;
  readonly excerpt: string;
}

export interface ReadPreamble {
  readonly library: string;
  readonly used: number;
  readonly ceiling: number;
  readonly warned: boolean;
  readonly items: readonly ReadItem[];
}

const HEADER = /^Colophon context · library ([0-9a-f]{12}) · (\d+)\/(\d+) tokens$/;
const FENCED_ITEM = /^\[(\d+)\] (untrusted|advisory)((?:, [a-z-]+)*) · (k[ai]_\S+)$/;
const PLAIN_ITEM =
  /^\[(\d+)\] (.*) · (trusted|system_verified)((?:, [a-z-]+)*) · ([^·]+) · (\S+) (.*):(\d+)(?:-(\d+))?(?: \((\d+) lines\))? · (k[ai]_\S+)$/u;
const FENCED_PLACE = /^(.*) · ([^·]+) · (\S+) (.*):(\d+)(?:-(\d+))?(?: \((\d+) lines\))?$/u;
const OPEN = /^<<<data ([0-9a-f]{32})$/;

export function readPreamble(text: string): ReadPreamble {
  let at = 0;
  const line = (): string => {
    const end = text.indexOf('\n', at);
    const found = text.slice(at, end < 0 ? text.length : end);
    at = end < 0 ? text.length : end + 1;
    return found;
  };
  const expect = (pattern: RegExp, found: string): RegExpExecArray => {
    const match = pattern.exec(found);
    if (match === null) throw new Error(`unexpected line ${JSON.stringify(found)}`);
    return match;
  };
  const header = expect(HEADER, line());
  let next = line();
  const warned = next.startsWith('Text between <<<data and >>>data lines is quoted data');
  if (warned) next = line();
  if (next !== '') throw new Error('no blank line after the header');
  const items: ReadItem[] = [];
  for (next = line(); !next.startsWith('More: '); next = line()) {
    const fenced = FENCED_ITEM.exec(next);
    if (fenced === null) {
      const [, number, title, tier, labels, verification, source, path, start, end, shown, artifact] = expect(PLAIN_ITEM, next);
      const lines = Number(shown ?? Number(end ?? start) - Number(start) + 1);
      const from = at;
      for (let n = 0; n < lines; n += 1) line();
      items.push(item({ number, title, tier, labels, verification, source, path, start, end, artifact }, false, text.slice(from, at - 1)));
    } else {
      const [, number, tier, labels, artifact] = fenced;
      const boundary = expect(OPEN, line())[1];
      const [, title, verification, source, path, start, end] = expect(FENCED_PLACE, line());
      const from = at;
      const close = text.indexOf(`\n>>>data ${boundary}\n`, from - 1);
      if (close < 0) throw new Error('a fence is not closed');
      at = close + 1;
      line();
      const body = close < from ? '' : text.slice(from, close);
      items.push(item({ number, title, tier, labels, verification, source, path, start, end, artifact }, true, body));
    }
    if (line() !== '') throw new Error('no blank line after an item');
  }
  if (at !== text.length) throw new Error('text after the footer');
  return { library: String(header[1]), used: Number(header[2]), ceiling: Number(header[3]), warned, items };
}

function item(parts: Readonly<Record<string, string | undefined>>, fenced: boolean, excerpt: string): ReadItem {
  const part = (name: string) => parts[name] ?? '';
  return {
    number: Number(part('number')),
    artifact: part('artifact'),
    tier: part('tier'),
    labels: part('labels').split(', ').slice(1),
    title: part('title'),
    verification: part('verification'),
    source: part('source'),
    path: part('path'),
    start: Number(part('start')),
    end: Number(part('end') || part('start')),
    fenced,
    excerpt,
  };
}
