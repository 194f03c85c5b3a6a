/** colophon why [PAGE], colophon why-not PAGE */
import { fromWorkingFolder } from '../../../app/asking/path-readings.js';
import { optionsOf, type RegisterCommand, writeJson } from '../cli.js';
import { EXIT } from '../exit-code.js';
import { inertLine } from '../inert.js';
import { oneLine } from '../text-layout.js';

interface PackageOption {
  readonly package?: string;
}
const PACKAGE = ['--package <name>', 'which context: digest, a prefix of one, or last'] as const;
const load = () => Promise.all([import('../session.js'), import('../../../app/operations/explain.js')]);

export const whyCommand: RegisterCommand = (program, cli) => {
  const command = program
    .command('why')
    .description('why the passages of a context are there')
    .argument('[page]', 'one page or artifact of it')
    .option(...PACKAGE);
  command.action(async (name: string | undefined) => {
    const options = optionsOf<PackageOption>(command);
    const [{ withCall, runOperation }, { why }] = await load();
    const needs = { defaultClient: 'terminal', index: 'untouched' as const };
    const answer = await withCall(cli, options, needs, (call) => runOperation(why, { package: options.package, name }, call));
    cli.exit(answer.included ? EXIT.answered : EXIT.findings);
    if (options.json) return writeJson(cli, answer);
    const { colors } = cli.terminal;
    if (name !== undefined || answer.items.length === 0) return cli.terminal.write(`${inertLine(answer.sentence)}\n`);
    cli.terminal.write(`${colors.bold(`“${oneLine(answer.query, cli.terminal.width - 2)}”`)} ${colors.dim(answer.digest.slice(0, 12))}\n`);
    for (const item of answer.items) {
      cli.terminal.write(
        `${String(item.position + 1).padStart(3)}. ${colors.cyan(inertLine(item.path))}\n     ${inertLine(item.reason)}\n`,
      );
    }
  });
};

export const whyNotCommand: RegisterCommand = (program, cli) => {
  const command = program
    .command('why-not')
    .description('why a page is not in a context, and at which step it left')
    .argument('<page>', 'page path or artifact id')
    .option(...PACKAGE);
  command.action(async (page: string) => {
    const options = optionsOf<PackageOption>(command);
    const [{ withCall, runOperation }, { whyNotPage }] = await load();
    const needs = { defaultClient: 'terminal', index: 'present' as const };
    const answer = await withCall(cli, options, needs, (call) =>
      runOperation(whyNotPage, { package: options.package, page: fromWorkingFolder(call.library.config, cli.terminal.cwd, page) }, call),
    );
    // What is not here for the asker was not found; any other step is the answer.
    cli.exit(answer.step === 'eligible' ? EXIT.findings : EXIT.answered);
    if (options.json) return writeJson(cli, answer);
    cli.terminal.write(`${inertLine(answer.sentence)}\n`);
  });
};
