/**
 * A library made of a labelled set: its pages as files, a configuration, and the same road as any other library from there.
 *
 * Invariant: nothing of the user's own libraries is read or written; the folder is removed when the library is closed, unless
 * the caller keeps it to use again.
 */
import { mkdir, mkdtemp, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { PlacedCorpus } from '../../evaluation/corpus-pages.js';
import type { SetConfiguration } from '../../evaluation/set-configuration.js';
import { digestOf } from '../../kernel/digest.js';
import { CONFIG_NAME, resolveConfig } from '../configuration/config.js';
import { openContainer } from '../container.js';
import { type LearnReport, learn } from '../learning/learn.js';
import type { Library } from '../library.js';
import type { Progress } from '../operations/catalogue.js';
import { SET_VOCABULARY } from './beir-folder.js';

const EVALUATION_SOURCE = 'set';

export interface EvaluationLibrary {
  readonly library: Library;
  readonly report: LearnReport;
  /** The id of the one source that holds the set. */
  readonly source: string;
  close(): Promise<void>;
}

export interface EvaluationLibraryOptions {
  /** A folder to keep the pages and the index in, by content; absent: a temporary one. */
  readonly cache?: string | undefined;
  /** Text of a vocabulary. */
  readonly vocabulary?: string | undefined;
  readonly signal: AbortSignal;
  readonly progress: (progress: Progress) => void;
}

export async function openEvaluationLibrary(
  placed: PlacedCorpus,
  configuration: SetConfiguration,
  options: EvaluationLibraryOptions,
): Promise<EvaluationLibrary> {
  const base = await workFolder(placed, configuration, options);
  const discard = async () => {
    if (options.cache === undefined) await rm(base, { recursive: true, force: true });
  };
  try {
    await writeTree(base, placed, configuration, options);
    // No environment: a variable of the user's must not change what is measured.
    const config = await resolveConfig({ root: base, env: { COLOPHON_HOME: join(base, 'state') }, cwd: base });
    const library = await openContainer(config);
    const close = async () => {
      await library.close();
      await discard();
    };
    try {
      const report = await learn(library, { signal: options.signal, progress: options.progress });
      return { library, report, source: EVALUATION_SOURCE, close };
    } catch (error) {
      await close();
      throw error;
    }
  } catch (error) {
    await discard();
    throw error;
  }
}

async function workFolder(
  placed: PlacedCorpus,
  configuration: SetConfiguration,
  { cache, vocabulary }: EvaluationLibraryOptions,
): Promise<string> {
  if (cache === undefined) return realpath(await mkdtemp(join(tmpdir(), 'colophon-eval-')));
  const pages = placed.pages.map(({ path, text }) => [path, digestOf(text)]);
  const key = digestOf([pages, configuration, ...(vocabulary === undefined ? [] : [vocabulary])]).slice(0, 16);
  const folder = join(resolve(cache), key);
  await mkdir(folder, { recursive: true });
  return realpath(folder);
}

const COMPLETE = 'complete';

async function writeTree(
  base: string,
  placed: PlacedCorpus,
  configuration: SetConfiguration,
  { progress, vocabulary }: EvaluationLibraryOptions,
): Promise<void> {
  if ((await stat(join(base, COMPLETE)).catch(() => undefined)) !== undefined) return;
  const made = new Set<string>();
  for (const [index, { path, text }] of placed.pages.entries()) {
    const file = join(base, 'pages', path);
    if (!made.has(dirname(file))) await mkdir(dirname(file), { recursive: true });
    made.add(dirname(file));
    await writeFile(file, text);
    if (index % 500 === 0) progress({ phase: 'writing', done: index, total: placed.pages.length });
  }
  if (vocabulary !== undefined) await writeFile(join(base, SET_VOCABULARY), vocabulary);
  await writeFile(join(base, CONFIG_NAME), configurationText(configuration, vocabulary !== undefined));
  await writeFile(join(base, COMPLETE), '');
}

function configurationText(configuration: SetConfiguration, hasVocabulary: boolean): string {
  return `${JSON.stringify(
    {
      version: 1,
      profile: 'personal',
      ...(hasVocabulary ? { vocabulary: SET_VOCABULARY } : {}),
      sources: [
        {
          id: EVALUATION_SOURCE,
          location: { path: 'pages', connector: 'directory' },
          rules: configuration.paths.map(({ glob, status, version }) => ({
            glob,
            ...(status === undefined ? {} : { status }),
            ...(version === undefined ? {} : { version }),
          })),
        },
      ],
    },
    undefined,
    2,
  )}\n`;
}
