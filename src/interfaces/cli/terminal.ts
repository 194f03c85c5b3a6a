/**
 * The terminal as the commands see it: where data goes, where talk goes, how wide it is, and whether it likes colours.
 *
 * Invariant: stdout carries data only; everything said to a person about the run goes to stderr.
 */
import { createColors } from 'picocolors';
import { onlyOwnSequences } from './inert.js';

export type Colors = ReturnType<typeof createColors>;

export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Columns of stdout; without a terminal those of COLUMNS, else 100. */
  readonly width: number;
  readonly colors: Colors;
  readonly talkColors: Colors;
  readonly talkIsInteractive: boolean;
  readonly signal: AbortSignal;
  /** Data; of control sequences only our own get through. */
  write(text: string): void;
  /** Talk, likewise. */
  say(text: string): void;
}

export type ProcessLike = Pick<NodeJS.Process, 'stdout' | 'stderr' | 'env' | 'cwd' | 'on' | 'exit'>;

const NARROWEST = 40;
const WIDEST = 120;

/** `codeSoFar`: what the run would exit with if it ended now. */
export function openTerminal(host: ProcessLike, argv: readonly string[], codeSoFar: () => number = () => 0): Terminal {
  const interrupted = new AbortController();
  let interrupts = 0;
  const interrupt = (code: number) => () => {
    interrupts += 1;
    if (interrupts > 1) host.exit(code);
    interrupted.abort();
  };
  host.on('SIGINT', interrupt(130));
  host.on('SIGTERM', interrupt(143));
  for (const stream of [host.stdout, host.stderr]) {
    // A reader that has seen enough (`| head`) closes the pipe: that is no error, and changes nothing of what was found.
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      host.exit(codeSoFar());
    });
  }
  const forced = forcedColors(host.env, argv);
  // Into a pipe there is no width but the one that is asked for.
  const columns = host.stdout.columns ?? (Number.parseInt(host.env['COLUMNS'] ?? '', 10) || undefined);
  return {
    env: host.env,
    cwd: host.cwd(),
    width: columns === undefined || columns === 0 ? 100 : Math.min(WIDEST, Math.max(NARROWEST, columns)),
    colors: createColors(forced ?? host.stdout.isTTY === true),
    talkColors: createColors(forced ?? host.stderr.isTTY === true),
    talkIsInteractive: host.stderr.isTTY === true && host.env['TERM'] !== 'dumb',
    signal: interrupted.signal,
    write: (text) => void host.stdout.write(onlyOwnSequences(text)),
    say: (text) => void host.stderr.write(onlyOwnSequences(text)),
  };
}

/** https://no-color.org: any non-empty value turns colour off. */
function forcedColors(env: Terminal['env'], argv: readonly string[]): boolean | undefined {
  if (argv.includes('--no-color') || (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb') return false;
  const force = env['FORCE_COLOR'];
  return force !== undefined && force !== '' && force !== '0' ? true : undefined;
}
