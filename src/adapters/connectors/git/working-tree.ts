/**
 * Working tree — which files of a checkout are documents, as git sees them: tracked (even when a pattern ignores them)
 * and untracked but not ignored.
 *
 * The bytes are the ones on disk, so nothing depends on line-end settings or filters. A tracked page that a sparse
 * checkout left out is served from the objects of the same index.
 *
 * Invariant: a path that cannot be looked at is named in `unseen`.
 */
import { type BigIntStats, existsSync, lstatSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { GENERATED_MARKERS } from '../../../domain/document-selection.js';
import { HardLinks } from '../disk/hard-links.js';
import { enterFolder, type IgnoreScope, ignoredBy, ignoreFilesOnDisk } from '../disk/ignore-files.js';
import { codeOf, isInside, reasonOf } from '../disk/read-document.js';
import { baseName, parentOf } from '../disk/selection.js';
import { signatureOf } from '../disk/signature.js';
import type { Gathering } from './gathering.js';
import { openRepository, type Repository, withSignal } from './repository.js';
import { git, records } from './run-git.js';
import { isObjectId, isSafePath } from './safe-names.js';

interface Entry {
  /** From the source's root. */
  readonly path: string;
  /** Git's tag: `H` in the index, `S` there but not checked out, `M` unmerged; absent for untracked files. */
  readonly tag?: string;
  readonly mode?: string;
  readonly blob?: string;
}

const SUBMODULE = '160000';
const TURN = 2_000;

export class WorkingTree {
  readonly #root: string;
  readonly #found: Gathering;
  readonly #signal: AbortSignal;
  readonly #scopes = new Map<string, IgnoreScope>();
  readonly #ignoredFolders = new Map<string, boolean>();
  readonly #straight = new Map<string, boolean>();
  readonly #generated = new Set<string>();
  readonly #hardLinks = new HardLinks();
  #sparse = 0;

  /** `root` is the source's real root. */
  constructor(root: string, found: Gathering, signal: AbortSignal) {
    this.#root = root;
    this.#found = found;
    this.#signal = signal;
  }

  async list(repository: Repository): Promise<void> {
    await this.#checkout('', repository);
    const linked = this.#hardLinks.problem();
    if (linked !== undefined) this.#found.problem(linked.code, linked.severity, linked.path, linked.message, linked.hint);
    if (this.#sparse === 0) return;
    const message = `${this.#sparse} pages are outside the sparse checkout; they are served from the repository's objects.`;
    this.#found.problem('walk/sparse-absent', 'info', '', message, 'Nothing needs to be done; an `exclude` pattern leaves them out.');
  }

  async #checkout(prefix: string, repository: Repository): Promise<void> {
    this.#found.modules.push({ prefix, repository });
    const entries = await this.#entries(prefix, repository);
    for (const { path } of entries) if (GENERATED_MARKERS.has(baseName(path)) && parentOf(path) !== '') this.#generated.add(parentOf(path));
    for (const [at, entry] of entries.entries()) {
      if (at % TURN === TURN - 1) await new Promise((resolve) => setImmediate(resolve));
      this.#signal.throwIfAborted();
      if (entry.mode === SUBMODULE || entry.path.endsWith('/')) await this.#inner(entry, repository);
      else if (this.#found.selects(entry.path) && !this.#isLeftOut(entry.path)) this.#take(entry);
    }
  }

  async #entries(prefix: string, repository: Repository): Promise<Entry[]> {
    const options = withSignal(repository.options, this.#signal);
    const [tracked, untracked, ignored] = await Promise.all([
      git(['ls-files', '-z', '-s', '-t'], options),
      git(['ls-files', '-z', '-o', '--exclude-standard'], options),
      git(['ls-files', '-z', '-o', '-i', '--exclude-standard', '--directory'], options),
    ]);
    this.#unreadableFolders(prefix, repository, untracked.stderr);
    const left = records(ignored.stdout).filter(({ text }) => this.#isWorthCounting(`${prefix}${text}`)).length;
    if (left > 0) this.#found.count('gitignore', left);
    const entries = new Map<string, Entry>();
    for (const { text, exact } of [...records(tracked.stdout).map(trackedEntry), ...records(untracked.stdout).map(untrackedEntry)]) {
      const entry = { ...text, path: `${prefix}${text.path}` };
      if (!exact) this.#unusable(entry.path);
      else if (isSafePath(entry.path.replace(/\/$/, '')) && !entries.has(entry.path)) entries.set(entry.path, entry);
    }
    return [...entries.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** Git goes on past a folder it may not open and only says so. */
  #unreadableFolders(prefix: string, repository: Repository, stderr: string): void {
    for (const [, folder, reason] of stderr.matchAll(/could not open directory '(.*)\/?': (.+)/g)) {
      const inTree = (folder ?? '').replace(/\/$/, '');
      const below = inTree.startsWith(repository.prefix) ? inTree.slice(repository.prefix.length) : inTree;
      this.#folderUnseen(`${prefix}${below}`, (reason ?? '').toLowerCase());
    }
  }

  #folderUnseen(folder: string, reason: string): void {
    const place = folder === '' ? '' : `${folder}/`;
    if (this.#isUnseen(place)) return;
    this.#found.unseen.push(place);
    const message = `The folder ${folder || '.'} could not be read: ${reason}. What the index holds of it was kept.`;
    this.#found.problem('walk/folder-unreadable', 'error', folder, message, 'Give read permission, then index again.');
  }

  #isUnseen(place: string): boolean {
    return this.#found.unseen.some((unseen) => place.startsWith(unseen));
  }

  #unusable(path: string): void {
    if (this.#found.selects(path)) this.#found.unusableName(path);
  }

  #isWorthCounting(path: string): boolean {
    return path.endsWith('/') ? this.#found.entersFolder(path.slice(0, -1)) : this.#found.selects(path);
  }

  /** A submodule, or a repository that somebody cloned into this one. */
  async #inner(entry: Entry, outer: Repository): Promise<void> {
    const path = entry.path.replace(/\/$/, '');
    if (!this.#found.entersFolder(path) || this.#isLeftOut(path)) return;
    const folder = join(this.#root, path);
    const repository = existsSync(join(folder, '.git')) && this.#isStraight(path) ? await openRepository(folder, this.#signal) : undefined;
    if (repository === undefined || repository.gitDir === outer.gitDir) {
      if (entry.mode === SUBMODULE) this.#submoduleAbsent(path);
      return;
    }
    // A linked work tree of the same repository holds the same pages at another commit.
    if (repository.commonDir === outer.commonDir) this.#found.count('linked-work-tree');
    else await this.#checkout(`${path}/`, repository);
  }

  #submoduleAbsent(path: string): void {
    const message = `The submodule ${path} is not checked out; its pages are not in the library.`;
    this.#found.problem('walk/submodule-absent', 'info', path, message, 'Run `git submodule update --init` to include it.');
  }

  #take(entry: Entry): void {
    const { path } = entry;
    if (this.#isUnseen(path)) return;
    const stats = this.#look(path);
    if (stats === 'unseen') return;
    if (stats === undefined) {
      if (entry.tag === 'S' && entry.blob !== undefined && isObjectId(entry.blob) && entry.mode?.startsWith('100') === true) {
        this.#sparse++;
        this.#found.documents.push({ path, blob: entry.blob, sizeBytes: 0 });
      }
    } else if (stats.isSymbolicLink()) {
      this.#link(path);
    } else if (stats.isFile()) {
      this.#hardLinks.see(path, stats);
      const signature = signatureOf(stats, Date.now());
      this.#found.documents.push({ path, sizeBytes: Number(stats.size), ...(signature === undefined ? {} : { signature }) });
    }
  }

  #look(path: string): BigIntStats | 'unseen' | undefined {
    try {
      if (!this.#isStraight(parentOf(path))) return undefined;
      return lstatSync(join(this.#root, path), { bigint: true, throwIfNoEntry: false });
    } catch (error) {
      if (codeOf(error) === 'ENOTDIR' || codeOf(error) === 'ENOENT') return undefined;
      this.#folderUnseen(parentOf(path), reasonOf(error));
      return 'unseen';
    }
  }

  /** True when no link stands on the way to the folder: below one, git lists files that are not there. */
  #isStraight(folder: string): boolean {
    if (folder === '') return true;
    const known = this.#straight.get(folder);
    if (known !== undefined) return known;
    const place = join(this.#root, folder);
    const stats = this.#isStraight(parentOf(folder)) ? lstatSync(place, { throwIfNoEntry: false }) : undefined;
    const straight = stats?.isDirectory() === true;
    this.#straight.set(folder, straight);
    return straight;
  }

  /** Links are not followed: what they lead to is listed under its own name, or is not the repository's. */
  #link(path: string): void {
    try {
      const real = realpathSync.native(join(this.#root, path));
      if (isInside(this.#root, real)) this.#found.count('link');
      else {
        const message = `The link ${path} leads out of the source and was not followed.`;
        this.#found.problem('walk/link-outside', 'warning', path, message, 'Register the place it leads to as a source of its own.');
      }
    } catch (error) {
      const message = `The link ${path} leads nowhere: ${reasonOf(error)}.`;
      this.#found.problem('walk/link-broken', 'warning', path, message, 'Correct or remove the link.');
    }
  }

  #isLeftOut(path: string): boolean {
    if (ignoredBy(this.#scope(parentOf(path)), path, false) !== undefined || this.#isFolderLeftOut(parentOf(path))) {
      this.#found.count('colophonignore');
      return true;
    }
    return false;
  }

  #isFolderLeftOut(folder: string): boolean {
    if (folder === '') return false;
    const known = this.#ignoredFolders.get(folder);
    if (known !== undefined) return known;
    const parent = parentOf(folder);
    const left = this.#generated.has(folder) || this.#isFolderLeftOut(parent) || ignoredBy(this.#scope(parent), folder, true) !== undefined;
    this.#ignoredFolders.set(folder, left);
    return left;
  }

  #scope(folder: string): IgnoreScope {
    const known = this.#scopes.get(folder);
    if (known !== undefined) return known;
    const outer = folder === '' ? {} : this.#scope(parentOf(folder));
    const scope = this.#entered(outer, folder);
    this.#scopes.set(folder, scope);
    return scope;
  }

  /** Where an ignore file cannot be read, nobody knows what it leaves out: nothing of the folder is taken. */
  #entered(outer: IgnoreScope, folder: string): IgnoreScope {
    try {
      return enterFolder(outer, folder, ['.colophonignore'], ignoreFilesOnDisk(this.#root));
    } catch (error) {
      this.#folderUnseen(folder, reasonOf(error));
      return outer;
    }
  }
}

/** `H 100644 <object> 0\tpath`; the tag is absent in very old versions. */
function trackedEntry({ text, exact }: { readonly text: string; readonly exact: boolean }): {
  readonly text: Entry;
  readonly exact: boolean;
} {
  const tab = text.indexOf('\t');
  const [tag = '', mode = '', blob = ''] = text.slice(0, tab).split(' ');
  return { text: { path: text.slice(tab + 1), tag, mode, blob }, exact };
}

function untrackedEntry({ text, exact }: { readonly text: string; readonly exact: boolean }): {
  readonly text: Entry;
  readonly exact: boolean;
} {
  return { text: { path: text }, exact };
}
