/** Expectations about index runs, status, single documents, reads, links and compiled contexts. */
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { record } from './case-file.js';
import { brief, type Checks, type Findings, number, strings, verdict } from './check.js';
import { type Answer, list, type Product, saying, texts } from './product.js';
import { allText, same } from './words.js';

export interface RunSubject {
  readonly product: Product;
  readonly answer: Answer;
  /** The source this step is about; undefined means all. */
  readonly source?: string;
}

function sum(s: RunSubject, ...fields: readonly string[]): number {
  const rows = list(s.answer.json['sources']).filter(({ id }) => s.source === undefined || id === s.source);
  return rows.reduce((total, row) => total + fields.reduce((part, field) => part + Number(row[field] ?? Number.NaN), 0), 0);
}

/** Problems and standard error without progress: what a person is told about pages. */
function report(s: RunSubject): string {
  return `${saying(s.answer)}\n${s.answer.problems.map(({ source, code }) => (String(code).startsWith('source/') ? source : '')).join('\n')}`;
}

export const INDEX_CHECKS: Checks<RunSubject> = {
  exit: (s, code) =>
    verdict(s.answer.run.exit === code, `exit ${s.answer.run.exit}, not ${brief(code)}: ${brief(s.answer.json['message'] ?? '')}`),
  indexed: (s, n) => {
    const held = sum(s, 'added', 'changed', 'unchanged');
    return verdict(held === n, `${held} pages indexed, not ${brief(n)}: ${brief(s.answer.json['sources'], 300)}`);
  },
  changed: (s, n) => {
    const touched = n === 0 ? sum(s, 'changed', 'added', 'removed') : sum(s, 'changed');
    return verdict(touched === n, `${touched} pages changed, not ${brief(n)}`);
  },
  removed: (s, n) => verdict(sum(s, 'removed') === n, `${sum(s, 'removed')} pages removed, not ${brief(n)}`),
  embedded: async (s, n) => {
    const { json } = await s.product.status();
    const vectors = record(json['vectors'], 'status.vectors');
    if (vectors['model'] === 'none' || vectors['state'] === 'off') return verdict(n === 0, 'there is no model to embed with');
    return verdict(s.answer.json['embedded'] === n, `embedded ${brief(s.answer.json['embedded'])}, not ${brief(n)}`);
  },
  diag: (s, words) =>
    strings(words).flatMap((word) =>
      verdict(report(s).includes(word), `no problem names ${brief(word)}: ${brief(report(s).trim() || 'none at all')}`),
    ),
  diag_line: (s, expected) => {
    const { file, line } = record(expected, 'diag_line');
    const at = s.answer.problems.filter(({ path }) => path === file).map((problem) => problem['line']);
    return verdict(at.includes(line), `${brief(file)} is reported on line ${brief(at)}, not ${brief(line)}`);
  },
  max_seconds: (s, limit) =>
    verdict(s.answer.run.elapsedMs <= number(limit) * 1000, `took ${(s.answer.run.elapsedMs / 1000).toFixed(1)} s`),
  max_rss_mb: (s, limit) => verdict(s.answer.run.peakMb <= number(limit), `used ${Math.round(s.answer.run.peakMb)} MB`),
};

export const STATUS_CHECKS: Checks<RunSubject> = {
  doc_count: (s, n) => verdict(s.answer.json['documents'] === n, `${brief(s.answer.json['documents'])} documents, not ${brief(n)}`),
  integrity_ok: (s, wanted) => {
    const integrity = s.answer.json['integrity'];
    const ok =
      integrity === 'ok' ||
      integrity === true ||
      (typeof integrity === 'object' && integrity !== null && 'ok' in integrity && integrity.ok === true);
    return verdict(ok === wanted, `integrity is ${brief(integrity)}`);
  },
  pending: (s, n) => verdict(s.answer.json['pending'] === n, `pending is ${brief(s.answer.json['pending'])}, not ${brief(n)}`),
  reports_pending: (s) =>
    verdict(Number(s.answer.json['pending']) > 0, `pending is ${brief(s.answer.json['pending'])} after an interrupted run`),
  chunks_without_vector: (s, n) => {
    const vectors = record(s.answer.json['vectors'], 'status.vectors');
    const missing = vectors['missing'] ?? (vectors['model'] === 'none' || vectors['state'] === 'off' ? 0 : undefined);
    return verdict(missing === n, `${brief(missing)} segments without a vector`);
  },
  vectors: (s, expected) => {
    const vectors = record(s.answer.json['vectors'], 'status.vectors');
    return Object.entries(record(expected, 'vectors')).flatMap(([key, value]) => {
      if (key === 'count_at_least') return verdict(Number(vectors['count']) >= number(value), `${brief(vectors['count'])} vectors`);
      return verdict(same(vectors[key], value), `vectors.${key} is ${brief(vectors[key])}`);
    });
  },
};

