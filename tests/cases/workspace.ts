/**
 * A throw-away place for one case: a copy of its input, a library folder, a state folder, and processes without a network.
 *
 * Invariant: nothing outside the temporary folder is written, and no process outlives the case.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withoutOverride } from '../support/without-override.js';

export interface Finished {
  readonly exit: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly elapsedMs: number;
  /** Largest resident set seen, where the system tells it. */
  readonly peakMb: number;
  readonly timedOut: boolean;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  readonly killAfterMs?: number;
  /** Told of every piece of standard error as it comes. */
  readonly onStderr?: (text: string) => void;
}

const TIMEOUT_MS = 180_000;

export class Workspace {
  readonly base: string;
  /** The copy of `input/`. */
  readonly work: string;
  /** Where colophon.yaml of cases with registered sources stands. */
  readonly library: string;
  readonly env: Record<string, string>;
  readonly #prefix: readonly string[];
  readonly #running = new Set<ChildProcess>();

  constructor(caseFolder: string, unprivileged: boolean) {
    this.base = realpathSync(mkdtempSync(join(tmpdir(), 'colophon-case-')));
    this.work = join(this.base, 'work');
    this.library = join(this.base, 'library');
    const home = join(this.base, 'user');
    for (const folder of [this.work, this.library, home]) mkdirSync(folder);
    const input = join(caseFolder, 'input');
    if (existsSync(input)) cpSync(input, this.work, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    this.#prefix = [...(canCutNetwork() ? ['unshare', '--net'] : []), ...(unprivileged ? withoutOverride() : [])];
    this.env = {
      PATH: process.env['PATH'] ?? '/usr/bin:/bin',
      HOME: home,
      LANG: 'C.UTF-8',
      COLOPHON_HOME: join(this.base, 'home'),
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      // Where the network cannot be cut off, at least nothing finds a way out by the usual proxies.
      http_proxy: 'http://127.0.0.1:9',
      https_proxy: 'http://127.0.0.1:9',
    };
  }

  start(command: string, args: readonly string[], options: RunOptions = {}): ChildProcess {
    const [program = command, ...before] = [...this.#prefix, command];
    const child = spawn(program, [...before, ...args], {
      cwd: options.cwd ?? this.work,
      env: { ...this.env, ...options.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#running.add(child);
    child.once('close', () => this.#running.delete(child));
    return child;
  }

  run(command: string, args: readonly string[], options: RunOptions = {}): Promise<Finished> {
    const startedAt = performance.now();
    const child = this.start(command, args, options);
    child.stdin?.end();
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => {
      err.push(chunk);
      options.onStderr?.(chunk.toString('utf8'));
    });
    let peakMb = 0;
    const watch = setInterval(() => {
      peakMb = Math.max(peakMb, peakOf(child.pid));
    }, 25);
    let timedOut = false;
    const limit = setTimeout(() => {
      timedOut = true;
      child.kill('SIGKILL');
    }, options.timeoutMs ?? TIMEOUT_MS);
    const killer = options.killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), options.killAfterMs);
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (exit, signal) => {
        clearInterval(watch);
        clearTimeout(limit);
        clearTimeout(killer);
        resolve({
          exit,
          signal,
          stdout: Buffer.concat(out).toString('utf8'),
          stderr: Buffer.concat(err).toString('utf8'),
          elapsedMs: performance.now() - startedAt,
          peakMb,
          timedOut,
        });
      });
    });
  }

  shell(script: string): Promise<Finished> {
    return this.run('bash', ['-c', script]);
  }

  dispose(): void {
    for (const child of this.#running) child.kill('SIGKILL');
    rmSync(this.base, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

function peakOf(pid: number | undefined): number {
  if (pid === undefined || process.platform !== 'linux') return 0;
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    // The process has just ended; the last reading stands.
    return 0;
  }
}

let cutNetwork: boolean | undefined;

/** True where this user may give a process a network of its own, that is, none. */
export function canCutNetwork(): boolean {
  cutNetwork ??= process.getuid?.() === 0 && spawnSync('unshare', ['--net', 'true']).status === 0;
  return cutNetwork;
}
