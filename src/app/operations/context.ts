/** context: what an agent should be told about a question, within its token ceiling, frozen and stored. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { compileContext } from '../../context/pipeline.js';
import type { Candidate, Retrieved } from '../../domain/candidate.js';
import { CONTEXT_CLASSES, type ContextPackage, EXCLUSIONS } from '../../domain/context-package.js';
import type { ModelProfile } from '../../domain/model-profile.js';
import type { Problem } from '../../domain/problem.js';
import { dayOf } from '../../kernel/clock.js';
import { Fault } from '../../kernel/errors.js';
import { type Asked, retrieveFor } from '../asking.js';
import { markChanged } from '../changed-on-disk.js';
import { maskSecrets } from '../mask-secrets.js';
import { lookUpNames, namesRetrieved } from '../named-pages.js';
import { isUnwritable } from '../state-folder.js';
import { type Call, operation } from './catalogue.js';
import { scopeOf } from './scope.js';
import { answer, distinct, duplicate, labels, lines, scopeInput, tier } from './wire.js';

/** Candidates a context may choose from. */
const CANDIDATES = 40;

const input = z.object({
  query: z.string().min(1).describe('The task or question the agent works on.'),
  budget: z.int().min(1).max(200_000).optional().describe('Token ceiling, at most the model’s own.'),
  model: z.string().optional(),
  ...scopeInput,
});
type ContextInput = z.output<typeof input>;

const output = answer('context', {
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
  conflicts: z.array(z.object({ artifacts: z.array(z.string()), reason: z.string() })),
  taint: z.boolean(),
  expires: z.string(),
  rendered: z.string(),
});
export type ContextAnswer = z.output<typeof output>;

export const context = operation({
  name: 'context',
  summary: 'What the library says about a task: a budgeted, cited set of passages, with what was left out and why. Start here.',
  authority: 'read',
  surfaces: ['cli', 'mcp', 'library'],
  input,
  output,
  async run(typed, call) {
    // A package is kept: a key that somebody pasted into the question must not be.
    const request = { ...typed, query: await maskSecrets(typed.query, call.library.scanner) };
    const asked = await retrieveFor(call, {
      text: request.query,
      scope: scopeOf(request),
      limit: CANDIDATES,
      mode: 'any',
      purpose: 'context',
    });
    try {
      const checked = await withoutGone(call, asked.retrieved);
      const compiled = await compile(request, call, asked, checked.retrieved);
      const unstored = await store(call, asked, compiled.package);
      return {
        schema: 'colophon/context@1' as const,
        problems: distinct([...asked.retrieved.problems, ...checked.problems, ...unstored]),
        ...wireOf(compiled.package),
        rendered: compiled.rendered,
      };
    } finally {
      await asked.snapshot.close();
    }
  },
});

/** Where the state cannot be written the answer is given all the same, and says that nobody can look it up later. */
async function store(call: Call, asked: Asked, compiled: ContextPackage): Promise<readonly Problem[]> {
  try {
    await call.library.records.packages.store(compiled, {
      attempt: `attempt-${randomUUID()}`,
      createdAt: call.ask.at,
      annex: { generation: String(asked.snapshot.manifest.generation), ...commitsOf(asked) },
    });
    return [];
  } catch (error) {
    if (!(error instanceof Fault) || !isUnwritable(error)) throw error;
    const message = 'This package was not stored: the library state cannot be written. `why` and `package` will not find it.';
    return [{ code: 'package/not-stored', severity: 'warning', source: '', path: '', message, hint: error.hint }];
  }
}

async function compile(request: ContextInput, call: Call, asked: Asked, retrieved: Retrieved) {
  const { config } = call.library;
  return compileContext({
    retrieved,
    ask: call.ask,
    text: request.query,
    model: modelFor(config.models, request.model, call.ask.requester.client.name),
    ranking: config.ranking,
    scope: retrieved.query.scope,
    today: dayOf(call.ask.at),
    versions: {
      compiler: COMPILER,
      analyzer: asked.snapshot.manifest.analyzer,
      manifest: await asked.snapshot.projectedManifest(retrieved.eligible),
    },
    ...(request.budget === undefined ? {} : { ceilingTokens: request.budget }),
    named: (await lookUpNames(asked.snapshot, retrieved.eligible, namesRetrieved(retrieved))).classification,
    mayRaiseCeiling: PERSON_SURFACES.has(call.ask.requester.workload),
  });
}

/** Names the rules a package was compiled by; a change of output at equal inputs is a new number. */
const COMPILER = 'compiler@2';

/** Where a person is at the keys; an agent or a hook stays under the model’s own ceiling. */
const PERSON_SURFACES: ReadonlySet<string> = new Set(['workload://colophon/cli', 'workload://colophon/library']);

const MODEL_OF_CLIENT: Readonly<Record<string, string>> = { 'claude-code': 'claude', codex: 'gpt', vscode: 'gpt' };

function modelFor(models: readonly ModelProfile[], asked: string | undefined, client: string): ModelProfile {
  const name = asked ?? MODEL_OF_CLIENT[client] ?? 'generic';
  const found = models.find((each) => each.name === name);
  if (found === undefined)
    throw new Fault('input/invalid', { field: 'model', expected: `one of ${models.map((each) => each.name).join(', ')}` });
  return found;
}

/** A passage of a file that is gone is not knowledge any more; one of a changed file goes in labelled. */
async function withoutGone(call: Call, retrieved: Retrieved) {
  const { candidates, gone, problems } = await markChanged(call, retrieved.candidates);
  const excluded = [...gone].map((each: Candidate) => ({
    artifact: each.artifact.id,
    source: each.page.source,
    path: each.page.path,
    title: each.page.title,
    reason: 'unverified-changed' as const,
    detail: 'the file is gone since it was indexed',
  }));
  return {
    retrieved: {
      ...retrieved,
      candidates: candidates.filter((each) => !gone.has(each)),
      excluded: [...retrieved.excluded, ...excluded],
    },
    problems,
  };
}

/** Commit ids stay outside the digest: they tell of changes the asker may not see. */
function commitsOf({ checkpoints }: Asked): Record<string, string> {
  return Object.fromEntries(checkpoints.flatMap(({ source, commit }) => (commit === undefined ? [] : [[`commit:${source}`, commit]])));
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
    })),
    excluded: body.excluded.map((each) => ({ ...each })),
    gaps: [...body.gaps],
    conflicts: body.conflicts.map(({ artifacts, reason }) => ({ artifacts: [...artifacts], reason })),
    taint: body.taint,
    expires: body.expires,
  };
}
