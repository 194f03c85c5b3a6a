/** `colophon serve`: this library over HTTP, for programs (`/v1/…`) and for agents (`/mcp`), until it is told to stop. */
import type { AuditLog } from '../../../app/audit/audit-log.js';
import type { LibraryConfig } from '../../../app/library.js';
import { type Cli, type GlobalOptions, narrowingOf, optionsOf, type RegisterCommand } from '../cli.js';
import { repeated, wholeNumber } from '../scope-options.js';

interface ServeOptions {
  readonly host?: string;
  readonly port?: number;
  readonly allowHost?: readonly string[];
  readonly allowOrigin?: readonly string[];
  readonly anonymous?: true;
  readonly watch?: true;
}

export const serveCommand: RegisterCommand = (program, cli) => {
  program
    .command('serve')
    .summary('serve this library over HTTP, to programs and agents')
    .description(
      'Serve this library over HTTP: /v1/<verb> for programs, /mcp for agents, /openapi.json for both. Each request needs a token (`colophon token create`), which says who asks; --as, --tenant and the like bound them all.',
    )
    .argument('[folder]', 'the library folder; the working folder when absent')
    .option('--host <address>', 'where it listens (127.0.0.1)')
    .option('--port <number>', 'on which port (7350); 0 takes a free one', wholeNumber)
    .option('--allow-host <name>', 'a name it is reached by, besides its own address; repeatable', repeated)
    .option('--allow-origin <origin>', 'an origin whose pages may call it; repeatable', repeated)
    .option('--anonymous', 'answer requests without a token, as the identity it was started with; on this machine only')
    .option('--watch', 'index again as soon as a source changes')
    .action(async (folder: string | undefined, _own, command) => serve(cli, optionsOf<ServeOptions>(command), folder));
};

const FLUSH_MS = 200;

async function serve(cli: Cli, options: ServeOptions & GlobalOptions, folder: string | undefined): Promise<void> {
  const { terminal } = cli;
  const [{ serveHttp }, { settingsFrom }, { resolveConfig }, { packageVersion }, { OPERATIONS }, { Indexing }, { mcpServer }] =
    await Promise.all([
      import('../../http/serve.js'),
      import('../../http/settings.js'),
      import('../../../app/configuration/config.js'),
      import('../../../app/package-version.js'),
      import('../../../app/operations/all.js'),
      import('../../mcp/indexing.js'),
      import('../../mcp/server.js'),
    ]);
  const config = await resolveConfig({
    env: terminal.env,
    cwd: terminal.cwd,
    ...(folder === undefined ? {} : { folder }),
    ...(options.root === undefined ? {} : { root: options.root }),
  });
  const log = (text: string) => terminal.say(`colophon serve: ${text}\n`);
  const settings = settingsFrom(options, config.serve);
  const { openAnswerThreads } = await import('../../../app/asking/answer-threads.js');
  const answering = await openAnswerThreads(config, { count: settings.limits.threads, log });
  const library = { ...(await openServed(config)), answering };
  const audit = await openAudit(config, log);
  const stopping = terminal.signal;
  // A team's library is built by who may, not by who asks; --watch is saying that one may.
  const mayIndex = config.profile === 'personal' || options.watch === true;
  const { isBuilt } = await import('../../../app/learning/ensure-indexed.js');
  const { learnInBackground } = await import('../../../app/learning/learn-in-background.js');
  const indexing = new Indexing({
    learn: async (signal, progress) => {
      if (mayIndex) await learnInBackground(config, audit, { signal, progress });
    },
    isBuilt: () => isBuilt(library),
    now: () => performance.now(),
    log,
    onlyFirstWaits: true,
  });
  try {
    const version = packageVersion();
    const server = await serveHttp({
      version,
      operations: OPERATIONS,
      library,
      launch: narrowingOf(options, terminal.env),
      settings,
      audit,
      indexing,
      mcp: (door, leaving) =>
        mcpServer({
          version,
          operations: async () => OPERATIONS,
          library: async () => door.library,
          ask: door.ask,
          indexing,
          leaving,
          log,
          audit: async () => audit,
          request: door.request,
        }),
      stopping,
      log,
    });
    log(`listening on http://${(options.host ?? '127.0.0.1').replace(/^.*:.*$/, '[$&]')}:${server.port}`);
    void indexing.update();
    const watching = options.watch === true ? watch(library, stopping, () => indexing.update(), log) : undefined;
    await server.closed;
    await watching;
  } finally {
    await indexing.stop();
    await answering.close();
    audit.close();
    await library.close();
  }
  log('stopped');
}

async function openServed(config: LibraryConfig) {
  const [{ openContainer }, { ContextCache, SearchCache }] = await Promise.all([
    import('../../../app/container.js'),
    import('../../../app/asking/context-cache.js'),
  ]);
  return { ...(await openContainer(config)), contexts: new ContextCache(), searches: new SearchCache() };
}

async function openAudit(config: LibraryConfig, log: (text: string) => void): Promise<AuditLog> {
  const [{ AuditLog: Log, auditPlaceOf }, { prepareStateFolder }] = await Promise.all([
    import('../../../app/audit/audit-log.js'),
    import('../../../app/state-folder.js'),
  ]);
  await prepareStateFolder(config.stateFolder);
  return new Log({ ...auditPlaceOf(config), flushMs: FLUSH_MS, onFailure: (error) => log(`audit: ${error.message}`) });
}

async function watch(
  library: Awaited<ReturnType<typeof openServed>>,
  signal: AbortSignal,
  update: () => Promise<void>,
  log: (text: string) => void,
): Promise<void> {
  const { watchSources } = await import('../../../app/learning/watch-sources.js');
  await watchSources({ library, signal }, update).catch((error: Error) => log(`watching: ${error.message}`));
}
