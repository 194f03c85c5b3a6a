/** colophon eval ablate | calibrate */
import type { Command } from 'commander';
import { type Cli, type GlobalOptions, openProgress, optionsOf, writeJson } from '../cli.js';
import { renderAblation, renderCalibration } from '../render-tuning.js';
import { addSetOptions, flag, type SetOptions, setOf } from '../set-options.js';

interface AblateOptions extends SetOptions {
  readonly heldOut?: string;
  readonly out?: string;
  readonly all?: true;
}

export function registerAblate(group: Command, cli: Cli): void {
  const command = addSetOptions(
    group
      .command('ablate')
      .description('which stages of the ranking earn their place on your documents; proposes a change only where the gain is clear'),
  )
    .option('--held-out <name>', 'judgements to confirm a gain on (test; a golden set: held-out)')
    .option('--out <file>', 'write the delta: what is proposed, and what every stage is worth')
    .option('--all', 'show every value that was tried');
  command.action(async () => {
    const options = optionsOf<AblateOptions>(command);
    const [{ evalAblate, ablate }, { checkInput }] = await Promise.all([
      import('../../../app/operations/eval-ablate.js'),
      import('../../../app/check-input.js'),
    ]);
    const { heldOut, out } = options;
    const given = { ...setOf(options), ...(heldOut === undefined ? {} : { heldOut }), ...(out === undefined ? {} : { out }) };
    const answer = await measured(cli, options, (surroundings) => ablate(checkInput(evalAblate, given, flag), surroundings));
    if (options.json) return writeJson(cli, answer);
    cli.terminal.write(renderAblation(answer, cli.terminal, { out, all: options.all === true }));
  });
}

interface CalibrateOptions extends SetOptions {
  readonly heldOut?: string;
  readonly foreign?: string;
  readonly mostLost?: number;
}

export function registerCalibrate(group: Command, cli: Cli): void {
  const command = addSetOptions(
    group.command('calibrate').description('where the floor should stand on your documents: what it loses, what it keeps silent about'),
  )
    .option('--held-out <name>', 'judgements to tell the outcome on (test; a golden set: held-out)')
    .option('--foreign <folder>', 'a set whose questions have no answer here (else a list of our own)')
    .option('--most-lost <share>', 'the share of answered questions the floor may cost (0.03)', Number);
  command.action(async () => {
    const options = optionsOf<CalibrateOptions>(command);
    const [{ evalCalibrate, calibrate }, { checkInput }] = await Promise.all([
      import('../../../app/operations/eval-calibrate.js'),
      import('../../../app/check-input.js'),
    ]);
    const { heldOut, foreign, mostLost } = options;
    const given = {
      ...setOf(options),
      ...(heldOut === undefined ? {} : { heldOut }),
      ...(foreign === undefined ? {} : { foreign }),
      ...(mostLost === undefined ? {} : { mostLost }),
    };
    const answer = await measured(cli, options, (surroundings) => calibrate(checkInput(evalCalibrate, given, flag), surroundings));
    if (options.json) return writeJson(cli, answer);
    cli.terminal.write(renderCalibration(answer, cli.terminal));
  });
}

type Surroundings = Parameters<typeof import('../../../app/operations/eval-ablate.js')['ablate']>[1];

async function measured<T>(cli: Cli, options: GlobalOptions, run: (surroundings: Surroundings) => Promise<T>): Promise<T> {
  const progress = openProgress(cli, options);
  try {
    return await run({ signal: cli.terminal.signal, progress: progress.report });
  } finally {
    progress.end();
  }
}
