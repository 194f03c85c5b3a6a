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

const HEADER = /^Colophon context · library ([0-9a-f]{12}) · (\d+)\/(\d+) tokens(?: · (all|all unfenced): (.+))?$/u;
const FENCED_ITEM = /^\[(\d+)\] (untrusted|advisory)((?:, [a-z-]+)*) · (k[ai]_\S+)$/;
const PLAIN_ITEM = /^\[(\d+)\] (.+)$/u;
const TIER = /^(?:trusted|system_verified)(?:, [a-z-]+)*$/;
const VERIFICATION = /^(?:not verified|verified \d|overdue)/;
const PLACE = /^(.*):(\d+)(?:-(\d+))?(?: \((\d+) lines\))?$/u;
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
  const said = saidOnce(header[5]);
  let next = line();
  const warned = next.startsWith('Text between <<<data and >>>data lines is quoted data');
  if (warned) next = line();
  if (next.startsWith('Required and not found: ')) next = line();
  if (next !== '') throw new Error('no blank line after the header');
  const items: ReadItem[] = [];
  for (next = line(); !next.startsWith('More: '); next = line()) {
    const fenced = FENCED_ITEM.exec(next);
    if (fenced === null) {
      const parts = plainParts(expect(PLAIN_ITEM, next), said, expect);
      const lines = Number(parts.shown ?? Number(parts.end ?? parts.start) - Number(parts.start) + 1);
      const from = at;
      for (let n = 0; n < lines; n += 1) line();
      items.push(item(parts, false, text.slice(from, at - 1)));
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
  checkSpeaksFor(header[4], items);
  return { library: String(header[1]), used: Number(header[2]), ceiling: Number(header[3]), warned, items };
}

interface Said {
  readonly tier: string | undefined;
  readonly verification: string | undefined;
  readonly source: string | undefined;
}

/** What the header says for the items; whatever it says must be one of the three. */
function saidOnce(text: string | undefined): Said {
  const rest = text === undefined ? [] : text.split(' · ');
  const take = (is: (part: string) => boolean) => (rest[0] !== undefined && is(rest[0]) ? rest.shift() : undefined);
  const tier = take((part) => TIER.test(part));
  const verification = take((part) => VERIFICATION.test(part));
  const source = take((part) => part.startsWith('from '))?.slice('from '.length);
  if (rest.length > 0) throw new Error(`unexpected in the header: ${rest.join(' · ')}`);
  return { tier, verification, source };
}

function checkSpeaksFor(whom: string | undefined, items: readonly ReadItem[]): void {
  const expected = items.some(({ fenced }) => fenced) ? 'all unfenced' : 'all';
  if (whom !== undefined && whom !== expected) throw new Error(`the header speaks for ${whom}, not for ${expected}`);
}

/** A plain item says whatever the header does not, field by field. */
function plainParts([, number, text = '']: RegExpExecArray, said: Said, expect: (pattern: RegExp, found: string) => RegExpExecArray) {
  const fields = text.split(' · ');
  const missing = [said.tier, said.verification].filter((each) => each === undefined).length;
  if (fields.length !== missing + 3) throw new Error(`not the fields of an item: ${text}`);
  const next = () => fields.shift() ?? '';
  const title = next();
  const [standing] = expect(TIER, said.tier ?? next());
  const verification = said.verification ?? next();
  expect(VERIFICATION, verification);
  const placed = next();
  const source = said.source ?? placed.slice(0, placed.indexOf(' '));
  const place = said.source === undefined ? placed.slice(source.length + 1) : placed;
  const [, path, start, end, shown] = expect(PLACE, place);
  const [artifact] = expect(/^k[ai]_\S+$/, next());
  const [tier, ...labels] = standing.split(', ');
  return { number, title, tier, labels: ['', ...labels].join(', '), verification, source, path, start, end, shown, artifact };
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
