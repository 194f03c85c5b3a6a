/** colophon get PATH */
import { fromWorkingFolder } from '../../../app/asking/path-readings.js';
import type { Call } from '../../../app/operations/catalogue.js';
import { Fault } from '../../../kernel/errors.js';
import { optionsOf, type RegisterCommand, sayProblems, writeJson } from '../cli.js';

interface GetOptions {
  readonly source?: string;
  readonly lines?: string;
  readonly anchor?: string;
  readonly meta?: true;
  readonly links?: true;
  readonly segments?: true;
  readonly raw?: true;
}

export const getCommand: RegisterCommand = (program, cli) => {
  const command = program
    .command('get')
    .description('one page, or some lines of it, as the index holds it')
    .argument('<path>', 'page path as search shows it, or an artifact id, whole or as a context shows it')
    .option('--lines <range>', 'these lines, e.g. 40-80')
    .option('--anchor <anchor>', 'the section with this anchor')
    .option('--source <id>', 'the source that holds the page')
    .option('--meta', 'front matter, as typed')
    .option('--links', 'where its links lead, and what links here')
    .option('--segments', 'what it was cut into')
    .option('--raw', 'take the path exactly as written, and print the bare text');
  command.action(async (path: string) => {
    const options = optionsOf<GetOptions>(command);
    const [{ withCall, runOperation, answeredNow }, { get }] = await Promise.all([
      import('../session.js'),
      import('../../../app/operations/get.js'),
    ]);
    const picked = options.meta === true || options.links === true || options.segments === true;
    // With --json and nothing picked, everything there is.
    const all = options.json === true && !picked;
    const read = (call: Call) =>
      runOperation(
        get,
        {
          path: options.raw === true ? path : fromWorkingFolder(call.library.config, cli.terminal.cwd, path),
          source: options.source,
          lines: options.lines,
          anchor: options.anchor,
          meta: all || options.meta === true,
          links: all || options.links === true,
          segments: all || options.segments === true,
          raw: options.raw === true,
        },
        call,
      );
    const outcome = await withCall(cli, options, { defaultClient: 'terminal', index: 'present' }, (call) =>
      answeredNow(cli, options, call, {
        ask: () => read(call).catch(absence),
        found: (each) => !(each instanceof Fault),
      }),
    );
    if (outcome instanceof Fault) throw outcome;
    const answer = outcome;
    if (options.json) return writeJson(cli, answer);
    if (options.raw || !picked) cli.terminal.write(answer.text.endsWith('\n') || answer.text === '' ? answer.text : `${answer.text}\n`);
    else {
      const { renderPageFacts } = await import('../render-page-facts.js');
      cli.terminal.write(renderPageFacts(answer, cli.terminal));
    }
    sayProblems(cli, answer.problems, options);
  });
};

/** The one failure that another look at the files may mend. */
function absence(error: unknown): Fault {
  if (error instanceof Fault && error.code === 'not-found') return error;
  throw error;
}
