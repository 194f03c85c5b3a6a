/** colophon init [FOLDER] */
import { optionsOf, type RegisterCommand, writeJson } from '../cli.js';
import { inertLine } from '../inert.js';

interface InitOptions {
  readonly team?: true;
  readonly print?: true;
  readonly force?: true;
}

export const initCommand: RegisterCommand = (program, cli) => {
  const command = program
    .command('init')
    .description('write a commented colophon.yaml')
    .argument('[folder]', 'where to write it')
    .option('--team', 'all twelve registration fields, permissions, people and clients')
    .option('--print', 'print it, write nothing')
    .option('--force', 'write over an existing file');
  command.action(async (folder: string | undefined) => {
    const options = optionsOf<InitOptions>(command);
    const [{ init }, { resolve }] = await Promise.all([import('../../../app/operations/init.js'), import('node:path')]);
    const answer = await init({
      folder: resolve(cli.terminal.cwd, folder ?? options.root ?? '.'),
      team: options.team === true,
      print: options.print === true,
      force: options.force === true,
    });
    if (options.json) return writeJson(cli, answer);
    if (options.print) return cli.terminal.write(answer.text);
    cli.terminal.write(`${inertLine(answer.file)}\n`);
    if (!options.quiet) cli.terminal.say('Next: `colophon index`, then `colophon "your question"`.\n');
  });
};
