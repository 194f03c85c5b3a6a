/** `colophon mcp`: serves this library to one client over standard input and output, until the client leaves. */
import type { AuditLog } from '../../../app/audit/audit-log.js';
import type { LibraryConfig } from '../../../app/library.js';
import { guardStdout } from '../../mcp/stdout-guard.js';
import { type Cli, type GlobalOptions, narrowingOf, optionsOf, type RegisterCommand } from '../cli.js';
import { inertLine } from '../inert.js';
import { unknownClient } from '../unknown-client.js';

interface McpOptions {
  readonly watch?: true;
}

/** A client that does not say its name may be anything, so it counts as remote. */
const SOME_CLIENT = 'unnamed';

export const mcpCommand: RegisterCommand = (program, cli) => {
  program
    .command('mcp')
    .summary('serve this library to an agent, over stdio')
    .description(
      'Serve this library as an MCP server on standard input and output. Who asks is fixed here, by --client, --as, --tenant and the like.',
    )
    .argument('[folder]', 'the library folder; the working folder when absent')
    .option('--watch', 'index again as soon as a source changes')
    .action(async (folder: string | undefined, _own, command) => {
      const frames = guardStdout();
      await serve(cli, optionsOf<McpOptions>(command), folder, frames);
    });
};

async function serve(
  cli: Cli,
  options: McpOptions & GlobalOptions,
  folder: string | undefined,
  frames: ReturnType<typeof guardStdout>,
): Promise<void> {
  const { terminal } = cli;
  const [{ serveMcp }, { resolveConfig }, { resolveAsk }, { packageVersion }] = await Promise.all([
    import('../../mcp/serve.js'),
    import('../../../app/configuration/config.js'),
    import('../../../app/identity.js'),
    import('../../../app/package-version.js'),
  ]);
  const asked = folder ?? (terminal.env['CLAUDE_PROJECT_DIR'] || undefined);
  const config = await resolveConfig({
    env: terminal.env,
    cwd: terminal.cwd,
    ...(asked === undefined ? {} : { folder: asked }),
    ...(options.root === undefined ? {} : { root: options.root }),
  });
  const narrowing = narrowingOf(options, terminal.env);
  const caller = { workload: 'workload://colophon/mcp', defaultClient: SOME_CLIENT };
  const ask = (now: typeof config) => resolveAsk(now, narrowing, caller, Date.now() as Parameters<typeof resolveAsk>[3]);
  const log = (text: string) => terminal.say(`colophon mcp: ${text}\n`);
  // A right that is not held is refused now, not at the first question.
  const stranger = unknownClient(config, ask(config), SOME_CLIENT);
  if (stranger !== undefined) log(inertLine(stranger));
  const audit = auditOf(config, log);
  // A team's library is built by who may, not by who asks; --watch is saying that one may.
  const mayIndex = config.profile === 'personal' || options.watch === true;
  await serveMcp({
    version: packageVersion(),
    operations: async () => (await import('../../../app/operations/all.js')).OPERATIONS,
    open: async () => {
      const [{ openContainer }, { ContextCache, SearchCache }] = await Promise.all([
        import('../../../app/container.js'),
        import('../../../app/asking/context-cache.js'),
      ]);
      return { ...(await openContainer(config)), contexts: new ContextCache(), searches: new SearchCache() };
    },
    ask,
    learn: async (signal, progress) => {
      if (!mayIndex) return;
      const { learnInBackground } = await import('../../../app/learning/learn-in-background.js');
      await learnInBackground(config, await audit(), { signal, progress });
    },
    audit,
    ...(options.watch === true
      ? {
          watch: async (library, signal, update) => {
            const { watchSources } = await import('../../../app/learning/watch-sources.js');
            await watchSources({ library, signal }, update);
          },
        }
      : {}),
    frames,
    stdin: process.stdin,
    interrupted: terminal.signal,
    log,
  });
}

const FLUSH_MS = 200;

/** Opened by the first call that is recorded; the greeting waits for nothing. */
function auditOf(config: LibraryConfig, log: (text: string) => void): () => Promise<AuditLog> {
  let opening: Promise<AuditLog> | undefined;
  const open = async () => {
    const { AuditLog, auditPlaceOf } = await import('../../../app/audit/audit-log.js');
    const made = new AuditLog({ ...auditPlaceOf(config), flushMs: FLUSH_MS, onFailure: (error) => log(`audit: ${error.message}`) });
    process.once('exit', () => made.close());
    return made;
  };
  return () => {
    opening ??= open();
    return opening;
  };
}
