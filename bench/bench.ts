/**
 * `npm run bench -- FOLDER…`: the compartment index side by side with SQLite FTS5, MiniSearch and Orama, in one run.
 *
 * FOLDER is a set in BEIR layout or a tree of markdown. All contenders get the same rows and the same questions and take turns;
 * only ratios of one run mean anything. Options are in bench/README.md.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { PreparedPage } from '../src/domain/prepared-page.js';
import { build, type Corpus, filesIn } from './parts/build.js';
import { checkAnswers } from './parts/check.js';
import { inOwnProcess } from './parts/child.js';
import { Colophon } from './parts/colophon.js';
import { type Builder, type Contender, questionOf, type Wording } from './parts/contender.js';
import { mebibytes, milliseconds } from './parts/figures.js';
import { FTS5_FORMS, Fts5 } from './parts/fts5.js';
import { MOST_IN_MEMORY, miniSearch, orama } from './parts/in-memory.js';
import { ask, type CaseResult, compare, type Entry, type Of, timingOf } from './parts/measure.js';
import { type Layout, pagesOf } from './parts/pages.js';
import { markdown, type Report, svg } from './parts/report.js';
import { readTexts, type Source, sampleQuestions } from './parts/texts.js';

const GROUPS = 100;
const MANY_GROUPS = 5000;
const MANY_ELIGIBLE = 1000;
/** The visible part beside as much forbidden text, and beside ten times as much. */
const VISIBLE_GROUPS = 9;
const CHECKED_QUESTIONS = 3;
const PROCESS_ROUNDS = 3;
const MOST_CHECKED_ARTIFACTS = 4_000;

interface Options {
  readonly artifacts: number;
  readonly questions: number;
  readonly rounds: number;
  readonly processes: number;
  readonly of: Of;
  readonly layouts: boolean;
  readonly peers: boolean;
  readonly folder: string;
  readonly child: string;
}

