/**
 * Citations, checked against the files: does the place a package cites say what the package shows?
 *
 * The index is not asked. What is taken out of an excerpt (a secret, an invisible character) and what is added to it (a repeated
 * table head or fence line) is allowed for: every line shown must stand in the file, and every line cited must be shown.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PackageItem } from '../../domain/context-package.js';
import type { SourceRegistration } from '../../domain/source.js';

type Cited = Pick<PackageItem, 'source' | 'path' | 'bytes' | 'excerpt'>;

/** Undefined for what stands in no folder of ours: objects of a git ref are not on disk. */
export function citationReader(sources: readonly SourceRegistration[]): (item: Cited) => Promise<boolean | undefined> {
  const files = new Map<string, Buffer | undefined>();
  return async ({ source, path, bytes, excerpt }) => {
    const location = sources.find(({ id }) => id === source)?.location;
    if (location === undefined || location.ref !== undefined) return undefined;
    const file = join(location.path, path);
    if (!files.has(file)) files.set(file, await readFile(file).catch(() => undefined));
    const content = files.get(file);
    if (content === undefined) return false;
    const cited = linesOf(content.subarray(bytes.start, bytes.end).toString('utf8'));
    const whole = new Set(linesOf(content.toString('utf8')));
    const shown = linesOf(excerpt);
    const shownLines = new Set(shown);
    // A passage may begin or end within a line; only there may a part of one stand for it.
    const isEdge = (line: string, at: number) =>
      (at === 0 || at === cited.length - 1) && shown.some((each) => each.includes(line) || line.includes(each));
    const allShown = cited.every((line, at) => shownLines.has(line) || isEdge(line, at));
    return allShown && shown.every((line) => whole.has(line) || cited.some((each) => each.includes(line)));
  };
}

function linesOf(text: string): string[] {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
