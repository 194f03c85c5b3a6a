/**
 * Watches a folder for anything that may change what a listing says, and calls back once per burst.
 *
 * An atomic save is an unlink and an add within the burst, so it is one call. Folders that no listing enters are not watched.
 */
import { type Stats, statSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { watch } from 'chokidar';
import { enterFolder, IGNORE_FILES, type IgnoreScope, ignoredBy, ignoreFilesOnDisk } from './ignore-files.js';
import { isInside } from './read-document.js';
import { parentOf, type Selection } from './selection.js';

const QUIET_MS = 300;
/** A burst that never ends (a build writing all the time) still gets its turn. */
const LONGEST_BURST_MS = 3_000;
/** How often to look when the system cannot watch any more (too many folders). */
const FALLBACK_MS = 30_000;

export interface WatchTargets {
  /** Real path of the source's root; absent when only the further folders matter. */
  readonly root?: string;
  readonly selection: Selection;
  /** Further folders, of which only the named entries matter, e.g. a repository's HEAD and refs. */
  readonly extra: readonly { readonly folder: string; readonly entries: readonly string[] }[];
}

export async function watchFolder(targets: WatchTargets, changed: () => void): Promise<() => Promise<void>> {
  const burst = debounced(changed);
  const { root, selection, extra } = targets;
  const matters = (place: string, stats: Stats | undefined): boolean => {
    // A folder is watched whole and narrowed here: chokidar says `ready` too early when a path given to it does not exist.
    const further = extra.find(({ folder }) => isInside(folder, place));
    if (further !== undefined) return isNamedEntry(further, place);
    return root === undefined || isWorthWatching(root, selection, place, stats);
  };
  const watcher = watch([...(root === undefined ? [] : [root]), ...extra.map(({ folder }) => folder)], {
    ignoreInitial: true,
    followSymlinks: false,
    ignored: (place, stats) => !matters(place, stats),
  });
  let poll: NodeJS.Timeout | undefined;
  watcher.on('all', burst.touch);
  watcher.on('error', () => {
    poll ??= setInterval(changed, FALLBACK_MS).unref();
  });
  await new Promise<void>((resolve) => watcher.once('ready', resolve));
  return async () => {
    burst.stop();
    clearInterval(poll);
    await watcher.close();
  };
}

function debounced(call: () => void): { touch: () => void; stop: () => void } {
  let timer: NodeJS.Timeout | undefined;
  let firstAt = 0;
  const fire = () => {
    timer = undefined;
    call();
  };
  return {
    touch: () => {
      const now = Date.now();
      if (timer === undefined) firstAt = now;
      else clearTimeout(timer);
      timer = setTimeout(fire, Math.max(0, Math.min(QUIET_MS, firstAt + LONGEST_BURST_MS - now)));
    },
    stop: () => clearTimeout(timer),
  };
}

function isWorthWatching(root: string, selection: Selection, place: string, stats: Stats | undefined): boolean {
  const path = relative(root, place).split(sep).join('/');
  if (path === '' || path.startsWith('../')) return path === '';
  const kind = stats ?? statSync(place, { throwIfNoEntry: false });
  // A path that is gone may have been anything; the listing will tell.
  if (kind === undefined) return selection.file(path) === undefined || selection.folder(path) === undefined;
  if (!kind.isDirectory()) return isIgnoreFile(path) || selection.file(path) === undefined;
  return selection.folder(path) === undefined && !isIgnoredFolder(root, path);
}

function isIgnoredFolder(root: string, path: string): boolean {
  try {
    return ignoredBy(scopeOf(root, parentOf(path)), path, true) !== undefined;
  } catch {
    // An ignore file that cannot be read is the listing's to report; watching too much costs only a look.
    return false;
  }
}

function isNamedEntry(further: WatchTargets['extra'][number], place: string): boolean {
  const first = relative(further.folder, place).split(sep)[0] ?? '';
  return first === '' || further.entries.includes(first);
}

function isIgnoreFile(path: string): boolean {
  return IGNORE_FILES.some((file) => path === file || path.endsWith(`/${file}`));
}

function scopeOf(root: string, folder: string): IgnoreScope {
  let scope: IgnoreScope = {};
  const parts = folder === '' ? [] : folder.split('/');
  for (let length = 0; length <= parts.length; length++) {
    scope = enterFolder(scope, parts.slice(0, length).join('/'), IGNORE_FILES, ignoreFilesOnDisk(root));
  }
  return scope;
}
