/** colophon package list | show | bind | explain: what the ledger holds. The verbs that prove and compare stand in package-proofs.ts. */
import type { Command } from 'commander';
import { subjectOf, withSubjects } from '../bundle-files.js';
import { type Cli, optionsOf, type RegisterCommand, sayProblems, writeJson } from '../cli.js';
import { EXIT } from '../exit-code.js';
import { wholeNumber } from '../scope-options.js';
import { oneLine } from '../text-layout.js';
import { registerProofs } from './package-proofs.js';

const NEEDS = { defaultClient: 'terminal', index: 'untouched' } as const;
const load = () => Promise.all([import('../session.js'), import('../../../app/operations/package-ledger.js')]);

export const packageCommand: RegisterCommand = (program, cli) => {
  const group = program.command('package').description('the contexts that were compiled: find, show, prove, compare, replay, take along');
  group.action(() => group.outputHelp());
  registerList(group, cli);
  registerShow(group, cli);
  registerProofs(group, cli);
  registerExplain(group, cli);
  registerBind(group, cli);
};

interface ListOptions {
  readonly limit?: number;
  readonly next?: string;
  readonly attempt?: string;
  readonly page?: string;
  readonly text?: string;
  readonly status?: 'frozen' | 'no_context' | 'blocked';
  readonly for?: string;
  readonly since?: string;
  readonly until?: string;
  readonly usable?: true;
  readonly expired?: true;
}

function registerList(group: Command, cli: Cli): void {
  const list = group
    .command('list')
    .description('the last ones')
    .option('-n, --limit <count>', 'how many (20)', wholeNumber)
    .option('--next <token>', 'go on where the last list ended')
    .option('--attempt <name>', 'only those of this attempt')
    .option('--page <path>', 'only those that quote this page or left it out')
    .option('--text <words>', 'only those whose question holds these words')
    .option('--status <status>', 'only frozen, no_context or blocked ones')
    .option('--for <client>', 'only those compiled for this client')
    .option('--since <day>', 'only those of this day or later')
    .option('--until <day>', 'only those of this day or earlier')
    .option('--usable', 'only those that have not expired')
    .option('--expired', 'only those that have');
  list.action(async () => {
    const options = optionsOf<ListOptions>(list);
    const { limit, next, attempt, page, text, status, for: forClient, since, until } = options;
    const [{ withCall, runOperation }, { packageList }] = await load();
    const usable = options.usable === true ? true : options.expired === true ? false : undefined;
    const request = { limit, next, attempt, page, text, status, for: forClient, since, until, usable };
    const answer = await withCall(cli, options, NEEDS, (call) => runOperation(packageList, request, call));
    cli.exit(answer.packages.length === 0 ? EXIT.findings : EXIT.answered);
    if (options.json) return writeJson(cli, answer);
    const isFiltered = [attempt, page, text, status, forClient, since, until, usable].some((each) => each !== undefined);
    showList(cli, answer.packages, isFiltered);
    if (answer.next !== null) cli.terminal.say(`more: --next ${answer.next}\n`);
  });
}

type Row = Awaited<ReturnType<typeof import('../../../app/operations/package-ledger.js').packageList.run>>['packages'][number];

/** Who filters looks for one package among those of a question; everybody else is shown each question once. */
function showList({ terminal }: Cli, packages: readonly Row[], isFiltered: boolean): void {
  const rows = isFiltered ? packages.map((each) => ({ ...each, earlier: 0 })) : foldRepeats(packages);
  for (const { digest, createdAt, expired, status, text, times = 1, earlier } of rows) {
    const often = `${times > 1 ? `  given ${times} times` : ''}${earlier > 0 ? `  and ${earlier} before` : ''}`;
    const shown = (expired ? 'expired' : status).padEnd(10);
    const line = oneLine(text, Math.max(20, terminal.width - 44 - often.length));
    terminal.write(`${digest.slice(0, 12)}  ${createdAt.slice(0, 16).replace('T', ' ')}  ${shown}  ${line}${often}\n`);
  }
  if (rows.length < packages.length) terminal.say('`--text WORDS` lists every package of a question.\n');
}

