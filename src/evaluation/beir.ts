/**
 * BEIR sets: read the corpus, the questions, the judgements and their companions from text.
 *
 * Invariant: a line that cannot be read is a fault naming file and line; nothing is skipped in silence.
 * Invariant: order is the files' own; repeated ids are refused.
 */
import { Fault } from '../kernel/errors.js';
import type { Grades, PageId } from './metrics.js';

export interface CorpusPage {
  readonly id: PageId;
  readonly title: string;
  readonly text: string;
}

export interface EvalQuery {
  readonly id: string;
  readonly text: string;
  /** `metadata.class` and `metadata.slices`, which our own sets have; other metadata is left alone. */
  readonly class?: string;
  readonly slices: Readonly<Record<string, string>>;
}

/** One labelled set at one split. */
export interface BeirSet {
  readonly name: string;
  readonly split: string;
  readonly corpus: readonly CorpusPage[];
  /** The questions the split judges, in the order of queries.jsonl. */
  readonly queries: readonly EvalQuery[];
  readonly judgements: ReadonlyMap<string, Grades>;
  /** Per question: pages the question was taken from; they count as absent. */
  readonly ignored: ReadonlyMap<string, ReadonlySet<PageId>>;
  /** Pages marked archived; undefined when the set does not say. */
  readonly archived: ReadonlySet<PageId> | undefined;
}

export interface BeirFiles {
  readonly corpus: string;
  readonly queries: string;
  readonly qrels: string;
  readonly ignore?: string;
  readonly docMeta?: string;
}

export function readBeirSet(name: string, split: string, files: BeirFiles): BeirSet {
  const judgements = readJudgements(files.qrels, `qrels/${split}.tsv`);
  const queries = readQueries(files.queries).filter((query) => judgements.has(query.id));
  const known = new Set(queries.map((query) => query.id));
  const orphan = [...judgements.keys()].find((query) => !known.has(query));
  if (orphan !== undefined) throw invalid(`qrels/${split}.tsv`, `only questions of queries.jsonl (${orphan} is not one)`);
  return {
    name,
    split,
    corpus: readCorpus(files.corpus),
    queries,
    judgements,
    ignored: files.ignore === undefined ? new Map() : readIgnored(files.ignore),
    archived: files.docMeta === undefined ? undefined : readArchived(files.docMeta),
  };
}

export function readCorpus(text: string): CorpusPage[] {
  const pages = jsonLines(text, 'corpus.jsonl').map(({ value, where }) => ({
    id: stringField(value, '_id', where),
    title: optionalString(value, 'title', where),
    text: stringField(value, 'text', where),
  }));
  refuseRepeats(pages, 'corpus.jsonl');
  return pages;
}

export function readQueries(text: string): EvalQuery[] {
  const queries = jsonLines(text, 'queries.jsonl').map(({ value, where }) => ({
    id: stringField(value, '_id', where),
    text: stringField(value, 'text', where),
    ...kindsOf(value['metadata']),
  }));
  refuseRepeats(queries, 'queries.jsonl');
  return queries;
}

function kindsOf(metadata: unknown): Pick<EvalQuery, 'class' | 'slices'> {
  const said = isObject(metadata) ? metadata : {};
  const slices = isObject(said['slices']) ? Object.entries(said['slices']) : [];
  return {
    ...(typeof said['class'] === 'string' ? { class: said['class'] } : {}),
    slices: Object.fromEntries(slices.filter((entry): entry is [string, string] => typeof entry[1] === 'string')),
  };
}

/** `query-id`, `corpus-id`, `score`; a heading line is allowed. */
export function readJudgements(text: string, file: string): Map<string, Map<PageId, number>> {
  const judgements = new Map<string, Map<PageId, number>>();
  for (const { cells, where, line } of rows(text, file)) {
    const [query, page, grade] = cells;
    if (line === 1 && grade !== undefined && Number.isNaN(Number(grade))) continue;
    if (!query || !page || grade === undefined || grade === '' || !Number.isFinite(Number(grade))) {
      throw invalid(where, 'a question id, a page id and a number, tab-separated');
    }
    const grades = judgements.get(query) ?? new Map<PageId, number>();
    grades.set(page, Number(grade));
    judgements.set(query, grades);
  }
  return judgements;
}

/** `query-id`, `corpus-id` with a heading line. */
export function readIgnored(text: string): Map<string, Set<PageId>> {
  const ignored = new Map<string, Set<PageId>>();
  for (const { cells, where, line } of rows(text, 'ignore.tsv')) {
    const [query, page] = cells;
    if (line === 1 && query === 'query-id') continue;
    if (!query || !page) throw invalid(where, 'a question id and a page id, tab-separated');
    ignored.set(query, (ignored.get(query) ?? new Set<PageId>()).add(page));
  }
  return ignored;
}

/** Pages whose `archived` column is 1 or true; undefined when there is no such column. */
export function readArchived(text: string): Set<PageId> | undefined {
  const [heading, ...body] = rows(text, 'doc_meta.tsv');
  const column = heading?.cells.indexOf('archived') ?? -1;
  const path = heading?.cells.indexOf('path') ?? -1;
  if (column < 0 || path < 0) return undefined;
  const archived = body.filter(({ cells }) => cells[column] === '1' || cells[column] === 'true');
  return new Set(archived.map(({ cells }) => cells[path] ?? ''));
}

interface JsonLine {
  readonly value: Readonly<Record<string, unknown>>;
  readonly where: string;
}

function jsonLines(text: string, file: string): JsonLine[] {
  return lines(text).flatMap(({ content, line }) => {
    if (content.trim() === '') return [];
    const where = `${file} line ${line}`;
    return [{ value: jsonObject(content, where), where }];
  });
}

function jsonObject(content: string, where: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch (cause) {
    throw invalid(where, 'a JSON object', cause);
  }
  if (!isObject(value)) throw invalid(where, 'a JSON object');
  return value;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function stringField(value: Readonly<Record<string, unknown>>, key: string, where: string): string {
  const field = value[key];
  if (typeof field === 'string' && (key !== '_id' || field !== '')) return field;
  throw invalid(where, `an object with a text field "${key}"`);
}

function optionalString(value: Readonly<Record<string, unknown>>, key: string, where: string): string {
  return value[key] === undefined || value[key] === null ? '' : stringField(value, key, where);
}

function rows(text: string, file: string): { readonly cells: readonly string[]; readonly where: string; readonly line: number }[] {
  return lines(text)
    .filter(({ content }) => content !== '')
    .map(({ content, line }) => ({ cells: content.split('\t'), where: `${file} line ${line}`, line }));
}

function lines(text: string): { readonly content: string; readonly line: number }[] {
  return text.split('\n').map((content, index) => ({ content: content.replace(/\r$/, ''), line: index + 1 }));
}

function refuseRepeats(entries: readonly { readonly id: string }[], file: string): void {
  const seen = new Set<string>();
  for (const { id } of entries) {
    if (seen.has(id)) throw invalid(file, `free of repeated ids (${id} stands twice)`);
    seen.add(id);
  }
}

function invalid(field: string, expected: string, cause?: unknown): Fault {
  return new Fault('input/invalid', { field, expected }, cause === undefined ? undefined : { cause });
}
