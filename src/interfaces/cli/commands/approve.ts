/** colophon approve REQUEST, colophon approval list: a person's word on a call that the gate held back. */
import { createInterface } from 'node:readline/promises';
import type { approvalList } from '../../../app/operations/approve.js';
import { Fault } from '../../../kernel/errors.js';
import { type Cli, optionsOf, type RegisterCommand, writeJson } from '../cli.js';
import { EXIT } from '../exit-code.js';
import { inert, inertLine } from '../inert.js';
import { wholeNumber } from '../scope-options.js';
import { oneLine } from '../text-layout.js';

const NEEDS = { defaultClient: 'terminal', index: 'untouched' } as const;
const load = () => Promise.all([import('../session.js'), import('../../../app/operations/approve.js')]);

interface ApproveOptions {
  readonly refuse?: true;
  readonly for?: string;
  readonly uses?: number;
  readonly reason?: string;
}

export const approveCommand: RegisterCommand = (program, cli) => {
  const command = program
    .command('approve')
    .description('Say yes, or no, to exactly one call that the gate held back. Asks at the terminal; there is no way around the question.')
    .argument('<request>', 'as the gate named it, req_…')
    .option('--refuse', 'say no, so that it is not asked again meanwhile')
    .option('--for <duration>', 'how long it holds: PT15M unless said, at most PT24H')
    .option('--uses <count>', 'how many times the same call may be made: 1 unless said, at most 20', wholeNumber)
    .option('--reason <text>', 'kept with it');
  command.action(async (request: string) => {
    const options = optionsOf<ApproveOptions>(command);
    requirePerson(cli);
    const [{ withCall, runOperation }, { approve, approvalList: list }] = await load();
    await withCall(cli, options, NEEDS, async (call) => {
      const [asked] = (await runOperation(list, { request }, call)).requests;
      if (asked !== undefined) show(cli, asked);
      const sure = await question(options.refuse ? 'Refuse this call? Type yes: ' : 'Let exactly this call through? Type yes: ', cli);
      if (sure.trim() !== 'yes') {
        cli.exit(EXIT.denied);
        return cli.terminal.say('Nothing was recorded.\n');
      }
      const { refuse, for: lasting, uses, reason } = options;
      const answer = await runOperation(approve, { request, refuse, for: lasting, uses, reason }, call);
      if (options.json) return writeJson(cli, answer);
      const { ruling, status } = answer;
      const until = ruling === null ? '' : ` until ${ruling.expiresAt.slice(0, 16).replace('T', ' ')} UTC, uses: ${ruling.uses}`;
      cli.terminal.write(`${status}  ${answer.request}${until}\n`);
    });
  });
};

export const approvalCommand: RegisterCommand = (program, cli) => {
  const group = program.command('approval').description('calls that the gate held back, and what people said: list');
  group.action(() => group.outputHelp());
  const list = group.command('list').description('the last ones').option('-n, --limit <count>', 'how many (20)', wholeNumber);
  list.action(async () => {
    const options = optionsOf<{ readonly limit?: number }>(list);
    const [{ withCall, runOperation }, { approvalList: operation }] = await load();
    const answer = await withCall(cli, options, NEEDS, (call) => runOperation(operation, { limit: options.limit }, call));
    cli.exit(answer.requests.length === 0 ? EXIT.findings : EXIT.answered);
    if (options.json) return writeJson(cli, answer);
    for (const { request, status, tool, destination, ruling } of answer.requests) {
      const by = ruling === null ? '' : `  by ${ruling.by}, uses left: ${ruling.usesLeft}`;
      cli.terminal.write(
        `${request}  ${status.padEnd(8)}  ${oneLine(`${tool} ${destination}`, cli.terminal.width - 34)}${inertLine(by)}\n`,
      );
    }
  });
};

/** An agent's shell has no terminal, and Claude Code marks the shells it starts. Both can be forged: a layer, not a proof. */
function requirePerson({ terminal }: Cli): void {
  const atTheKeys = process.stdin.isTTY === true && process.stderr.isTTY === true && (terminal.env['CLAUDECODE'] ?? '') === '';
  if (!atTheKeys) throw new Fault('approval/no-person', {});
}

type Asked = Awaited<ReturnType<typeof approvalList.run>>['requests'][number];

function show(cli: Cli, { tool, destination, attempt, payloadDigest, shown, status }: Asked): void {
  const { talkColors: color } = cli.terminal;
  cli.terminal.say(`${color.bold(inertLine(tool))} ${inertLine(destination)}\n`);
  cli.terminal.say(color.dim(`attempt ${inertLine(attempt)}, payload ${payloadDigest.slice(0, 16)}, now ${status}\n`));
  if (shown === '') cli.terminal.say('The payload itself was not told, only its digest.\n');
  else cli.terminal.say(`\n${inert(shown)}\n\n`);
}

async function question(text: string, cli: Cli): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(text, { signal: cli.terminal.signal });
  } finally {
    lines.close();
  }
}
