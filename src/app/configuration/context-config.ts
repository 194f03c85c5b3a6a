/**
 * `context:` and `governing:` of colophon.yaml: how packages are filled, and which clauses must stand in them.
 *
 * Invariant: shares that cannot all be kept, and rules for a source nobody declared, are refused with their key.
 */
import { z } from 'zod';
import { CONTEXT_CLASSES, CONTEXT_PROFILES, type ContextClass } from '../../domain/context-package.js';
import {
  type ContextPolicy,
  DEFAULT_CONTEXT_POLICY,
  GOVERNING_LEVELS,
  type GoverningRule,
  type ProfileBudget,
  profileTrouble,
} from '../../domain/context-policy.js';
import { Fault } from '../../kernel/errors.js';

const share = z.number().min(0).max(1);
const names = z.array(z.string().min(1)).min(1);
const classBudget = z.strictObject({
  floor: share.optional().describe('Share of the budget kept for the class while it has something to say.'),
  ceiling: share.optional().describe('Most it may take while another class has something to say.'),
});
const profile = z.strictObject({
  max_tokens: z.int().min(1).optional().describe('Ceiling in tokens.'),
  window_share: share.optional().describe('Ceiling as a share of the model’s window; the lower of the two counts.'),
  classes: z.strictObject(Object.fromEntries(CONTEXT_CLASSES.map((each) => [each, classBudget.optional()]))).optional(),
});

export const contextConfig = z
  .strictObject({
    version: z
      .string()
      .regex(/^[a-z0-9][a-z0-9._-]*@\d+$/, { error: '`name@version`, e.g. `ours@1`' })
      .describe('Names these numbers; change it with them.'),
    expiry_days: z.int().min(0).max(365).optional(),
    fact_coverage: share.optional().describe('Share of a required question’s information that a page must hold to answer it.'),
    preamble: profile.optional(),
    attempt: profile.optional(),
  })
  .describe('How packages are filled. What is not given is as built in.');

export const governingConfig = z
  .array(
    z.strictObject({
      source: z.string().min(1).describe('Id of the source.'),
      path: z.string().min(1).optional().describe('A page, or a folder ending in `/`; without it the whole source.'),
      clauses: names.optional().describe('Anchors of sections; without it those the page marks under `clauses`, else the whole page.'),
      level: z.enum(GOVERNING_LEVELS).describe('How far it reaches. Wider text wins; narrower may only tighten.'),
      purposes: names.optional(),
      tenants: names.optional(),
      profiles: z.array(z.enum(CONTEXT_PROFILES)).min(1).optional(),
      asked_sources: names.optional().describe('Only for requests that take in one of these sources.'),
    }),
  )
  .max(200)
  .describe('Clauses that must stand whole in every package they bind, or it is blocked.');

interface Configured {
  readonly context?: z.output<typeof contextConfig> | undefined;
  readonly governing?: z.output<typeof governingConfig> | undefined;
}

export function contextPolicyOf({ context, governing }: Configured, sources: readonly string[], file: string): ContextPolicy {
  const base = DEFAULT_CONTEXT_POLICY;
  const policy: ContextPolicy = {
    version: context?.version ?? base.version,
    profiles: {
      preamble: budgetOf(base.profiles.preamble, context?.preamble),
      attempt: budgetOf(base.profiles.attempt, context?.attempt),
    },
    expiryDays: context?.expiry_days ?? base.expiryDays,
    factCoverage: context?.fact_coverage ?? base.factCoverage,
    governing: (governing ?? []).map(ruleOf),
  };
  for (const name of CONTEXT_PROFILES) {
    const trouble = profileTrouble(policy.profiles[name]);
    if (trouble !== undefined)
      throw new Fault('config/invalid', { file, key: `context.${name}.classes`, expected: `other shares: ${trouble}` });
  }
  const odd = policy.governing.findIndex(({ source }) => !sources.includes(source));
  if (odd >= 0) {
    throw new Fault('config/invalid', { file, key: `governing[${odd}].source`, expected: `one of ${sources.join(', ')}` });
  }
  return policy;
}

function budgetOf(base: ProfileBudget, given: z.output<typeof profile> | undefined): ProfileBudget {
  const classOf = (name: ContextClass) => {
    const own = given?.classes?.[name];
    return { floor: own?.floor ?? base.classes[name].floor, ceiling: own?.ceiling ?? base.classes[name].ceiling };
  };
  return {
    maxTokens: given?.max_tokens ?? base.maxTokens,
    windowShare: given?.window_share ?? base.windowShare,
    classes: Object.fromEntries(CONTEXT_CLASSES.map((name) => [name, classOf(name)])) as ProfileBudget['classes'],
  };
}

function ruleOf({ asked_sources, ...given }: z.output<typeof governingConfig>[number]): GoverningRule {
  // Absent fields, not undefined ones: the policy has a digest.
  return JSON.parse(JSON.stringify({ ...given, askedSources: asked_sources })) as GoverningRule;
}

const budget = z.strictObject({ floor: share, ceiling: share });
const budgets = z.strictObject({
  maxTokens: z.number(),
  windowShare: z.number(),
  classes: z.strictObject(Object.fromEntries(CONTEXT_CLASSES.map((each) => [each, budget]))),
});
const recorded = z.strictObject({
  version: z.string(),
  profiles: z.strictObject({ preamble: budgets, attempt: budgets }),
  expiryDays: z.number(),
  factCoverage: z.number(),
  governing: z.array(
    z.strictObject({
      source: z.string(),
      path: z.string().optional(),
      clauses: z.array(z.string()).optional(),
      level: z.enum(GOVERNING_LEVELS),
      purposes: z.array(z.string()).optional(),
      tenants: z.array(z.string()).optional(),
      profiles: z.array(z.enum(CONTEXT_PROFILES)).optional(),
      askedSources: z.array(z.string()).optional(),
    }),
  ),
});

/** A policy that was written down with a package; undefined when it is none this program can go by. */
export function readContextPolicy(value: unknown): ContextPolicy | undefined {
  const parsed = recorded.safeParse(value);
  return parsed.success ? (JSON.parse(JSON.stringify(parsed.data)) as ContextPolicy) : undefined;
}