function meta(s: RunSubject, key: string): unknown {
  return record(s.answer.json['meta'], 'get --meta: meta')[key];
}

export const DOC_CHECKS: Checks<RunSubject> = {
  meta: (s, expected) =>
    Object.entries(record(expected, 'meta')).flatMap(([key, value]) =>
      verdict(same(meta(s, key), value), `${key} is ${brief(meta(s, key))}, not ${brief(value)}`),
    ),
  meta_not: (s, expected) =>
    Object.entries(record(expected, 'meta_not')).flatMap(([key, value]) =>
      verdict(!same(meta(s, key), value), `${key} is ${brief(value)}`),
    ),
  meta_one_of: (s, expected) =>
    Object.entries(record(expected, 'meta_one_of')).flatMap(([key, values]) => {
      const actual = meta(s, key);
      return verdict(
        Array.isArray(values) && values.some((value) => same(actual, value)),
        `${key} is ${brief(actual)}, none of ${brief(values)}`,
      );
    }),
  meta_absent: (s, keys) => strings(keys).flatMap((key) => verdict(meta(s, key) === undefined, `${key} is ${brief(meta(s, key))}`)),
  title: (s, title) => verdict(s.answer.json['title'] === title, `title is ${brief(s.answer.json['title'])}, not ${brief(title)}`),
  freshness: (s, expected) => {
    const bound = String(record(expected, 'freshness')['not_newer_than']);
    const dates = ['verified_at', 'observed_at', 'freshness', 'updated_at', 'modified'].flatMap((key) =>
      texts([meta(s, key) ?? []].flat()),
    );
    return [
      ...verdict(dates.length > 0, 'no date is stated at all'),
      ...dates.flatMap((date) => verdict(date.slice(0, 10) <= bound, `a date of ${date} makes the page look fresh`)),
    ];
  },
};

export const READ_CHECKS: Checks<RunSubject> = {
  text: (s, text) =>
    strings(text).flatMap((piece) =>
      verdict(
        String(s.answer.json['text'] ?? '').includes(piece),
        `the text read does not hold ${brief(piece)}: ${brief(s.answer.json['text'])}`,
      ),
    ),
  no_text: absent,
  not_found: (s) => [
    ...verdict(s.answer.fault && s.answer.run.exit === 1, `exit ${s.answer.run.exit}, ${brief(s.answer.json['schema'])}`),
    ...verdict(s.answer.json['code'] === 'not-found', `the fault is ${brief(s.answer.json['code'])}`),
  ],
  denied: (s) => {
    const outside = s.product.workspace.base;
    const said = allText(s.answer.json) + s.answer.run.stderr;
    return [
      ...verdict(
        s.answer.fault && [1, 2, 3].includes(s.answer.run.exit ?? 0),
        `exit ${s.answer.run.exit}, ${brief(s.answer.json['schema'])}`,
      ),
      ...verdict(s.answer.json['text'] === undefined, 'text is served'),
      ...verdict(!said.includes(outside), 'the refusal names a path outside'),
    ];
  },
};

export interface LinkSubject extends RunSubject {
  readonly doc: string;
}

export const LINK_CHECKS: Checks<LinkSubject> = {
  to: (s, expected) => {
    const actual = pageLinks(s)
      .filter(({ broken }) => broken === false)
      .map(({ to }) => s.product.toCase(String(s.answer.json['source']), String(to)));
    return verdict(same([...actual].sort(), strings(expected).sort()), `links lead to ${brief(actual)}`);
  },
  broken: (s, expected) => {
    const actual = pageLinks(s).filter(({ broken }) => broken === true);
    const names = (link: Readonly<Record<string, unknown>>) => [
      link['href'],
      link['to'] === null ? '' : s.product.toCase(String(s.answer.json['source']), String(link['to'])),
      posix.normalize(posix.join(posix.dirname(s.doc), decodeURI(String(link['href'])))),
    ];
    return [
      ...verdict(actual.length === strings(expected).length, `${actual.length} broken links: ${brief(actual)}`),
      ...strings(expected).flatMap((wanted) =>
        verdict(
          actual.some((link) => names(link).includes(wanted)),
          `${wanted} is not reported as broken: ${brief(actual)}`,
        ),
      ),
    ];
  },
  no_text: absent,
};

/** Links to pages of the library: neither the page itself nor the world outside. */
function pageLinks(s: LinkSubject): Readonly<Record<string, unknown>>[] {
  return list(s.answer.json['links']).filter(({ to, broken }) => broken === true || (to !== null && to !== s.answer.json['path']));
}

function absent(s: RunSubject, unwanted: unknown): Findings {
  const said = allText(s.answer.json) + s.answer.run.stderr;
  return strings(unwanted).flatMap((text) => verdict(!said.includes(text), `the answer holds ${brief(text)}`));
}

