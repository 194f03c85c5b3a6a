/** colophon source list | show | history | profile | add | approve | activate | suspend | resume | revoke | retire | delete | sign */
import { readFile } from 'node:fs/promises';
import { Argument, type Command } from 'commander';
import { counted } from '../../../kernel/counted.js';
import { Fault } from '../../../kernel/errors.js';
import { type Cli, type GlobalOptions, optionsOf, type RegisterCommand, writeJson } from '../cli.js';
import { EXIT } from '../exit-code.js';
import { inertLine } from '../inert.js';
import { withOrderOptions, writeEvents } from '../order-options.js';

const NEEDS = { defaultClient: 'terminal', index: 'untouched' } as const;
const load = () => Promise.all([import('../session.js'), import('../../../app/operations/source-moves.js')]);
const loadReads = () => Promise.all([import('../session.js'), import('../../../app/operations/source-read.js')]);

export const sourceCommand: RegisterCommand = (program, cli) => {
  const group = program.command('source').description('where knowledge comes from: its state, who answers for it, and every move of it');
  group.action(() => group.outputHelp());
  registerList(group, cli);
  registerShow(group, cli);
  registerHistory(group, cli);
  registerProfile(group, cli);
  registerAdd(group, cli);
  registerMoves(group, cli);
  registerSign(group, cli);
};

function registerList(group: Command, cli: Cli): void {
  const list = group.command('list').description('every source with its state and version');
  list.action(async () => {
    const options = optionsOf(list);
    const [{ withCall, runOperation }, { sourceList }] = await loadReads();
    const answer = await withCall(cli, options, NEEDS, (call) => runOperation(sourceList, {}, call));
    const isEmpty = answer.sources.length + answer.unregistered.length === 0;
    cli.exit(isEmpty ? EXIT.findings : EXIT.answered);
    if (options.json) return writeJson(cli, answer);
    if (isEmpty) cli.terminal.say('There is no source of which you may read anything.\n');
    for (const { id, state, version, owner, declared } of answer.sources) {
      const odd = declared === 'changed' ? '  declared anew, not read yet' : declared === 'no-more' ? '  not declared any more' : '';
      cli.terminal.write(`${inertLine(id).padEnd(20)} ${state.padEnd(10)} v${version}  ${inertLine(owner)}${odd}\n`);
    }
    for (const id of answer.unregistered)
      cli.terminal.write(`${inertLine(id).padEnd(20)} declared; bring it in with \`colophon source add ${inertLine(id)}\`\n`);
  });
}

function registerShow(group: Command, cli: Cli): void {
  const show = group.command('show').description('one source').argument('<id>');
  show.action(async (id: string) => {
    const options = optionsOf(show);
    const [{ withCall, runOperation }, { sourceShow }] = await loadReads();
    const answer = await withCall(cli, options, NEEDS, (call) => runOperation(sourceShow, { id }, call));
    if (options.json) return writeJson(cli, answer);
    for (const [name, value] of Object.entries(answer.source))
      if (value !== null) cli.terminal.write(`${name.padEnd(16)} ${inertLine(Array.isArray(value) ? value.join(', ') : String(value))}\n`);
  });
}

function registerHistory(group: Command, cli: Cli): void {
  const history = group
    .command('history')
    .description('everything that happened to it, and every version of its declaration')
    .argument('<id>');
  history.action(async (id: string) => {
    const options = optionsOf(history);
    const [{ withCall, runOperation }, { sourceHistory }] = await loadReads();
    const answer = await withCall(cli, options, NEEDS, (call) => runOperation(sourceHistory, { id }, call));
    if (options.json) return writeJson(cli, answer);
    writeEvents(cli, answer.events);
    for (const { at, digest } of answer.declarations)
      cli.terminal.write(`${at.slice(0, 16).replace('T', ' ')}  declared  ${digest.slice(0, 16)}\n`);
  });
}

function registerProfile(group: Command, cli: Cli): void {
  const profile = group.command('profile').description('what it is like: found out now, and kept').argument('<id>');
  profile.action(async (id: string) => {
    const options = optionsOf(profile);
    const [{ withCall, runOperation }, { sourceProfile }] = await loadReads();
    const answer = await withCall(cli, options, { ...NEEDS, index: 'present' }, (call) => runOperation(sourceProfile, { id }, call));
    if (options.json) return writeJson(cli, answer);
    for (const [name, value] of Object.entries(answer.profile))
      cli.terminal.write(`${name.padEnd(16)} ${inertLine(JSON.stringify(value))}\n`);
  });
}

function registerAdd(group: Command, cli: Cli): void {
  const add = group
    .command('add')
    .description('propose a source that colophon.yaml declares')
    .argument('<id>')
    .option('--reason <text>', 'why');
  add.action(async (id: string) => {
    const options = optionsOf<{ readonly reason?: string }>(add);
    const [{ withCall, runOperation }, { sourceAdd }] = await load();
    const answer = await withCall(cli, options, NEEDS, (call) => runOperation(sourceAdd, { id, reason: options.reason }, call));
    if (options.json) return writeJson(cli, answer);
    cli.terminal.write(`${inertLine(answer.id)}  ${answer.state}  v${answer.version}\n`);
  });
}

interface MoveOptions extends GlobalOptions {
  readonly reason?: string;
  readonly key?: string;
  readonly expect?: number;
  readonly approval?: readonly string[];
  readonly falseSignal?: true;
  readonly evidence?: string;
  readonly on?: string;
  readonly successor?: string;
  readonly keep?: true;
  readonly request?: string;
}

