/** The options that narrow which pages are asked about: the same for search, context and the bare question. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { fromWorkingFolder } from '../../app/asking/path-readings.js';
import type { Call } from '../../app/operations/catalogue.js';
import { PAGE_STATUSES } from '../../domain/page.js';

export interface ScopeOptions {
  readonly source?: string[];
  readonly path?: string[];
  readonly exclude?: string[];
  readonly version?: string;
  readonly productVersion?: string;
  readonly tag?: string[];
  readonly status?: string[];
}

export function addScopeOptions(command: Command): Command {
  return command
    .option('--path <path>', 'only this page, or this folder when it ends in /; repeatable', repeated)
    .option('--source <id>', 'only this source; repeatable', repeated)
    .option('--exclude <glob>', 'treat these pages as absent; repeatable', repeated)
    .option('--version <version>', 'only pages of this product version')
    .addOption(new Option('--product-version <version>', 'the same as --version').hideHelp())
    .option('--tag <tag>', 'only pages with this tag; repeatable', repeated)
    .addOption(
      new Option('--status <status>', `only pages of this status: ${PAGE_STATUSES.join(', ')}; repeatable`).argParser(repeatedStatus),
    );
}

/** `call` and `cwd`: a path that begins with a dot starts where it is typed. */
export function scopeInputOf(
  { source, path, exclude, version, productVersion, tag, status }: ScopeOptions,
  { library }: Call,
  cwd: string,
) {
  const paths = path?.map((each) => fromWorkingFolder(library.config, cwd, each));
  return { source, path: paths, exclude, version: version ?? productVersion, tag, status };
}

export function repeated(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}

function repeatedStatus(value: string, before: string[] | undefined): string[] {
  if (!PAGE_STATUSES.some((each) => each === value)) throw new InvalidArgumentError(`It is one of ${PAGE_STATUSES.join(', ')}.`);
  return repeated(value, before);
}

export function wholeNumber(value: string): number {
  if (!/^\d+$/.test(value)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(value);
}
