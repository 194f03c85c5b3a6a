/** colophon eval label: mines questions, and asks a person at the keys about some of them. */
import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { weakKindSentence } from '../../../app/evaluation/words.js';
import type { LabelAnswer } from '../../../app/operations/eval-label.js';
import { type Cli, optionsOf, writeJson } from '../cli.js';
import { wholeNumber } from '../scope-options.js';
import { oneLine } from '../text-layout.js';

interface LabelOptions {
  readonly out: string;
  readonly show?: number;
}

export function registerLabel(group: Command, cli: Cli): void {
  const command = group
    .command('label')
    .description('make a labelled set from the links, commits, headings, old names and error messages of your own documents')
    .argument('[folder]', 'the library, or a folder of documents (here)')
    .requiredOption('--out <folder>', 'where the set goes, in BEIR layout')
    .option('--show <count>', 'show some of the questions; at a terminal each is accepted or rejected', wholeNumber);
  command.action(async (folder: string | undefined) => {
    const options = optionsOf<LabelOptions>(command);
    const [{ withCall, runOperation }, { evalLabel }] = await Promise.all([
      import('../session.js'),
      import('../../../app/operations/eval-label.js'),
    ]);
    const out = resolve(cli.terminal.cwd, options.out);
    const needs = { defaultClient: 'terminal', index: 'current', ...(folder === undefined ? {} : { folder }) } as const;
    const answer = await withCall(cli, options, needs, async (call) => {
      const first = await runOperation(evalLabel, { out, ...(options.show === undefined ? {} : { show: options.show }) }, call);
      if (options.json || first.samples.length === 0 || !isInteractive(cli)) return first;
      const { accept, reject } = await askAbout(cli, first.samples);
      return { ...(await runOperation(evalLabel, { out, accept, reject }, call)), samples: [] };
    });
    if (options.json) return writeJson(cli, answer);
    cli.terminal.write(render(cli, answer));
  });
}

function isInteractive(cli: Cli): boolean {
  return process.stdin.isTTY === true && cli.terminal.talkIsInteractive;
}

async function askAbout(cli: Cli, samples: LabelAnswer['samples']): Promise<{ accept: string[]; reject: string[] }> {
  const { terminal } = cli;
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  // Who closes the input has said enough; what was said before counts.
  const closed = new Promise<string>((enough) => reader.once('close', () => enough('q')));
  const accept: string[] = [];
  const reject: string[] = [];
  try {
    for (const [at, sample] of samples.entries()) {
      terminal.say(`\n${sampleText(cli, sample)}\n`);
      const prompt = `${at + 1}/${samples.length} does the page answer it? [y]es [n]o [s]kip [q]uit `;
      const said = (await Promise.race([reader.question(prompt, { signal: terminal.signal }), closed])).trim();
      if (/^q/i.test(said)) break;
      if (/^y/i.test(said)) accept.push(sample.id);
      else if (/^n/i.test(said)) reject.push(sample.id);
    }
  } finally {
    reader.close();
  }
  return { accept, reject };
}

function sampleText(
  { terminal: { talkColors: colors, width } }: Cli,
  { kind, text, pages, titles, where }: LabelAnswer['samples'][number],
): string {
  return [
    `  ${colors.bold(oneLine(text, width - 2))}`,
    ...pages.map((page, at) => `  → ${oneLine(`${page}  “${titles[at] ?? ''}”`, width - 4)}`),
    colors.dim(`  ${kind}, from ${oneLine(where, width - 20)}`),
  ].join('\n');
}

function render(cli: Cli, answer: LabelAnswer): string {
  const { colors, width } = cli.terminal;
  const { judged } = answer;
  const count = (value: number, what: string) => `  ${String(value).padStart(6)}  ${oneLine(what, width - 10)}`;
  const looked = judged.accepted + judged.rejected;
  const percent = (share: number) => `${Math.round(share * 100)} %`;
  return [
    `${colors.bold(String(answer.questions))} questions over ${answer.pages} pages: ${answer.dev} to try settings on (dev), ${answer.test} kept aside to see whether it holds (test)`,
    ...Object.entries(answer.kinds).flatMap(([kind, is]) => (is > 0 ? [count(is, `${kind}: ${weakKindSentence(kind)}`)] : [])),
    ...(Object.keys(answer.dropped).length === 0
      ? []
      : ['', colors.dim('left out, because'), ...Object.entries(answer.dropped).map(([reason, is]) => count(is, reason))]),
    '',
    judged.ci95 === null
      ? 'Nobody has looked at them yet: --show 20 shows some, and at a terminal asks you about each.'
      : `${judged.accepted} of ${looked} judged by a person are right: ${percent(judged.precision ?? 0)}, perhaps ${percent(judged.ci95[0])} to ${percent(judged.ci95[1])}.`,
    ...answer.samples.map((sample) => `\n${sampleText(cli, sample)}`),
    '',
    `In ${answer.out}. Measure with \`colophon eval run --beir ${answer.out} --split dev\`.`,
    '',
  ].join('\n');
}
