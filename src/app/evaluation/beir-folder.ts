/** Reads a folder in BEIR layout, and the configuration that may stand beside it. */
import { readFile, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { parse } from 'yaml';
import { type BeirSet, readBeirSet } from '../../evaluation/beir.js';
import { NO_SET_CONFIGURATION, type SetConfiguration, setConfiguration } from '../../evaluation/set-configuration.js';
import { Fault } from '../../kernel/errors.js';

const CONFIGURATION = 'eval.yaml';
export const SET_VOCABULARY = 'vocabulary.yaml';

export async function readBeirFolder(folder: string, split: string): Promise<BeirSet> {
  const entry = await stat(folder).catch(() => undefined);
  if (entry?.isDirectory() !== true)
    throw new Fault('input/invalid', { field: '--beir', expected: `a folder in BEIR layout; ${folder} is none` });
  const [corpus, queries, qrels, ignore, docMeta] = await Promise.all([
    required(folder, 'corpus.jsonl'),
    required(folder, 'queries.jsonl'),
    required(folder, `qrels/${split}.tsv`),
    optional(folder, 'ignore.tsv'),
    optional(folder, 'doc_meta.tsv'),
  ]);
  return readBeirSet(basename(resolve(folder)), split, {
    corpus,
    queries,
    qrels,
    ...(ignore === undefined ? {} : { ignore }),
    ...(docMeta === undefined ? {} : { docMeta }),
  });
}

export async function hasSplit(folder: string, split: string): Promise<boolean> {
  return (await stat(join(folder, 'qrels', `${split}.tsv`)).catch(() => undefined))?.isFile() === true;
}

/** The file named, else the folder's own `eval.yaml`, else nothing. */
export async function readSetConfiguration(folder: string, named: string | undefined): Promise<SetConfiguration> {
  const file = named ?? join(folder, CONFIGURATION);
  const text = await optional('', file);
  if (text === undefined) {
    if (named !== undefined) throw new Fault('config/unreadable', { file, reason: 'there is no such file' });
    return NO_SET_CONFIGURATION;
  }
  const parsed = setConfiguration.safeParse(yamlOf(text, file));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const key = issue?.path.join('.') ?? '';
  throw new Fault('config/invalid', {
    file,
    key: key === '' ? 'the file' : key,
    expected: `as the evaluation guide shows (${issue?.message ?? 'unreadable'}); only path globs with a status or a version may stand in it`,
  });
}

/** Other names that a set brings along: the text of a vocabulary; undefined when it has none. */
export function readSetVocabulary(folder: string): Promise<string | undefined> {
  return optional(folder, SET_VOCABULARY);
}

function yamlOf(text: string, file: string): unknown {
  try {
    return parse(text, { schema: 'core', merge: false }) ?? {};
  } catch (cause) {
    throw new Fault('config/invalid', { file, key: 'the file', expected: 'YAML' }, { cause });
  }
}

async function required(folder: string, name: string): Promise<string> {
  const text = await optional(folder, name);
  if (text === undefined)
    throw new Fault('input/invalid', { field: '--beir', expected: `a folder that holds ${name}; ${folder} does not` });
  return text;
}

async function optional(folder: string, name: string): Promise<string | undefined> {
  try {
    return await readFile(folder === '' ? name : join(folder, name), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
