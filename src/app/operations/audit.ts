/** audit verify, query: is the log of what was asked and answered whole, and who did what. */
import { z } from 'zod';
import { parseDay } from '../../kernel/clock.js';
import { requireSecurityPerson } from '../access/security-person.js';
import { AUDIT_OUTCOMES, type AuditLine } from '../audit/audit-record.js';
import { AUDIT_FINDINGS, auditLines, verifyAudit } from '../audit/verify-audit.js';
import { operation } from './catalogue.js';
import { answer } from './wire.js';

export const auditVerify = operation({
  name: 'audit verify',
  summary: 'Whether the audit log is whole: what was changed, taken out, moved or cut off is named by its line.',
  authority: 'operate',
  surfaces: ['cli'],
  input: z.object({
    expect: z
      .string()
      .regex(/^[0-9a-f]{64}$/, { error: () => 'a digest that an earlier `audit verify` gave' })
      .optional()
      .describe('A digest noted earlier, elsewhere: the log must still contain its line.'),
  }),
  output: answer('audit-verify', {
    ok: z.boolean(),
    lines: z.int(),
    head: z.object({ seq: z.int(), digest: z.string() }),
    findings: z.array(z.object({ kind: z.enum(AUDIT_FINDINGS), line: z.int(), detail: z.string() })),
  }),
  async run({ expect }, call) {
    requireSecurityPerson(call, 'To read the audit log');
    const verdict = await verifyAudit(call.library.config.stateFolder, {
      signal: call.signal,
      ...(expect === undefined ? {} : { expect }),
    });
    return {
      schema: 'colophon/audit-verify@1' as const,
      problems: [],
      ...verdict,
      head: { ...verdict.head },
      findings: verdict.findings.map((each) => ({ ...each })),
    };
  },
});

const line = z.object({
  seq: z.int(),
  at: z.string(),
  surface: z.string(),
  verb: z.string(),
  outcome: z.enum(AUDIT_OUTCOMES),
  code: z.string().optional(),
  principal: z.string(),
  workload: z.string(),
  tenant: z.string(),
  purpose: z.string(),
  policy: z.string(),
  artifacts: z.object({ count: z.int(), digest: z.string() }).optional(),
  package: z.string().optional(),
  query: z.string().optional(),
  request: z.string().optional(),
});

const TIME = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;
const DAY_MS = 86_400_000;

/** The first millisecond it names. */
function startOf(text: string): number | undefined {
  const day = parseDay(text.slice(0, 10));
  const at = TIME.test(text) && day !== undefined ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

/** The last millisecond it names: a day lasts until midnight. */
function endOf(text: string): number | undefined {
  const at = startOf(text);
  return at === undefined || text.length > 10 ? at : at + DAY_MS - 1;
}

const time = z
  .string()
  .refine((text) => startOf(text) !== undefined, { error: () => 'a day or a time, such as 2026-03-31 or 2026-03-31T14:00:00Z' });

export const auditQuery = operation({
  name: 'audit query',
  summary: 'Lines of the audit log, the last first: who asked what kind of thing, and what came of it. Never what was read.',
  authority: 'operate',
  surfaces: ['cli'],
  input: z.object({
    principal: z.string().min(1).optional(),
    tenant: z.string().min(1).optional(),
    verb: z.string().min(1).optional(),
    outcome: z.enum(AUDIT_OUTCOMES).optional(),
    request: z.string().min(1).optional().describe('The id of one request, as its answer carried it.'),
    since: time.optional().describe('From this day (UTC) or time on.'),
    until: time.optional().describe('Up to the end of this day (UTC), or up to this time.'),
    limit: z.int().min(1).max(10_000).default(50),
  }),
  output: answer('audit-query', { lines: z.array(line), matching: z.int() }),
  async run({ since, until, limit, ...wanted }, call) {
    requireSecurityPerson(call, 'To read the audit log');
    const [first, last] = [since === undefined ? undefined : startOf(since), until === undefined ? undefined : endOf(until)];
    const kept: AuditLine[] = [];
    let matching = 0;
    for await (const each of auditLines(call.library.config.stateFolder, call.signal)) {
      const at = Date.parse(each.at);
      if (!matches(each, wanted) || (first !== undefined && at < first) || (last !== undefined && at > last)) continue;
      matching += 1;
      kept.push(each);
      if (kept.length > limit) kept.shift();
    }
    const lines = kept.reverse().map(({ prev: _prev, after: _after, ...shown }) => line.parse(shown));
    return { schema: 'colophon/audit-query@1' as const, problems: [], lines, matching };
  },
});

type Wanted = { readonly [K in 'principal' | 'tenant' | 'verb' | 'outcome' | 'request']?: AuditLine[K] | undefined };

function matches(each: AuditLine, wanted: Wanted): boolean {
  return (['principal', 'tenant', 'verb', 'outcome', 'request'] as const).every(
    (field) => wanted[field] === undefined || each[field] === wanted[field],
  );
}
