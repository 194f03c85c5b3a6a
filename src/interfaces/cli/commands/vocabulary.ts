/** colophon vocabulary check | show: what things are called, as reviewed text. */
import type { Command } from 'commander';
import type { VocabularyCheckAnswer, VocabularyShowAnswer } from '../../../app/operations/vocabulary.js';
import { counted } from '../../../kernel/counted.js';
import { type Cli, optionsOf, type RegisterCommand, writeJson } from '../cli.js';
import { EXIT } from '../exit-code.js';
import { inertLine } from '../inert.js';

const NEEDS = { defaultClient: 'terminal', index: 'untouched' } as const;
const load = () => Promise.all([import('../session.js'), import('../../../app/operations/vocabulary.js')]);

export const vocabularyCommand: RegisterCommand = (program, cli) => {
  const group = program.command('vocabulary').description('what things are called, as reviewed text: check, show');
  group.action(() => group.outputHelp());
  registerCheck(group, cli);
  registerShow(group, cli);
};

function registerCheck(group: Command, cli: Cli): void {
  const check = group.command('check').description('what is wrong with it, with file and line; exit 1 when anything is');
  check.action(async () => {
    const options = optionsOf(check);
    const [{ withCall, runOperation }, { vocabularyCheck }] = await load();
    const answer = await withCall(cli, options, NEEDS, (call) => runOperation(vocabularyCheck, {}, call));
    cli.exit(answer.ok ? EXIT.answered : EXIT.findings);
    if (options.json) return writeJson(cli, answer);
    cli.terminal.write(renderCheck(answer, cli));
  });
}

function renderCheck({ file, version, concepts, labels, findings }: VocabularyCheckAnswer, { terminal: { colors } }: Cli): string {
  const lines = findings.map(({ severity, line, what }) => {
    const mark = severity === 'error' ? colors.red('error') : colors.yellow('warning');
    return `${mark} ${inertLine(`${file}${line === null ? '' : `:${line}`}: ${what}`)}`;
  });
  const sum =
    version === null
      ? 'The vocabulary cannot be used.'
      : `vocabulary ${version.slice(0, 16)}: ${counted(concepts, 'concept')}, ${counted(labels, 'name')}`;
  return `${[...lines, sum].join('\n')}\n`;
}

function registerShow(group: Command, cli: Cli): void {
  const show = group
    .command('show')
    .description('what a name means by it; all of it when no name is given')
    .argument('[name...]', 'a name, or the id of a concept');
  show.action(async (words: readonly string[]) => {
    const options = optionsOf(show);
    const [{ withCall, runOperation }, { vocabularyShow }] = await load();
    const answer = await withCall(cli, options, NEEDS, (call) => runOperation(vocabularyShow, { name: words.join(' ') }, call));
    cli.exit(EXIT.answered);
    if (options.json) return writeJson(cli, answer);
    cli.terminal.write(renderShow(answer, cli));
  });
}

function renderShow({ version, name, ambiguous, concepts }: VocabularyShowAnswer, { terminal: { colors } }: Cli): string {
  if (version === null) return 'No vocabulary is declared. Name a file under `vocabulary` in colophon.yaml.\n';
  const rows = concepts.flatMap((each) => [
    `${colors.bold(inertLine(each.prefLabel))}  ${inertLine(each.id)}${each.deprecated ? colors.yellow(`  old name${each.standing === null ? '' : `, now ${inertLine(each.standing)}`}`) : ''}`,
    ...row('also', each.altLabels),
    ...row('kind', each.facet === null ? [] : [each.facet]),
    ...row('broader', each.broader),
    ...row('narrower', each.narrower),
    ...row('related', each.related),
  ]);
  const doubt = ambiguous ? [colors.yellow(`“${inertLine(name)}” may mean any of these, so questions take it for none of them.`)] : [];
  return `${[...doubt, ...rows, `vocabulary ${version.slice(0, 16)}`].join('\n')}\n`;
}

function row(title: string, values: readonly string[]): readonly string[] {
  return values.length === 0 ? [] : [`  ${title.padEnd(9)}${inertLine(values.join(', '))}`];
}
