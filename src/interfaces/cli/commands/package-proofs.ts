/** colophon package verify | check | diff | export | replay */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { PackageVerifyAnswer } from '../../../app/operations/package-verify.js';
import { counted } from '../../../kernel/counted.js';
import { Fault } from '../../../kernel/errors.js';
import { subjectOf, withSubjects } from '../bundle-files.js';
import { type Cli, type GlobalOptions, optionsOf, sayProblems, writeJson } from '../cli.js';
import { EXIT } from '../exit-code.js';
import { onlyOwnSequences } from '../inert.js';
import { repeated } from '../scope-options.js';
import { oneLine } from '../text-layout.js';

const NEEDS = { defaultClient: 'terminal', index: 'untouched' } as const;
const INDEXED = { defaultClient: 'terminal', index: 'present' } as const;
const ANY = 'digest, package id, a prefix of either, last, or the file of a bundle';

const load = () =>
  Promise.all([
    import('../session.js'),
    import('../../../app/operations/package-verify.js'),
    import('../../../app/operations/package-export.js'),
  ]);

export function registerProofs(group: Command, cli: Cli): void {
  registerVerify(group, cli);
  registerCheck(group, cli);
  registerDiff(group, cli);
  registerReplay(group, cli);
  registerExport(group, cli);
}

function registerVerify(group: Command, cli: Cli): void {
  const verify = group
    .command('verify')
    .description('prove that it is unaltered, and see which sources still say it')
    .argument('[name]', ANY, 'last');
  verify.action(async (name: string) => {
    const options = optionsOf(verify);
    const subject = subjectOf(cli, name);
    const [{ runOperation }, { packageVerify }] = await load();
    const answer = await withSubjects(cli, options, INDEXED, [subject], (call) => runOperation(packageVerify, subject, call));
    const unsaid = answer.items.some(({ said }) => said === 'changed' || said === 'gone');
    cli.exit(answer.ok && !unsaid ? EXIT.answered : EXIT.findings);
    if (options.json) return writeJson(cli, answer);
    const { colors, width } = cli.terminal;
    cli.terminal.write(
      answer.ok ? `${colors.green('unaltered')}  ${answer.digest}\n` : `${colors.red('altered')}  ${answer.digest}  ${answer.reason}\n`,
    );
    sayProblems(cli, answer.problems, options);
    if (subject.bundle !== undefined) return;
    const { held, absent } = answer.citations;
    cli.terminal.write(
      `${held} of ${counted(held + absent.length, 'passage')} ${held === 1 ? 'is' : 'are'} still in the library as cited\n`,
    );
    const where = new Map(answer.items.map((each) => [each.artifact, passageNamed(each, width - 40)]));
    for (const each of absent) cli.terminal.write(`  changed or gone: ${where.get(each.artifact) ?? oneLine(each.path, width - 20)}\n`);
    for (const { said, artifact } of answer.items)
      if (said !== null && said !== 'as-cited') cli.terminal.write(`  source ${SAID_TEXT[said]}: ${where.get(artifact)}\n`);
  });
}

/** A page may have several passages in a package. */
function passageNamed({ position, source, path, lines }: PackageVerifyAnswer['items'][number], columns: number): string {
  const range = lines === null ? '' : `:${lines.start}${lines.end === lines.start ? '' : `-${lines.end}`}`;
  return `item ${position + 1}, ${oneLine(`${source} ${path}`, columns)}${range}`;
}

const SAID_TEXT = {
  'as-cited': 'says it as cited',
  'still-says': 'was edited and says it still',
  changed: 'does not say it any more',
  altered: 'never said it',
  gone: 'has no such page',
  unreachable: 'cannot be read',
} as const;