const MOVES = {
  approve: 'let it in: the knowledge owner, with security where it is confidential or above',
  activate: 'make it answer, after a complete first checkpoint; `index` does it by itself',
  suspend: 'out of every answer at once, as long as a suspicion lasts',
  resume: 'end a suspension',
  revoke: 'out of every answer at once and for good',
  retire: 'name the day it ends',
  delete: 'end it and take out what the index holds of it',
} as const;
type MoveVerb = keyof typeof MOVES;

function registerMoves(group: Command, cli: Cli): void {
  for (const [verb, description] of Object.entries(MOVES) as [MoveVerb, string][]) {
    const move = withOrderOptions(group.command(verb).description(description).argument('<id>'), 'the version of the source');
    if (verb === 'approve' || verb === 'resume' || verb === 'retire')
      move.option('--approval <file...>', 'what `source sign` wrote, one for each person');
    if (verb === 'resume')
      move
        .option('--false-signal', 'the signal was ruled false, and nothing changed')
        .option('--evidence <text>', 'where root cause, clean rebuild and tests can be read; it starts over as approved');
    if (verb === 'retire')
      move
        .option('--on <day>', 'from when it answers no more')
        .option('--successor <id>', 'the source that takes its place')
        .option('--keep', 'it stays after all: its owner and the knowledge owner say so');
    if (verb === 'delete') move.option('--request <text>', 'the deletion request its owner acts on');
    move.action(async (id: string) => runMove(cli, verb, id, optionsOf<MoveOptions>(move)));
  }
}

async function runMove(cli: Cli, verb: MoveVerb, id: string, options: MoveOptions): Promise<void> {
  const [{ withCall, runOperation }, moves] = await load();
  const { reason, key, expect, falseSignal, evidence, on, successor, keep, request } = options;
  const order = { id, reason, key, expect };
  const approvals = await Promise.all((options.approval ?? []).map(readApproval));
  const answer = await withCall(cli, options, NEEDS, async (call) => {
    switch (verb) {
      case 'approve':
        return runOperation(moves.sourceApprove, { ...order, approvals }, call);
      case 'activate':
        return runOperation(moves.sourceActivate, order, call);
      case 'suspend':
        return runOperation(moves.sourceSuspend, order, call);
      case 'resume':
        return runOperation(moves.sourceResume, { ...order, falseSignal, evidence, approvals }, call);
      case 'revoke':
        return runOperation(moves.sourceRevoke, order, call);
      case 'retire':
        return runOperation(moves.sourceRetire, { ...order, on, successor, keep, approvals }, call);
      case 'delete':
        return runOperation(moves.sourceDelete, { ...order, request }, call);
    }
  });
  cli.exit(EXIT.answered);
  if (options.json) return writeJson(cli, answer);
  cli.terminal.write(`${inertLine(id)}  ${movedLine(answer)}\n`);
  if ('receipt' in answer) {
    cli.terminal.write(`${counted(answer.receipt.pages, 'page')} taken out of ${answer.receipt.store}\n`);
    for (const each of answer.receipt.kept) cli.terminal.say(`not touched: ${each}\n`);
  }
}

interface Moved {
  readonly state: string;
  readonly repeats: boolean;
  readonly event: { readonly from: string; readonly to: string; readonly at: string; readonly detail: Readonly<Record<string, unknown>> };
}

/** What an order did; one that was carried out before did nothing now, and the source may stand elsewhere since. */
export function movedLine({ event, repeats, state }: Moved): string {
  const move = `${event.from} → ${event.to}${event.detail['selfApproved'] === true ? '  self-approved' : ''}`;
  return repeats ? `is ${state}; nothing was done now. This order was carried out before, ${event.at}: ${move}` : move;
}

type Approval = NonNullable<Parameters<typeof import('../../../app/operations/source-moves.js').sourceApprove.run>[0]['approvals']>[number];

/** What it holds is checked with the rest of the input. */
async function readApproval(file: string): Promise<Approval> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Approval;
  } catch (error) {
    throw new Fault(
      'input/invalid',
      { field: `--approval ${file}`, expected: 'a file that `colophon source sign` wrote' },
      { cause: error },
    );
  }
}

const SIGNED_MOVES = ['approve', 'rebuild', 'keep'] as const;

function registerSign(group: Command, cli: Cli): void {
  const sign = group
    .command('sign')
    .description('sign one order about one source with your own key, for whoever carries it in; prints it')
    .argument('<id>')
    .addArgument(
      new Argument('<move>', 'approve, rebuild (a resume with --evidence) or keep (a retire with --keep)').choices([...SIGNED_MOVES]),
    )
    .requiredOption('--key <file>', 'your private key, ed25519, PEM')
    .option('--reason <text>', 'why; part of what is signed')
    .option('--for <duration>', 'how long it may be used: PT24H unless said');
  sign.action(async (id: string, event: (typeof SIGNED_MOVES)[number]) => {
    const options = optionsOf<{ readonly key: string; readonly reason?: string; readonly for?: string }>(sign);
    const [{ withCall, runOperation }, { sourceSign }] = await load();
    const request = { id, event, keyFile: options.key, reason: options.reason, lasting: options.for };
    const answer = await withCall(cli, options, NEEDS, (call) => runOperation(sourceSign, request, call));
    writeJson(cli, options.json ? answer : answer.approval);
    if (options.json !== true && options.quiet !== true) cli.terminal.say(`signed with the key ${answer.publicKey}\n`);
  });
}
