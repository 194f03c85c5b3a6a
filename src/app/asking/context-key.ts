/**
 * The key of a compiled context: everything that ranking and the compiler read, in named parts.
 *
 * Invariant: canonical JSON, so that equal keys are equal parts, whatever the texts in them; nothing is alike, cut or joined (T1.4).
 * Invariant: of the library only what the asker may see is in it: what happens to hidden pages makes no question slower.
 */
import type { EligibleSet } from '../../domain/eligibility.js';
import type { Ask } from '../../domain/requester.js';
import { dayOf } from '../../kernel/clock.js';
import { type Digest, digestOf } from '../../kernel/digest.js';
import type { RetrievalDeps } from '../../retrieval/draft.js';

/** A request for a package, as far as the key looks into it. */
export interface Keyed {
  readonly model: object;
  readonly ranking: object;
  readonly policy?: object;
}

/** Who asks what library, as far as the key looks into it. */
export interface Asking {
  readonly ask: Ask;
  readonly library: {
    readonly config: Declared;
    readonly embedder: { readonly id: string };
    readonly reranker: { readonly id: string };
  };
}

/** The configuration, which nobody changes as long as the process runs. */
interface Declared {
  readonly root: string;
  readonly sources: object;
  readonly ranking: object;
  readonly context?: object;
  readonly permissions: object;
  readonly identity: object;
}

export interface KeyParts {
  readonly tenant: string;
  /** What may be read, and who asks with which rights: all of it stands in the package. */
  readonly authorisation: unknown;
  readonly purpose: string;
  /** As asked, secrets masked; the text is not folded, since the package quotes it. */
  readonly request: unknown;
  readonly sources: unknown;
  readonly index: unknown;
  readonly policies: unknown;
  readonly compiler: unknown;
  readonly model: unknown;
  readonly day: string;
}

/** What may change while a process runs. */
export type StateParts = Pick<KeyParts, 'sources' | 'index' | 'policies' | 'compiler'>;

/** What a question is answered from, and the name of the rules it is compiled by. */
export interface Reading extends Pick<RetrievalDeps, 'snapshot' | 'standings' | 'vocabulary'> {
  readonly compiler: string;
}

/** Undefined for a request that JSON cannot say (half a character): that one is compiled each time. */
export function keyOf(parts: KeyParts): Digest | undefined {
  try {
    return digestOf(parts);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

export async function keyParts(call: Asking, request: Keyed, reading: Reading, eligible: EligibleSet): Promise<KeyParts> {
  const { requester, at, freshnessCritical } = call.ask;
  const { principal, workload, tenant, purpose, groups, ceiling, client } = requester;
  const { model, ranking: _ranking, policy: _policy, ...asked } = request;
  return {
    tenant,
    authorisation: {
      eligible: eligible.compartments.map(({ key }) => key),
      ...{ principal, workload, ceiling, freshnessCritical, groups: [...groups].sort() },
      client: { ...client },
    },
    purpose,
    request: asked,
    model,
    day: dayOf(at),
    ...(await stateParts(call, request, reading, eligible)),
  };
}

export async function stateParts(
  { library }: Pick<Asking, 'library'>,
  request: Pick<Keyed, 'ranking' | 'policy'>,
  { snapshot, standings, vocabulary, compiler }: Reading,
  eligible: EligibleSet,
): Promise<StateParts> {
  const { config, embedder, reranker } = library;
  const seen = new Set(eligible.compartments.map(({ source }) => source));
  return {
    sources: {
      declared: lastingDigest(config.sources),
      root: config.root,
      // Who answers for a source is named beside a missing clause of it; its state shows on its pages alone.
      standings: standings.map(({ id, owner, state, freshnessSloMs }) => (seen.has(id) ? [id, owner, state, freshnessSloMs] : [id, owner])),
    },
    index: await snapshot.projectedManifest(eligible),
    policies: {
      asked: [request.ranking, request.policy ?? null].map((each) => each && lastingDigest(each)),
      declared: policyDigests(config),
      vocabulary: vocabulary?.version ?? null,
    },
    compiler: [compiler, embedder.id, reranker.id],
  };
}

/** Of what is declared: how to rank, how to fill, who may read, and whom this process may be. */
export function policyDigests({ ranking, context, permissions, identity }: Declared): readonly (Digest | null)[] {
  return [ranking, context ?? null, permissions, identity].map((each) => each && lastingDigest(each));
}

const digests = new WeakMap<object, Digest>();

/** Of values that nobody changes as long as the process runs. */
function lastingDigest(value: object): Digest {
  const known = digests.get(value);
  if (known !== undefined) return known;
  const digest = digestOf(value);
  digests.set(value, digest);
  return digest;
}
