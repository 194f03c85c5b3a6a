/** A folder of its own for one test, gone afterwards, with the few file operations that connector tests need. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface TemporaryFolder {
  readonly path: string;
  write(path: string, content: string | Uint8Array): void;
  remove(path: string): void;
  link(path: string, target: string): void;
  /** Makes a file look as if it had been written long ago, as far as times can be set. */
  age(path: string): void;
  git(...args: string[]): string;
  dispose(): void;
}

/** One in memory, where there is such a thing: what needs no disk need not wait for one. */
export function memoryFolder(): TemporaryFolder {
  return temporaryFolder(existsSync(MEMORY) ? MEMORY : tmpdir());
}

const MEMORY = '/dev/shm';

export function temporaryFolder(base = tmpdir()): TemporaryFolder {
  const path = realpathSync.native(mkdtempSync(join(base, 'colophon-test-')));
  chmodSync(path, 0o755);
  const at = (name: string) => join(path, name);
  return {
    path,
    write: (name, content) => {
      mkdirSync(dirname(at(name)), { recursive: true });
      writeFileSync(at(name), content);
    },
    remove: (name) => rmSync(at(name), { recursive: true, force: true }),
    link: (name, target) => {
      mkdirSync(dirname(at(name)), { recursive: true });
      symlinkSync(target, at(name));
    },
    age: (name) => utimesSync(at(name), 1_000_000_000, 1_000_000_000),
    git: (...args) => gitIn(path, args),
    dispose: () => {
      execFileSync('chmod', ['-R', 'u+rwX', path]);
      rmSync(path, { recursive: true, force: true });
    },
  };
}

export function gitIn(folder: string, args: readonly string[]): string {
  const settings = [
    'user.email=a@example.test',
    'user.name=a',
    'protocol.file.allow=always',
    'init.defaultBranch=trunk',
    'commit.gpgSign=false',
  ];
  const env = { PATH: process.env['PATH'], HOME: folder, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };
  return execFileSync('git', [...settings.flatMap((each) => ['-c', each]), ...args], {
    cwd: folder,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