function registerCheck(group: Command, cli: Cli): void {
  const check = group
    .command('check')
    .description('whether it may still be used, with reasons')
    .argument('[name]', 'digest, package id, a prefix of either, or last', 'last');
  check.action(async (name: string) => {
    const options = optionsOf(check);
    const [{ withCall, runOperation }, { packageCheck }] = await load();
    const answer = await withCall(cli, options, INDEXED, (call) => runOperation(packageCheck, { name }, call));
    cli.exit(answer.verdict === 'fresh' ? EXIT.answered : answer.verdict === 'stale' ? EXIT.findings : EXIT.denied);
    if (options.json) return writeJson(cli, answer);
    const { colors, width } = cli.terminal;
    const paint = { fresh: colors.green, stale: colors.yellow, unusable: colors.red }[answer.verdict];
    cli.terminal.write(`${paint(answer.verdict)}  ${answer.digest}${answer.expires === '' ? '' : `  until ${answer.expires}`}\n`);
    for (const { weight, path, detail } of answer.reasons)
      cli.terminal.write(`  ${weight.padEnd(6)}  ${oneLine(path === '' ? detail : `${path}: ${detail}`, width - 12)}\n`);
  });
}

function registerDiff(group: Command, cli: Cli): void {
  const diff = group
    .command('diff')
    .description('what differs between two, and which change caused it')
    .argument('<before>', ANY)
    .argument('[after]', ANY, 'last');
  diff.action((before: string, after: string) => diffAndShow(cli, optionsOf(diff), before, after));
}

export async function diffAndShow(cli: Cli, options: GlobalOptions, before: string, after: string): Promise<void> {
  const a = subjectOf(cli, before);
  const b = subjectOf(cli, after);
  const [{ runOperation }, { packageDiff }] = await load();
  const request = { before: a.name ?? 'bundle', after: b.name ?? 'bundle', beforeBundle: a.bundle, afterBundle: b.bundle };
  const answer = await withSubjects(cli, options, NEEDS, [a, b], (call) => runOperation(packageDiff, request, call));
  cli.exit(answer.same ? EXIT.answered : EXIT.findings);
  if (options.json) return writeJson(cli, answer);
  showDiff(cli, answer);
  sayProblems(cli, answer.problems, options);
}

type Diff = Pick<
  Awaited<ReturnType<typeof import('../../../app/operations/package-verify.js').packageDiff.run>>,
  'axes' | 'items' | 'status' | 'gaps'
> & {
  readonly same?: boolean;
};

const MARKS = { in: '+', out: '-', moved: '↕', changed: '~' } as const;

function showDiff(cli: Cli, { axes, items, status, gaps, same }: Diff): void {
  const { terminal } = cli;
  const { colors, width } = terminal;
  if (same === true) {
    terminal.write('the same package\n');
    return;
  }
  const paint = { in: colors.green, out: colors.red, moved: colors.yellow, changed: colors.yellow } as const;
  if (status.before !== status.after) terminal.write(`${status.before} became ${status.after}\n`);
  for (const { detail } of axes) terminal.write(`${colors.dim(oneLine(detail, width))}\n`);
  for (const { causes, items: alike } of byCauses(items)) {
    for (const { change, path, headingPath } of alike) {
      const heading = headingPath.length === 0 ? '' : ` › ${headingPath.join(' › ')}`;
      terminal.write(`${paint[change](MARKS[change])} ${oneLine(`${path}${heading}`, width - 2)}\n`);
    }
    const all = alike.length > 1 ? `all ${alike.length}: ` : '';
    for (const { kind, certain, detail } of causes)
      terminal.write(`    ${oneLine(`${all}${certain ? '' : 'perhaps '}${kind}: ${detail}`, width - 4)}\n`);
  }
  for (const gap of gaps.added) terminal.write(`+ gap: ${oneLine(gap, width - 7)}\n`);
  for (const gap of gaps.removed) terminal.write(`- gap: ${oneLine(gap, width - 7)}\n`);
}

