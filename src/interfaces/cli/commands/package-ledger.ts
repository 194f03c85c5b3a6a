/** colophon package list | show | verify | explain */
import { optionsOf, type RegisterCommand, sayProblems, writeJson } from '../cli.js';
import { EXIT } from '../exit-code.js';
import { wholeNumber } from '../scope-options.js';
import { oneLine } from '../text-layout.js';

const NEEDS = { defaultClient: 'terminal', index: 'untouched' } as const;
const load = () => Promise.all([import('../session.js'), import('../../../app/operations/package-ledger.js')]);

export const packageCommand: RegisterCommand = (program, cli) => {
  const group = program.command('package').description('the contexts that were compiled: list, show, verify, explain');
  group.action(() => group.outputHelp());

  const list = group.command('list').description('the last ones').option('-n, --limit <count>', 'how many (20)', wholeNumber);
  list.action(async () => {
    const options = optionsOf<{ readonly limit?: number }>(list);
    const [{ withCall, runOperation }, { packageList }] = await load();
    const answer = await withCall(cli, options, NEEDS, (call) => runOperation(packageList, { limit: options.limit }, call));
    cli.exit(answer.packages.length === 0 ? EXIT.findings : EXIT.answered);
    if (options.json) return writeJson(cli, answer);
    for (const each of answer.packages) {
      const text = oneLine(each.text, cli.terminal.width - 44);
      cli.terminal.write(
        `${each.digest.slice(0, 12)}  ${each.createdAt.slice(0, 16).replace('T', ' ')}  ${each.status.padEnd(10)}  ${text}\n`,
      );
    }
  });

  const show = group
    .command('show')
    .description('what the agent was given, word for word')
    .argument('[name]', 'digest, a prefix of one, or last', 'last');
  show.action(async (name: string) => {
    const options = optionsOf(show);
    const [{ withCall, runOperation }, { packageShow }] = await load();
    const answer = await withCall(cli, options, NEEDS, (call) => runOperation(packageShow, { name }, call));
    if (options.json) writeJson(cli, answer);
    else cli.terminal.write(answer.rendered.endsWith('\n') ? answer.rendered : `${answer.rendered}\n`);
    if (options.json !== true) sayProblems(cli, answer.problems, options);
  });

  const verify = group
    .command('verify')
    .description('prove that it is unaltered')
    .argument('[name]', 'digest, a prefix of one, or last', 'last');
  verify.action(async (name: string) => {
    const options = optionsOf(verify);
    const [{ withCall, runOperation }, { packageVerify }] = await load();
    const answer = await withCall(cli, options, { ...NEEDS, index: 'present' }, (call) => runOperation(packageVerify, { name }, call));
    cli.exit(answer.ok ? EXIT.answered : EXIT.findings);
    if (options.json) return writeJson(cli, answer);
    const { colors } = cli.terminal;
    cli.terminal.write(
      answer.ok ? `${colors.green('unaltered')}  ${answer.digest}\n` : `${colors.red('altered')}  ${answer.digest}  ${answer.reason}\n`,
    );
    const { held, absent } = answer.citations;
    cli.terminal.write(`${held} of ${held + absent.length} passages are still in the library as cited\n`);
    for (const each of absent) cli.terminal.write(`  changed or gone: ${oneLine(each.path, cli.terminal.width - 20)}\n`);
  });

  const explain = group
    .command('explain')
    .description('what went in and why, what stayed out and why')
    .argument('[name]', 'digest, a prefix of one, or last', 'last')
    .option('--html <file>', 'write one self-contained page; - is stdout');
  explain.action(async (name: string) => {
    const options = optionsOf<{ readonly html?: string }>(explain);
    const [{ withCall, runOperation }, { packageShow }] = await load();
    const { readPackageNamed } = await import('../../../app/package-access.js');
    await withCall(cli, options, NEEDS, async (call) => {
      if (options.json)
        return writeJson(cli, { ...(await runOperation(packageShow, { name }, call)), schema: 'colophon/package-explain@1' });
      const { entry, problems } = await readPackageNamed(call, name);
      sayProblems(cli, problems, options);
      if (options.html === undefined) {
        const { renderPackage } = await import('../render-package.js');
        return cli.terminal.write(await renderPackage(entry, cli.terminal));
      }
      const { explainHtml } = await import('../../../app/explanation.js');
      const html = explainHtml(entry);
      if (options.html === '-') return cli.terminal.write(html);
      const { writeWhole } = await import('../../../app/write-whole.js');
      await writeWhole(options.html, html);
      cli.terminal.say(`${options.html}\n`);
    });
  });
};
