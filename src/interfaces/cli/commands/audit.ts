/** colophon audit verify | query: is the log of questions and answers whole, and who did what. */
import type { Command } from 'commander';
import { Option } from 'commander';
import { AUDIT_OUTCOMES, type AuditOutcome } from '../../../app/audit/audit-record.js';
import type { auditQuery } from '../../../app/operations/audit.js';
import { counted } from '../../../kernel/counted.js';
import { type Cli, optionsOf, type RegisterCommand, writeJson } from '../cli.js';
import { EXIT } from '../exit-code.js';
import { inertLine } from '../inert.js';
import { wholeNumber } from '../scope-options.js';

const NEEDS = { defaultClient: 'terminal', index: 'untouched' } as const;
const load = () => Promise.all([import('../session.js'), import('../../../app/operations/audit.js')]);

export const auditCommand: RegisterCommand = (program, cli) => {
  const group = program.command('audit').description('the log of who asked what kind of thing, and what came of it: verify, query');
  group.action(() => group.outputHelp());
  registerVerify(group, cli);
  registerQuery(group, cli);
};

function registerVerify(group: Command, cli: Cli): void {
  const verify = group
    .command('verify')
    .description('whether it is whole; exit 1 names the first line that is not')
    .option('--expect <digest>', 'a digest noted earlier, elsewhere, whose line must still be there');
  verify.action(async () => {
    const options = optionsOf<{ readonly expect?: string }>(verify);
    const [{ withCall, runOperation }, { auditVerify }] = await load();
    const input = options.expect === undefined ? {} : { expect: options.expect };
    const answer = await withCall(cli, options, NEEDS, (call) => runOperation(auditVerify, input, call));
    cli.exit(answer.ok ? EXIT.answered : EXIT.findings);
    if (options.json) return writeJson(cli, answer);
    const { colors } = cli.terminal;
    for (const { kind, detail } of answer.findings) cli.terminal.write(`${colors.red(kind)}  ${inertLine(detail)}\n`);
    cli.terminal.write(`${counted(answer.lines, 'line')}, ${answer.ok ? 'whole' : 'not whole'}, head ${answer.head.digest}\n`);
  });
}

interface QueryOptions {
  readonly principal?: string;
  readonly inTenant?: string;
  readonly verb?: string;
  readonly outcome?: AuditOutcome;
  readonly request?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit?: number;
}

function registerQuery(group: Command, cli: Cli): void {
  const query = group
    .command('query')
    .description('lines of it, the last first')
    .option('--principal <name>', 'of this person or agent')
    .option('--in-tenant <name>', 'in this tenant')
    .option('--verb <verb>', 'of this verb')
    .addOption(new Option('--outcome <outcome>', 'that ended like this').choices([...AUDIT_OUTCOMES]))
    .option('--request <id>', 'of this request to a server')
    .option('--since <time>', 'from this day or time on, such as 2026-03-31 or 2026-03-31T14:00:00Z')
    .option('--until <time>', 'up to this time, or the end of this day')
    .option('-n, --limit <count>', 'how many (50)', wholeNumber);
  query.action(async () => {
    const options = optionsOf<QueryOptions>(query);
    const [{ withCall, runOperation }, { auditQuery: operation }] = await load();
    const { principal, inTenant: tenant, verb, outcome, request, since, until, limit } = options;
    const given = { principal, tenant, verb, outcome, request, since, until, limit };
    const input = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    const answer = await withCall(cli, options, NEEDS, (call) => runOperation(operation, input, call));
    cli.exit(answer.lines.length === 0 ? EXIT.findings : EXIT.answered);
    if (options.json) return writeJson(cli, answer);
    for (const line of answer.lines) cli.terminal.write(`${inertLine(lineOf(line))}\n`);
    const older = answer.matching - answer.lines.length;
    if (older > 0 && options.quiet !== true) {
      cli.terminal.say(`${counted(older, 'older line')} not shown: \`--limit\` shows more, \`--until\` begins earlier.\n`);
    }
  });
}

type Line = Awaited<ReturnType<typeof auditQuery.run>>['lines'][number];

function lineOf({ seq, at, surface, verb, outcome, code, principal, workload, tenant, purpose, artifacts }: Line): string {
  const what = code === undefined ? outcome : `${outcome} (${code})`;
  const given = artifacts === undefined ? '' : `  ${counted(artifacts.count, 'passage')}`;
  return `${seq}  ${at}  ${what.padEnd(8)}  ${surface} ${verb}  ${principal || '?'} by ${workload || '?'}  ${tenant}/${purpose}${given}`;
}
