/** context: what an agent should be told about a question, within its token ceiling, frozen and stored. */
import { z } from 'zod';
import { CONTEXT_CLASSES, type ContextPackage, EXCLUSIONS } from '../../domain/context-package.js';
import type { ModelProfile } from '../../domain/model-profile.js';
import { type AttemptOf, packageId } from '../../domain/package-id.js';
import type { Problem } from '../../domain/problem.js';
import { FACT_KINDS, type RequiredFact } from '../../domain/required-material.js';
import { Fault } from '../../kernel/errors.js';
import type { CompiledPackage } from '../asking/compile-package.js';
import { factsOf, requestInput, suppliedOf } from '../asking/context-request.js';
import { compileLive } from '../asking/live-resolution.js';
import { attemptInput, attemptOf, bindPackage, refuseOtherManifest } from '../attempts/attempts.js';
import { maskSecrets } from '../mask-secrets.js';
import { bindingOf } from '../packages/annex.js';
import { isUnwritable } from '../state-folder.js';
import { type Call, operation } from './catalogue.js';
import { scopeOf } from './scope.js';
import { answer, distinct, duplicate, labels, lines, scopeInput, tier } from './wire.js';

const input = z.object({
  query: z.string().min(1).describe('The task or question the agent works on.'),
  budget: z.int().min(1).max(200_000).optional().describe('Token ceiling, at most the model’s own.'),
  model: z.string().optional(),
  ...requestInput,
  ...attemptInput,
  ...scopeInput,
});

// Made when somebody asks for it: a person's question does not.
const output = z.lazy(() =>
  answer('context', {
    status: z.enum(['frozen', 'no_context', 'blocked']),
    reason: z.string(),
    digest: z.string(),
    budget: z.object({
      ceiling: z.int(),
      used: z.int(),
      classes: z.record(z.string(), z.object({ granted: z.int(), used: z.int() })),
    }),
    items: z.array(
      z.object({
        position: z.int(),
        class: z.enum(CONTEXT_CLASSES),
        artifact: z.string(),
        source: z.string(),
        path: z.string(),
        version: z.object({ blob: z.string() }),
        title: z.string(),
        headingPath: z.array(z.string()),
        anchor: z.string(),
        lines,
        excerpt: z.string(),
        tokens: z.int(),
        tier,
        labels,
        duplicates: z.array(duplicate),
        reason: z.string(),
        provenance: z.object({ origin: z.string(), at: z.string().optional(), digest: z.string().optional() }).optional(),
      }),
    ),
    excluded: z.array(
      z.object({
        artifact: z.string(),
        source: z.string(),
        path: z.string(),
        title: z.string(),
        reason: z.enum(EXCLUSIONS),
        detail: z.string(),
      }),
    ),
    gaps: z.array(z.string()),
    facts: z
      .array(
        z.object({
          kind: z.enum(FACT_KINDS),
          fact: z.string(),
          status: z.enum(['resolved', 'missing']),
          items: z.array(z.string()),
          detail: z.string(),
          owner: z.string().optional(),
        }),
      )
      .optional(),
    live: z.object({ read: z.int(), changed: z.array(z.object({ source: z.string(), path: z.string() })) }).optional(),
    conflicts: z.array(z.object({ artifacts: z.array(z.string()), reason: z.string() })),
    taint: z.boolean(),
    expires: z.string(),
    package: z.string(),
    attempt: z.string(),
    rendered: z.string(),
  }),
);
export type ContextAnswer = z.output<typeof output>;

