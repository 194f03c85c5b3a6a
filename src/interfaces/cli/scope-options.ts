/** The options that narrow which pages are asked about: the same for search, context and the bare question. */
import { type Command, InvalidArgumentError, Option } from 'commander';
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
    .addOption(new Option('--status <status>', `only pages of this status: ${PAGE_STATUSES.join(', ')}; repeatable`).argParser(repeated));
}

export function scopeInputOf({ source, path, exclude, version, productVersion, tag, status }: ScopeOptions) {
  return { source, path, exclude, version: version ?? productVersion, tag, status };
}

export function repeated(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}

export function wholeNumber(value: string): number {
  if (!/^\d+$/.test(value)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(value);
}
