/**
 * policy check, test, explain: is the policy sound, does it decide what it should, and why does it decide as it does?
 *
 * Invariant: an explanation says what a requester must not learn, so only who answers for every source is given one.
 */
import { z } from 'zod';
import { CLASSIFICATIONS } from '../../domain/classification.js';
import { DENIALS } from '../../domain/eligibility.js';
import { isWithheld } from '../../domain/withheld.js';
import { Fault } from '../../kernel/errors.js';
import { answersForAll } from '../answers-for-all.js';
import { instantIn } from '../policy/instant-in.js';
import { heldOf } from '../registry/page-signs.js';
import { operation } from './catalogue.js';
import { answer } from './wire.js';

/** An order about the page is beside the policy: a test of the policy knows of none. */
const RULES = [...DENIALS, 'not-held', 'page-withheld'] as const;
const count = z.int().nonnegative();

const checked = answer('policy-check', {
  ok: z.boolean(),
  version: z.string().nullable().describe('Digest of what the policy says; null when it cannot be used.'),
  findings: z.array(
    z.object({ severity: z.enum(['error', 'warning']), file: z.string(), line: z.int().positive().nullable(), what: z.string() }),
  ),
});
export type PolicyCheckAnswer = z.output<typeof checked>;

export const policyCheck = operation({
  name: 'policy check',
  summary: 'What is wrong with the policy: keys, names that lead nowhere, rules that can never count, with file and line.',
  authority: 'operate',
  surfaces: ['cli'],
  input: z.object({}),
  output: checked,
  async run(_, { library, ask }) {
    const { checkPolicy } = await import('../policy/check-policy.js');
    const { findings, version } = await checkPolicy(library.config, ask.at);
    return {
      schema: 'colophon/policy-check@1' as const,
      problems: [],
      ok: findings.every(({ severity }) => severity !== 'error'),
      version: version ?? null,
      findings: findings.map(({ line, ...rest }) => ({ ...rest, line: line ?? null })),
    };
  },
});

const tested = answer('policy-test', {
  file: z.string(),
  version: z.string(),
  passed: count,
  failed: count,
  cases: z.array(
    z.object({
      name: z.string(),
      line: z.int().positive().nullable(),
      passed: z.boolean(),
      expected: z.string(),
      got: z.string(),
      because: z.string(),
    }),
  ),
});
export type PolicyTestAnswer = z.output<typeof tested>;

export const policyTest = operation({
  name: 'policy test',
  summary: 'Run the cases that stand beside the policy: who may read what, and who may not, and why.',
  authority: 'operate',
  surfaces: ['cli'],
  input: z.object({ file: z.string().min(1).optional().describe('`tests.yaml` beside the policy unless said.') }),
  output: tested,
  async run(request, { library, ask, signal }) {
    const { config } = library;
    const [{ runPolicyTests }, { policyTestsFile }, { policyOf }] = await Promise.all([
      import('../policy/run-tests.js'),
      import('../policy/policy-files.js'),
      import('../policy/resolve-policy.js'),
    ]);
    const file = request.file ?? policyTestsFile(config.policyPlace?.path ?? `${config.root}/contracts/policy`);
    const cases = await runPolicyTests(library, file, ask.at, signal);
    return {
      schema: 'colophon/policy-test@1' as const,
      problems: [],
      file,
      version: policyOf(config).version,
      passed: cases.filter(({ passed }) => passed).length,
      failed: cases.filter(({ passed }) => !passed).length,
      cases: cases.map(({ line, ...rest }) => ({ ...rest, line: line ?? null })),
    };
  },
});

const explained = answer('policy-explain', {
  allowed: z.boolean(),
  denial: z.enum(RULES).nullable(),
  version: z.string(),
  principal: z.string(),
  via: z.string().nullable().describe('Who asks on its behalf: the identity of this library unless it is the principal itself.'),
  source: z.string(),
  path: z.string(),
  from: z.enum(['page', 'rules']).describe('`rules`: there is no such page; the rules of its folder were asked.'),
  compartment: z.object({
    tenants: z.array(z.string()),
    permissionsRef: z.string(),
    classification: z.enum(CLASSIFICATIONS),
    purposes: z.array(z.string()),
    egress: z.string(),
  }),
  steps: z.array(z.object({ rule: z.enum(RULES), holds: z.boolean(), because: z.string() })),
});
export type PolicyExplainAnswer = z.output<typeof explained>;

export const policyExplain = operation({
  name: 'policy explain',
  summary: 'Why a principal may read a page, or may not: rule by rule, for who answers for every source.',
  authority: 'operate',
  surfaces: ['cli'],
  input: z.object({
    principal: z.string().min(1),
    via: z
      .string()
      .min(1)
      .optional()
      .describe('Who asks on its behalf; the identity of this library unless said. The principal: it asks by itself.'),
    source: z.string().min(1),
    path: z.string().min(1),
    tenant: z.string().optional(),
    purpose: z.string().optional(),
    ceiling: z.enum(CLASSIFICATIONS).optional(),
    client: z.string().optional(),
    critical: z.boolean().default(false).describe('As a freshness-critical request.'),
    at: z.string().optional().describe('At this time instead of now.'),
  }),
  output: explained,
  async run(request, call) {
    if (!answersForAll(call)) throw new Fault('access/denied', { asked: 'An explanation of the policy' });
    const { library, signal } = call;
    const { config, records } = library;
    const at = request.at === undefined ? call.ask.at : instantIn(request.at);
    if (at === undefined)
      throw new Fault('input/invalid', { field: '--at', expected: 'a day or a time in UTC, such as 2026-12-31T18:00:00Z' });
    const [{ filedPage }, { placeOf }, { asks, decide }, { policyOf }] = await Promise.all([
      import('../policy/page-compartment.js'),
      import('../registry/page-place.js'),
      import('../policy/decide.js'),
      import('../policy/resolve-policy.js'),
    ]);
    const { source: inSource, path: written, critical, at: _, ...who } = request;
    const { source, path } = await placeOf(call, { source: inSource, path: written });
    const { compartment, from } = await filedPage(library, source, path, signal);
    const standing = (await records.registry.standings()).find(({ id }) => id === source);
    const asker = request.via ?? config.identity.principal;
    const here = request.via === undefined ? { here: true as const } : {};
    const ask = asks(config, { ...defined(who), ...here, principal: request.principal, via: asker, freshnessCritical: critical }, at);
    const via = asker === request.principal ? undefined : asker;
    const { allowed, denial, steps } = decide(config, ask, { compartment, source: standing }, via);
    const blob = (await heldOf(call, { source, path }))?.blob ?? '';
    const kept = isWithheld(standing?.withheld ?? [], { source, path, blob });
    const because = kept ? 'an order keeps it from everybody: `colophon page history` tells which' : 'no order keeps it back';
    const { tenants, permissionsRef, classification, purposes, egress } = compartment;
    return {
      schema: 'colophon/policy-explain@1' as const,
      problems: [],
      allowed: allowed && !kept,
      denial: denial ?? (kept ? ('page-withheld' as const) : null),
      version: policyOf(config).version,
      principal: request.principal,
      via: via ?? null,
      source,
      path,
      from,
      compartment: { tenants: [...tenants], permissionsRef, classification, purposes: [...purposes], egress },
      steps: [...steps, { rule: 'page-withheld' as const, holds: !kept, because }],
    };
  },
});

/** Without the fields that were not given. */
function defined<T extends object>(given: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
