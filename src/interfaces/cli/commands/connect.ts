/** `colophon connect CLIENT`: gives an agent this library, as a tool server and, where the client has one, a prompt hook. */
import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { Argument, Option } from 'commander';
import { CONNECTABLE, type Connectable, type ConnectScope, defaultScope, type Place, SCOPES } from '../../../app/connect/clients.js';
import { connectClient, type FileChange } from '../../../app/connect/connect.js';
import { LAUNCHERS, type LauncherChoice, launcherFor } from '../../../app/connect/launcher.js';
import type { LibraryConfig } from '../../../app/library.js';
import { ownCommand } from '../../../app/package-root.js';
import { Fault } from '../../../kernel/errors.js';
import { type Cli, optionsOf, type RegisterCommand, writeJson } from '../cli.js';
import { inert, inertLine } from '../inert.js';

interface ConnectOptions {
  readonly gate?: true;
  readonly print?: true;
  readonly undo?: true;
  readonly scope?: ConnectScope;
  readonly launcher: LauncherChoice;
}

export const connectCommand: RegisterCommand = (program, cli) => {
  program
    .command('connect')
    .summary('give an agent this library')
    .description('Wire a client to this library: the tool server and, for Claude Code, the hook that adds context to each prompt.')
    .addArgument(new Argument('<client>', 'which client').choices([...CONNECTABLE]))
    .argument('[folder]', 'the library folder; the working folder when absent')
    .option('--gate', 'claude-code: also ask before a tool may carry text out of a session that has read strangers’ text')
    .option('--print', 'show what would be written, and write nothing')
    .option('--undo', 'take out what was added')
    .addOption(new Option('--scope <scope>', "the project's files or the user's own").choices([...SCOPES]))
    .addOption(new Option('--launcher <how>', 'how the client starts colophon').choices([...LAUNCHERS]).default('auto'))
    .action(async (client: Connectable, folder: string | undefined, _own, command) => {
      const options = optionsOf<ConnectOptions>(command);
      const { resolveConfig } = await import('../../../app/configuration/config.js');
      const config = await resolveConfig({
        env: cli.terminal.env,
        cwd: cli.terminal.cwd,
        ...(folder === undefined ? {} : { folder }),
        ...(options.root === undefined ? {} : { root: options.root }),
      });
      if (options.gate && client !== 'claude-code')
        throw new Fault('input/invalid', { field: '--gate', expected: 'given for claude-code; no other client has such a hook' });
      const scope = options.scope ?? defaultScope(client);
      const platform = process.platform;
      const script = realpathSync(ownCommand());
      const files = await connectClient({
        client,
        scope,
        place: placeOf(cli, config.root, platform),
        launcher: launcherFor(options.launcher, { node: process.execPath, script, platform }),
        stateFolder: config.stateFolder,
        gate: options.gate === true,
        undo: options.undo === true,
        dryRun: options.print === true,
      });
      if (options.json === true) {
        writeJson(cli, { schema: 'colophon/connect@1', problems: [], client, scope, written: options.print !== true, files });
      } else if (options.print === true) {
        print(cli, files);
      } else {
        tell(cli, files, client, options.undo === true);
        if (options.undo !== true && !(await hasIndex(config)))
          cli.terminal.say('There is no index yet: run `colophon index`, so that the first prompt finds something.\n');
      }
    });
};

function placeOf({ terminal: { env, cwd } }: Cli, root: string, platform: NodeJS.Platform): Place {
  const stateHome = env['COLOPHON_HOME'] ?? '';
  return { root, home: homedir(), platform, env, ...(stateHome === '' ? {} : { stateHome: resolve(cwd, stateHome) }) };
}

async function hasIndex(config: LibraryConfig): Promise<boolean> {
  const [{ openContainer }, { isBuilt }] = await Promise.all([
    import('../../../app/container.js'),
    import('../../../app/learning/ensure-indexed.js'),
  ]);
  const library = await openContainer(config);
  try {
    return await isBuilt(library);
  } catch (error) {
    // A damaged index is there, and is told of by whoever asks it.
    if (error instanceof Fault) return true;
    throw error;
  } finally {
    await library.close();
  }
}

/** What would be written is data, so it goes to stdout; a reader can copy it. */
function print(cli: Cli, files: readonly FileChange[]): void {
  for (const { file, action, shown } of files) {
    const what = {
      created: 'would be created with',
      changed: 'would be changed; added',
      deleted: 'would be deleted',
      unchanged: 'stays as it is',
    };
    cli.terminal.write(`# ${inertLine(file)} ${what[action]}${shown === '' ? '' : ':'}\n${shown === '' ? '' : `${inert(shown)}\n`}\n`);
  }
}

function tell(cli: Cli, files: readonly FileChange[], client: Connectable, undo: boolean): void {
  const { talkColors: color } = cli.terminal;
  for (const { file, action } of files) cli.terminal.say(`${color.dim(action.padEnd(9))} ${inertLine(file)}\n`);
  const changed = files.some((each) => each.action !== 'unchanged');
  if (undo) cli.terminal.say(changed ? `${client} no longer asks this library.\n` : `${client} was not connected.\n`);
  else cli.terminal.say(changed ? `Connected. Start ${client} anew in this project.\n` : `${client} is already connected.\n`);
}
