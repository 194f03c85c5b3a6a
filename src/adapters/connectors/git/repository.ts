/**
 * Repository — the facts about a checkout that listing and reading need, all told by git itself.
 *
 * Linked work trees and submodules have a `.git` file, a repository may have no commit yet or a detached HEAD: no file
 * below `.git` is opened here, so every layout that git knows works.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../../kernel/errors.js';
import { firstLine, type GitOptions, runGit } from './run-git.js';
import { isObjectId, isSafeRef } from './safe-names.js';

export interface Repository {
  /** How to run git in it. */
  readonly options: GitOptions;
  readonly bare: boolean;
  readonly shallow: boolean;
  /** Where this checkout's HEAD is, and where all checkouts' refs are. Real paths. */
  readonly gitDir: string;
  readonly commonDir: string;
  /** The folder's place in the work tree, with a slash at the end; empty at its top. */
  readonly prefix: string;
}

/** Undefined when the folder is not in a git checkout; a fault when it is and git cannot or will not read it. */
export async function openRepository(folder: string, signal?: AbortSignal): Promise<Repository | undefined> {
  const base: GitOptions = { folder, ...(signal === undefined ? {} : { signal }) };
  const first = await facts(base);
  if (first.code === 0) return repositoryOf(base, first.stdout.toString('utf8'));
  if (isDubious(first.stderr)) return openDeclaredSafe(base, first.stderr);
  if (!looksBare(folder)) return undefined;
  const options: GitOptions = { ...base, gitDir: folder };
  const asBare = await facts(options);
  return asBare.code === 0 ? repositoryOf(options, asBare.stdout.toString('utf8')) : undefined;
}

/** The commit a ref names, `HEAD` by default; undefined when there is none. */
export async function commitOf(repository: Repository, ref = 'HEAD'): Promise<string | undefined> {
  if (!isSafeRef(ref)) throw new Fault('input/invalid', { field: 'location.ref', expected: 'the name of a branch, tag or commit' });
  const { code, stdout } = await runGit(['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`], repository.options);
  const commit = stdout.toString('utf8').trim();
  return code === 0 && isObjectId(commit) ? commit : undefined;
}

function facts(options: GitOptions) {
  const asked = [
    '--is-inside-work-tree',
    '--is-bare-repository',
    '--is-shallow-repository',
    '--absolute-git-dir',
    '--git-common-dir',
    '--show-prefix',
  ];
  return runGit(['rev-parse', '--path-format=absolute', ...asked], options);
}

function repositoryOf(options: GitOptions, answer: string): Repository | undefined {
  const [inside, bare, shallow, gitDir, commonDir, prefix = ''] = answer.split('\n');
  if (gitDir === undefined || commonDir === undefined || (inside !== 'true' && bare !== 'true')) return undefined;
  return {
    options,
    bare: inside !== 'true',
    shallow: shallow === 'true',
    gitDir: realpathSync.native(gitDir),
    commonDir: realpathSync.native(commonDir),
    prefix,
  };
}

function looksBare(folder: string): boolean {
  return ['HEAD', 'objects', 'refs'].every((name) => existsSync(join(folder, name)));
}

function isDubious(stderr: string): boolean {
  return stderr.includes('dubious ownership');
}

/**
 * Another user owns the checkout. Our harness hides the user's own `safe.directory` list from git, so it is asked for
 * apart, outside of any repository, and only an entry found there opens the checkout.
 */
async function openDeclaredSafe(base: GitOptions, stderr: string): Promise<Repository> {
  const named = /repository at '([^']+)'/.exec(stderr)?.[1];
  const declared = declaredSafe();
  const safe =
    [named, named?.replace(/\/\.git$/, ''), base.folder].find((folder) => folder !== undefined && declared.has(folder)) ??
    (declared.has('*') ? '*' : undefined);
  const options = safe === undefined ? undefined : { ...base, safe };
  const answer = options === undefined ? undefined : await facts(options);
  const repository = options === undefined || answer?.code !== 0 ? undefined : repositoryOf(options, answer.stdout.toString('utf8'));
  if (repository !== undefined) return repository;
  throw new Fault('git/failed', {
    command: 'rev-parse',
    reason: `${base.folder} belongs to another user; if you trust it, run \`git config --global --add safe.directory ${named ?? base.folder}\``,
  });
}

/** Every way of running git for one purpose, with another signal. */
export function withSignal(options: GitOptions, signal: AbortSignal): GitOptions {
  return { ...options, signal };
}

function declaredSafe(): ReadonlySet<string> {
  const environment = Object.fromEntries(['PATH', 'HOME', 'XDG_CONFIG_HOME', 'USERPROFILE'].map((name) => [name, process.env[name]]));
  const answer = spawnSync('git', ['config', '--null', '--get-all', 'safe.directory'], {
    cwd: '/',
    env: { ...environment, GIT_CEILING_DIRECTORIES: '/', GIT_DIR: '/nonexistent', LC_ALL: 'C' },
    shell: false,
    timeout: 10_000,
    encoding: 'utf8',
  });
  return new Set((answer.stdout ?? '').split('\0').filter((line) => line !== ''));
}

/** Why a ref could not be resolved, in words for a person. */
export async function missingRef(repository: Repository, ref: string): Promise<string> {
  const { stderr } = await runGit(['rev-parse', '--verify', '--end-of-options', `${ref}^{commit}`], repository.options);
  return `the ref ${ref} does not name a commit (${firstLine(stderr)})`;
}
