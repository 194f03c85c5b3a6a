/**
 * Watches a folder for anything that may change what a listing says, and calls back once per burst.
 *
 * An atomic save is an unlink and an add within the burst, so it is one call. Folders that no listing enters are not watched.
 */
import { type Stats, statSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { watch } from 'chokidar';
import { enterFolder, IGNORE_FILES, type IgnoreScope, ignoredBy, ignoreFilesOnDisk } from './ignore-files.js';
import { parentOf, type Selection } from './selection.js';

const QUIET_MS = 300;
/** A burst that never ends (a build writing all the time) still gets its turn. */
const LONGEST_BURST_MS = 3_000;
/** How often to look when the system cannot watch any more (too many folders). */
const FALLBACK_MS = 30_000;

export interface WatchTargets {
  /** Real path of the source's root; absent when only the extra files matter. */
  readonly root?: string;
  readonly selection: Selection;
  /** Further files and folders, e.g. a repository's HEAD and refs. */
  readonly extra: readonly string[];
}

export async function watchFolder(targets: WatchTargets, changed: () => void): Promise<() => Promise<void>> {
  const burst = debounced(changed);
  const { root } = targets;
  const matters =
    root === undefined ? () => true : (place: string, stats?: Stats) => isWorthWatching(root, targets.selection, place, stats);
  const isExtra = (place: string) => targets.extra.some((extra) => place === extra || place.startsWith(extra + sep));
  const watcher = watch([...(root === undefined ? [] : [root]), ...targets.extra], {
    ignoreInitial: true,
    followSymlinks: false,
    ignored: (place, stats) => !isExtra(place) && !matters(place, stats),
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
