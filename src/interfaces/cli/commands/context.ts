/** colophon context WORDS…, and the bare question, which shows the same package as a page worth reading. */
import type { Command } from 'commander';
import type { Call } from '../../../app/operations/catalogue.js';
import type { ContextAnswer } from '../../../app/operations/context.js';
import { counted } from '../../../kernel/counted.js';
import type { Digest } from '../../../kernel/digest.js';
import { Fault } from '../../../kernel/errors.js';
import { type Cli, type GlobalOptions, optionsOf, type RegisterCommand, sayProblems, writeJson } from '../cli.js';
import { EXIT } from '../exit-code.js';
import { addScopeOptions, repeated, type ScopeOptions, scopeInputOf, wholeNumber } from '../scope-options.js';
import { shellWord } from '../shell-word.js';
import { sentence } from '../text-layout.js';

interface ContextOptions extends ScopeOptions {
  readonly budget?: number;
  readonly model?: string;
  readonly attempt?: string;
  readonly manifest?: string;
  readonly profile?: string;
  readonly consequential?: true;
  readonly fact?: string[];
  readonly request?: string;
  readonly rendered?: true;
}
type Options = ContextOptions & GlobalOptions;

/** A context leaves for some agent's model; who does not say which gets what a remote one may have. */
const SOME_AGENT = 'agent';

const EXIT_OF: Readonly<Record<ContextAnswer['status'], number>> = {
  frozen: EXIT.answered,
  no_context: EXIT.findings,
  blocked: EXIT.denied,
};

export const contextCommand: RegisterCommand = (program, cli) => {
  const command = program
    .command('context')
    .description('what an agent is told about a task, within its token ceiling')
    .argument('[words...]', 'the task or question; with --request it may stand in the file')
    .option('--request <file>', 'take the request from a JSON or YAML file, `-` for stdin; flags and words win over it');
  addContextOptions(command).action(async (words: string[]) => {
    const options = optionsOf<ContextOptions>(command);
    const [before, after] = packagesCompared(words);
    if (before !== undefined && after !== undefined) return (await import('./package-proofs.js')).diffAndShow(cli, options, before, after);
    if (words.length === 0 && options.request === undefined) {
      throw new Fault('input/invalid', { field: 'the question', expected: 'given in words, or in a file with --request' });
    }
    await compileAndShow(cli, options, { text: words.join(' '), index: 'present', page: false });
  });
};

export const askCommand: RegisterCommand = (program, cli) => {
  const command = program.command('ask', { hidden: true }).description('ask a folder').argument('<words...>', '[FOLDER] question');
  addContextOptions(command).action(async (words: string[]) => {
    const options = optionsOf<ContextOptions>(command);
    const { folder, text } = await folderAndText(words, cli);
    if (text === '') return introduce(cli, options, folder);
    await compileAndShow(cli, options, { text, index: 'current', page: true, ...(folder === undefined ? {} : { folder }) });
  });
};

/** `context diff A B` with two packages is no question. */
function packagesCompared([verb, before = '', after = '', ...rest]: readonly string[]): readonly string[] {
  const isPackage = (word: string) => /^(?:[0-9a-f]{6,64}|kp_[0-9a-f]{6,32}|last|\S+\.json)$/.test(word);
  return verb === 'diff' && rest.length === 0 && isPackage(before) && isPackage(after) ? [before, after] : [];
}

function addContextOptions(command: Command): Command {
  return addScopeOptions(command)
    .option('--budget <tokens>', 'token ceiling', wholeNumber)
    .option('--model <name>', 'the model it is for: claude, gpt, gemini, generic, local-8k, local-32k, or one of `colophon models list`')
    .option('--attempt <name>', 'the run this is for; a retry is a new one')
    .option('--manifest <digest>', 'SHA-256 of what the run is made of: model, tools, settings')
    .option('--profile <name>', 'preamble: a turn’s worth; attempt: all that a run starts from')
    .option('--fact <fact>', 'a page, an identifier or a question the task cannot do without; repeatable', repeated)
    .option('--consequential', 'something is done on the strength of this: sources are read anew, what is missing or stale blocks')
    .option('--rendered', 'print the text the agent gets, and nothing else');
}

interface Asked {
  readonly text: string;
  readonly folder?: string;
  readonly index: 'present' | 'current';
  readonly page: boolean;
}

async function compileAndShow(cli: Cli, options: Options, asked: Asked): Promise<void> {
  const [{ withCall, runRecorded }, { context }] = await Promise.all([
    import('../session.js'),
    import('../../../app/operations/context.js'),
  ]);
  const needs = { defaultClient: SOME_AGENT, index: asked.index, ...(asked.folder === undefined ? {} : { folder: asked.folder }) };
  await withCall(cli, options, needs, async (call) => {
    const answer = await runRecorded(context, await inputOf(cli, options, asked, call), call);
    cli.exit(EXIT_OF[answer.status]);
    if (options.json) return writeJson(cli, answer);
    await show(cli, options, asked.page, answer, call);
    sayProblems(cli, answer.problems, options);
    if (answer.status === 'no_context' && call.ask.requester.client.name === SOME_AGENT) sayForWhom(cli, options);
  });
}

