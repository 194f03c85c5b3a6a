/** colophon status [--strict] */
import type { StatusAnswer } from '../../../app/operations/status.js';
import { optionsOf, type RegisterCommand, sayProblems, writeJson } from '../cli.js';
import { EXIT } from '../exit-code.js';
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
    const answer = await withCall(cli, options, needs, (call) => runOperation(status, { verify: strict, drift: strict }, call));
    cli.exit(strict && !isSound(answer) ? EXIT.findings : EXIT.answered);
    if (options.json) return writeJson(cli, answer);
    cli.terminal.write(render(answer, cli.terminal.colors));
    sayProblems(cli, answer.problems, options);
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

function render(answer: StatusAnswer, colors: Colors): string {
  const rows = [
    `${colors.bold(String(answer.documents))} pages, ${answer.artifacts} passages, generation ${answer.generation}`,
    answer.indexing ? colors.yellow(answer.pending > 0 ? `indexing: ${answer.pending} pages to go` : 'indexing') : 'nothing pending',
    answer.integrity.ok
      ? `integrity ${answer.integrity.checked ? colors.green('verified') : 'not checked (--strict)'}`
      : colors.red(`${answer.integrity.damaged.length} texts damaged; run colophon doctor --repair`),
  ];
  if (answer.drift.checked)
    rows.push(answer.drift.ok ? 'no drift' : colors.yellow(`changed since the last index: ${answer.drift.sources.join(', ')}`));
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
