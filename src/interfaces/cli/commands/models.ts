/** colophon models list | refresh: which models a context can be compiled for, and what a public list says of them now. */
import type { Command } from 'commander';
import type { ModelsRefreshAnswer } from '../../../app/models/refresh.js';
import type { ModelsListAnswer } from '../../../app/operations/models.js';
import { type Cli, optionsOf, type RegisterCommand, writeJson } from '../cli.js';
import { EXIT } from '../exit-code.js';
import { inertLine } from '../inert.js';

const NEEDS = { defaultClient: 'terminal', index: 'untouched' } as const;

export const modelsCommand: RegisterCommand = (program, cli) => {
  const group = program.command('models').description('the models a context can be compiled for: list, refresh');
  group.action(() => group.outputHelp());
  registerList(group, cli);
  registerRefresh(group, cli);
};

function registerList(group: Command, cli: Cli): void {
  const list = group
    .command('list')
    .description('name, window, knowledge cutoff, and where each comes from')
    .argument('[name]', 'only models whose name holds this');
  list.action(async (name: string | undefined) => {
    const options = optionsOf(list);
    const [{ withCall, runOperation }, { modelsList }] = await Promise.all([
      import('../session.js'),
      import('../../../app/operations/models.js'),
    ]);
    const answer = await withCall(cli, options, NEEDS, (call) => runOperation(modelsList, { name: name ?? '' }, call));
    cli.exit(answer.models.length === 0 ? EXIT.findings : EXIT.answered);
    if (options.json) return writeJson(cli, answer);
    cli.terminal.write(renderList(answer, cli));
  });
}

function renderList({ models }: ModelsListAnswer, { terminal: { colors } }: Cli): string {
  if (models.length === 0) return 'No model has such a name. Declare it under `models` in colophon.yaml.\n';
  const width = Math.max(...models.map(({ name }) => name.length));
  return models
    .map(({ name, windowTokens, knowledgeCutoff, origin, source, wins }) => {
      const known = knowledgeCutoff === null ? '' : `knows until ${knowledgeCutoff}`;
      const line = `${inertLine(name).padEnd(width)}  ${String(windowTokens).padStart(9)} tokens  ${known.padEnd(22)}  ${origin}`;
      if (!wins) return `${colors.dim(`${line}, another entry wins`)}\n`;
      return `${line}${source === '' ? '' : colors.dim(`: ${inertLine(source)}`)}\n`;
    })
    .join('');
}

interface RefreshOptions {
  readonly from?: string;
  readonly dryRun?: true;
}

function registerRefresh(group: Command, cli: Cli): void {
  const refresh = group
    .command('refresh')
    .description('read a public list of models, show what changed, and write it into the library’s own file of models')
    .option('--from <where>', 'an https address or a file, instead of https://openrouter.ai/api/v1/models')
    .option('--dry-run', 'show what would change, write nothing');
  refresh.action(async () => {
    const options = optionsOf<RefreshOptions>(refresh);
    const [{ withCall }, { refreshModels }] = await Promise.all([import('../session.js'), import('../../../app/models/refresh.js')]);
    const request = {
      cwd: cli.terminal.cwd,
      dryRun: options.dryRun === true,
      ...(options.from === undefined ? {} : { from: options.from }),
    };
    const answer = await withCall(cli, options, NEEDS, (call) => refreshModels(call, request));
    cli.exit(EXIT.answered);
    if (options.json) return writeJson(cli, answer);
    cli.terminal.write(renderRefresh(answer, cli));
  });
}

function renderRefresh({ file, added, changed, kept, leftOut, written }: ModelsRefreshAnswer, { terminal: { colors } }: Cli): string {
  const rows = [
    ...added.map(({ name, windowTokens, knowledgeCutoff }) => {
      const known = knowledgeCutoff === null ? '' : `, knows until ${knowledgeCutoff}`;
      return `${colors.green('added')} ${inertLine(name)}: ${windowTokens} tokens${known}`;
    }),
    ...changed.map(({ name, what, before, after }) => `${colors.yellow('changed')} ${inertLine(name)}: ${what} ${before} → ${after}`),
    ...leftOut.map(({ entry, reason }) => `${colors.yellow('left out')} entry ${entry} of the list: ${reason}`),
  ];
  const changes = added.length + changed.length;
  const gone = kept.length === 0 ? '' : `; ${kept.length} in the file and not in the list stay as they are`;
  const end =
    changes === 0
      ? `Nothing changed in ${inertLine(file)}${gone}.`
      : written
        ? `${inertLine(file)} is written: ${added.length} added, ${changed.length} changed${gone}. Read it before you commit it.`
        : `${inertLine(file)} would get ${added.length} added and ${changed.length} changed${gone}. Nothing was written.`;
  return `${[...rows, end].join('\n')}\n`;
}
