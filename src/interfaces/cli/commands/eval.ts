/** colophon eval run --beir DIR */
import type { EvalAnswer } from '../../../app/operations/eval-run.js';
import { type Cli, type GlobalOptions, openProgress, optionsOf, type RegisterCommand, sayProblems, writeJson } from '../cli.js';
import { wholeNumber } from '../scope-options.js';
import type { Colors } from '../terminal.js';

interface EvalOptions {
  readonly beir: string;
  readonly split?: string;
  readonly run?: string;
  readonly config?: string;
  readonly cache?: string;
  readonly limitQueries?: number;
  readonly asOf?: string;
}

export const evalCommand: RegisterCommand = (program, cli) => {
  const group = program.command('eval').description('measure the pipeline on labelled questions');
  group.action(() => group.outputHelp());
  const command = group
    .command('run')
    .description('ranking and delivery on a set in BEIR layout, with confidence intervals')
    .requiredOption('--beir <folder>', 'corpus.jsonl, queries.jsonl, qrels/SPLIT.tsv; ignore.tsv and doc_meta.tsv if there')
    .option('--split <name>', 'which judgements (test)')
    .option('--run <file>', 'write the rankings in TREC format, 100 pages deep')
    .option('--config <file>', 'path globs → status and version (default: eval.yaml in the folder)')
    .option('--cache <folder>', 'keep the index of the set there for the next run')
    .option('--limit-queries <count>', 'only the first questions', wholeNumber)
    .option('--as-of <day>', 'the day the questions are asked on (2026-01-01)');
  command.action(async () => {
    const options = optionsOf<EvalOptions>(command);
    const answer = await measure(cli, options);
    if (options.json) return writeJson(cli, answer);
    cli.terminal.write(render(answer, cli.terminal.colors));
    sayProblems(cli, answer.problems, options);
  });
};

async function measure(cli: Cli, options: EvalOptions & GlobalOptions): Promise<EvalAnswer> {
  const [{ evalRun, evaluateFolder }, { checkInput }] = await Promise.all([
    import('../../../app/operations/eval-run.js'),
    import('../../../app/check-input.js'),
  ]);
  const { beir, split, run, config, cache, limitQueries, asOf } = options;
  const input = checkInput(evalRun, { beir, split, run, config, cache, limitQueries, asOf }, (field) => `--${field}`);
  const progress = openProgress(cli, options);
  try {
    return await evaluateFolder(input, { signal: cli.terminal.signal, progress: progress.report });
  } finally {
    progress.end();
  }
}

function render(answer: EvalAnswer, colors: Colors): string {
  const { corpus, latencyMs } = answer;
  const head = `${colors.bold(answer.set)} ${answer.split}: ${answer.queries} questions, ${corpus.indexed} of ${corpus.pages} pages, ${corpus.artifacts} passages`;
  const rules = answer.configuration.paths.map(
    ({ glob, status, version }) => `  ${glob} → ${[status, version].filter((each) => each !== undefined).join(', ')}`,
  );
  return [
    head,
    ...(rules.length === 0 ? [] : ['with', ...rules]),
    '',
    colors.bold('ranking, before floor and caps'),
    ...rows(answer.retrieval),
    '',
    colors.bold('delivered in a preamble'),
    ...rows(answer.delivered),
    '',
    colors.dim(`policy ${answer.policyVersion} ${answer.policyDigest.slice(0, 12)} · report ${answer.reportDigest.slice(0, 12)}`),
    colors.dim(
      `${latencyMs.p50} ms a ranking (p95 ${latencyMs.p95}), ${latencyMs.context.p50} ms a context (p95 ${latencyMs.context.p95})`,
    ),
    '',
  ].join('\n');
}

function rows({ metrics, ci95, counts }: EvalAnswer['retrieval']): string[] {
  return Object.entries(metrics).map(([name, value]) => {
    const [low = 0, high = 0] = ci95[name] ?? [];
    return `  ${name.padEnd(18)} ${figure(value)}  [${figure(low)}, ${figure(high)}]  over ${counts[name] ?? 0}`;
  });
}

function figure(value: number): string {
  return Math.abs(value) >= 10 ? value.toFixed(0) : value.toFixed(3);
}
