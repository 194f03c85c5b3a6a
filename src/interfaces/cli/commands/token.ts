/** colophon token create | list | revoke: who may ask a server of this library. */
import type { Command } from 'commander';
import { Option } from 'commander';
import type { tokenList } from '../../../app/operations/token.js';
import { CLASSIFICATIONS } from '../../../domain/classification.js';
import { type Cli, optionsOf, type RegisterCommand, writeJson } from '../cli.js';
import { EXIT } from '../exit-code.js';
import { inertLine } from '../inert.js';
import { repeated } from '../scope-options.js';

const NEEDS = { defaultClient: 'terminal', index: 'untouched' } as const;
const load = () => Promise.all([import('../session.js'), import('../../../app/operations/token.js')]);

export const tokenCommand: RegisterCommand = (program, cli) => {
  const group = program.command('token').description('who may ask a server of this library: create, list, revoke');
  group.action(() => group.outputHelp());
  registerCreate(group, cli);
  registerList(group, cli);
  registerRevoke(group, cli);
};

interface CreateOptions {
  readonly note?: string;
  readonly for?: string;
  readonly workload?: string;
  readonly through?: string;
  readonly scope?: string[];
  readonly onlyTenant?: string[];
  readonly onlyPurpose?: string[];
  readonly onlyGroup?: string[];
  readonly upTo?: (typeof CLASSIFICATIONS)[number];
  readonly lasting?: string;
}

function registerCreate(group: Command, cli: Cli): void {
  const create = group
    .command('create')
    .description('make one; it is printed once, on standard output, and can only narrow what the person and the server hold')
    .option('--for <person>', 'whom it speaks for; whoever makes it unless said')
    .option('--note <text>', 'what it is for')
    .option('--workload <name>', 'the program that will use it, recorded beside the person')
    .option('--through <client>', 'the client answers go to; one that is not declared counts as remote')
    .option('--scope <scope>', 'colophon:read, colophon:index, colophon:operate, colophon:metrics; repeatable (colophon:read)', repeated)
    .option('--only-tenant <name>', 'this tenant alone; repeatable', repeated)
    .option('--only-purpose <name>', 'this purpose alone; repeatable', repeated)
    .option('--only-group <name>', 'this group alone; repeatable', repeated)
    .addOption(new Option('--up-to <classification>', 'nothing classified above this').choices([...CLASSIFICATIONS]))
    .option('--lasting <duration>', 'how long it is valid: P30D unless said, at most P366D');
  create.action(async () => {
    const options = optionsOf<CreateOptions>(create);
    const [{ withCall, runOperation }, { tokenCreate }] = await load();
    const { note, for: person, workload, through: client, scope, onlyTenant, onlyPurpose, onlyGroup, upTo, lasting } = options;
    const given = {
      note,
      for: person,
      workload,
      client,
      scope,
      tenants: onlyTenant,
      purposes: onlyPurpose,
      groups: onlyGroup,
      ceiling: upTo,
      lasting,
    };
    const input = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    const answer = await withCall(cli, options, NEEDS, (call) => runOperation(tokenCreate, input, call));
    if (options.json) return writeJson(cli, answer);
    cli.terminal.write(`${answer.token}\n`);
    const { talkColors: color } = cli.terminal;
    cli.terminal.say(
      color.dim(`token ${answer.id} for ${inertLine(answer.principal)}, until ${answer.expiresAt.slice(0, 10)}. It is not shown again.\n`),
    );
  });
}

function registerList(group: Command, cli: Cli): void {
  const list = group.command('list').description('those there are, without their secrets');
  list.action(async () => {
    const options = optionsOf(list);
    const [{ withCall, runOperation }, { tokenList: operation }] = await load();
    const answer = await withCall(cli, options, NEEDS, (call) => runOperation(operation, {}, call));
    cli.exit(answer.tokens.length === 0 ? EXIT.findings : EXIT.answered);
    if (options.json) return writeJson(cli, answer);
    for (const each of answer.tokens) cli.terminal.write(`${inertLine(lineOf(each))}\n`);
  });
}

type Listed = Awaited<ReturnType<typeof tokenList.run>>['tokens'][number];

function lineOf({ id, status, principal, workload, scopes, tenants, expiresAt, note }: Listed): string {
  const within = tenants === undefined ? '' : `, in ${tenants.join(' ')}`;
  return `${id}  ${status.padEnd(7)}  until ${expiresAt.slice(0, 10)}  ${principal} by ${workload}, ${scopes.join(' ')}${within}  ${note}`.trimEnd();
}

function registerRevoke(group: Command, cli: Cli): void {
  const revoke = group
    .command('revoke')
    .description('end one; the next request with it is refused')
    .argument('<id>', 'as the list shows it');
  revoke.action(async (id: string) => {
    const options = optionsOf(revoke);
    const [{ withCall, runOperation }, { tokenRevoke }] = await load();
    const answer = await withCall(cli, options, NEEDS, (call) => runOperation(tokenRevoke, { id }, call, () => `The id ${id}`));
    if (options.json) return writeJson(cli, answer);
    cli.terminal.write(`revoked  ${answer.id}\n`);
  });
}
