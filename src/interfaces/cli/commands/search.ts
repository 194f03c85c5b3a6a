/** colophon search WORDS… */
import { Option } from 'commander';
import { optionsOf, type RegisterCommand, sayProblems, writeJson } from '../cli.js';
import { EXIT } from '../exit-code.js';
import { addScopeOptions, type ScopeOptions, scopeInputOf, wholeNumber } from '../scope-options.js';

interface SearchOptions extends ScopeOptions {
  readonly limit?: number;
  readonly after?: string;
  readonly mode?: 'any' | 'lexical';
}

export const searchCommand: RegisterCommand = (program, cli) => {
  const command = program
    .command('search')
    .description('ranked passages, with their lines and labels')
    .argument('<words...>', 'a question, words, "quoted phrases", identifiers')
    .option('-n, --limit <count>', 'how many passages (10)', wholeNumber)
    .addOption(new Option('--after <token>', 'go on after the last answer’s `next` token'))
    .addOption(new Option('--next <token>', 'the same').hideHelp())
    .addOption(new Option('--mode <mode>', 'lexical: without any model').choices(['any', 'lexical']));
  addScopeOptions(command).action(async (words: string[]) => {
    const options = optionsOf<SearchOptions & { readonly next?: string }>(command);
    const [{ withCall, runOperation, answeredNow }, { search }] = await Promise.all([
      import('../session.js'),
      import('../../../app/operations/search.js'),
    ]);
    const answer = await withCall(cli, options, { defaultClient: 'terminal', index: 'present' }, (call) => {
      const input = {
        query: words.join(' '),
        limit: options.limit,
        next: options.after ?? options.next,
        mode: options.mode,
        ...scopeInputOf(options, call, cli.terminal.cwd),
      };
      return answeredNow(cli, options, call, {
        ask: () => runOperation(search, input, call),
        found: ({ hits }) => hits.length > 0,
      });
    });
    if (options.json) writeJson(cli, answer);
    else {
      const { renderSearch } = await import('../render-search.js');
      cli.terminal.write(renderSearch(answer, cli.terminal));
      sayProblems(cli, answer.problems, options);
    }
    cli.exit(answer.hits.length === 0 ? EXIT.findings : EXIT.answered);
  });
};
