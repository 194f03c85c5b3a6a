/**
 * Compile a package for one request: retrieve, drop what is gone from disk, and hand the rest to the compiler.
 *
 * `context` asks for what the library says now, `package replay` for what it said then; both come through here.
 */
import { type Compiled, compileContext } from '../../context/pipeline.js';
import type { Candidate, Retrieved } from '../../domain/candidate.js';
import type { Classification } from '../../domain/classification.js';
import type { ContextProfile } from '../../domain/context-package.js';
import { type ContextPolicy, DEFAULT_CONTEXT_POLICY } from '../../domain/context-policy.js';
import type { ModelProfile } from '../../domain/model-profile.js';
import type { Page } from '../../domain/page.js';
import type { Problem } from '../../domain/problem.js';
import type { Scope } from '../../domain/query.js';
import type { RankingPolicy } from '../../domain/ranking-policy.js';
import type { RequiredFact, SuppliedItem } from '../../domain/required-material.js';
import { dayOf } from '../../kernel/clock.js';
import type { RetrievalDeps } from '../../retrieval/draft.js';
import { resolveEligible } from '../../retrieval/eligible.js';
import { type Material, requiredMaterial } from '../../retrieval/required-material.js';
import { markChanged } from '../learning/changed-on-disk.js';
import type { Call } from '../operations/catalogue.js';
import { findPage } from '../operations/find-page.js';
import { type Asked, askedOf, openQuestion, type Question, retrieveWith } from './asking.js';
import type { Recalled } from './context-cache.js';
import { lookUpNames, namesRetrieved } from './named-pages.js';

/** Candidates a context may choose from. */
const CANDIDATES = 40;

/** Names the rules a package was compiled by; a change of output at equal inputs is a new number. */
export const COMPILER = 'compiler@7';

export interface PackageRequest {
  /** Secrets are masked already. */
  readonly text: string;
  readonly scope: Scope;
  /** The scope is that of a package, in the index's own words. */
  readonly narrowed?: boolean;
  readonly model: ModelProfile;
  readonly ranking: RankingPolicy;
  readonly policy?: ContextPolicy;
  readonly ceilingTokens?: number;
  readonly mayRaiseCeiling: boolean;
  /** `preamble` when absent. */
  readonly profile?: ContextProfile;
  readonly consequential?: boolean;
  readonly facts?: readonly RequiredFact[];
  /** Secrets are masked already, and tiers are what the caller may vouch for. */
  readonly supplied?: readonly SuppliedItem[];
  /** Reasons to block that are known already. */
  readonly refusals?: readonly string[];
}

/** Close the snapshot of `asked` when done. */
export interface CompiledPackage {
  readonly compiled: Compiled;
  readonly asked: Asked;
  readonly problems: readonly Problem[];
  /** Pages that what is in, or had to be, was taken from. */
  readonly pages: readonly Page[];
}

export async function compilePackage(call: Call, request: PackageRequest): Promise<CompiledPackage> {
  const question = questionOf(request);
  const deps = await openQuestion(call, question);
  try {
    const { kept, keep } = await recalled(call, request, deps);
    const asked = await (kept === undefined ? retrieveWith(deps, call, question) : askedOf(deps, call, kept.retrieved));
    const material = kept?.material ?? (await materialFor(call, request, asked));
    const { retrieved, problems } = await withoutGone(call, material.retrieved);
    const onDisk = JSON.stringify(problems);
    const before = kept?.onDisk === onDisk ? kept : undefined;
    const compiled = before?.compiled ?? (await compile(call, request, asked, { ...material, retrieved }));
    const pages = before?.pages ?? pagesOf(compiled, material);
    if (before === undefined) keep({ retrieved: asked.retrieved, material, onDisk, compiled, pages });
    return { compiled, asked, problems: [...retrieved.problems, ...problems], pages };
  } catch (error) {
    await deps.snapshot.close();
    throw error;
  }
}