function items(s: RunSubject): { readonly path: string; readonly labels: string[]; readonly tier: string }[] {
  return list(s.answer.json['items']).map((item) => ({
    path: s.product.toCase(String(item['source'] ?? ''), String(item['path'])),
    labels: texts(item['labels']),
    tier: String(item['tier']),
  }));
}

export const CONTEXT_CHECKS: Checks<RunSubject> = {
  must_include: (s, paths) =>
    strings(paths).flatMap((path) =>
      verdict(
        items(s).some((item) => item.path === path),
        `${path} is not in the context: ${brief(items(s).map((item) => item.path))}`,
      ),
    ),
  not_doc: (s, paths) =>
    strings(paths).flatMap((path) => verdict(!items(s).some((item) => item.path === path), `${path} is in the context`)),
  not_text: absent,
  no_chars: (s, range) => {
    const [, from = '', to = from] = /^U\+([0-9A-F]+)(?:-(?:U\+)?([0-9A-F]+))?$/i.exec(String(range)) ?? [];
    const low = Number.parseInt(from, 16);
    const high = Number.parseInt(to === '' ? from : to, 16);
    const bad = [...allText(s.answer.json)].find((char) => (char.codePointAt(0) ?? 0) >= low && (char.codePointAt(0) ?? 0) <= high);
    return [
      ...verdict(!Number.isNaN(low), `${brief(range)} is no range`),
      ...verdict(bad === undefined, `the context holds a code point of ${brief(range)}`),
    ];
  },
  items: (s, n) => verdict(items(s).length === n, `${items(s).length} items, not ${brief(n)}: ${brief(items(s).map((item) => item.path))}`),
  items_at_least: (s, n) => verdict(items(s).length >= number(n), `${items(s).length} items`),
  first: (s, path) => verdict(items(s)[0]?.path === path, `first is ${brief(items(s)[0]?.path ?? 'nothing')}, not ${brief(path)}`),
  reason: (s) => verdict(String(s.answer.json['reason'] ?? '').trim() !== '', 'no reason is given'),
  labelled: (s, expected) => {
    const { doc, as_: label, if_present: optional } = record(expected, 'labelled');
    const here = items(s).filter((item) => item.path === doc);
    if (here.length === 0) return verdict(optional === true, `${brief(doc)} is not in the context`);
    return here.flatMap((item) => verdict(item.labels.includes(String(label)), `${brief(doc)} wears ${brief(item.labels)}`));
  },
  wrapper_intact: (s) => wrapperIntact(s),
};

const OPEN = /^<<<\S* ([0-9a-f]{16,})$/;
const CLOSE = /^>>>\S* ([0-9a-f]{16,})$/;

/** One unguessable pair of lines around each stranger's item, and nothing a stranger wrote outside of them. */
function wrapperIntact(s: RunSubject): Findings {
  const strangers = items(s).filter(({ tier }) => tier === 'untrusted' || tier === 'advisory');
  if (strangers.length === 0) return ['no item is fenced, so there is no wrapper to judge'];
  const { outside, pairs, problems } = unwrap(String(s.answer.json['rendered']).split('\n'));
  const leaked = strangers.flatMap(({ path }) =>
    written(s, path)
      .filter((line) => outside.includes(line))
      .map((line) => `text of ${path} stands outside the wrapper: ${brief(line)}`),
  );
  return [...problems, ...verdict(pairs === strangers.length, `${pairs} wrappers for ${strangers.length} items`), ...leaked];
}

function unwrap(lines: readonly string[]): { readonly outside: string; readonly pairs: number; readonly problems: readonly string[] } {
  const outside: string[] = [];
  const problems: string[] = [];
  let open: string | undefined;
  let pairs = 0;
  for (const line of lines) {
    const opens = OPEN.exec(line)?.[1];
    const closes = CLOSE.exec(line)?.[1];
    if (opens !== undefined && open === undefined) open = opens;
    else if (closes !== undefined && closes === open) {
      open = undefined;
      pairs += 1;
    } else if (open === undefined) {
      // Inside a wrapper a look-alike with another token is quoted text; outside of one it would be structure.
      if (closes !== undefined) problems.push(`a marker closes nothing: ${brief(line)}`);
      outside.push(line);
    } else if (opens === open) problems.push(`the wrapper's own token opens it twice: ${brief(line)}`);
  }
  if (open !== undefined) problems.push('a wrapper is left open');
  return { outside: outside.join('\n'), pairs, problems };
}

/** The lines somebody wrote, without heading marks, keys and quotes. */
function written(s: RunSubject, path: string): string[] {
  return readFileSync(join(s.product.workspace.work, path), 'utf8')
    .split('\n')
    .map((line) =>
      line
        .replace(/^\w+:\s*/, '')
        .replace(/^#+\s*|^"|"$/g, '')
        .trim(),
    )
    .filter((line) => line.length >= 5);
}
