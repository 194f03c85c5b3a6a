/** colophon doctor [--repair] */
import type { DoctorAnswer } from '../../../app/operations/doctor.js';
import { optionsOf, type RegisterCommand, writeJson } from '../cli.js';
import { EXIT } from '../exit-code.js';
import type { Colors } from '../terminal.js';

export const doctorCommand: RegisterCommand = (program, cli) => {
  const command = program
    .command('doctor')
    .description('check everything an answer depends on, by doing it')
    .option('--repair', 'rebuild the index from the sources when it is damaged');
  command.action(async () => {
    const options = optionsOf<{ readonly repair?: true }>(command);
    const [{ withCall }, { doctor }, { setIndexAside }] = await Promise.all([
      import('../session.js'),
      import('../../../app/operations/doctor.js'),
      import('../../../app/container.js'),
    ]);
    const answer = await withCall(cli, options, { defaultClient: 'terminal', index: 'untouched' }, (call) =>
      doctor(call, { repair: options.repair === true, setIndexAside: () => setIndexAside(call.library) }),
    );
    cli.exit(answer.ok ? EXIT.answered : EXIT.findings);
    if (options.json) writeJson(cli, answer);
    else cli.terminal.write(render(answer, cli.terminal.colors));
  });
};

function render(answer: DoctorAnswer, colors: Colors): string {
  const marks = {
    ok: colors.green('ok     '),
    warning: colors.yellow('warning'),
    failed: colors.red('failed '),
    skipped: colors.dim('skipped'),
  };
  const rows = answer.checks.map(({ name, outcome, detail, hint }) => {
    const advice = hint === '' ? '' : `\n${' '.repeat(22)}${colors.dim(hint)}`;
    return `${marks[outcome]}  ${name.padEnd(12)} ${detail}${advice}`;
  });
  return `${rows.join('\n')}\n${answer.repaired ? 'The index was rebuilt from the sources.\n' : ''}`;
}
