/**
 * Ref tree — the documents of a commit, from objects alone; the working tree is not looked at.
 *
 * Invariant: only regular blobs are documents; a link (mode 120000) is never followed.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { enterFolder, type IgnoreScope, ignoredBy } from '../disk/ignore-files.js';
import { parentOf } from '../disk/selection.js';
import type { Gathering } from './gathering.js';
import { readObjects } from './object-reader.js';
import { openRepository, type Repository, withSignal } from './repository.js';
import { git, records, runGit } from './run-git.js';
import { isObjectId, isSafePath } from './safe-names.js';

interface TreeEntry {
  readonly path: string;
  readonly mode: string;
  readonly object: string;
}

const MAX_IGNORE_FILE_BYTES = 1024 * 1024;

export async function listRefTree(
  root: string,
  repository: Repository,
  commit: string,
  found: Gathering,
  signal: AbortSignal,
): Promise<void> {
  const listed = await gatherEntries(root, '', repository, commit, found, signal);
  const sizes = new Map<string, number>();
  for (const { repository: owner, entries } of listed) for (const [id, size] of await sizesOf(owner, entries, signal)) sizes.set(id, size);
  for (const { entries } of listed) {
    for (const { path, object } of entries) found.documents.push({ path, blob: object, sizeBytes: sizes.get(object) ?? 0 });
  }
}

interface Listed {
  readonly repository: Repository;
  readonly entries: readonly TreeEntry[];
}

async function gatherEntries(
  root: string,
  prefix: string,
  repository: Repository,
  commit: string,
  found: Gathering,
  signal: AbortSignal,
): Promise<Listed[]> {
  const { stdout } = await git(['ls-tree', '-r', '-z', '--end-of-options', commit], withSignal(repository.options, signal));
  const all = records(stdout).flatMap(({ text, exact }): TreeEntry[] => {
    const entry = treeEntry(text, prefix);
    if (exact && isSafePath(entry.path)) return [entry];
    if (found.selects(entry.path)) found.unusableName(entry.path);
    return [];
  });
  found.modules.push({ prefix, repository });
  const isLeftOut = await ignoreRules(all, repository, signal);
  const own: TreeEntry[] = [];
  const inner: Listed[] = [];
  for (const entry of all) {
    if (entry.mode === '160000') inner.push(...(await submodule(root, entry, repository, found, signal)));
    else if (!found.selects(entry.path)) continue;
    else if (isLeftOut(entry.path)) found.count('colophonignore');
    else if (entry.mode === '100644' || entry.mode === '100755') own.push(entry);
    else found.count('link');
  }
  return [{ repository, entries: own }, ...inner];
}

/** A submodule's commit can be read only where its repository is checked out here. */
async function submodule(root: string, entry: TreeEntry, outer: Repository, found: Gathering, signal: AbortSignal): Promise<Listed[]> {
  if (!found.entersFolder(entry.path)) return [];
  const folder = join(root, entry.path);
  const repository = !outer.bare && existsSync(join(folder, '.git')) ? await openRepository(folder, signal) : undefined;
  const isOther = repository !== undefined && repository.commonDir !== outer.commonDir;
  const there = isOther && isObjectId(entry.object) && (await hasCommit(repository, entry.object, signal));
  if (there) return gatherEntries(root, `${entry.path}/`, repository, entry.object, found, signal);
  const message = `The submodule ${entry.path} is not checked out at this commit; its pages are not in the library.`;
  found.problem('walk/submodule-absent', 'info', entry.path, message, 'Run `git submodule update --init` to include it.');
  return [];
}

async function hasCommit(repository: Repository, commit: string, signal: AbortSignal): Promise<boolean> {
  const { code } = await runGit(['cat-file', '-e', '--end-of-options', `${commit}^{commit}`], withSignal(repository.options, signal));
  return code === 0;
}

/** `100644 blob <object>\tpath`. */
function treeEntry(text: string, prefix: string): TreeEntry {
  const tab = text.indexOf('\t');
  const [mode = '', , object = ''] = text.slice(0, tab).split(' ');
  return { path: `${prefix}${text.slice(tab + 1)}`, mode, object };
}

/** `.colophonignore` files as they are in the commit. `.gitignore` has no say over what is committed. */
async function ignoreRules(all: readonly TreeEntry[], repository: Repository, signal: AbortSignal): Promise<(path: string) => boolean> {
  const files = all.filter(({ path, mode }) => /(?:^|\/)\.colophonignore$/.test(path) && mode.startsWith('100'));
  if (files.length === 0) return () => false;
  const texts = new Map<string, string>();
  let at = 0;
  for await (const answer of readObjects(
    files.map(({ object }) => object),
    withSignal(repository.options, signal),
    MAX_IGNORE_FILE_BYTES,
  )) {
    const path = files[at++]?.path;
    if (path !== undefined && answer.got === 'bytes') texts.set(path, Buffer.from(answer.bytes).toString('utf8'));
  }
  const scopes = new Map<string, { readonly scope: IgnoreScope; readonly out: boolean }>();
  const enter = (folder: string): { readonly scope: IgnoreScope; readonly out: boolean } => {
    const known = scopes.get(folder);
    if (known !== undefined) return known;
    const outer = folder === '' ? { scope: {}, out: false } : enter(parentOf(folder));
    const out = outer.out || (folder !== '' && ignoredBy(outer.scope, folder, true) !== undefined);
    const entered = { scope: enterFolder(outer.scope, folder, ['.colophonignore'], (path) => texts.get(path)), out };
    scopes.set(folder, entered);
    return entered;
  };
  return (path) => {
    const { scope, out } = enter(parentOf(path));
    return out || ignoredBy(scope, path, false) !== undefined;
  };
}

/** Sizes are for progress and batching only, so an object that is not here counts as empty; reading it will tell. */
async function sizesOf(repository: Repository, entries: readonly TreeEntry[], signal: AbortSignal): Promise<Map<string, number>> {
  const ids = entries.map(({ object }) => object).filter(isObjectId);
  if (ids.length === 0) return new Map();
  const asked = ids.join('\n');
  const options = withSignal(repository.options, signal);
  const { stdout } = await runGit(['cat-file', '--batch-check=%(objectname) %(objectsize)'], options, `${asked}\n`);
  const sizes = new Map<string, number>();
  for (const line of stdout.toString('utf8').split('\n')) {
    const [id = '', size = ''] = line.split(' ');
    if (/^\d+$/.test(size)) sizes.set(id, Number(size));
  }
  return sizes;
}
