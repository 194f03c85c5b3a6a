/** colophon status [--strict] */
import type { StatusAnswer } from '../../../app/operations/status.js';
import type { Problem } from '../../../domain/problem.js';
import { counted } from '../../../kernel/counted.js';
import { Fault } from '../../../kernel/errors.js';
import { type Cli, optionsOf, type RegisterCommand, sayProblems, writeJson } from '../cli.js';
import { EXIT } from '../exit-code.js';
import { inertLine } from '../inert.js';
import type { Colors } from '../terminal.js';

export const statusCommand: RegisterCommand = (program, cli) => {
  const command = program
    .command('status')
    .description('what the library holds, how fresh it is, and whether anything is wrong')
    .option('--strict', 'check every digest and every source; exit 1 when anything is off');
  command.action(async () => {
    const options = optionsOf<{ readonly strict?: true }>(command);
    const strict = options.strict === true;
    const [{ withCall, runOperation }, { status }] = await Promise.all([
      import('../session.js'),
      import('../../../app/operations/status.js'),
    ]);
    const needs = { defaultClient: 'terminal', index: 'untouched' as const };
    const answer = await withCall(cli, options, needs, async (call) => {
      const asked = (drift: boolean) => runOperation(status, { verify: strict, drift }, call);
      if (strict || call.library.config.profile !== 'personal') return asked(strict);
      // The files are here: whether they changed is asked of them. Where they are not, what the index holds is still told.
      return asked(true).catch((error: unknown) => {
        if (!(error instanceof Fault) || error.kind !== 'unavailable') throw error;
        if (options.quiet !== true) cli.terminal.say(`${cli.terminal.talkColors.yellow('warning')} ${inertLine(error.message)}\n`);
        return asked(false);
      });
    });
    cli.exit(strict && !isSound(answer) ? EXIT.findings : EXIT.answered);
    if (options.json) return writeJson(cli, answer);
    cli.terminal.write(render(answer, cli));
    // Told by themselves: what a person ordered, and may lift, is not to be lost behind many a warning.
    const isWithheld = ({ code }: Problem) => code === 'page/withheld';
    sayProblems(cli, answer.problems.filter(isWithheld), options);
    sayProblems(
      cli,
      answer.problems.filter((each) => !isWithheld(each)),
      options,
    );
  });
};

function isSound(answer: StatusAnswer): boolean {
  return (
    answer.integrity.ok &&
    answer.drift.ok &&
    answer.pending === 0 &&
    answer.sources.every(({ fresh, walk }) => fresh && walk === 'complete') &&
    answer.problems.every(({ severity }) => severity !== 'error')
  );
}

function render(answer: StatusAnswer, { terminal: { colors }, pointed }: Pick<Cli, 'terminal' | 'pointed'>): string {
  const rows = [
    `${colors.bold(String(answer.documents))} ${answer.documents === 1 ? 'page' : 'pages'}, ${counted(answer.artifacts, 'passage')}, generation ${answer.generation}`,
    pointed(workRow(answer, colors)),
    answer.integrity.ok
      ? `integrity ${answer.integrity.checked ? colors.green('verified') : 'not checked (--strict)'}`
      : colors.red(pointed(`${counted(answer.integrity.damaged.length, 'text')} damaged; run \`colophon doctor --repair\``)),
  ];
  if (answer.drift.checked)
    rows.push(hasChanged(answer) ? colors.yellow(`changed since the last index: ${answer.drift.sources.join(', ')}`) : 'no drift');
  for (const source of answer.sources) {
    const seen =
      source.confirmedAt === null
        ? colors.yellow('never walked whole')
        : `confirmed ${source.confirmedAt.slice(0, 16).replace('T', ' ')} UTC`;
    const odd = [
      source.fresh ? '' : colors.yellow('overdue'),
      source.walk === 'partial' ? colors.yellow('last walk incomplete') : '',
    ].filter((each) => each !== '');
    rows.push(`  ${colors.cyan(source.id)}  ${source.state}, ${source.connector}, ${seen}${odd.length > 0 ? `, ${odd.join(', ')}` : ''}`);
  }
  return `${rows.join('\n')}\n`;
}

function hasChanged({ drift }: StatusAnswer): boolean {
  return drift.checked && !drift.ok;
}

function workRow(answer: StatusAnswer, colors: Colors): string {
  if (answer.indexing) return colors.yellow(answer.pending > 0 ? `indexing: ${counted(answer.pending, 'page')} to go` : 'indexing');
  return hasChanged(answer)
    ? colors.yellow('not up to date: the next question, or `colophon index`, reads what changed')
    : 'nothing pending';
}
