/** `colophon hook claude-code`: called by Claude Code for each prompt; adds what the library says about it, or nothing. */
import { auditedOnce } from '../../../app/audit/audited-once.js';
import { type Cli, type GlobalOptions, narrowingOf, optionsOf, type RegisterCommand } from '../cli.js';
import { inertLine } from '../inert.js';
import { HOOK_CONTEXT_CHARACTERS, hookOutput, readPromptEvent } from '../prompt-hook.js';
import { readStdin } from '../read-input.js';
import { withinLimit } from '../within-limit.js';

/** Past it the prompt goes out without. */
const LIMIT_MS = 2_000;
const EVENT_BYTES = 4 * 1024 * 1024;

export const hookCommand: RegisterCommand = (program, cli) => {
  program
    .command('hook')
    .summary('answer a client’s prompt hook')
    .description(
      'Read a prompt event on stdin and write the context to add, if any. Never holds a prompt back: failures go to stderr, exit 0.',
    )
    .argument('<client>', 'whose hook: claude-code')
    .argument('[folder]', 'the library folder; the session’s folder when absent')
    // A usage error would exit with 2, which Claude Code takes for "hold this prompt back".
    .allowUnknownOption()
    .allowExcessArguments()
    .action(async (client: string, folder: string | undefined, _own, command) => {
      const options = optionsOf(command);
      try {
        const context = await withinLimit(cli.terminal.env, LIMIT_MS, (signal) => contextFor(cli, options, client, folder, signal));
        if (context !== undefined) cli.terminal.write(hookOutput(context));
      } catch (error) {
        cli.terminal.say(`colophon: no context added: ${inertLine(error instanceof Error ? error.message : String(error))}\n`);
      }
    });
};

async function contextFor(
  cli: Cli,
  options: GlobalOptions,
  client: string,
  folder: string | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (client !== 'claude-code') throw new Error(`there is no hook for ${client}; the only one is for claude-code`);
  const [text, { resolveConfig }, { openContainer }, { resolveAsk }, { context }, { worthAsking }, { attemptOfSession }] =
    await Promise.all([
      readStdin(EVENT_BYTES, 'the event'),
      import('../../../app/configuration/config.js'),
      import('../../../app/container.js'),
      import('../../../app/identity.js'),
      import('../../../app/operations/context.js'),
      import('../../../app/asking/worth-asking.js'),
      import('../../../app/attempts/attempt-of-session.js'),
    ]);
  const event = readPromptEvent(text);
  if (event === undefined || !worthAsking(event.prompt)) return undefined;
  const { env } = cli.terminal;
  const asked = folder ?? nonEmpty(env['CLAUDE_PROJECT_DIR']) ?? nonEmpty(event.cwd);
  const config = await resolveConfig({
    env,
    cwd: cli.terminal.cwd,
    ...(asked === undefined ? {} : { folder: asked }),
    ...(options.root === undefined ? {} : { root: options.root }),
  });
  const library = await openContainer(config);
  try {
    const caller = { workload: 'workload://colophon/hook', defaultClient: client };
    const ask = resolveAsk(config, narrowingOf(options, env), caller, library.clock.now());
    const call = { library, ask, signal, progress: () => undefined };
    // What the session is told is bound to it, so that the gate can tell what it has read.
    const attempt = attemptOfSession(event.session);
    const asking = { query: event.prompt, ...(attempt === undefined ? {} : { attempt }) };
    return await compiled(async (budget) => {
      const input = context.input.parse({ ...asking, ...(budget === undefined ? {} : { budget }) });
      return auditedOnce({ surface: 'cli', verb: context.name, input }, call, () => context.run(input, call));
    });
  } finally {
    await library.close();
  }
}

interface Compiled {
  readonly status: string;
  readonly rendered: string;
  readonly budget: { readonly ceiling: number };
}

/** Nothing unless a package was frozen; one that is too long in characters is compiled again, smaller. */
async function compiled(compile: (budget?: number) => Promise<Compiled>): Promise<string | undefined> {
  let answer = await compile();
  for (let tries = 0; tries < 3 && answer.status === 'frozen' && answer.rendered.length > HOOK_CONTEXT_CHARACTERS; tries += 1) {
    const share = (0.9 * HOOK_CONTEXT_CHARACTERS) / answer.rendered.length;
    answer = await compile(Math.max(1, Math.floor(answer.budget.ceiling * share)));
  }
  return answer.status === 'frozen' && answer.rendered.length <= HOOK_CONTEXT_CHARACTERS ? answer.rendered : undefined;
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : text;
}
