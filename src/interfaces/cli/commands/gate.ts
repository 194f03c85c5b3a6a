/** colophon gate [--hook claude-code [FOLDER]]: may this tool run now? */
import { auditedOnce } from '../../../app/audit/audited-once.js';
import type { GateAnswer } from '../../../app/operations/gate.js';
import { Fault } from '../../../kernel/errors.js';
import { type Cli, type GlobalOptions, narrowingOf, optionsOf, type RegisterCommand, writeJson } from '../cli.js';
import { EXIT } from '../exit-code.js';
import { inertLine } from '../inert.js';
import { readStdin, readTextFile } from '../read-input.js';
import { readToolEvent, type ToolEvent, toolHookOutput } from '../tool-hook.js';
import { showsStrangersText } from '../transcript.js';
import { withinLimit } from '../within-limit.js';

interface GateOptions extends GlobalOptions {
  readonly attempt?: string;
  readonly tool?: string;
  readonly destination?: string;
  readonly payload?: string;
  readonly payloadDigest?: string;
  readonly hook?: string;
}

const PAYLOAD_BYTES = 8 * 1024 * 1024;
/** Past it the call is held back. */
const LIMIT_MS = 5_000;
/** Claude Code holds a call back on this code alone; on any other failure it goes on. */
const HELD_BACK = 2;

export const gateCommand: RegisterCommand = (program, cli) => {
  const command = program
    .command('gate')
    .summary('may this tool run now?')
    .description(
      'Judge one call of a tool: one that could carry text out, in an attempt that has read strangers’ text, needs a person’s approval. With --hook, read the client’s own event on stdin; what cannot be judged is held back.',
    )
    .argument('[folder]', 'the library folder; with --hook, the session’s folder when absent')
    .option('--attempt <name>', 'the run the tool is called in')
    .option('--tool <name>', 'its full name')
    .option('--destination <text>', 'where it would send or write')
    .option('--payload <file>', 'what it is called with; - is stdin')
    .option('--payload-digest <digest>', 'SHA-256 of it, where it is not to be told')
    .option('--hook <client>', 'answer the tool hook of this client: claude-code');
  command.action(async (folder: string | undefined) => {
    const options = optionsOf<GateOptions>(command);
    if (options.hook !== undefined) return answerHook(cli, options, options.hook, folder);
    const payload = options.payload === undefined ? undefined : await readTextFile(options.payload, PAYLOAD_BYTES);
    const [{ withCall, runOperation }, { gate }] = await Promise.all([import('../session.js'), import('../../../app/operations/gate.js')]);
    const needs = { defaultClient: 'terminal', index: 'untouched', ...(folder === undefined ? {} : { folder }) } as const;
    const { attempt, tool, destination, payloadDigest } = options;
    if (attempt === undefined || tool === undefined)
      throw new Fault('input/invalid', { field: '--attempt and --tool', expected: 'both given, or --hook' });
    const answer = await withCall(cli, options, needs, (call) =>
      runOperation(gate, { attempt, tool, destination, payload, payloadDigest }, call),
    );
    cli.exit(answer.decision === 'allow' ? EXIT.answered : EXIT.denied);
    if (options.json) return writeJson(cli, answer);
    const { colors } = cli.terminal;
    const paint = { allow: colors.green, ask: colors.yellow, deny: colors.red };
    cli.terminal.write(`${paint[answer.decision](answer.decision)}  ${inertLine(answer.reason)}\n`);
  });
};

async function answerHook(cli: Cli, options: GateOptions, client: string, folder: string | undefined): Promise<void> {
  try {
    const said = await withinLimit(cli.terminal.env, LIMIT_MS, (signal) => judged(cli, options, client, folder, signal));
    if (said !== undefined) cli.terminal.write(said);
  } catch (error) {
    cli.exit(HELD_BACK);
    const why = error instanceof Error ? error.message : String(error);
    cli.terminal.say(`colophon: this call is held back, because the gate could not judge it: ${inertLine(why)}\n`);
  }
}

/** What to write; undefined leaves the call to the client's own rules. */
async function judged(
  cli: Cli,
  options: GateOptions,
  client: string,
  folder: string | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (client !== 'claude-code') throw new Error(`there is no tool hook for ${client}; the only one is for claude-code`);
  const event = readToolEvent(await readStdin(PAYLOAD_BYTES, 'the event'));
  if (event === undefined) return undefined;
  const { answer, confirm } = await gateAnswer(cli, options, event, folder, signal);
  if (answer.decision === 'allow') return undefined;
  const asks = answer.decision === 'ask' && confirm === 'client' && event.canAsk;
  return asks
    ? toolHookOutput('ask', `Colophon: ${answer.reason}, or say yes here, which lets it through this once.`)
    : toolHookOutput('deny', `Colophon: ${answer.reason}`);
}

async function gateAnswer(
  cli: Cli,
  options: GateOptions,
  event: ToolEvent,
  folder: string | undefined,
  signal: AbortSignal,
): Promise<{ readonly answer: GateAnswer; readonly confirm: 'client' | 'recorded' }> {
  const [{ resolveConfig }, { openContainer }, { resolveAsk }, { gate, policyOf }, { attemptOfSession }] = await Promise.all([
    import('../../../app/configuration/config.js'),
    import('../../../app/container.js'),
    import('../../../app/identity.js'),
    import('../../../app/operations/gate.js'),
    import('../../../app/attempts/attempt-of-session.js'),
  ]);
  const { env } = cli.terminal;
  const attempt = attemptOfSession(event.session);
  if (attempt === undefined) throw new Error('the event names no session');
  const asked = [folder, env['CLAUDE_PROJECT_DIR'], event.cwd].find((each) => each !== undefined && each !== '');
  const config = await resolveConfig({
    env,
    cwd: cli.terminal.cwd,
    ...(asked === undefined ? {} : { folder: asked }),
    ...(options.root === undefined ? {} : { root: options.root }),
  });
  const library = await openContainer(config);
  try {
    const caller = { workload: 'workload://colophon/hook', defaultClient: 'claude-code' };
    const ask = resolveAsk(config, narrowingOf(options, env), caller, library.clock.now());
    const call = { library, ask, signal, progress: () => undefined };
    const { tool, destination, payload } = event;
    const input = gate.input.parse({ attempt, tool, destination, payload });
    const judge = () => auditedOnce({ surface: 'cli', verb: gate.name, input: {} }, call, () => gate.run(input, call));
    const confirm = policyOf(call).confirm;
    const answer = await judge();
    const isClean = answer.decision === 'allow' && answer.reach === 'capable' && answer.approval === null;
    if (!isClean || !(await showsStrangersText(event.transcript))) return { answer, confirm };
    await library.records.approvals.taint(attempt, 'the conversation’s own record', ask.at);
    return { answer: await judge(), confirm };
  } finally {
    await library.close();
  }
}