function questionOf({ text, scope, narrowed = false, model }: PackageRequest): Question {
  const { knowledgeCutoff } = model;
  const cutoff = knowledgeCutoff === undefined ? {} : { cutoff: knowledgeCutoff };
  return { text, scope, narrowed, limit: CANDIDATES, mode: 'any', purpose: 'context', ...cutoff };
}

/** What was compiled for the very same question before, where somebody keeps such a thing. */
async function recalled(call: Call, request: PackageRequest, deps: RetrievalDeps): Promise<Recalled> {
  const { contexts } = call.library;
  if (contexts === undefined) return { keep: () => undefined };
  return contexts.recall(call, request, { ...deps, compiler: COMPILER }, await resolveEligible(deps, call.ask));
}

/** Of what was found for the question only what came in; of what was required all of it. */
function pagesOf({ package: { body } }: Compiled, { retrieved, facts, consulted }: Material): readonly Page[] {
  const shown = new Set(body.items.map(({ artifact }) => artifact));
  const found = retrieved.candidates.filter(({ artifact }) => shown.has(artifact.id)).map(({ page }) => page);
  const required = facts.flatMap(({ candidates }) => candidates.map(({ page }) => page));
  return [...new Map([...found, ...required, ...consulted].map((page) => [JSON.stringify([page.source, page.path]), page])).values()];
}

function materialFor(call: Call, request: PackageRequest, { retrieved, deps }: Asked): Promise<Material> {
  const policy = request.policy ?? DEFAULT_CONTEXT_POLICY;
  const door = { snapshot: deps.snapshot, eligible: retrieved.eligible, places: call.library.config };
  return requiredMaterial(deps, retrieved, {
    ask: call.ask,
    text: request.text,
    scope: retrieved.query.scope,
    profile: request.profile ?? 'preamble',
    rules: policy.governing,
    facts: request.facts ?? [],
    consequential: request.consequential === true,
    coverage: policy.factCoverage,
    pageAt: async (path) => (await findPage(door, { path, source: onlySource(retrieved.query.scope) }))?.page,
  });
}

/** A fact is looked for where the question is. */
function onlySource({ sources = [] }: Scope): string | undefined {
  return sources.length === 1 ? sources[0] : undefined;
}

async function compile(
  call: Call,
  request: PackageRequest,
  { snapshot, deps: { vocabulary } }: Asked,
  material: Omit<Material, 'consulted'>,
): Promise<Compiled> {
  const { retrieved, governing, facts } = material;
  const { policy, ceilingTokens, profile, consequential, supplied, refusals } = request;
  return compileContext({
    retrieved,
    governing,
    facts,
    ask: call.ask,
    text: request.text,
    model: request.model,
    ranking: request.ranking,
    scope: retrieved.query.scope,
    today: dayOf(call.ask.at),
    versions: {
      compiler: COMPILER,
      analyzer: snapshot.manifest.analyzer,
      manifest: await snapshot.projectedManifest(retrieved.eligible),
      ...(vocabulary === undefined ? {} : { vocabulary: vocabulary.version }),
    },
    ...(policy === undefined ? {} : { policy }),
    ...(ceilingTokens === undefined ? {} : { ceilingTokens }),
    ...(profile === undefined ? {} : { profile }),
    ...(consequential === undefined ? {} : { consequential }),
    ...(supplied === undefined ? {} : { supplied }),
    ...(refusals === undefined ? {} : { refusals }),
    named: await classificationNamed(snapshot, material),
    mayRaiseCeiling: request.mayRaiseCeiling,
  });
}

/** The most sensitive page that would be named without being offered. */
async function classificationNamed(
  snapshot: Asked['snapshot'],
  { retrieved, governing }: Pick<Material, 'retrieved' | 'governing'>,
): Promise<Classification> {
  const names = namesRetrieved({ ...retrieved, excluded: [...retrieved.excluded, ...governing.overridden] });
  return (await lookUpNames(snapshot, retrieved.eligible, names)).classification;
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
