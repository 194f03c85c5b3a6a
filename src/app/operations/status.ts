/**
 * status: what the library holds, how fresh it is, and whether anything is wrong.
 *
 * Invariant: whole-index facts go only to whoever answers for every source; anyone else is told of what they may see.
 */
import { z } from 'zod';
import type { Checkpoint } from '../../domain/checkpoint.js';
import type { EligibleSet } from '../../domain/eligibility.js';
import type { Problem } from '../../domain/problem.js';
import { SOURCE_STATES, type SourceRegistration, type SourceStanding } from '../../domain/source.js';
import { answersForAll } from '../answers-for-all.js';
import { openDoor } from '../asking/asking.js';
import { type Call, operation } from './catalogue.js';
import { answer, distinct } from './wire.js';

const count = z.int().nonnegative();
const input = z.object({
  verify: z.boolean().default(false).describe('Check the digest of every stored text.'),
  drift: z.boolean().default(false).describe('Look at the sources for changes since the last index.'),
});

const output = answer('status', {
  generation: count,
  contentDigest: z.string(),
  documents: count,
  artifacts: count,
  pending: count,
  indexing: z.boolean(),
  integrity: z.object({ ok: z.boolean(), checked: z.boolean(), damaged: z.array(z.string()) }),
  drift: z.object({ checked: z.boolean(), ok: z.boolean(), sources: z.array(z.string()) }),
  profile: z.enum(['personal', 'team']),
  sources: z.array(
    z.object({
      id: z.string(),
      state: z.enum(SOURCE_STATES),
      walk: z.enum(['complete', 'partial', 'never']),
      confirmedAt: z.string().nullable(),
      fresh: z.boolean(),
      connector: z.string(),
      curated: z.boolean(),
      commit: z.string().nullable().describe('What the index was made from, for operators.'),
    }),
  ),
  vectors: z.object({ state: z.enum(['off', 'ready']), model: z.string() }),
});
export type StatusAnswer = z.output<typeof output>;

/** Checking every digest costs about a second per hundred thousand passages; below this it is always done. */
const ALWAYS_VERIFIED = 20_000;

export const status = operation({
  name: 'status',
  summary: 'What the library holds, how fresh it is, and whether it is still being indexed.',
  authority: 'read',
  surfaces: ['cli', 'mcp', 'http', 'library'],
  safe: true,
  input,
  output,
  async run(request, call) {
    const { library } = call;
    const door = await openDoor(call);
    try {
      const { snapshot, eligible } = door;
      const [counts, standings, checkpoints, pending] = await Promise.all([
        snapshot.counts(eligible),
        library.records.registry.standings(),
        library.reader.checkpoints(),
        library.reader.pending(),
      ]);
      const operator = answersForAll(call);
      const held = operator ? await library.reader.totals() : { ...counts, contentDigest: await snapshot.projectedManifest(eligible) };
      const visible = library.config.sources.filter((each) => operator || hasEligible(eligible, each.id));
      const verify = operator && (request.verify || held.artifacts <= ALWAYS_VERIFIED);
      const integrity = verify ? await library.reader.integrity() : { ok: true, damaged: [] };
      // Drift tells of changes to every page of a source, hidden ones too.
      const looks = operator && request.drift;
      const drifted = looks ? await driftOf(call, visible, checkpoints) : [];
      return {
        schema: 'colophon/status@1' as const,
        problems: distinct(
          operator ? [...(library.config.problems ?? []), ...(await library.reader.problems()), ...standings.flatMap(withheldProblem)] : [],
        ),
        generation: operator ? snapshot.manifest.generation : 0,
        contentDigest: held.contentDigest,
        documents: operator ? held.documents : counts.documents,
        artifacts: operator ? held.artifacts : counts.artifacts,
        pending: operator ? pending : 0,
        indexing: pending > 0,
        integrity: { ok: integrity.ok, checked: verify, damaged: [...integrity.damaged] },
        drift: { checked: looks, ok: drifted.length === 0, sources: drifted },
        profile: library.config.profile,
        sources: visible.map((each) => ({
          ...sourceRow(each, standings, checkpoints, call),
          // A commit changes with every page, hidden ones too.
          commit: operator ? (checkpoints.find(({ source }) => source === each.id)?.commit ?? null) : null,
        })),
        vectors: { state: library.embedder.id === 'none' ? ('off' as const) : ('ready' as const), model: library.embedder.id },
      };
    } finally {
      await door.snapshot.close();
    }
  },
});

/** What orders keep back would else be missed by nobody but its readers. */
function withheldProblem({ id, withheld = [] }: SourceStanding): Problem[] {
  return withheld.map(({ path, blob }) => ({
    code: 'page/withheld',
    severity: 'info',
    source: id,
    path,
    message: blob === undefined ? 'This page is quarantined: no answer holds it.' : 'A text of this page is kept back: no answer holds it.',
    hint: '`colophon page history` tells who keeps it back and why.',
  }));
}

function hasEligible(eligible: EligibleSet, source: string): boolean {
  return eligible.compartments.some((each) => each.source === source);
}

function sourceRow(source: SourceRegistration, standings: readonly SourceStanding[], checkpoints: readonly Checkpoint[], { ask }: Call) {
  const standing = standings.find((each) => each.id === source.id);
  const confirmedAt = standing?.confirmedAt;
  return {
    id: source.id,
    state: standing?.state ?? source.initialState,
    walk: checkpoints.find((each) => each.source === source.id)?.walk ?? ('never' as const),
    confirmedAt: confirmedAt === undefined ? null : new Date(confirmedAt).toISOString(),
    fresh: confirmedAt !== undefined && ask.at - confirmedAt <= source.freshnessSloMs,
    connector: source.location.connector,
    curated: source.admission !== 'local-unreviewed',
  };
}

/** Sources whose state now is not the one the index was made from. */
async function driftOf(call: Call, sources: readonly SourceRegistration[], checkpoints: readonly Checkpoint[]): Promise<string[]> {
  const drifted: string[] = [];
  for (const source of sources) {
    const listing = await call.library.connector(source.location.connector).list(source, call.signal);
    if (listing.cursor !== checkpoints.find((each) => each.source === source.id)?.cursor) drifted.push(source.id);
  }
  return drifted;
}
