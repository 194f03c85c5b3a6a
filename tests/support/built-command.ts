/** The built command, run the way a client runs it: another process, its own home, nothing of the tester's environment. */
import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** COLOPHON_TEST_MAIN names another build, such as an installed package. */
export const MAIN = process.env['COLOPHON_TEST_MAIN'] ?? fileURLToPath(new URL('../../dist/interfaces/cli/main.js', import.meta.url));

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly elapsedMs: number;
}

export interface Surroundings {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** `home` holds the library state and the user's own configuration. */
export function environment(home: string, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: home, COLOPHON_HOME: `${home}/state`, ...more };
}

export async function runCommand(args: readonly string[], { cwd, env }: Surroundings, input = ''): Promise<Run> {
  requireBuilt();
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [MAIN, ...args],
      { cwd, env: env ?? {}, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
        resolve({ code, stdout, stderr, elapsedMs: performance.now() - startedAt });
      },
    );
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}

export function startCommand(args: readonly string[], { cwd, env }: Surroundings): ChildProcessWithoutNullStreams {
  requireBuilt();
  return spawn(process.execPath, [MAIN, ...args], { cwd, env: env ?? {}, stdio: 'pipe' });
}

export interface RunningServer {
  readonly process: ChildProcessWithoutNullStreams;
  readonly base: string;
  /** On stderr, up to now. */
  said(): string;
}

/** `serve` on a port that is free, once it listens. */
export async function startServer(surroundings: Surroundings): Promise<RunningServer> {
  const server = startCommand(['serve', '--port', '0'], surroundings);
  let said = '';
  server.stderr.on('data', (chunk: Buffer) => {
    said += String(chunk);
  });
  while (!/listening on (\S+)/.test(said)) await once(server.stderr, 'data');
  return { process: server, base: /listening on (\S+)/.exec(said)?.[1] ?? '', said: () => said };
}

function requireBuilt(): void {
  if (!existsSync(MAIN)) throw new Error('dist/ is missing: run `npm run build` first');
}
