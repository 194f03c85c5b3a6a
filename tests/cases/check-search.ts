/** Expectations about the answer to one search. */
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { record } from './case-file.js';
import { brief, type Checks, type Findings, number, strings, verdict } from './check.js';
import { type Answer, type Hit, type Product, saying } from './product.js';
import { contentWords, holdsWord, linesWith } from './words.js';

export interface SearchSubject {
  readonly product: Product;
  readonly query: string;
  readonly lexical: boolean;
  readonly answer: Answer;
  readonly hits: readonly Hit[];
  /** What the last index run reported. */
  readonly lastIndex: Answer | undefined;
}

const paths = ({ hits }: SearchSubject): string[] => hits.map(({ path }) => path);
const found = (subject: SearchSubject): string => brief(paths(subject).slice(0, 6));

export const SEARCH_CHECKS: Checks<SearchSubject> = {
  first: (s, path) => verdict(s.hits[0]?.path === path, `first is ${brief(s.hits[0]?.path ?? 'nothing')}, not ${brief(path)}`),
  in_top: (s, expected) => {
    const { k, paths: wanted } = record(expected, 'in_top');
    const top = new Set(paths(s).slice(0, number(k)));
    return strings(wanted).flatMap((path) => verdict(top.has(path), `${path} is not in the top ${number(k)}: ${found(s)}`));
  },
  not_in: (s, expected) => strings(expected).flatMap((path) => verdict(!paths(s).includes(path), `${path} is among the hits`)),
  none_from: (s, expected) =>
    strings(expected).flatMap((prefix) => verdict(!paths(s).some((path) => path.startsWith(prefix)), `a hit from ${prefix}: ${found(s)}`)),
  order: (s, expected) => {
    const places = strings(expected).map((path) => paths(s).indexOf(path));
    const holds = places.every((place, index) => place >= 0 && (index === 0 || place > (places[index - 1] ?? -1)));
    return verdict(holds, `order ${brief(expected)} does not hold: ${found(s)}`);
  },
  max_per_doc: (s, limit) => {
    const counts = new Map<string, number>();
    for (const path of paths(s)) counts.set(path, (counts.get(path) ?? 0) + 1);
    return [...counts].flatMap(([path, count]) => verdict(count <= number(limit), `${count} hits from ${path}`));
  },
  max_docs: (s, limit) => verdict(new Set(paths(s)).size <= number(limit), `more than ${number(limit)} pages: ${found(s)}`),
  count: (s, n) => verdict(s.hits.length === n, `${s.hits.length} hits, not ${brief(n)}`),
  some: (s, wanted) => verdict(s.hits.length > 0 === wanted, `${s.hits.length} hits`),
  hit_text: topText,
  hit_text2: topText,
  hit_heading: (s, heading) =>
    verdict(s.hits[0]?.headingPath.at(-1) === heading, `top hit is in ${brief(s.hits[0]?.headingPath)}, not in ${brief(heading)}`),
  hit_path: (s, path) =>
    verdict(
      JSON.stringify(s.hits[0]?.headingPath) === JSON.stringify(path),
      `top hit's path is ${brief(s.hits[0]?.headingPath)}, not ${brief(path)}`,
    ),
  hit_not_text: async (s, unwanted) => {
    const top = s.hits[0];
    if (top === undefined) return ['no hit'];
    const { chunks } = await s.product.chunks(top.path);
    const prefix = chunks.find(({ artifact }) => artifact === top.artifact)?.prefix;
    if (prefix === undefined) return [`the top hit is not among the segments of ${top.path}`];
    const text = [top.excerpt, ...top.headingPath, prefix].join('\n');
    return strings(unwanted).flatMap((each) => verdict(!text.includes(each), `the top hit, its path or its prefix holds ${brief(each)}`));
  },
  line: (s, expected) => citedLine(s, record(expected, 'line')),
  none: (s, wanted) => (wanted === true ? nothingFound(s) : ['`none` must be true']),
  no_error: (s) => noError(s.answer),
  unique_files: (s) => {
    const real = s.hits.map(({ path }) => realpathSync(join(s.product.workspace.work, path)));
    return verdict(new Set(real).size === real.length, `a file stands twice among the hits: ${found(s)}`);
  },
  some_or_marked: (s) => {
    const words = contentWords(s.query);
    const whole = s.hits.some(({ excerpt }) => words.every((word) => holdsWord(excerpt, word)));
    const marked = [...s.answer.problems, ...(s.lastIndex?.problems ?? [])].some(({ code }) =>
      /^walk\/(sparse|folder|unreadable)/.test(String(code)),
    );
    return verdict(whole || marked, `no hit holds ${brief(words)} and nothing says that pages could not be seen: ${found(s)}`);
  },
  none_or_marked_stale: (s, expected) =>
    strings(expected).flatMap((path) => {
      const hit = s.hits.find((each) => each.path === path);
      if (hit === undefined) return [];
      const marked = hit.labels.some((label) => /stale|gone|missing|changed/.test(label));
      const said = s.answer.problems.some((problem) => String(problem['path']) === s.product.toProduct(path).path);
      return verdict(marked || said, `${path} is served as current although its file is gone`);
    }),
  says_unknown_version: (s) => {
    const said = saying(s.answer);
    const wanted = known(s.product);
    return [
      ...verdict(/unknown-version|version/i.test(said), `nothing is said about the version: ${brief(said)}`),
      ...verdict(
        wanted.some((version) => said.includes(version)),
        `the known versions (${wanted.join(', ')}) are not named: ${brief(said)}`,
      ),
      ...verdict(s.hits.length === 0, `${s.hits.length} hits for a version that is not there`),
    ];
  },
  says_unknown_path: (s) => [
    ...verdict(
      /unknown-path|not found|no page|no folder/i.test(saying(s.answer)),
      `nothing is said about the path: ${brief(saying(s.answer))}`,
    ),
    ...verdict(s.hits.length === 0, `${s.hits.length} hits below a path that is not there`),
  ],
  warns: (s, word) => verdict(saying(s.answer).toLowerCase().includes(String(word)), `no problem mentions ${brief(word)}`),
};

