/**
 * The whole command line: global options, the verbs, the bare question, and the one place where a fault becomes words and a code.
 *
 * Invariant: flags may stand before or after text (CLI-05); what follows `--` is text.
 */
import { Command, CommanderError, Option } from 'commander';
import { Fault } from '../../kernel/errors.js';
import { asQuestion } from './bare-question.js';
import type { Cli } from './cli.js';
import { COMMANDS } from './commands/all.js';
import { EXAMPLES as VERB_EXAMPLES } from './examples.js';
import { EXIT, exitForFault } from './exit-code.js';
import { inertLine, jsonText } from './inert.js';
import { pointedAt } from './pointed-commands.js';
import { PROGRESS_STYLES } from './progress-line.js';
import { openTerminal, type ProcessLike, type Terminal } from './terminal.js';
import { sentence } from './text-layout.js';

export async function runProgram(argv: readonly string[], host: ProcessLike): Promise<number> {
  let code: number = EXIT.answered;
  let root: string | undefined;
  const terminal = openTerminal(host, argv, () => code);
  const cli: Cli = {
    terminal,
    exit: (wanted) => {
      code = wanted;
    },
    about: (named) => {
      root = named;
    },
    pointed: (text) => (wantsJson(argv) ? text : pointedAt(text, root)),
    wholeProgram: () => withVerbs(createProgram(cli), cli, undefined),
  };
  try {
    const bare = createProgram(cli);
    const line = asQuestion(
      argv,
      bare,
      COMMANDS.map(({ verb }) => verb),
    );
    const program = await withVerbs(bare, cli, line.verb);
    if (line.nearVerb !== undefined) await refuseSlip(line.nearVerb, argv, terminal);
    if (argv.length === 0) program.outputHelp();
    else await program.parseAsync(line.argv, { from: 'user' });
  } catch (error) {
    code = explainFailure(error, cli, argv);
  }
  return code;
}

/** A slip of the hand must not index the working folder: what is a letter away from a verb, and no folder, is asked about first. */
async function refuseSlip(at: number, argv: readonly string[], terminal: Terminal): Promise<void> {
  const [{ nearest }, { existsSync }, { resolve }, { shellWord }] = await Promise.all([
    import('../../app/asking/nearest.js'),
    import('node:fs'),
    import('node:path'),
    import('./shell-word.js'),
  ]);
  const word = argv[at] ?? '';
  const verb = nearest(
    word,
    COMMANDS.map((each) => each.verb).filter((each) => each[0] === word[0]),
    1,
  );
  if (verb === undefined || existsSync(resolve(terminal.cwd, word))) return;
  const line = argv.map((each, index) => (index === at ? verb : shellWord(each))).join(' ');
  throw new CommanderError(EXIT.usage, SLIP, `There is no command ${word}. Did you mean \`colophon ${line}\`?`);
}

const SLIP = 'colophon.slip';

/** The program with one verb, or with all of them when none was named. */
export async function withVerbs(program: Command, cli: Cli, verb: string | undefined): Promise<Command> {
  const wanted = verb === undefined ? COMMANDS : COMMANDS.filter((each) => each.verb === verb);
  for (const register of await Promise.all(wanted.map(({ load }) => load()))) register(program, cli);
  for (const command of program.commands) {
    inherit(command, program);
    refuseUnknownPart(command);
    addExamples(command, '');
  }
  return program;
}

export function createProgram(cli: Cli): Command {
  const { terminal } = cli;
  return new Command('colophon')
    .description('Ask your documents, and see exactly what your agent was told, from where, why, and what was left out.')
    .usage('[FOLDER] "question" | <verb> [options]')
    .option('--json', 'answer with one JSON object on stdout')
    .option('--root <folder>', 'the library folder, whatever stands above it (COLOPHON_ROOT)')
    .option('--as <name>', 'ask as a person of `people` in colophon.yaml; narrows only')
    .option('--tenant <name>', 'ask within this tenant; narrows only')
    .option('--purpose <name>', 'ask for this purpose; narrows only')
    .option('--ceiling <level>', 'highest classification to touch: public, internal, confidential, restricted')
    .option('--group <name>', 'ask with this group only; repeatable', collect)
    .option('--client <name>', 'where the answer goes: terminal, claude-code, cursor, vscode, codex, or one you declared')
    .option('--critical', 'freshness-critical: nothing of a source that was not seen within its promise')
    .option('-q, --quiet', 'say nothing on stderr but faults')
    .addOption(new Option('--progress <style>', 'progress on stderr').choices([...PROGRESS_STYLES]))
    .option('--no-color', 'no colours (NO_COLOR)')
    .configureHelp({ showGlobalOptions: false, helpWidth: terminal.width })
    .addHelpText('after', EXAMPLES)
    .exitOverride()
    .configureOutput({ writeOut: (text) => terminal.write(text), writeErr: () => undefined })
    .helpCommand(false);
}

