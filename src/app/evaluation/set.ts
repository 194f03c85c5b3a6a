/**
 * A labelled set made ready to be asked: a library that holds its pages, and its questions with labels in that library's ids.
 *
 * Either a set in BEIR layout, whose corpus becomes a library of its own, or a golden set, which is asked of the library it names.
 *
 * Invariant: nothing of the user's own state is read or written; indexes stand in a temporary folder, or in the cache.
 */
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { BeirSet } from '../../evaluation/beir.js';
import { type PlacedCorpus, placeCorpus } from '../../evaluation/corpus-pages.js';
import { type GoldenQuestion, readGoldenManifest, readGoldenQuestions } from '../../evaluation/golden-set.js';
import type { PageId } from '../../evaluation/metrics.js';
import type { Question } from '../../evaluation/question.js';
import { NO_SET_CONFIGURATION, type SetConfiguration } from '../../evaluation/set-configuration.js';
import { type Day, type Instant, parseDay } from '../../kernel/clock.js';
import { type Digest, digestOf, sha256 } from '../../kernel/digest.js';
import { Fault } from '../../kernel/errors.js';
import { resolveConfig } from '../configuration/config.js';
import { openContainer } from '../container.js';
import { type LearnReport, learn } from '../learning/learn.js';
import type { Library } from '../library.js';
import type { Progress } from '../operations/catalogue.js';
import { hasSplit, readBeirFolder, readSetConfiguration, readSetVocabulary } from './beir-folder.js';
import { labelledPassages } from './labels.js';
import { openEvaluationLibrary } from './library.js';

export interface LabelledSet {
  readonly name: string;
  readonly split: string;
  readonly asOf: Day;
  readonly questions: readonly Question[];
  /** Of the questions and their labels, so that figures are only compared when they are of the same ones. */
  readonly questionsDigest: Digest;
  /** Pages that are out of date; undefined when the set does not say. */
  readonly archived: ReadonlySet<PageId> | undefined;
  readonly configuration: SetConfiguration;
  readonly shape: 'tree' | 'records' | 'library';
  readonly pages: number;
  readonly library: Library;
  readonly report: LearnReport;
  pageId(page: { readonly source: string; readonly path: string }): PageId;
  /** Where a page stands in the library. */
  placeOf(id: PageId): { readonly source: string; readonly path: string };
  /** The questions of another split of the same set; undefined when it has none of that name. */
  otherSplit(name: string): Promise<readonly Question[] | undefined>;
  close(): Promise<void>;
}

export interface WhichSet {
  readonly beir?: string | undefined;
  readonly golden?: string | undefined;
  readonly split?: string | undefined;
  readonly config?: string | undefined;
  readonly cache?: string | undefined;
  readonly limitQueries?: number | undefined;
  readonly asOf?: string | undefined;
}

export interface EvalSurroundings {
  readonly signal: AbortSignal;
  readonly progress: (progress: Progress) => void;
}

/** A fixed day, so that no label depends on when a set was measured. */
const DEFAULT_DAY = '2026-01-01';
const BEIR_SPLIT = 'test';
const EVERYTHING = 'all';

export async function openLabelledSet(which: WhichSet, surroundings: EvalSurroundings): Promise<LabelledSet> {
  if (which.beir !== undefined && which.golden === undefined) return openBeir(which.beir, which, surroundings);
  if (which.golden !== undefined && which.beir === undefined) return openGolden(which.golden, which, surroundings);
  throw new Fault('input/invalid', { field: '--beir or --golden', expected: 'given: one of them, and the folder of the set' });
}

async function openBeir(folder: string, which: WhichSet, surroundings: EvalSurroundings): Promise<LabelledSet> {
  const asOf = dayAsked(which.asOf ?? DEFAULT_DAY);
  const set = await readBeirFolder(folder, which.split ?? BEIR_SPLIT);
  const configuration = await readSetConfiguration(folder, which.config);
  const vocabulary = await readSetVocabulary(folder);
  const placed = placeCorpus(set.corpus);
  const questions = set.queries.slice(0, which.limitQueries).map((query) => beirQuestion(query, set));
  const { library, report, source, close } = await openEvaluationLibrary(placed, configuration, {
    ...surroundings,
    cache: which.cache,
    vocabulary,
  });
  return {
    name: set.name,
    split: set.split,
    asOf,
    questions,
    questionsDigest: questionsDigest(questions),
    archived: set.archived,
    configuration,
    shape: placed.shape,
    pages: placed.pages.length,
    library,
    report,
    pageId: ({ path }) => idIn(placed, path),
    placeOf: (id) => ({ source, path: placed.pathOf(id) }),
    otherSplit: async (name) => {
      if (!(await hasSplit(folder, name))) return undefined;
      const other = await readBeirFolder(folder, name);
      return other.queries.map((query) => beirQuestion(query, other));
    },
    close,
  };
}

