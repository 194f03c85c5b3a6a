/**
 * Where a library keeps records.db and index.db.
 *
 * Invariant: a folder without colophon.yaml is never written to; its state lives in the user's own state folder.
 */
import { access, chmod, constants, copyFile, lstat, mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { sha256 } from '../kernel/digest.js';
import { Fault } from '../kernel/errors.js';
import { ownPackage } from './package-root.js';

export const STATE_FOLDER = '.colophon';
/** The schema of colophon.yaml, beside the state: the same relative place on every machine, for editors. */
export const SCHEMA_FILE = 'colophon.schema.json';

export interface StateQuestion {
  /** Real path of the library's root. */
  readonly root: string;
  readonly configured: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function stateFolderFor({ root, configured, env }: StateQuestion): string {
  const home = env['COLOPHON_HOME'];
  if (configured && (home === undefined || home === '')) return join(root, STATE_FOLDER);
  return join(stateHome(env), sha256(root).slice(0, 24));
}

export function stateHome(env: StateQuestion['env']): string {
  const own = env['COLOPHON_HOME'];
  if (own !== undefined && own !== '') return own;
  const xdg = env['XDG_STATE_HOME'];
  return xdg !== undefined && xdg !== '' ? join(xdg, 'colophon') : join(homedir(), '.local', 'state', 'colophon');
}

const STORES = ['index.db', 'records.db'].flatMap((file) => [file, `${file}-wal`, `${file}-shm`, `${file}-journal`]);
/** Stands once a policy was found where policies stand by default: from the files alone, one that is gone was never there. */
const POLICY_MARK = 'policy.in-force';
const OTHERS = ['index.db.sums', 'index.db.sums.new', '.gitignore', SCHEMA_FILE, 'connect.json', POLICY_MARK];

/**
 * A checkout may bring a state folder of its own making. What is a link, or is somebody else's, is neither read nor written:
 * a link would lead the stores to any file there is.
 */
export async function refuseForeignState(folder: string): Promise<void> {
  for (const path of [folder, ...[...STORES, ...OTHERS].map((name) => join(folder, name))]) {
    const entry = await lstat(path).catch((error: NodeJS.ErrnoException) => {
      // What cannot be looked at is the finding of whoever opens it.
      if (error.code !== undefined) return undefined;
      throw error;
    });
    if (entry === undefined) continue;
    if (entry.isSymbolicLink()) throw new Fault('library/unsafe', { path, reason: 'it is a symbolic link' });
    if (path !== folder && !entry.isFile()) throw new Fault('library/unsafe', { path, reason: 'it is not a regular file' });
    const user = process.getuid?.();
    if (user !== undefined && user !== 0 && entry.uid !== user && entry.uid !== 0)
      throw new Fault('library/unsafe', { path, reason: 'it belongs to another user' });
  }
}

/** Makes the folder, for its owner alone and ignored by git, and proves that it can be written. */
export async function prepareStateFolder(folder: string): Promise<void> {
  await refuseForeignState(folder);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.W_OK | constants.X_OK);
    await closeToOthers(folder);
    await writeFile(join(folder, '.gitignore'), '*\n', { flag: 'wx' });
    await copyFile(join(ownPackage().root, 'schemas', SCHEMA_FILE), join(folder, SCHEMA_FILE));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    if (code === 'EEXIST') return;
    if (code === 'ENOSPC') throw new Fault('store/full', { file: folder }, { cause: error });
    throw new Fault('library/unwritable', { path: folder, reason: reasonFor(code) }, { cause: error });
  }
}

/** One made by an earlier version is closed too; one that is not ours to change stays as its owner made it. */
async function closeToOthers(folder: string): Promise<void> {
  if (((await lstat(folder)).mode & 0o077) === 0) return;
  await chmod(folder, 0o700).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPERM') throw error;
  });
}

export async function rememberPolicy(folder: string): Promise<void> {
  await writeFile(join(folder, POLICY_MARK), '', { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOSPC') throw new Fault('store/full', { file: folder }, { cause: error });
    if (error.code !== 'EEXIST') throw error;
  });
}

export async function hadPolicy(folder: string): Promise<boolean> {
  return isThere(join(folder, POLICY_MARK));
}

/** What is known to be absent, and nothing else, is not there. */
export async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT' && error.code !== 'ENOTDIR',
  );
}

export function isUnwritable(error: unknown): boolean {
  return error instanceof Fault && error.code === 'library/unwritable';
}

function reasonFor(code: string): string {
  const reasons: Readonly<Record<string, string>> = {
    EACCES: 'permission denied',
    EPERM: 'permission denied',
    EROFS: 'the file system is read-only',
    ENOTDIR: 'a file stands where the folder should be',
  };
  return reasons[code] ?? code;
}