/** The last package of each question that was put for one client, and how many before it had the same. */
function foldRepeats(packages: readonly Row[]): readonly (Row & { readonly earlier: number })[] {
  const last = new Map<string, Row & { readonly earlier: number }>();
  for (const each of packages) {
    const key = JSON.stringify([each.text, each.client, each.status, each.requester]);
    const shown = last.get(key);
    last.set(key, shown === undefined ? { ...each, earlier: 0 } : { ...shown, earlier: shown.earlier + 1 });
  }
  return [...last.values()];
}

function registerShow(group: Command, cli: Cli): void {
  const show = group
    .command('show')
    .description('what the agent was given, word for word')
    .argument('[name]', 'digest, package id, a prefix of either, last, or the file of a bundle', 'last');
  show.action(async (name: string) => {
    const options = optionsOf(show);
    const subject = subjectOf(cli, name);
    const [{ runOperation }, { packageShow }] = await load();
    const answer = await withSubjects(cli, options, NEEDS, [subject], (call) => runOperation(packageShow, subject, call));
    if (options.json) writeJson(cli, answer);
    else cli.terminal.write(answer.rendered.endsWith('\n') ? answer.rendered : `${answer.rendered}\n`);
    if (options.json !== true) sayProblems(cli, answer.problems, options);
  });
}

function registerBind(group: Command, cli: Cli): void {
  const bind = group
    .command('bind')
    .description('give it to a further attempt, as long as it may be used')
    .argument('[name]', 'digest, package id, a prefix of either, or last', 'last')
    .option('--attempt <name>', 'the run it is for; a retry is a new one')
    .option('--manifest <digest>', 'SHA-256 of what the run is made of: model, tools, settings');
  bind.action(async (name: string) => {
    const options = optionsOf<{ readonly attempt?: string; readonly manifest?: string }>(bind);
    const [{ withCall, runOperation }, { packageBind }] = await load();
    const { attempt, manifest } = options;
    const needs = { ...NEEDS, index: 'present' } as const;
    const answer = await withCall(cli, options, needs, (call) => runOperation(packageBind, { name, attempt, manifest }, call));
    if (options.json) return writeJson(cli, answer);
    cli.terminal.write(answer.rendered.endsWith('\n') ? answer.rendered : `${answer.rendered}\n`);
    if (options.quiet !== true) cli.terminal.say(`${answer.package}  ${answer.attempt}  usable until ${answer.expires}\n`);
  });
}

function registerExplain(group: Command, cli: Cli): void {
  const explain = group
    .command('explain')
    .description('what went in and why, what stayed out and why')
    .argument('[name]', 'digest, package id, a prefix of either, last, or the file of a bundle', 'last')
    .option('--html <file>', 'write one self-contained page; - is stdout');
  explain.action(async (name: string) => {
    const options = optionsOf<{ readonly html?: string }>(explain);
    const subject = subjectOf(cli, name);
    const [{ recordedAs }, { packageShow }] = await load();
    const { readSubject } = await import('../../../app/packages/subject.js');
    await withSubjects(cli, options, NEEDS, [subject], async (call) => {
      const wanted = { name: 'last', ...subject };
      if (options.json) {
        const answer = await recordedAs('package explain', wanted, call, () => packageShow.run(wanted, call));
        return writeJson(cli, { ...answer, schema: 'colophon/package-explain@1' });
      }
      const { entry, problems } = await recordedAs('package explain', wanted, call, async () => {
        const { entry: found, problems: told } = await readSubject(call, wanted);
        return { entry: found, digest: found.digest, items: found.body.items, problems: told };
      });
      sayProblems(cli, problems, options);
      if (options.html === undefined) {
        const { renderPackage } = await import('../render-package.js');
        return cli.terminal.write(await renderPackage(entry, cli));
      }
      const { explainHtml } = await import('../../../app/asking/explanation.js');
      const html = await explainHtml(entry, (command) => cli.pointed(`\`${command}\``).slice(1, -1));
      if (options.html === '-') return cli.terminal.write(html);
      const { writeWhole } = await import('../../../app/write-whole.js');
      await writeWhole(options.html, html);
      cli.terminal.say(`${options.html}\n`);
    });
  });
}
