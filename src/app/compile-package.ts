/**
 * Compile a package for one request: retrieve, drop what is gone from disk, and hand the rest to the compiler.
 *
 * `context` asks for what the library says now, `package replay` for what it said then; both come through here.
 */
import { type Compiled, compileContext } from '../context/pipeline.js';
import type { Candidate, Retrieved } from '../domain/candidate.js';
import type { ContextPolicy } from '../domain/context-policy.js';
import type { ModelProfile } from '../domain/model-profile.js';
import type { Problem } from '../domain/problem.js';
import type { Scope } from '../domain/query.js';
import type { RankingPolicy } from '../domain/ranking-policy.js';
import { dayOf } from '../kernel/clock.js';
import { type Asked, retrieveFor } from './asking.js';
import { markChanged } from './changed-on-disk.js';
import { lookUpNames, namesRetrieved } from './named-pages.js';
import type { Call } from './operations/catalogue.js';

/** Candidates a context may choose from. */
const CANDIDATES = 40;

/** Names the rules a package was compiled by; a change of output at equal inputs is a new number. */
export const COMPILER = 'compiler@2';

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
}

/** Close the snapshot of `asked` when done. */
export interface CompiledPackage {
  readonly compiled: Compiled;
  readonly asked: Asked;
  readonly problems: readonly Problem[];
}

export async function compilePackage(call: Call, request: PackageRequest): Promise<CompiledPackage> {
  const { text, scope, narrowed = false } = request;
  const asked = await retrieveFor(call, { text, scope, narrowed, limit: CANDIDATES, mode: 'any', purpose: 'context' });
  try {
    const { retrieved, problems } = await withoutGone(call, asked.retrieved);
    return { compiled: await compile(call, request, asked, retrieved), asked, problems: [...retrieved.problems, ...problems] };
  } catch (error) {
    await asked.snapshot.close();
    throw error;
  }
}

async function compile(call: Call, request: PackageRequest, { snapshot }: Asked, retrieved: Retrieved): Promise<Compiled> {
  return compileContext({
    retrieved,
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
    },
    ...(request.policy === undefined ? {} : { policy: request.policy }),
    ...(request.ceilingTokens === undefined ? {} : { ceilingTokens: request.ceilingTokens }),
    named: (await lookUpNames(snapshot, retrieved.eligible, namesRetrieved(retrieved))).classification,
    mayRaiseCeiling: request.mayRaiseCeiling,
  });
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
