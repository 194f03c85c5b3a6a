/** What every command is handed: the terminal, the options all verbs share, and the ways to answer. */
import type { Command } from 'commander';
import type { Narrowing } from '../../app/identity.js';
import { narrowingFromEnvironment } from '../../app/identity.js';
import type { Progress } from '../../app/operations/catalogue.js';
import type { Problem } from '../../domain/problem.js';
import { inertLine, jsonText } from './inert.js';
import { type ProgressLine, type ProgressStyle, progressLine } from './progress-line.js';
import type { Terminal } from './terminal.js';

/** Options of the program itself; they may stand before or after the verb. */
export interface GlobalOptions {
  readonly json?: true;
  readonly root?: string;
  readonly as?: string;
  readonly tenant?: string;
  readonly purpose?: string;
  readonly ceiling?: string;
  readonly group?: readonly string[];
  readonly client?: string;
  readonly critical?: true;
  readonly quiet?: true;
  readonly progress?: ProgressStyle;
}

export interface Cli {
  readonly terminal: Terminal;
  /** Sets what the process will exit with. */
  exit(code: number): void;
  /** Says which library the run is about, where one was named: what `--root` must name for the commands that it tells of. */
  about(root: string | undefined): void;
  /** Words of our own, with every command between backquotes made to mean that library; as they are for a program, which learns of no folder from them. */
  pointed(text: string): string;
  /** The program with every verb, for the verb that writes about them. */
  wholeProgram(): Promise<Command>;
}

/** Adds one verb to the program. A new verb is one file in commands/ and one line in commands/all.ts. */
export type RegisterCommand = (program: Command, cli: Cli) => void;

/** The options of the verb and of the program, typed by the verb that declared them. */
export function optionsOf<Own extends object = object>(command: Command): Own & GlobalOptions {
  return command.optsWithGlobals<Own & GlobalOptions>();
}

export function narrowingOf(options: GlobalOptions, env: Terminal['env']): Narrowing {
  const flags = {
    as: options.as,
    tenant: options.tenant,
    purpose: options.purpose,
    ceiling: options.ceiling,
    groups: options.group,
    client: options.client,
    freshnessCritical: options.critical,
  };
  return { ...Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined)), within: narrowingFromEnvironment(env) };
}

/** One JSON object on stdout. */
export function writeJson(cli: Cli, answer: object): void {
  cli.terminal.write(`${jsonText(answer, 2)}\n`);
}

export function openProgress(cli: Cli, options: GlobalOptions): ProgressLine & { readonly report: (progress: Progress) => void } {
  const line = progressLine(cli.terminal, options.quiet === true ? 'none' : (options.progress ?? 'auto'), () => performance.now());
  return { ...line, report: line.show };
}

const SHOWN_PROBLEMS = 5;

/** Problems, for people, on stderr: the worst first, a few of them, and where the rest are. */
export function sayProblems(cli: Cli, problems: readonly Problem[], options: GlobalOptions): void {
  if (options.quiet === true) return;
  const { talkColors: color } = cli.terminal;
  const rank = { error: 0, warning: 1, info: 2 } as const;
  const worst = [...problems].sort((a, b) => rank[a.severity] - rank[b.severity]);
  for (const problem of worst.slice(0, SHOWN_PROBLEMS)) {
    const place = problem.path === '' ? problem.source : `${problem.path}${problem.line === undefined ? '' : `:${problem.line}`}`;
    const mark =
      problem.severity === 'error' ? color.red('error') : problem.severity === 'warning' ? color.yellow('warning') : color.dim('note');
    cli.terminal.say(`${mark} ${inertLine(`${place === '' ? '' : `${place}: `}${problem.message}`)}\n`);
  }
  if (worst.length > SHOWN_PROBLEMS) cli.terminal.say(color.dim(`… and ${worst.length - SHOWN_PROBLEMS} more; --json lists them all.\n`));
}
