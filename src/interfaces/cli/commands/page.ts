/** colophon page quarantine | release | confirm | invalidate | list | history */
import type { Command } from 'commander';
import { type Cli, type GlobalOptions, optionsOf, type RegisterCommand, writeJson } from '../cli.js';
import { EXIT } from '../exit-code.js';
import { inertLine } from '../inert.js';
import { withOrderOptions, writeEvents } from '../order-options.js';

const NEEDS = { defaultClient: 'terminal', index: 'untouched' } as const;
const load = () => Promise.all([import('../session.js'), import('../../../app/operations/page-moves.js')]);

export const pageCommand: RegisterCommand = (program, cli) => {
  const group = program.command('page').description('single pages: keep one from every answer, or let it in again');
  group.action(() => group.outputHelp());
  registerMoves(group, cli);
  registerList(group, cli);
  registerHistory(group, cli);
};

interface MoveOptions extends GlobalOptions {
  readonly source?: string;
  readonly reason?: string;
  readonly key?: string;
  readonly expect?: number;
  readonly falseSignal?: true;
}

const MOVES = {
  quarantine: 'out of every answer at once, whatever it says, as long as a suspicion lasts',
  release: 'end a quarantine: the signal was false, and the page says what it said',
  confirm: 'end a quarantine: the signal was right, and this text of it answers no more',
  invalidate: 'this text of it is wrong or superseded: out of every answer until it says something else',
} as const;
type MoveVerb = keyof typeof MOVES;

function registerMoves(group: Command, cli: Cli): void {
  for (const [verb, description] of Object.entries(MOVES) as [MoveVerb, string][]) {
    const move = group
      .command(verb)
      .description(description)
      .argument('<page>', 'a path, source:path, or an artifact id')
      .option('--source <id>', 'the source it is of');
    withOrderOptions(move, 'the version of its standing');
    if (verb === 'release') move.option('--false-signal', 'the signal was ruled false, and nothing changed');
    move.action(async (path: string) => runMove(cli, verb, path, optionsOf<MoveOptions>(move)));
  }
}

async function runMove(cli: Cli, verb: MoveVerb, path: string, options: MoveOptions): Promise<void> {
  const [{ withCall, runOperation }, moves] = await load();
  const { source, reason, key, expect, falseSignal } = options;
  const order = { path, source, reason, key, expect };
  const answer = await withCall(cli, options, NEEDS, async (call) => {
    switch (verb) {
      case 'quarantine':
        return runOperation(moves.pageQuarantine, order, call);
      case 'release':
        return runOperation(moves.pageRelease, { ...order, falseSignal }, call);
      case 'confirm':
        return runOperation(moves.pageConfirm, order, call);
      case 'invalidate':
        return runOperation(moves.pageInvalidate, order, call);
    }
  });
  cli.exit(EXIT.answered);
  if (options.json) return writeJson(cli, answer);
  const { event, repeats, state } = answer;
  const move = `${event.from} → ${event.to}`;
  const said = repeats ? `is ${state}; nothing was done now. This order was carried out before, ${event.at}: ${move}` : move;
  cli.terminal.write(`${inertLine(`${answer.source}:${answer.path}`)}  ${said}\n`);
}

function registerList(group: Command, cli: Cli): void {
  const list = group
    .command('list')
    .description('pages that somebody gave an order about, and where they stand')
    .option('--source <id>', 'of this source alone');
  list.action(async () => {
    const options = optionsOf<{ readonly source?: string }>(list);
    const [{ withCall, runOperation }, { pageList }] = await load();
    const answer = await withCall(cli, options, NEEDS, (call) => runOperation(pageList, { source: options.source }, call));
    cli.exit(answer.pages.length === 0 ? EXIT.findings : EXIT.answered);
    if (options.json) return writeJson(cli, answer);
    if (answer.pages.length === 0) cli.terminal.say('No order about a page was given yet.\n');
    for (const { source, path, state, version, since } of answer.pages)
      cli.terminal.write(`${state.padEnd(12)} v${version}  ${since.slice(0, 10)}  ${inertLine(`${source}:${path}`)}\n`);
  });
}

function registerHistory(group: Command, cli: Cli): void {
  const history = group
    .command('history')
    .description('the state of a page, and every order about it')
    .argument('<page>', 'a path or source:path')
    .option('--source <id>', 'the source it is of');
  history.action(async (path: string) => {
    const options = optionsOf<{ readonly source?: string }>(history);
    const [{ withCall, runOperation }, { pageHistory }] = await load();
    const answer = await withCall(cli, options, NEEDS, (call) => runOperation(pageHistory, { path, source: options.source }, call));
    if (options.json) return writeJson(cli, answer);
    cli.terminal.write(`${inertLine(`${answer.source}:${answer.path}`)}  ${answer.state}  v${answer.version}\n`);
    writeEvents(cli, answer.events);
  });
}