function beirQuestion({ id, text, class: kind, slices }: BeirSet['queries'][number], set: BeirSet): Question {
  return {
    id,
    text,
    ...(kind === undefined ? {} : { class: kind }),
    slices,
    grades: set.judgements.get(id) ?? new Map(),
    absent: set.ignored.get(id) ?? new Set(),
    never: new Set(),
    against: new Set(),
    ask: {},
  };
}

function idIn(placed: PlacedCorpus, path: string): PageId {
  const id = placed.idOf(path);
  if (id === undefined) throw new Error(`the index of the set names a page it does not have: ${path}`);
  return id;
}

async function openGolden(folder: string, which: WhichSet, surroundings: EvalSurroundings): Promise<LabelledSet> {
  const file = join(folder, 'questions.jsonl');
  const manifest = readGoldenManifest(await goldenFile(join(folder, 'set.json')), join(folder, 'set.json'));
  const all = readGoldenQuestions(await goldenFile(file), file, manifest);
  const split = which.split ?? EVERYTHING;
  const read = all.filter((each) => split === EVERYTHING || each.split === split).slice(0, which.limitQueries);
  if (read.length === 0) throw new Fault('input/invalid', { field: '--split', expected: 'dev, held-out or all, with questions in it' });
  const asOf = dayAsked(which.asOf ?? manifest.asOf);
  const { library, report, close } = await openInPlace(resolve(folder, manifest.library), asOf, surroundings);
  try {
    const passages = await labelledPassages(library, read, file, noon(asOf));
    const questions = read.map((each) => goldenQuestion(each, passages.get(each.id)));
    return {
      name: manifest.name,
      split,
      asOf,
      questions,
      questionsDigest: digestOf(read.map(identityOf)),
      archived: new Set(manifest.archived),
      configuration: NO_SET_CONFIGURATION,
      shape: 'library',
      pages: report.documents,
      library,
      report,
      pageId: ({ source, path }) => `${source}:${path}`,
      placeOf,
      otherSplit: async (name) => {
        const others = all.filter((each) => each.split === name);
        const located = await labelledPassages(library, others, file, noon(asOf));
        return others.length === 0 ? undefined : others.map((each) => goldenQuestion(each, located.get(each.id)));
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function goldenQuestion(
  read: GoldenQuestion,
  located: { readonly artifacts: ReadonlySet<string>; readonly apart: boolean } | undefined,
): Question {
  const { id, question: text, class: kind, labels, never, against, ask, split } = read;
  return {
    id,
    text,
    class: kind,
    slices: { split, source: labels[0] === undefined ? 'none' : placeOf(labels[0].page).source },
    grades: new Map(labels.map(({ page, grade }) => [page, grade])),
    ...(located === undefined ? {} : { passages: located.artifacts, apart: located.apart }),
    absent: new Set(),
    never: new Set(never),
    against: new Set(against),
    ask,
  };
}

/** A span that follows an edited page is the same label; a baseline must not begin anew for it. */
function identityOf({ line: _, labels, ...rest }: GoldenQuestion): string {
  return sha256(JSON.stringify({ ...rest, labels: labels.map(({ page, grade }) => [page, grade]) }));
}

/** `source:path` */
export function placeOf(id: PageId): { readonly source: string; readonly path: string } {
  const colon = id.indexOf(':');
  return { source: id.slice(0, colon), path: id.slice(colon + 1) };
}

/** The library as it stands on disk, with its index in a folder of our own and the clock stopped on the day of the set. */
async function openInPlace(root: string, day: Day, { signal, progress }: EvalSurroundings) {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'colophon-golden-')));
  const discard = () => rm(home, { recursive: true, force: true });
  try {
    const config = await resolveConfig({ root, env: { COLOPHON_HOME: home }, cwd: root });
    const library = await openContainer(config, { now: () => noon(day) });
    const close = async () => {
      await library.close();
      await discard();
    };
    try {
      return { library, report: await learn(library, { signal, progress }), close };
    } catch (error) {
      await library.close();
      throw error;
    }
  } catch (error) {
    await discard();
    throw error;
  }
}

async function goldenFile(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new Fault(
      'input/invalid',
      { field: '--golden', expected: `a folder with set.json and questions.jsonl; ${file} cannot be read` },
      { cause },
    );
  }
}

function dayAsked(text: string): Day {
  const day = parseDay(text);
  if (day === undefined) throw new Fault('input/invalid', { field: '--as-of', expected: 'a day, YYYY-MM-DD' });
  return day;
}

export function noon(day: Day): Instant {
  return Date.parse(`${day}T12:00:00Z`) as Instant;
}

function questionsDigest(questions: readonly Question[]): Digest {
  return digestOf(
    questions.map(({ id, text, grades, absent }) => [
      id,
      sha256(text),
      [...grades].map(([page, grade]) => [sha256(page), grade]),
      [...absent].map(sha256),
    ]),
  );
}
