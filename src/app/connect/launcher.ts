/**
 * How a client starts this program: the command that is written into its configuration, and must still work tomorrow.
 *
 * A program run from npx's cache is started through npx again, because the cache may be cleaned. One that is installed or built
 * somewhere is started from there with the Node that runs it now: no search path, no download, and no second of npm before each
 * prompt hook.
 */

export const LAUNCHERS = ['auto', 'npx', 'node'] as const;
export type LauncherChoice = (typeof LAUNCHERS)[number];

export interface Launcher {
  readonly command: string;
  readonly args: readonly string[];
}

export interface Running {
  /** Absolute path of the Node binary. */
  readonly node: string;
  /** Real, absolute path of this program's script. */
  readonly script: string;
  readonly platform: NodeJS.Platform;
}

export function launcherFor(choice: LauncherChoice, running: Running): Launcher {
  const fromCache = /[\\/]_npx[\\/]/.test(running.script);
  const npx = choice === 'npx' || (choice === 'auto' && fromCache);
  if (!npx) return { command: running.node, args: [running.script] };
  // On Windows npx is a batch file, which only the command interpreter can start.
  return running.platform === 'win32'
    ? { command: 'cmd', args: ['/c', 'npx', '-y', 'colophon'] }
    : { command: 'npx', args: ['-y', 'colophon'] };
}

/** One line for a shell; words that are plain stay as they are. A backslash is plain where it parts folders alone. */
export function commandLine(words: readonly string[], platform: NodeJS.Platform): string {
  const [plain, quote] =
    platform === 'win32'
      ? [/^[\w@%+=:,./\\-]+$/, (word: string) => `"${word}"`]
      : [/^[\w@%+=:,./-]+$/, (word: string) => `'${word.replaceAll("'", `'\\''`)}'`];
  return words.map((word) => (plain.test(word) ? word : quote(word))).join(' ');
}
