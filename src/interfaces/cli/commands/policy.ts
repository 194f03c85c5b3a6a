/** colophon policy check | test | explain: who may read what, as reviewed text. */
import type { Command } from 'commander';
import type { PolicyCheckAnswer, PolicyExplainAnswer } from '../../../app/operations/policy.js';
import { type Cli, optionsOf, type RegisterCommand, writeJson } from '../cli.js';
import { EXIT } from '../exit-code.js';
import { inertLine } from '../inert.js';

const NEEDS = { defaultClient: 'terminal', index: 'untouched' } as const;
const load = () => Promise.all([import('../session.js'), import('../../../app/operations/policy.js')]);

export const policyCommand: RegisterCommand = (program, cli) => {
  const group = program.command('policy').description('who may read what, as reviewed text: check, test, explain');
  group.action(() => group.outputHelp());
  registerCheck(group, cli);
  registerTest(group, cli);
  registerExplain(group, cli);
};

function registerCheck(group: Command, cli: Cli): void {
  const check = group.command('check').description('what is wrong with it, with file and line; exit 1 when anything is');
  check.action(async () => {
    const options = optionsOf(check);
    const [{ withUnreadPolicy, runOperation }, { policyCheck }] = await load();
    const answer = await withUnreadPolicy(cli, options, (call) => runOperation(policyCheck, {}, call));
    cli.exit(answer.ok ? EXIT.answered : EXIT.findings);
    if (options.json) return writeJson(cli, answer);
    cli.terminal.write(renderCheck(answer, cli));
  });
}

function renderCheck({ ok, version, findings }: PolicyCheckAnswer, { terminal: { colors } }: Cli): string {
  const lines = findings.map(({ severity, file, line, what }) => {
    const mark = severity === 'error' ? colors.red('error') : colors.yellow('warning');
    return `${mark} ${inertLine(`${file}${line === null ? '' : `:${line}`}: ${what}`)}`;
  });
  const sound = version === null ? 'The policy cannot be used.' : `policy ${version.slice(0, 16)}${ok ? ', sound' : ''}`;
  return `${[...lines, sound].join('\n')}\n`;
}

function registerTest(group: Command, cli: Cli): void {
  const test = group
    .command('test')
    .description('run the cases beside the policy; exit 1 when one fails')
    .argument('[file]', 'the cases; tests.yaml beside the policy when absent');
  test.action(async (file: string | undefined) => {
    const options = optionsOf(test);
    const [{ withCall, runOperation }, { policyTest }] = await load();
    const answer = await withCall(cli, options, NEEDS, (call) => runOperation(policyTest, { file }, call));
    cli.exit(answer.failed === 0 ? EXIT.answered : EXIT.findings);
    if (options.json) return writeJson(cli, answer);
    const { colors } = cli.terminal;
    for (const each of answer.cases.filter(({ passed }) => !passed)) {
      const place = inertLine(`${answer.file}${each.line === null ? '' : `:${each.line}`}: ${each.name}`);
      cli.terminal.write(`${colors.red('failed')} ${place}\n  expected ${each.expected}, got ${each.got}: ${inertLine(each.because)}\n`);
    }
    cli.terminal.write(`${answer.passed} passed, ${answer.failed} failed, policy ${answer.version.slice(0, 16)}\n`);
  });
}

interface ExplainOptions {
  readonly source?: string;
  readonly via?: string;
  readonly at?: string;
  readonly inTenant?: string;
  readonly for?: string;
  readonly upTo?: 'public' | 'internal' | 'confidential' | 'restricted';
  readonly through?: string;
}

function registerExplain(group: Command, cli: Cli): void {
  const explain = group
    .command('explain')
    .description('why a principal may read a page, or may not: rule by rule')
    .argument('<principal>', 'person:name or agent:name')
    .argument('<page>', 'source:path')
    .option('--via <principal>', 'who asks on their behalf; the identity of this library unless said')
    .option('--in-tenant <tenant>', 'the tenant of the request; the first they hold when absent')
    .option('--for <purpose>', 'the purpose of the request; the first they hold when absent')
    .option('--up-to <classification>', 'the ceiling of the request')
    .option('--through <client>', 'the client the answer goes to; terminal when absent')
    .option('--at <time>', 'at this day or time instead of now');
  explain.action(async (principal: string, page: string) => {
    const options = optionsOf<ExplainOptions>(explain);
    const [{ withCall, runOperation }, { policyExplain }] = await load();
    const { via, inTenant: tenant, for: purpose, upTo: ceiling, through: client, critical, at } = options;
    const answer = await withCall(cli, options, NEEDS, (call) => {
      const { source, path } = placed(
        page,
        call.library.config.sources.map(({ id }) => id),
      );
      return runOperation(policyExplain, { principal, source, path, via, tenant, purpose, ceiling, client, critical, at }, call);
    });
    cli.exit(answer.allowed ? EXIT.answered : EXIT.findings);
    if (options.json) return writeJson(cli, answer);
    cli.terminal.write(renderExplain(answer, cli));
  });
}

/** `source:path`; the source may be left out where there is one. */
function placed(page: string, sources: readonly string[]): { readonly source: string; readonly path: string } {
  const colon = page.indexOf(':');
  const named = colon > 0 && sources.includes(page.slice(0, colon));
  return named ? { source: page.slice(0, colon), path: page.slice(colon + 1) } : { source: sources[0] ?? '', path: page };
}

function renderExplain(
  { allowed, principal, via, source, path, steps, version, from }: PolicyExplainAnswer,
  { terminal: { colors } }: Cli,
): string {
  const verdict = allowed ? colors.green('may read') : colors.red('may not read');
  const asker = via === null ? '' : `, asked for by ${inertLine(via)}`;
  const head = `${inertLine(principal)} ${verdict} ${inertLine(`${source}:${path}`)}${asker}`;
  const mark = (holds: boolean) => (holds ? colors.green('holds') : colors.red('fails'));
  const rows = steps.map(({ rule, holds, because }) => `  ${mark(holds)}  ${rule.padEnd(20)} ${inertLine(because)}`);
  const told = from === 'rules' ? ['  There is no such page now; this is what the rules of its folder say.'] : [];
  return `${[head, ...rows, ...told, `  policy ${version.slice(0, 16)}`].join('\n')}\n`;
}
