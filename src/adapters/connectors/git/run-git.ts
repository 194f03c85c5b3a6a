/**
 * Runs git — the only place where it is started, and always in the same harness.
 *
 * A checkout is somebody else's text, its `.git/config` included: nothing in it may start a program, reach a network or
 * change our reading of it. User and system configuration are left out too, so that two people read the same library.
 *
 * Invariant: arguments are an array and never pass a shell; names from outside go through `--end-of-options` or stdin.
 * Invariant: no environment variable but the listed ones reaches git (a hook's GIT_DIR would point it elsewhere).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { Fault } from '../../../kernel/errors.js';

export interface GitOptions {
  /** Folder to run in: absolute. */
  readonly folder: string;
  /** Set for a repository without a work tree, which git finds only when told. */
  readonly gitDir?: string;
  /** Folders whose owner the user has declared safe, see `declaredSafe`. */
  readonly safe?: string;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

export interface GitResult {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Settings that would run a program, follow a hook, or bend what a listing says. */
const HARNESS: readonly string[] = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.pager=cat',
  'core.sshCommand=false',
  'core.askPass=',
  'core.editor=false',
  'core.alternateRefsCommand=false',
  'core.excludesFile=/dev/null',
  'core.attributesFile=/dev/null',
  'core.quotePath=false',
  'credential.helper=',
  'diff.external=',
  'gpg.program=false',
  'protocol.allow=never',
  'safe.bareRepository=explicit',
  'submodule.recurse=false',
];

const PASSED_ON = ['PATH', 'Path', 'SYSTEMROOT', 'SystemRoot', 'TEMP', 'TMP', 'TMPDIR'] as const;
const TIMEOUT_MS = 120_000;
/** A listing of a few million files; beyond it something is wrong. */
const MAX_OUTPUT_BYTES = 1024 * 1024 * 1024;

function environment(): NodeJS.ProcessEnv {
  const passed = PASSED_ON.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return {
    ...Object.fromEntries(passed),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_ALLOW_PROTOCOL: '',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_PAGER: 'cat',
    GIT_LITERAL_PATHSPECS: '1',
    NoDefaultCurrentDirectoryInExePath: '1',
    LC_ALL: 'C',
  };
}

/** Starts git with pipes on all three ends. The caller ends stdin. */
export function startGit(args: readonly string[], options: GitOptions): ChildProcess {
  const settings = [...HARNESS, ...(options.safe === undefined ? [] : [`safe.directory=${options.safe}`])];
  const whole = [
    ...settings.flatMap((setting) => ['-c', setting]),
    ...(options.gitDir === undefined ? [] : [`--git-dir=${options.gitDir}`]),
    ...args,
  ];
  return spawn('git', whole, {
    cwd: options.folder,
    env: environment(),
    shell: false,
    windowsHide: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    killSignal: 'SIGKILL',
    // A signal of its own: many short processes would pile up listeners on the caller's.
    ...(options.signal === undefined ? {} : { signal: AbortSignal.any([options.signal]) }),
  });
}

/** Runs git to its end. Faults when git is missing, hangs, or says more than it can mean; other failures are in `code`. */
export async function runGit(args: readonly string[], options: GitOptions, input = ''): Promise<GitResult> {
  const command = args[0] ?? '';
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  return new Promise<GitResult>((resolve, reject) => {
    const child = startGit(args, options);
    const out: Buffer[] = [];
    let size = 0;
    let stderr = '';
    let failed: Fault | undefined;
    const stop = (reason: string) => {
      failed = new Fault('git/failed', { command, reason });
      child.kill('SIGKILL');
    };
    const timer = setTimeout(() => stop(`no answer within ${timeoutMs / 1000} seconds`), timeoutMs);
    child.stdout?.on('data', (chunk: Buffer) => {
      size += chunk.byteLength;
      if (size > MAX_OUTPUT_BYTES) stop('its answer is too large');
      else out.push(chunk);
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      if (stderr.length < 1_000_000) stderr += chunk.toString('utf8');
    });
    child.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      reject(error.name === 'AbortError' ? error : startFailure(command, error, options.folder));
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      if (failed !== undefined) reject(failed);
      else if (code === null) reject(new Fault('git/failed', { command, reason: 'it was stopped' }));
      else resolve({ code, stdout: Buffer.concat(out), stderr });
    });
    // Git may end before it has read its input; its exit code says why.
    child.stdin?.on('error', () => child.stdin?.destroy());
    child.stdin?.end(input);
  });
}

/** As `runGit`, and any exit code but 0 is a fault. */
export async function git(args: readonly string[], options: GitOptions, input = ''): Promise<GitResult> {
  const result = await runGit(args, options, input);
  if (result.code !== 0)
    throw new Fault('git/failed', { command: args[0] ?? '', reason: firstLine(result.stderr) || `exit code ${result.code}` });
  return result;
}

export function startFailure(command: string, error: NodeJS.ErrnoException, folder: string): Fault {
  const reason = error.code === 'ENOENT' ? `git is not installed or not on the PATH (folder ${folder})` : (error.code ?? error.message);
  return new Fault('git/failed', { command, reason }, { cause: error });
}

export function firstLine(text: string): string {
  return (text.trim().split('\n')[0] ?? '').replace(/^(?:fatal|error): /, '').replace(/\.$/, '');
}

/** NUL-separated records. Bytes that are not UTF-8 come back with `exact: false`. */
export function records(output: Buffer): { readonly text: string; readonly exact: boolean }[] {
  const found: { text: string; exact: boolean }[] = [];
  for (let start = 0; start < output.byteLength; ) {
    const end = output.indexOf(0, start);
    const bytes = output.subarray(start, end < 0 ? output.byteLength : end);
    const text = bytes.toString('utf8');
    found.push({ text, exact: !text.includes('\uFFFD') || Buffer.from(text, 'utf8').equals(bytes) });
    start = end < 0 ? output.byteLength : end + 1;
  }
  return found;
}