export async function main(argv: readonly string[], child: string): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      artifacts: { type: 'string', default: '25000' },
      questions: { type: 'string', default: '100' },
      rounds: { type: 'string', default: '5' },
      processes: { type: 'string', default: '9' },
      quickest: { type: 'boolean', default: false },
      'no-layouts': { type: 'boolean', default: false },
      'no-peers': { type: 'boolean', default: false },
      keep: { type: 'string' },
      markdown: { type: 'string' },
      svg: { type: 'string' },
      json: { type: 'string' },
    },
  });
  const missing = positionals.filter((folder) => !existsSync(folder));
  if (positionals.length === 0 || missing.length > 0) {
    process.stderr.write(missing.length > 0 ? `Not there: ${missing.join(', ')}\n` : 'Name at least one BEIR folder or markdown tree.\n');
    return 2;
  }
  const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'colophon-bench-'));
  mkdirSync(folder, { recursive: true });
  try {
    const { documents, questions } = readTexts(positionals);
    const options: Options = {
      artifacts: Number(values.artifacts),
      questions: Number(values.questions),
      rounds: Number(values.rounds),
      processes: Number(values.processes),
      of: values.quickest ? 'quickest' : 'median',
      layouts: !values['no-layouts'],
      peers: !values['no-peers'],
      folder,
      child,
    };
    const report = await measureAll(options, documents, sampleQuestions(questions, options.questions));
    const text = markdown(report);
    process.stdout.write(text);
    if (values.markdown !== undefined) writeFileSync(values.markdown, text);
    if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
    const title = `One question over ${report.corpus.artifacts} artifacts: median, and line to the 95th percentile`;
    if (values.svg !== undefined) writeFileSync(values.svg, svg(title, report.cases));
    return 0;
  } finally {
    if (values.keep === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

async function measureAll(options: Options, documents: readonly Source[], texts: readonly string[]): Promise<Report> {
  const { artifacts, folder } = options;
  const layout: Layout = { artifacts, groups: GROUPS };
  const inMemory = options.peers && artifacts <= MOST_IN_MEMORY ? [miniSearch(), orama(GROUPS)] : [];
  progress(`building ${artifacts} artifacts in ${GROUPS} compartments`);
  const corpus = await build(folder, documents, layout, { more: inMemory });
  const notes = [
    `${texts.length} questions, top 50, ${options.rounds} rounds, of each question the ${options.of} round; the ratio is of medians, with the middle 95 % over resampled questions.`,
  ];
  const cases = await permissionCases(options, layout, texts, inMemory);
  notes.push(...(await checks(options, documents, layout, texts, corpus)));
  cases.push(...(await ownProcessCases(options, documents, layout, texts)));
  notes.push(memoryNote(options, layout, texts));
  if (options.layouts) {
    cases.push(await forbiddenCase(options, documents, texts));
    cases.push(await manyCase(options, documents, texts));
  }
  const machine = `${cpus().length} cores, Node ${process.versions.node.split('.')[0]}.`;
  return { machine, corpus, builds: corpus.built, cases, notes };
}

async function permissionCases(
  options: Options,
  layout: Layout,
  texts: readonly string[],
  inMemory: readonly (Builder & Contender)[],
): Promise<CaseResult[]> {
  const { index, fts } = filesIn(options.folder, layout);
  const cases: CaseResult[] = [];
  const asked: readonly (readonly [string, number, Wording])[] = [
    ['everything eligible', GROUPS, 'content words'],
    ['everything, whole sentence', GROUPS, 'whole sentence'],
    ['10 % eligible', GROUPS / 10, 'content words'],
    ['1 % eligible', GROUPS / 100, 'content words'],
  ];
  for (const [what, groups, wording] of asked) {
    progress(what);
    const forms = FTS5_FORMS.filter((form) => Fts5.suits(form, groups, GROUPS)).map((form) => new Fts5(fts, form, GROUPS));
    const contenders: Contender[] = [new Colophon(index), ...forms, ...inMemory];
    const questions = texts.map((text) => questionOf(text, wording)).filter((question) => question.words.length > 0);
    const entries = contenders.map((contender): Entry => {
      const once = inMemory.some((each) => each === contender);
      return { contender, groups, once, ...(groups === GROUPS && contender instanceof Fts5 ? { name: 'FTS5' } : {}) };
    });
    const timings = await ask(entries, questions, options.rounds, options.of);
    cases.push(told(compare(what, timings)));
    for (const contender of contenders) if (!inMemory.some((each) => each === contender)) await contender.close();
  }
  return cases;
}

async function checks(
  options: Options,
  documents: readonly Source[],
  layout: Layout,
  texts: readonly string[],
  corpus: Corpus,
): Promise<string[]> {
  progress('comparing with the reference store');
  const colophon = new Colophon(filesIn(options.folder, layout).index);
  const questions = texts.slice(0, CHECKED_QUESTIONS).map((text) => questionOf(text, 'whole sentence'));
  const notes: string[] = [];
  for (const groups of [1, 10, GROUPS]) {
    if ((corpus.artifacts * groups) / GROUPS > MOST_CHECKED_ARTIFACTS) continue;
    const pages = only(pagesOf(documents, { ...layout, keptGroups: groups }));
    const compared = await checkAnswers(colophon, pages, groups, questions);
    notes.push(
      `${groups} % eligible: ${compared} of ${compared} sampled answers are those of the reference store holding only the eligible part.`,
    );
  }
  await colophon.close();
  return notes;
}

function only(pages: Iterable<PreparedPage>): PreparedPage[] {
  return [...pages];
}

/** A process that opens, answers one question and ends; and one that answers many, for its memory. */
async function ownProcessCases(
  options: Options,
  documents: readonly Source[],
  layout: Layout,
  texts: readonly string[],
): Promise<CaseResult[]> {
  progress('one-shot processes');
  const { index, fts } = filesIn(options.folder, layout);
  const cases = [firstQuestion(`new process, ${GROUPS} compartments`, options, index, fts, texts)];
  if (!options.layouts) return cases;
  const one: Layout = { ...layout, joined: true };
  await build(options.folder, documents, one, { fts: false });
  return [...cases, firstQuestion('new process, one compartment', options, filesIn(options.folder, one).index, fts, texts)];
}

function firstQuestion(what: string, { child, processes, of }: Options, index: string, fts: string, texts: readonly string[]): CaseResult {
  const own: number[][] = [];
  const theirs: number[][] = [];
  for (const text of texts.slice(0, processes)) {
    const once = { groups: GROUPS, allGroups: GROUPS, rounds: 0, questions: [text] };
    const tries = Array.from({ length: PROCESS_ROUNDS }, () => [
      inOwnProcess(child, { ...once, engine: 'colophon', file: index }).firstMs,
      inOwnProcess(child, { ...once, engine: 'rowid', file: fts }).firstMs,
    ]);
    own.push(tries.map(([first = 0]) => first));
    theirs.push(tries.map(([, second = 0]) => second));
  }
  return told(compare(what, [timingOf('Colophon', own, of), timingOf('FTS5', theirs, of)]));
}

function memoryNote({ child, folder }: Options, layout: Layout, questions: readonly string[]): string {
  const task = {
    groups: GROUPS,
    allGroups: GROUPS,
    rounds: 4,
    questions,
    engine: 'colophon',
    file: filesIn(folder, layout).index,
  } as const;
  const { rssBytes, emptyRssBytes } = inOwnProcess(child, task);
  return `A process that answered all questions four times holds ${mebibytes(rssBytes)}, of which ${mebibytes(emptyRssBytes)} before it opened the index.`;
}

/** The same visible text beside as much, and beside ten times as much, that is forbidden. */
async function forbiddenCase(options: Options, documents: readonly Source[], texts: readonly string[]): Promise<CaseResult> {
  progress('forbidden corpus × 10');
  const small: Layout = { artifacts: options.artifacts, groups: GROUPS, keptGroups: 2 * VISIBLE_GROUPS };
  await build(options.folder, documents, small, { fts: false });
  const entries: Entry[] = [
    { contender: new Colophon(filesIn(options.folder, small).index), groups: VISIBLE_GROUPS, name: 'as much forbidden' },
    {
      contender: new Colophon(filesIn(options.folder, { artifacts: options.artifacts, groups: GROUPS }).index),
      groups: VISIBLE_GROUPS,
      name: 'ten times as much',
    },
  ];
  return pair('forbidden text × 10', entries, texts, options, 'ten times');
}

/** Many small compartments against one that holds the same text. */
async function manyCase(options: Options, documents: readonly Source[], texts: readonly string[]): Promise<CaseResult> {
  progress(`${MANY_GROUPS} compartments`);
  const many: Layout = { artifacts: options.artifacts, groups: MANY_GROUPS };
  const one: Layout = { ...many, keptGroups: MANY_ELIGIBLE, joined: true };
  await build(options.folder, documents, many, { fts: false });
  await build(options.folder, documents, one, { fts: false });
  const entries: Entry[] = [
    { contender: new Colophon(filesIn(options.folder, one).index), groups: 1, name: 'one compartment' },
    { contender: new Colophon(filesIn(options.folder, many).index), groups: MANY_ELIGIBLE, name: `${MANY_ELIGIBLE} of ${MANY_GROUPS}` },
  ];
  return pair(`${MANY_ELIGIBLE} compartments as one`, entries, texts, options, String(MANY_ELIGIBLE));
}

async function pair(
  what: string,
  entries: readonly Entry[],
  texts: readonly string[],
  options: Options,
  rival: string,
): Promise<CaseResult> {
  const questions = texts.map((text) => questionOf(text, 'content words')).filter((question) => question.words.length > 0);
  const timings = await ask(entries, questions, 2 * options.rounds, options.of);
  for (const { contender } of entries) await contender.close();
  return told(compare(what, timings, rival));
}

/** A long run that is stopped has said what it found so far. */
function told(result: CaseResult): CaseResult {
  const figures = result.timings.map(({ name, medianMs, p95Ms }) => `${name} ${milliseconds(medianMs)} / ${milliseconds(p95Ms)}`);
  progress(`  ${result.what}: ${figures.join(', ')}`);
  return result;
}

function progress(what: string): void {
  process.stderr.write(`… ${what}\n`);
}
