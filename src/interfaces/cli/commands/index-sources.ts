/** colophon index [FOLDER] */
import type { IndexAnswer } from '../../../app/operations/index-sources.js';
import { counted } from '../../../kernel/counted.js';
import { type Cli, optionsOf, type RegisterCommand, sayProblems, writeJson } from '../cli.js';
import { EXIT } from '../exit-code.js';
import { jsonText } from '../inert.js';
import { repeated } from '../scope-options.js';

interface IndexOptions {
  readonly full?: true;
  readonly allowEmpty?: true;
  readonly watch?: true;
  readonly source?: string[];
}

export const indexCommand: RegisterCommand = (program, cli) => {
  const command = program
    .command('index')
    .description('read the sources and bring the index up to date')
    .argument('[folder]', 'the library, or a folder of documents')
    .option('--full', 'make every page again')
    .option('--allow-empty', 'take out the pages of a source that lists none any more')
    .option('--source <id>', 'only this source; repeatable', repeated)
    .option('--watch', 'stay, and index whatever changes');
  command.action(async (folder: string | undefined) => {
    const options = optionsOf<IndexOptions>(command);
    const [{ withCall, runOperation }, { indexSources }] = await Promise.all([
      import('../session.js'),
      import('../../../app/operations/index-sources.js'),
    ]);
    const needs = { defaultClient: 'terminal', index: 'untouched' as const, ...(folder === undefined ? {} : { folder }) };
    await withCall(cli, options, needs, async (call) => {
      const run = (full: boolean, allowEmpty: boolean) => runOperation(indexSources, { full, allowEmpty, source: options.source }, call);
      const answer = await run(options.full === true, options.allowEmpty === true);
      show(cli, answer, options);
      if (options.watch !== true) return;
      const { watchSources } = await import('../../../app/learning/watch-sources.js');
      if (options.quiet !== true) cli.terminal.say('Watching; Ctrl-C ends it.\n');
      await watchSources(call, async () => {
        const again = await run(false, false);
        if (again.writes > 0) show(cli, again, options);
      });
    });
  });
};

function show(cli: Cli, answer: IndexAnswer, options: ReturnType<typeof optionsOf<IndexOptions>>): void {
  // A page that could not be taken in is told in `problems`; only a place that was not seen makes the run incomplete.
  const partial = answer.sources.some(({ walk }) => walk === 'partial');
  cli.exit(partial ? EXIT.findings : EXIT.answered);
  if (options.json) {
    // While watching, one object a line: a reader of the stream can tell them apart.
    if (options.watch) cli.terminal.write(`${jsonText(answer)}\n`);
    else writeJson(cli, answer);
    return;
  }
  const { colors } = cli.terminal;
  for (const source of answer.sources) {
    const moved = `${source.added} added, ${source.changed} changed, ${source.removed} removed, ${source.unchanged} unchanged`;
    const odd = [
      source.walk === 'partial' ? colors.yellow('walk incomplete') : '',
      source.withheld > 0 ? `${source.withheld} kept back` : '',
      source.failed > 0 ? colors.red(`${source.failed} failed`) : '',
    ].filter((each) => each !== '');
    cli.terminal.write(`${colors.bold(source.id)}  ${[moved, ...odd].join(', ')}\n`);
  }
  const seconds = (answer.elapsedMs / 1000).toFixed(1);
  cli.terminal.write(
    colors.dim(
      `${counted(answer.documents, 'page')}, ${counted(answer.artifacts, 'passage')}, ${counted(answer.writes, 'write')} in ${seconds} s\n`,
    ),
  );
  sayProblems(cli, answer.problems, options);
}
