/**
 * Ignore files — the answer git itself would give for a path, from the declared ignore files alone.
 *
 * Each folder may hold `.gitignore` and `.colophonignore`; a path is left out when either family says so. Within a family
 * the deepest file with an opinion wins, later lines beat earlier ones, and nothing under an ignored folder comes back.
 * Other tools' ignore files (formatter, container, package) are not ours to obey.
 *
 * Invariant: rules of a nested file are anchored at its folder before they are matched, so one ordered list decides.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { codeOf } from './read-document.js';

export const IGNORE_FILES = ['.gitignore', '.colophonignore'] as const;
export type IgnoreFile = (typeof IGNORE_FILES)[number];

/** The rules in force inside one folder. */
export type IgnoreScope = Readonly<Partial<Record<IgnoreFile, Ignore>>>;

/** Reads one ignore file's text from wherever the source keeps it; undefined when there is none. */
export type ReadIgnoreFile = (path: string) => string | undefined;

/** The scope inside `folder` (POSIX from the root, empty for the root itself). `names` are the entries known to be there. */
export function enterFolder(outer: IgnoreScope, folder: string, files: readonly IgnoreFile[], read: ReadIgnoreFile): IgnoreScope {
  let scope = outer;
  for (const file of files) {
    const text = read(folder === '' ? file : `${folder}/${file}`);
    if (text !== undefined) scope = { ...scope, [file]: extended(scope[file], folder, text) };
  }
  return scope;
}

/** The ignore file that leaves out this entry of the scope's folder; undefined when none does. */
export function ignoredBy(scope: IgnoreScope, path: string, isFolder: boolean): IgnoreFile | undefined {
  const asked = isFolder ? `${path}/` : path;
  return IGNORE_FILES.find((file) => scope[file]?.test(asked).ignored === true);
}

/** Reads ignore files from disk; throws when one is there and cannot be read, for then nobody knows what it leaves out. */
export function ignoreFilesOnDisk(root: string): ReadIgnoreFile {
  return (path) => {
    try {
      return readFileSync(join(root, path), 'utf8');
    } catch (error) {
      if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes(codeOf(error))) return undefined;
      throw error;
    }
  };
}

function extended(outer: Ignore | undefined, folder: string, text: string): Ignore {
  const matcher = ignore({ ignorecase: false, allowRelativePaths: true });
  if (outer !== undefined) matcher.add(outer);
  const lines = text.replace(/^\uFEFF/, '').split('\n');
  return matcher.add(lines.flatMap((line) => anchored(line.replace(/\r$/, ''), folder)).map((pattern) => ({ pattern })));
}

/** The same rule, written from the root. */
function anchored(line: string, folder: string): string[] {
  if (line.trim() === '' || line.startsWith('#')) return [];
  if (folder === '') return [line];
  const negation = line.startsWith('!') ? '!' : '';
  const body = line.slice(negation.length);
  const middle = body.replace(/\/ *$/, '').includes('/') ? '' : '**/';
  return [`${negation}/${escaped(folder)}/${middle}${body.replace(/^\//, '')}`];
}

function escaped(folder: string): string {
  return folder.replace(/[\\*?[\]]/g, '\\$&');
}
