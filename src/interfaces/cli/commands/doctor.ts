/** colophon doctor [--repair [--set-aside-records]] */
import type { DoctorAnswer } from '../../../app/operations/doctor.js';
import { Fault } from '../../../kernel/errors.js';
import { type Cli, optionsOf, type RegisterCommand, writeJson } from '../cli.js';
import { EXIT } from '../exit-code.js';
import { inertLine } from '../inert.js';

export const doctorCommand: RegisterCommand = (program, cli) => {
  const command = program
    .command('doctor')
    .description('check everything an answer depends on, by doing it')
    .option('--repair', 'rebuild the index from the sources when it is damaged')
    .option('--set-aside-records', 'with --repair: keep a damaged records.db beside a new one; its packages and source states are lost');
  command.action(async () => {
    const options = optionsOf<{ readonly repair?: true; readonly setAsideRecords?: true }>(command);
    if (options.setAsideRecords && !options.repair)
      throw new Fault('input/invalid', { field: '--set-aside-records', expected: 'given together with --repair' });
    const [{ withCall }, { doctor }, { provisionalRecords, setIndexAside, setRecordsAside }] = await Promise.all([
      import('../session.js'),
      import('../../../app/operations/doctor.js'),
      import('../../../app/container.js'),
    ]);
    const answer = await withCall(cli, options, { defaultClient: 'terminal', index: 'untouched' }, (call) =>
      doctor(call, {
        repair: options.repair === true,
        setAsideRecords: options.setAsideRecords === true,
        setIndexAside: () => setIndexAside(call.library),
        setRecordsAside: () => setRecordsAside(call.library),
        provisionalRecords,
      }),
    );
    cli.exit(answer.ok ? EXIT.answered : EXIT.findings);
    if (options.json) writeJson(cli, answer);
    else cli.terminal.write(render(answer, cli));
  });
};

function render(answer: DoctorAnswer, { terminal: { colors }, pointed }: Pick<Cli, 'terminal' | 'pointed'>): string {
  const marks = {
    ok: colors.green('ok     '),
    warning: colors.yellow('warning'),
    failed: colors.red('failed '),
    skipped: colors.dim('skipped'),
  };
  const rows = answer.checks.map(({ name, outcome, detail, hint }) => {
    const advice = hint === '' ? '' : `\n${' '.repeat(22)}${colors.dim(inertLine(pointed(hint)))}`;
    return `${marks[outcome]}  ${name.padEnd(12)} ${inertLine(detail)}${advice}`;
  });
  if (answer.repaired) rows.push('The index was rebuilt from the sources.');
  if (answer.recordsSetAside !== null) rows.push(lost(answer.recordsSetAside, pointed));
  return `${rows.join('\n')}\n`;
}

function lost(aside: string, pointed: Cli['pointed']): string {
  return [
    `The damaged records.db is kept as ${inertLine(aside)}; a new one was begun.`,
    'Lost with it: every stored package (`package list`, `why` and `why-not` start anew), what was approved, and what each attempt has read,',
    'so that the gate takes a running conversation for a clean one: begin those anew. Also the recorded state of each source, which is',
    pointed(
      'again what colophon.yaml says, and every order about a page: what was quarantined or invalid answers again. Check `colophon status`: a',
    ),
    'source that was suspended or retired by hand must be so again, and a page quarantined.',
  ].join('\n');
}