const EXAMPLES = `
Examples:
  colophon ./docs "how do I rotate a key?"     ask a folder; it is indexed first
  colophon "how do I rotate a key?"            ask the library around the working folder
  colophon search retry --path docs/ops/       ranked passages, with lines
  colophon why                                 why each passage of the last context is there
  colophon connect claude-code                 give an agent the same answers
  colophon --version                           print the version

Exit codes: 0 answered, 1 nothing found or findings, 2 usage, 3 denied or blocked, 4 unavailable.
`;

/** Verbs fail and print the way the program does. */
function inherit(command: Command, program: Command): void {
  command.copyInheritedSettings(program);
  for (const child of command.commands) inherit(child, program);
}

/** `source foo`: a verb that is nothing but its parts takes no other word. */
function refuseUnknownPart(command: Command): void {
  const parts = command.commands.map((each) => each.name());
  if (parts.length === 0 || command.registeredArguments.length > 0) return;
  command.allowExcessArguments(true).hook('preAction', async (_, asked) => {
    const [word] = asked === command ? command.args : [];
    if (word === undefined) return;
    const { nearest } = await import('../../app/asking/nearest.js');
    const near = nearest(word, parts, 2);
    const meant = near === undefined ? `There is ${listed(parts)}.` : `Did you mean \`colophon ${command.name()} ${near}\`?`;
    throw new CommanderError(EXIT.usage, 'colophon.part', `There is no \`colophon ${command.name()} ${word}\`. ${meant}`);
  });
}

function listed(parts: readonly string[]): string {
  return `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

function addExamples(command: Command, before: string): void {
  const name = `${before}${command.name()}`;
  const example = VERB_EXAMPLES[name];
  if (example !== undefined) command.addHelpText('after', `\nExample:\n  ${example}`);
  for (const child of command.commands) addExamples(child, `${name} `);
}

function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

function explainFailure(error: unknown, cli: Cli, argv: readonly string[]): number {
  const { terminal } = cli;
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return EXIT.answered;
    const message = usageMessage(error.message);
    return tell(terminal, argv, { code: 'input/usage', message, hint: usageHint(error) }, EXIT.usage);
  }
  if (error instanceof Fault) {
    const data: Readonly<Record<string, unknown>> = error.data;
    const file = data['file'] ?? data['path'];
    const place = {
      ...(typeof file === 'string' ? { path: file } : {}),
      ...(typeof data['line'] === 'number' ? { line: data['line'] } : {}),
    };
    return tell(terminal, argv, { code: error.code, message: error.message, hint: cli.pointed(error.hint), ...place }, exitForFault(error));
  }
  if (terminal.signal.aborted) {
    if (!wantsJson(argv)) terminal.say('Interrupted; nothing half-written was kept.\n');
    return EXIT.interrupted;
  }
  const full = diskFull(error);
  if (full !== undefined) return explainFailure(new Fault('store/full', { file: full }, { cause: error }), cli, argv);
  const message = error instanceof Error ? error.message : String(error);
  if (terminal.env['COLOPHON_DEBUG'] !== undefined && error instanceof Error) terminal.say(`${error.stack ?? ''}\n`);
  return tell(
    terminal,
    argv,
    {
      code: 'internal/unexpected',
      message: sentence(message),
      hint: 'This is a fault of the program. Run again with COLOPHON_DEBUG=1 and report it.',
    },
    EXIT.unavailable,
  );
}

/** What commander says of a line, as sentences of ours. */
function usageMessage(written: string): string {
  const message = written.replace(/^error: /, '').replace(/\s*\n\(Did you mean (.*)\)$/, '. Did you mean $1');
  const choice = /^command-argument value '(.*)' is invalid for argument '(.*)'\. Allowed choices are (.*)\.$/s.exec(message);
  if (choice === null) return sentence(message.replace(/\s*\n\s*/g, ' '));
  const [, given, argument, allowed] = choice;
  return `The ${argument} must be one of ${allowed}, not ${given}.`;
}

function usageHint({ code, message }: CommanderError): string {
  if (code === SLIP) return 'If it is a question, put `--` before it: `colophon -- your question`.';
  if (/unknown option/.test(message)) return 'Put `--` before text that begins with a dash; --help lists the options.';
  return 'Run the command with --help for its arguments and options.';
}

interface Told {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly path?: string;
  readonly line?: number;
}

function tell(terminal: Terminal, argv: readonly string[], told: Told, code: number): number {
  if (wantsJson(argv)) terminal.write(`${jsonText({ schema: 'colophon/fault@1', problems: [], ...told }, 2)}\n`);
  else terminal.say(`${terminal.talkColors.red('✗')} ${inertLine(told.message)}\n  ${terminal.talkColors.dim(inertLine(told.hint))}\n`);
  return code;
}

function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end < 0 ? undefined : end).includes('--json');
}

function diskFull(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'ENOSPC') return undefined;
  return 'path' in error && typeof error.path === 'string' ? error.path : 'the library state';
}