/** What changed for the same reasons stands together, and the reasons are said once. */
function byCauses(items: Diff['items']): readonly { readonly causes: Diff['items'][number]['causes']; readonly items: Diff['items'] }[] {
  const groups = new Map<string, Diff['items'][number][]>();
  for (const item of items) {
    const key = JSON.stringify(item.causes);
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return [...groups.values()].map((alike) => ({ causes: alike[0]?.causes ?? [], items: alike }));
}

function registerReplay(group: Command, cli: Cli): void {
  const replay = group
    .command('replay')
    .description('compile it again from its recorded versions, and compare digests')
    .argument('[name]', ANY, 'last')
    .option('--source <id=folder>', 'where a source is here; repeatable', repeated);
  replay.action(async (name: string) => {
    const options = optionsOf<{ readonly source?: string[] }>(replay);
    const subject = subjectOf(cli, name);
    const source = options.source?.map((each) => fromHere(cli, each));
    const [{ runOperation }, , { packageReplay }] = await load();
    const answer = await withSubjects(cli, options, NEEDS, [subject], (call) => runOperation(packageReplay, { ...subject, source }, call));
    cli.exit(answer.verdict === 'same' ? EXIT.answered : EXIT.findings);
    if (options.json) return writeJson(cli, answer);
    const { colors, width } = cli.terminal;
    const paint = { same: colors.green, different: colors.red, impossible: colors.red }[answer.verdict];
    cli.terminal.write(`${paint(answer.verdict)}  ${answer.digest}\n`);
    if (answer.verdict === 'different') cli.terminal.write(`came out as ${answer.replayed}\n`);
    cli.terminal.write(`${answer.items.same} of ${counted(answer.items.of, 'passage')} came out again\n`);
    for (const { kind, detail } of answer.gaps) cli.terminal.write(`  missing ${kind}: ${oneLine(detail, width - 20)}\n`);
    if (answer.diff !== undefined) showDiff(cli, answer.diff);
    sayProblems(cli, answer.problems, options);
  });
}

/** A folder written from where the command is typed. */
function fromHere(cli: Cli, written: string): string {
  const at = written.indexOf('=');
  return at < 1 || at === written.length - 1 ? written : `${written.slice(0, at)}=${resolve(cli.terminal.cwd, written.slice(at + 1))}`;
}

/** Every byte counts: what the terminal would not be given as it is goes into a file. */
function printable(text: string): string {
  if (onlyOwnSequences(text) === text) return text;
  throw new Fault('input/invalid', { field: '--out', expected: 'a file: this package holds characters that are not for a terminal' });
}

function registerExport(group: Command, cli: Cli): void {
  const exporting = group
    .command('export')
    .description('take it along: a bundle to verify and replay elsewhere, or a bill of materials without the text')
    .argument('[name]', ANY, 'last')
    .option('--bill', 'the bill of materials: every item, version, hash and reason')
    .option('--out <file>', 'write it to this file instead of stdout');
  exporting.action(async (name: string) => {
    const options = optionsOf<{ readonly bill?: true; readonly out?: string }>(exporting);
    const subject = subjectOf(cli, name);
    const [{ runOperation }, , { packageExport }] = await load();
    const as = options.bill ? ('bill-of-materials' as const) : ('bundle' as const);
    const answer = await withSubjects(cli, options, NEEDS, [subject], (call) => runOperation(packageExport, { ...subject, as }, call));
    if (options.out !== undefined) {
      const { writeWhole } = await import('../../../app/write-whole.js');
      await writeWhole(resolve(cli.terminal.cwd, options.out), answer.text);
    }
    if (options.json) writeJson(cli, answer);
    else if (options.out === undefined) cli.terminal.write(printable(answer.text));
    else cli.terminal.say(`${options.out}\n`);
    if (options.json || options.quiet === true) return;
    if (as === 'bundle' && !answer.replayable) cli.terminal.say('without a recording: it can be verified, and not replayed\n');
    for (const gap of answer.gaps) cli.terminal.say(`not recorded: ${oneLine(gap, cli.terminal.width - 14)}\n`);
  });
}