export const context = operation({
  name: 'context',
  summary: 'What the library says about a task: a budgeted, cited set of passages, with what was left out and why. Start here.',
  authority: 'read',
  surfaces: ['cli', 'mcp', 'http', 'library'],
  input,
  output,
  async run(typed, call) {
    // A package is kept: a key that somebody pasted into the question must not be.
    const query = await maskSecrets(typed.query, call.library.scanner);
    const attempt = attemptOf(typed);
    if (typed.attempt !== undefined) await refuseOtherManifest(call, attempt);
    const isPerson = PERSON_SURFACES.has(call.ask.requester.workload);
    const { profile, consequential } = typed;
    const model = await modelFor(call, typed.model);
    const made = await compileLive(call, {
      text: query,
      scope: scopeOf(typed),
      model,
      ranking: call.library.config.ranking,
      ...(typed.budget === undefined ? {} : { ceilingTokens: typed.budget }),
      mayRaiseCeiling: isPerson,
      ...(call.library.config.context === undefined ? {} : { policy: call.library.config.context }),
      ...(profile === undefined ? {} : { profile }),
      ...(consequential === undefined ? {} : { consequential }),
      facts: await maskedFacts(call, factsOf(typed.facts ?? [])),
      supplied: await suppliedOf(typed.items ?? [], call, isPerson),
    });
    try {
      const { package: entry, rendered } = made.compiled;
      const unstored = await store(call, made, { model, attempt, named: typed.attempt !== undefined });
      return {
        schema: 'colophon/context@1' as const,
        problems: distinct([...made.problems, ...unstored]),
        ...wireOf(entry),
        ...(made.live === undefined ? {} : { live: { read: made.live.read, changed: made.live.changed.map((each) => ({ ...each })) } }),
        package: packageId(entry.digest, attempt),
        attempt: attempt.attempt,
        rendered,
      };
    } finally {
      await made.asked.snapshot.close();
    }
  },
});

async function maskedFacts({ library }: Call, facts: readonly RequiredFact[]): Promise<readonly RequiredFact[]> {
  return Promise.all(facts.map(async ({ kind, text }) => ({ kind, text: await maskSecrets(text, library.scanner) })));
}

interface Kept {
  readonly model: ModelProfile;
  readonly attempt: AttemptOf;
  /** By the caller. */
  readonly named: boolean;
}

/** Where the state cannot be written the answer is given all the same, and says that nobody can look it up later. */
async function store(call: Call, { asked, compiled }: CompiledPackage, kept: Kept): Promise<readonly Problem[]> {
  try {
    const { manifest } = asked.snapshot;
    const { checkpoints, standings } = asked;
    const { model, attempt, named } = kept;
    const binding = bindingOf(attempt, call.ask.at, { config: call.library.config, model, manifest, checkpoints, standings });
    await bindPackage(call, compiled.package, binding, named);
    return [];
  } catch (error) {
    if (!(error instanceof Fault) || !isUnwritable(error)) throw error;
    const message = 'This package was not stored: the library state cannot be written. `why` and `package` will not find it.';
    return [{ code: 'package/not-stored', severity: 'warning', source: '', path: '', message, hint: error.hint }];
  }
}

/** Where a person is at the keys; an agent or a hook stays under the model’s own ceiling. */
const PERSON_SURFACES: ReadonlySet<string> = new Set(['workload://colophon/cli', 'workload://colophon/library']);

const MODEL_OF_CLIENT: Readonly<Record<string, string>> = { 'claude-code': 'claude', codex: 'gpt', vscode: 'gpt' };

async function modelFor({ library: { config }, ask }: Call, asked: string | undefined): Promise<ModelProfile> {
  const name = asked ?? MODEL_OF_CLIENT[ask.requester.client.name] ?? 'generic';
  // A question that names no model, or one that is declared, looks no further.
  return config.models.find((each) => each.name === name) ?? (await import('../models/known-models.js')).profileNamed(config, name);
}

function wireOf({ digest, body }: ContextPackage) {
  return {
    status: body.status,
    reason: body.reason,
    digest,
    budget: { ...body.budget, classes: { ...body.budget.classes } },
    items: body.items.map((item) => ({
      position: item.position,
      class: item.class,
      artifact: item.artifact,
      source: item.source,
      path: item.path,
      version: { blob: item.blob },
      title: item.title,
      headingPath: [...item.headingPath],
      anchor: item.anchor,
      lines: item.lines,
      excerpt: item.excerpt,
      tokens: item.tokens,
      tier: item.tier,
      labels: [...item.labels],
      duplicates: item.duplicates.map(({ source, path, lines: at }) => ({ source, path, lines: at })),
      reason: item.reason,
      ...(item.provenance === undefined ? {} : { provenance: { ...item.provenance } }),
    })),
    excluded: body.excluded.map(({ artifact, source, path, title, reason, detail }) => ({ artifact, source, path, title, reason, detail })),
    gaps: [...body.gaps],
    ...(body.facts === undefined ? {} : { facts: body.facts.map((each) => ({ ...each, items: [...each.items] })) }),
    conflicts: body.conflicts.map(({ artifacts, reason }) => ({ artifacts: [...artifacts], reason })),
    taint: body.taint,
    expires: body.expires,
  };
}
