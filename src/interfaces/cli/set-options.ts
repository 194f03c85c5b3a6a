/** Which labelled set is asked: the same options for every verb of `eval` that asks one. */
import type { Command } from 'commander';
import { wholeNumber } from './scope-options.js';

export interface SetOptions {
  readonly beir?: string;
  readonly golden?: string;
  readonly split?: string;
  readonly config?: string;
  readonly cache?: string;
  readonly limitQueries?: number;
  readonly asOf?: string;
}

export function addSetOptions(command: Command): Command {
  return command
    .option('--beir <folder>', 'corpus.jsonl, queries.jsonl, qrels/SPLIT.tsv; ignore.tsv and doc_meta.tsv if there')
    .option('--golden <folder>', 'set.json and questions.jsonl, asked of the library they name')
    .option('--split <name>', 'which judgements: a file of qrels/; of a golden set dev, held-out or all')
    .option('--config <file>', 'path globs → status and version (default: eval.yaml in the folder)')
    .option('--cache <folder>', 'keep the index of the set there for the next run')
    .option('--limit-queries <count>', 'only the first questions', wholeNumber)
    .option('--as-of <day>', 'the day the questions are asked on');
}

export function setOf({ beir, golden, split, config, cache, limitQueries, asOf }: SetOptions): SetOptions {
  const given = Object.entries({ beir, golden, split, config, cache, limitQueries, asOf }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given);
}

export const flag = (field: string): string => `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