async function show(cli: Cli, { rendered }: Options, asPage: boolean, answer: ContextAnswer, call: Call): Promise<void> {
  // Whoever was given it just now need not be asked again whether they may read it. What was not stored can only be shown.
  const kept = rendered || !asPage ? undefined : await call.library.records.packages.get(answer.digest as Digest);
  if (kept !== undefined) {
    const { renderPackage } = await import('../render-package.js');
    cli.terminal.write(await renderPackage(kept.entry, cli));
  } else if (answer.rendered.trim() !== '') cli.terminal.write(answer.rendered.endsWith('\n') ? answer.rendered : `${answer.rendered}\n`);
  else if (rendered) cli.terminal.say(`${sentence(answer.reason)}\n`);
  else cli.terminal.write(`${sentence(answer.reason)}\n`);
}

/** The same words whether or not there is a page that was kept back: an agent that reads them learns nothing. */
function sayForWhom({ terminal }: Cli, { quiet }: Options): void {
  if (quiet === true) return;
  const words =
    'This is what a remote model may be given; pages with `sensitivity: private` never are. `--client terminal` asks as yourself.';
  terminal.say(`${terminal.talkColors.dim('note')} ${words}\n`);
}

/** Flags and words win over the file. */
async function inputOf(cli: Cli, options: Options, { text }: Asked, call: Call) {
  const [{ checkInput }, { context }] = await Promise.all([
    import('../../../app/check-input.js'),
    import('../../../app/operations/context.js'),
  ]);
  const { budget, model, attempt, manifest, profile, consequential, fact: facts } = options;
  const flags = {
    ...(text === '' ? {} : { query: text }),
    ...{ budget, model, attempt, manifest, profile, consequential, facts },
    ...scopeInputOf(options, call, cli.terminal.cwd),
  };
  const given = Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
  if (options.request === undefined) return checkInput(context, given, (field) => `--${field}`);
  const { nameOf, readRequestFile } = await import('../request-file.js');
  const filed = await readRequestFile(options.request, cli.terminal.cwd);
  const file = nameOf(options.request);
  return checkInput(
    context,
    { ...filed, ...given },
    (field) => `${field} of the request in ${file}`,
    (field) => field,
  );
}

/** The first word is the folder when one of that name is there; what looks like a path was meant as one, and is not asked as a question. */
async function folderAndText(words: readonly string[], cli: Cli): Promise<{ readonly folder?: string; readonly text: string }> {
  const [first = '', ...rest] = words;
  const { stat } = await import('node:fs/promises');
  const { resolve } = await import('node:path');
  const at = resolve(cli.terminal.cwd, first);
  const entry = first.trim() === '' ? undefined : await stat(at).catch(() => undefined);
  if (entry?.isDirectory()) return { folder: first, text: rest.join(' ') };
  if (!looksLikePath(first) && !(entry?.isFile() && rest.length > 0)) return { text: words.join(' ') };
  throw entry === undefined
    ? new Fault('library/missing', {
        path: first,
        reason: 'there is no such folder',
        hint: 'Name a folder of documents. If this is a question, put all of it in quotes, or write `colophon -- ` before it.',
      })
    : new Fault('library/missing', {
        path: first,
        reason: 'this is a file, not a folder',
        hint: `\`colophon get ${shellWord(first)}\` shows a page; to ask, name its folder.`,
      });
}

function looksLikePath(word: string): boolean {
  if (/\s/.test(word) || /^[^/]*[?]$/.test(word)) return false;
  return /^[.~]|[/]|^[A-Za-z]:\\|\.(?:md|mdx|markdown|mdown|txt)$/i.test(word);
}

/** `colophon ./docs` without a question: index it, say what is there and how to go on. */
async function introduce(cli: Cli, options: Options, folder: string | undefined): Promise<void> {
  const [{ withCall, runOperation }, { status }] = await Promise.all([
    import('../session.js'),
    import('../../../app/operations/status.js'),
  ]);
  const needs = { defaultClient: 'terminal', index: 'current' as const, ...(folder === undefined ? {} : { folder }) };
  await withCall(cli, options, needs, async (call) => {
    const answer = await runOperation(status, {}, call);
    if (options.json) return writeJson(cli, answer);
    if (answer.documents > 0) {
      cli.terminal.write(
        `${counted(answer.documents, 'page')}, ${counted(answer.artifacts, 'passage')}. Ask: colophon ${shellWord(folder ?? '.')} "your question"\n`,
      );
      return;
    }
    cli.terminal.write('0 pages; .md, .mdx, .markdown, .mdown and .txt files are read.\n');
    cli.exit(EXIT.findings);
  });
}
