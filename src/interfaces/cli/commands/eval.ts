/** colophon eval run | compare | label | ablate | calibrate */
import type { Command } from 'commander';
import type { EvalAnswer } from '../../../app/operations/eval-run.js';
import { type Cli, type GlobalOptions, openProgress, optionsOf, type RegisterCommand, sayProblems, writeJson } from '../cli.js';
import { EXIT } from '../exit-code.js';
import { renderComparison, renderRun } from '../render-evaluation.js';
import { addSetOptions, flag, type SetOptions, setOf } from '../set-options.js';
import { registerLabel } from './eval-label.js';
import { registerAblate, registerCalibrate } from './eval-tuning.js';

export const evalCommand: RegisterCommand = (program, cli) => {
  const group = program.command('eval').description('measure the pipeline on labelled questions');
  group.action(() => group.outputHelp());
  registerRun(group, cli);
  registerCompare(group, cli);
  registerLabel(group, cli);
  registerAblate(group, cli);
  registerCalibrate(group, cli);
};

function registerRun(group: Command, cli: Cli): void {
  const command = addSetOptions(
    group.command('run').description('ranking and delivery on a labelled set, with confidence intervals and the reason for every miss'),
  ).option('--run <file>', 'write the rankings in TREC format, 100 pages deep');
  command.action(async () => {
    const options = optionsOf<SetOptions & { readonly run?: string }>(command);
    const answer = await measure(cli, options);
    if (options.json) return writeJson(cli, answer);
    cli.terminal.write(renderRun(answer, cli.terminal));
    sayProblems(cli, answer.problems, options);
  });
}

async function measure(cli: Cli, options: SetOptions & GlobalOptions & { readonly run?: string }): Promise<EvalAnswer> {
  const [{ evalRun, evaluateFolder }, { checkInput }] = await Promise.all([
    import('../../../app/operations/eval-run.js'),
    import('../../../app/check-input.js'),
  ]);
  const input = checkInput(evalRun, { ...setOf(options), ...(options.run === undefined ? {} : { run: options.run }) }, flag);
  const progress = openProgress(cli, options);
  try {
    return await evaluateFolder(input, { signal: cli.terminal.signal, progress: progress.report });
  } finally {
    progress.end();
  }
}

function registerCompare(group: Command, cli: Cli): void {
  const command = group
    .command('compare')
    .description('what changed between two runs, or whether a run holds a baseline; exit 1 when the later one is worse')
    .argument('<before>', 'report of the earlier run (eval run --json), or a baseline')
    .argument('<after>', 'report of the later run')
    .option('--exceptions <file>', 'exceptions from a baseline, each with a reason and a last day')
    .option('--tighten', 'write what got better into the baseline; make it when it is not there');
  command.action(async (before: string, after: string) => {
    const options = optionsOf<{ readonly exceptions?: string; readonly tighten?: true }>(command);
    const [{ evalCompare, compareReports }, { checkInput }] = await Promise.all([
      import('../../../app/operations/eval-compare.js'),
      import('../../../app/check-input.js'),
    ]);
    const { exceptions, tighten } = options;
    const given = { before, after, ...(exceptions === undefined ? {} : { exceptions }), ...(tighten === undefined ? {} : { tighten }) };
    const answer = await compareReports(checkInput(evalCompare, given, flag));
    cli.exit(answer.holds ? EXIT.answered : EXIT.findings);
    if (options.json) return writeJson(cli, answer);
    cli.terminal.write(renderComparison(answer, cli.terminal));
  });
}
