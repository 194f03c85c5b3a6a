/**
 * Walk — every document of a plain folder, once, by its true path.
 *
 * Real entries first; links afterwards, so that a file with a name of its own is never taken under a link's name. A link
 * may lead to another place in the source, never out of it, and never past an exclusion that holds for the place it leads to.
 *
 * Invariant: each real folder is entered at most once, so the walk ends.
 * Invariant: a folder that could not be read is named in `unseen`.
 */
import { type Dirent, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { GENERATED_MARKERS } from '../../../domain/document-selection.js';
import type { Problem } from '../../../domain/problem.js';
import type { ListedDocument } from '../../../ports/connector.js';
import { HardLinks } from '../disk/hard-links.js';
import { enterFolder, IGNORE_FILES, type IgnoreScope, ignoredBy, ignoreFilesOnDisk } from '../disk/ignore-files.js';
import { codeOf, isInside, reasonOf } from '../disk/read-document.js';
import { NOT_A_DOCUMENT, type Selection } from '../disk/selection.js';
import { signatureOf } from '../disk/signature.js';

export interface Walked {
  readonly documents: ListedDocument[];
  readonly unseen: string[];
  readonly problems: Problem[];
  readonly ignored: Record<string, number>;
}

interface Folder {
  /** Under which its documents are listed. */
  readonly path: string;
  /** Where it really is, from the root; another path than `path` below a followed link. */
  readonly home: string;
  readonly real: string;
  readonly scope: IgnoreScope;
}

/** How many entries are looked at before other work of the process gets a turn. */
const TURN = 2_000;

export class FolderWalk {
  readonly #source: string;
  readonly #root: string;
  readonly #selection: Selection;
  readonly #signal: AbortSignal;
  readonly #found: Walked = { documents: [], unseen: [], problems: [], ignored: {} };
  readonly #entered = new Set<string>();
  readonly #listed = new Set<string>();
  readonly #hardLinks = new HardLinks();
  readonly #links: { readonly path: string; readonly place: string }[] = [];
  #looked = 0;

  /** `root` is a real path. */
  constructor(source: string, root: string, selection: Selection, signal: AbortSignal) {
    this.#source = source;
    this.#root = root;
    this.#selection = selection;
    this.#signal = signal;
  }

  async run(): Promise<Walked> {
    await this.#enter({ path: '', home: '', real: this.#root, scope: {} });
    // In rounds, by path: which of two links to one place is followed must not hang on the order of a folder's entries.
    while (this.#links.length > 0) {
      const round = this.#links.splice(0).sort((a, b) => (a.path < b.path ? -1 : 1));
      for (const { path, place } of round) await this.#follow(path, place);
    }
    const linked = this.#hardLinks.problem();
    if (linked !== undefined) this.#found.problems.push({ source: this.#source, ...linked });
    return this.#found;
  }

  async #enter(start: Folder): Promise<void> {
    const waiting = [start];
    for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
      if (this.#entered.has(folder.real)) continue;
      this.#entered.add(folder.real);
      waiting.push(...this.#look(folder));
      if (this.#looked >= TURN) await this.#rest();
    }
  }

  async #rest(): Promise<void> {
    this.#looked = 0;
    await new Promise((resolve) => setImmediate(resolve));
    this.#signal.throwIfAborted();
  }

  /** Takes the folder's files and returns the folders inside it, in reverse order. */
  #look(folder: Folder): Folder[] {
    try {
      const entries = readdirSync(folder.real, { withFileTypes: true });
      this.#looked += entries.length;
      if (folder.path !== '' && entries.some((entry) => GENERATED_MARKERS.has(entry.name))) {
        this.#count('generated');
        return [];
      }
      const scope = this.#scopeOf(folder, entries);
      entries.sort((a, b) => (a.name < b.name ? 1 : -1));
      return entries.flatMap((entry) => this.#entry(folder, entry, scope));
    } catch (error) {
      this.#folderUnreadable(folder, error);
      return [];
    }
  }

  #scopeOf(folder: Folder, entries: readonly Dirent[]): IgnoreScope {
    const present = IGNORE_FILES.filter((file) => entries.some((entry) => entry.name === file && !entry.isDirectory()));
    const read = ignoreFilesOnDisk(folder.real);
    return enterFolder(folder.scope, folder.home, present, (path) => read(path.slice(path.lastIndexOf('/') + 1)));
  }

  #entry(folder: Folder, entry: Dirent, scope: IgnoreScope): Folder[] {
    const path = below(folder.path, entry.name);
    const home = below(folder.home, entry.name);
    if (entry.name.includes('\uFFFD') && !this.#isNameExact(join(folder.real, entry.name))) return [];
    if (entry.isDirectory()) {
      if (this.#leavesOut(this.#selection.folder(path), home, true, scope)) return [];
      return [{ path, home, real: join(folder.real, entry.name), scope }];
    }
    if (entry.isSymbolicLink()) {
      if (!this.#leavesOut(undefined, home, false, scope)) this.#links.push({ path, place: join(folder.real, entry.name) });
    } else if (entry.isFile() && !this.#leavesOut(this.#selection.file(path), home, false, scope)) {
      this.#take(path, join(folder.real, entry.name));
    }
    return [];
  }

  /** A name that is not UTF-8 reads back as another name, under which nothing can be opened or cited. */
  #isNameExact(place: string): boolean {
    if (lstatOf(place) !== undefined) return true;
    const path = this.#pathOf(place);
    this.#problem('page/unreadable', path, 'warning', `The name of ${path} is not valid UTF-8.`, 'Rename it, then index again.');
    return false;
  }

  #leavesOut(reason: string | undefined, path: string, isFolder: boolean, scope: IgnoreScope): boolean {
    if (reason === NOT_A_DOCUMENT) return true;
    const why = reason ?? ignoredBy(scope, path, isFolder)?.slice(1);
    if (why !== undefined) this.#count(why);
    return why !== undefined;
  }

  #take(path: string, real: string): void {
    const stats = lstatOf(real);
    // Gone since the folder was read: the same as never there.
    if (stats === undefined || this.#listed.has(real)) return;
    this.#listed.add(real);
    this.#hardLinks.see(path, stats);
    const signature = signatureOf(stats, Date.now());
    this.#found.documents.push({ path, sizeBytes: Number(stats.size), ...(signature === undefined ? {} : { signature }) });
  }

  async #follow(path: string, place: string): Promise<void> {
    this.#signal.throwIfAborted();
    let real: string;
    try {
      real = realpathSync.native(place);
    } catch (error) {
      this.#brokenLink(path, error);
      return;
    }
    if (!isInside(this.#root, real)) {
      if (this.#mayMatter(path, real)) this.#outsideLink(path);
      return;
    }
    if (this.#listed.has(real) || this.#entered.has(real)) return;
    const isFolder = statSync(real, { throwIfNoEntry: false })?.isDirectory();
    if (isFolder === undefined) return;
    const home = this.#pathOf(real);
    const scope = this.#scopeAt(home, isFolder);
    if (scope === undefined || this.#leavesOut(isFolder ? this.#selection.folder(path) : this.#selection.file(path), home, isFolder, scope))
      return;
    if (isFolder) await this.#enter({ path, home, real, scope });
    else this.#take(path, real);
  }

  /** The rules in force where a link leads to; undefined when a folder on the way there is left out itself. */
  #scopeAt(home: string, isFolder: boolean): IgnoreScope | undefined {
    const parts = home.split('/');
    let scope: IgnoreScope = {};
    for (let length = 0; length < parts.length; length++) {
      const folder = parts.slice(0, length).join('/');
      scope = enterFolder(scope, folder, IGNORE_FILES, ignoreFilesOnDisk(this.#root));
      const next = below(folder, parts[length] ?? '');
      const nextIsFolder = isFolder || length < parts.length - 1;
      if (this.#leavesOut(nextIsFolder ? this.#selection.folder(next) : undefined, next, nextIsFolder, scope)) return undefined;
    }
    return scope;
  }

  /** A link out of the source is worth a word when a document or a folder would have come through it. */
  #mayMatter(path: string, real: string): boolean {
    const isFolder = statSync(real, { throwIfNoEntry: false })?.isDirectory() === true;
    return isFolder ? this.#selection.folder(path) === undefined : this.#selection.file(path) === undefined;
  }

  #brokenLink(path: string, error: unknown): void {
    if (!this.#couldHold(path)) return;
    const [code, message] =
      codeOf(error) === 'ELOOP'
        ? (['walk/link-cycle', `The link ${path} leads back to itself.`] as const)
        : (['walk/link-broken', `The link ${path} leads nowhere: ${reasonOf(error)}.`] as const);
    this.#problem(code, path, 'warning', message, 'Correct or remove the link.');
  }

  /** By its name, a document or a folder of documents. */
  #couldHold(path: string): boolean {
    const looksLikeFolder = !path.slice(path.lastIndexOf('/') + 1).includes('.');
    return this.#selection.file(path) === undefined || (looksLikeFolder && this.#selection.folder(path) === undefined);
  }

  #outsideLink(path: string): void {
    const message = `The link ${path} leads out of the source and was not followed.`;
    this.#problem('walk/link-outside', path, 'warning', message, 'Register the place it leads to as a source of its own.');
  }

  #folderUnreadable(folder: Folder, error: unknown): void {
    if (folder.path === '') throw error;
    if (codeOf(error) === 'ENOENT') return;
    this.#found.unseen.push(`${folder.path}/`);
    const message = `The folder ${folder.path} could not be read: ${reasonOf(error)}. What the index holds of it was kept.`;
    this.#problem('walk/folder-unreadable', folder.path, 'error', message, 'Give read permission, then index again.');
  }

  #problem(code: Problem['code'], path: string, severity: Problem['severity'], message: string, hint: string): void {
    this.#found.problems.push({ code, severity, source: this.#source, path, message, hint });
  }

  #count(reason: string): void {
    this.#found.ignored[reason] = (this.#found.ignored[reason] ?? 0) + 1;
  }

  #pathOf(real: string): string {
    const path = relative(this.#root, real);
    return sep === '/' ? path : path.split(sep).join('/');
  }
}

function below(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

function lstatOf(place: string) {
  return lstatSync(place, { bigint: true, throwIfNoEntry: false });
}
