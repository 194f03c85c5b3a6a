/**
 * Would a tool that reads this file, or searches this folder, bring up a page that counts as a stranger's?
 *
 * The library's own answers are fenced and bound; the same text read straight from disk is neither, and taints all the same.
 */
import { realpath } from 'node:fs/promises';
import { relative, resolve, sep } from 'node:path';
import { isFenced } from '../../domain/authority.js';
import type { SourceRegistration } from '../../domain/source.js';
import { applyRules } from '../../ingest/governance.js';
import type { LibraryConfig } from '../library.js';

/** `path` is from the library's root unless it is absolute; of a folder, what anything in it could be. */
export async function namesStrangersFile({ root, sources }: Pick<LibraryConfig, 'root' | 'sources'>, path: string): Promise<boolean> {
  const named = resolve(root, path);
  const file = await realpath(named).catch(() => named);
  for (const source of sources) {
    const below = inside(source.location.path, file);
    if (below !== undefined && below !== '' && isFenced(applyRules(source, below).tier)) return true;
    if (inside(file, source.location.path) !== undefined && holdsAny(source)) return true;
    if (below !== undefined && below !== '' && source.rules.some(({ glob }) => beginsWith(glob, below)) && holdsAny(source)) return true;
  }
  return false;
}

/** A rule for what lies in this folder. */
function beginsWith(glob: string, folder: string): boolean {
  return glob.startsWith(`${folder}/`);
}

function holdsAny({ trustTier, rules }: SourceRegistration): boolean {
  return isFenced(trustTier) || rules.some((rule) => rule.trustTier !== undefined && isFenced(rule.trustTier));
}

/** The path from the folder on, `` for itself; undefined when it is not in it. */
function inside(folder: string, path: string): string | undefined {
  const way = relative(folder, path);
  if (way === '..' || way.startsWith(`..${sep}`) || resolve(way) === way) return undefined;
  return way.split(sep).join('/');
}
