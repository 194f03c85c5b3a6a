/** colophon citations check [FILE]: does an answer rest on what its author was given? */
import { optionsOf, type RegisterCommand, sayProblems, writeJson } from '../cli.js';
import { EXIT } from '../exit-code.js';
import { readTextFile } from '../read-input.js';
import { oneLine } from '../text-layout.js';

const NEEDS = { defaultClient: 'terminal', index: 'untouched' } as const;
const ANSWER_BYTES = 1024 * 1024;

export const citationsCommand: RegisterCommand = (program, cli) => {
  const group = program.command('citations').description('what an answer cites, held against what its author was given: check');
  group.action(() => group.outputHelp());

  const check = group
    .command('check')
    .description('find the citations of an answer and say which stand in the package')
    .argument('[file]', 'the answer; - is stdin', '-')
    .option('--package <name>', 'which context it was given: digest, a prefix of one, or last', 'last');
  check.action(async (file: string) => {
    const options = optionsOf<{ readonly package: string }>(check);
    const text = await readTextFile(file, ANSWER_BYTES);
    const [{ withCall, runOperation }, { citationsCheck }] = await Promise.all([
      import('../session.js'),
      import('../../../app/operations/citations-check.js'),
    ]);
    const answer = await withCall(cli, options, NEEDS, (call) => runOperation(citationsCheck, { text, package: options.package }, call));
    cli.exit(answer.ok ? EXIT.answered : EXIT.findings);
    if (options.json) return writeJson(cli, answer);
    const { colors, width } = cli.terminal;
    const paint = { verified: colors.green, unverified: colors.red, stale: colors.yellow };
    for (const { status, text: cited, reason } of answer.citations) {
      const why = reason === '' ? '' : `  ${reason}`;
      cli.terminal.write(`${paint[status](status.padEnd(10))}  ${oneLine(cited, width - 14 - why.length)}${colors.dim(why)}\n`);
    }
    const { verified, unverified, stale } = answer.counts;
    cli.terminal.write(`${verified} verified, ${unverified} unverified, ${stale} stale, against ${answer.digest.slice(0, 12)}\n`);
    sayProblems(cli, answer.problems, options);
  });
};