function topText(s: SearchSubject, expected: unknown): Findings {
  return verdict(
    s.hits[0]?.excerpt.includes(String(expected)) === true,
    `the top hit does not hold ${brief(expected)}: ${brief(s.hits[0]?.excerpt)}`,
  );
}

export function noError(answer: Answer): Findings {
  const exit = answer.run.exit;
  return verdict(!answer.fault && (exit === 0 || exit === 1), `exit ${exit}: ${brief(answer.json['message'] ?? answer.run.stderr)}`);
}

function citedLine(s: SearchSubject, expected: Readonly<Record<string, unknown>>): Findings {
  const top = s.hits[0];
  if (top === undefined) return ['no hit to cite a line'];
  const covers = (line: number) => top.lines.start <= line && line <= top.lines.end;
  const cited = `${top.path}:${top.lines.start}-${top.lines.end}`;
  if (typeof expected['n'] === 'number') return verdict(covers(expected['n']), `${cited} does not cover line ${expected['n']}`);
  const file = join(s.product.workspace.work, top.path);
  if (!existsSync(file)) return [`the cited file ${top.path} is not there`];
  const text = String(expected['text']);
  const on = linesWith(readFileSync(file, 'utf8'), text);
  return verdict(on.some(covers), `${cited} does not cover ${brief(text)}, which is on line ${on.join(', ') || '–'}`);
}

/** A lexical search must come back empty; any other may return what shares no content word with the question. */
function nothingFound(s: SearchSubject): Findings {
  const words = contentWords(s.query);
  if (words.length === 0) {
    return [
      ...verdict(s.hits.length === 0, `hits for a question without words: ${found(s)}`),
      ...verdict(s.answer.problems.length > 0 || String(s.answer.json['reason'] ?? '') !== '', 'an empty answer without a reason'),
    ];
  }
  if (s.lexical) return verdict(s.hits.length === 0, `hits: ${found(s)}`);
  return s.hits.flatMap((hit) => {
    const text = [hit.excerpt, hit.title, ...hit.headingPath].join('\n');
    const word = words.find((each) => holdsWord(text, each));
    return word === undefined ? [] : [`${hit.path} holds ${brief(word)}`];
  });
}

/** Product versions that the case's own pages state. */
function known(product: Product): string[] {
  const root = product.workspace.work;
  const versions = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.mdx?$/.test(path))
    .flatMap((path) => /^product_version:\s*"?([^"\n]+)"?\s*$/m.exec(readFileSync(join(root, path), 'utf8'))?.[1] ?? []);
  return [...new Set(versions)];
}
