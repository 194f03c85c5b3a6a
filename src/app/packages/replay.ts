/**
 * Replay: compile a recorded request again, from the recorded revisions, in a shadow library that exists for nothing else.
 *
 *   1. gaps      what of the recording is not to be had here: versions, policies, sources, revisions
 *   2. shadow    the sources at their commits, indexed in a temporary folder
 *   3. compile   the recorded request, on the recorded day, by the recorded rights
 *   4. compare   digests; where they differ, what differs
 *
 * Invariant: reads sources and writes nothing but its own folder, which is gone afterwards.
 * Invariant: never `same` on anything but an equal digest; what could not be had is named, not passed over (PKG-11, PKG-12).
 */
import { mkdtemp, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Recording } from '../../context/bundle-schema.js';
import { diffPackages, type PackageDiff } from '../../context/diff-packages.js';
import type { ContextPackage } from '../../domain/context-package.js';
import type { ContextPolicy } from '../../domain/context-policy.js';
import type { ModelProfile } from '../../domain/model-profile.js';
import type { Permissions } from '../../domain/policy.js';
import { DEFAULT_RANKING, type RankingPolicy } from '../../domain/ranking-policy.js';
import type { Ask } from '../../domain/requester.js';
import { SERVING_STATES, type SourceRegistration } from '../../domain/source.js';
import { dayOf, type Instant } from '../../kernel/clock.js';
import { digestOf } from '../../kernel/digest.js';
import { Fault } from '../../kernel/errors.js';
import { ANALYZER_VERSION } from '../../text/analyze.js';
import { SEGMENTER_VERSION } from '../../text/segment.js';
import { COMPILER, compilePackage } from '../asking/compile-package.js';
import { requestedIn } from '../asking/context-request.js';
import { isOfCaller } from '../asking/named-pages.js';
import { readContextPolicy } from '../configuration/context-config.js';
import { openContainer } from '../container.js';
import { learn } from '../learning/learn.js';
import type { Library, LibraryConfig } from '../library.js';
import type { Call, Progress } from '../operations/catalogue.js';
import { recordedVocabulary } from '../vocabulary/recorded-vocabulary.js';

export const GAP_KINDS = ['version', 'policy', 'model', 'recording', 'source', 'revision', 'page'] as const;

export interface Gap {
  readonly kind: (typeof GAP_KINDS)[number];
  readonly source: string;
  readonly path: string;
  /** What the package was compiled from, and what there is here; empty where there is none. */
  readonly recorded: string;
  readonly here: string;
  readonly detail: string;
}

export interface Replayed {
  readonly verdict: 'same' | 'different' | 'impossible';
  /** Digest of what came out; empty when nothing could be compiled. */
  readonly digest: string;
  readonly gaps: readonly Gap[];
  /** Items of the package that came out again, and all of them. */
  readonly items: { readonly same: number; readonly of: number };
  readonly diff?: PackageDiff;
}

export interface ReplayRequest {
  readonly entry: ContextPackage;
  readonly recording: Recording;
  /** Versions of the index it was compiled from, where they were recorded. */
  readonly versions: Readonly<Partial<Record<'schema' | 'segmenter' | 'embedder', string>>>;
  /** Source id → the folder it is in here. */
  readonly places: ReadonlyMap<string, string>;
  readonly signal: AbortSignal;
  readonly progress: (progress: Progress) => void;
}

export async function replayPackage(request: ReplayRequest): Promise<Replayed> {
  const gaps = [...recordingGaps(request), ...(await sourceGaps(request))];
  const policies = policiesOf(request, gaps);
  const of = request.entry.body.items.length;
  if (policies === undefined || gaps.some(({ kind }) => kind === 'source'))
    return { verdict: 'impossible', digest: '', gaps, items: { same: 0, of } };
  const shadow = await openShadow(request, policies.model);
  try {
    gaps.push(...(await buildShadow(shadow, request)));
    if (gaps.some(({ kind }) => kind === 'revision')) return { verdict: 'impossible', digest: '', gaps, items: { same: 0, of } };
    return compared(request, await compileIn(shadow.library, request, policies), gaps);
  } finally {
    await shadow.close();
  }
}

function recordingGaps({ entry, recording, versions }: ReplayRequest): Gap[] {
  const { body } = entry;
  const version = (name: string, recorded: string | undefined, here: string): Gap[] =>
    recorded === undefined || recorded === here
      ? []
      : [{ kind: 'version', source: '', path: '', recorded, here, detail: `${name} ${recorded} is not that of this program (${here})` }];
  return [
    ...version('compiler', body.versions.compiler, COMPILER),
    ...version('analyzer', body.versions.analyzer, ANALYZER_VERSION),
    ...version('segmenter', versions.segmenter, SEGMENTER_VERSION),
    ...vocabularyGaps(body, recording),
    ...[...recording.gaps, ...suppliedGaps(body)].map(
      (detail): Gap => ({ kind: 'recording', source: '', path: '', recorded: '', here: '', detail }),
    ),
  ];
}

function vocabularyGaps({ versions: { vocabulary } }: ContextPackage['body'], recording: Recording): Gap[] {
  if (vocabulary === undefined || recordedVocabulary(recording.vocabulary)?.version === vocabulary) return [];
  const detail = `vocabulary ${vocabulary.slice(0, 12)} is not in the recording; names are looked for as written`;
  return [{ kind: 'version', source: '', path: '', recorded: vocabulary, here: '', detail }];
}

/** A package keeps the text of what is in it, and of what the caller brought and was left out only the name. */
function suppliedGaps({ excluded }: ContextPackage['body']): string[] {
  const count = excluded.filter(({ source }) => isOfCaller(source)).length;
  return count === 0 ? [] : [`text of the caller’s own that was left out is not kept: ${count} of it`];
}

async function sourceGaps({ recording, places }: ReplayRequest): Promise<Gap[]> {
  const gaps: Gap[] = [];
  for (const { registration, state } of recording.sources) {
    if (!SERVING_STATES.has(state)) continue;
    const { id } = registration;
    const place = places.get(id);
    const folder = place === undefined ? undefined : await stat(place).catch(() => undefined);
    if (folder?.isDirectory()) continue;
    const detail =
      place === undefined ? `nothing says where source ${id} is; add --source ${id}=FOLDER` : `source ${id}: there is no folder ${place}`;
    gaps.push({ kind: 'source', source: id, path: '', recorded: '', here: place ?? '', detail });
  }
  return gaps;
}

/** Stages that came later are off in a policy that does not name them. */
const { synonymWeight: _, typoWeight: __, nameTypoWeight: ___, linkShare: ______, demotion, floor, ...ALWAYS_NAMED } = DEFAULT_RANKING;
const { otherVersion: ____, ...DEMOTION } = demotion;
const { setAside: _____, ...FLOOR } = floor;
const REQUIRED_RANKING = { ...ALWAYS_NAMED, demotion: DEMOTION, floor: FLOOR };

interface Policies {
  readonly model: ModelProfile;
  readonly ranking: RankingPolicy;
  readonly policy: ContextPolicy;
}

/** Each by its digest in the package; one that is not that one is as good as none. */
function policiesOf({ entry, recording }: ReplayRequest, gaps: Gap[]): Policies | undefined {
  const { versions, request } = entry.body;
  const { model, rankingPolicy: ranking, contextPolicy: policy } = recording;
  const missing = (kind: 'policy' | 'model', name: string, recorded: string) =>
    gaps.push({ kind, source: '', path: '', recorded, here: '', detail: `${name} ${recorded.slice(0, 12)} is not in the recording` });
  const ranked = ranking !== null && digestOf(ranking) === versions.rankingPolicy && sameShape(ranking, REQUIRED_RANKING);
  const filled = policy !== null && digestOf(policy) === versions.contextPolicy ? readContextPolicy(policy) : undefined;
  if (!ranked) missing('policy', 'ranking policy', versions.rankingPolicy);
  if (filled === undefined) missing('policy', 'context policy', versions.contextPolicy);
  if (model === null) missing('model', 'model profile', request.model);
  if (!ranked || filled === undefined || model === null) return undefined;
  // The digest says that they are the policies of the package, the shape that they are ones this program reads.
  return { model: model as ModelProfile, ranking: ranking as unknown as RankingPolicy, policy: filled };
}

function sameShape(value: unknown, pattern: unknown): boolean {
  // What an empty list of the pattern would hold, nothing here says: only an empty one is read.
  if (Array.isArray(pattern)) return Array.isArray(value) && value.every((each) => pattern.length > 0 && sameShape(each, pattern[0]));
  if (typeof pattern !== 'object' || pattern === null) return typeof value === typeof pattern;
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(pattern).every(([key, part]) => sameShape(Reflect.get(value, key), part));
}

interface Shadow {
  readonly library: Library;
  close(): Promise<void>;
}

async function openShadow({ entry, recording, places }: ReplayRequest, model: ModelProfile): Promise<Shadow> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'colophon-replay-')));
  const discard = () => rm(root, { recursive: true, force: true });
  const { request } = entry.body;
  const vocabulary = recordedVocabulary(recording.vocabulary);
  const config: LibraryConfig = {
    profile: recording.profile,
    root,
    stateFolder: join(root, 'state'),
    sources: recording.sources
      .filter(({ state }) => SERVING_STATES.has(state))
      .map((each) => asOf(each, places.get(each.registration.id) ?? '')),
    // Times are numbers once they are written down.
    permissions: recording.permissions as Permissions,
    identity: {
      principal: request.requester,
      tenants: [request.tenant],
      purposes: [request.purpose],
      groups: request.groups,
      ceiling: request.ceiling,
    },
    clients: [{ name: request.client, locality: request.locality }],
    models: [model],
    ranking: DEFAULT_RANKING,
    ...(vocabulary === undefined || vocabulary.version !== entry.body.versions.vocabulary ? {} : { vocabulary }),
  };
  try {
    const library = await openContainer(config);
    return {
      library,
      close: async () => {
        await library.close();
        await discard();
      },
    };
  } catch (error) {
    await discard();
    throw error;
  }
}

/** The source as it was: its commit instead of whatever its ref or its work tree is at now. */
function asOf({ registration, commit }: Recording['sources'][number], path: string): SourceRegistration {
  const { location, ...rest } = registration;
  const pinned = location.connector === 'git' && commit !== undefined;
  const { ref: _, ...place } = location;
  return JSON.parse(
    JSON.stringify({
      ...rest,
      // A work tree is never curated, and stays so when it is read from its commit.
      admission: location.ref === undefined ? 'local-unreviewed' : rest.admission,
      initialState: recordedStart(registration.initialState),
      location: { ...place, path, ref: pinned ? commit : location.ref },
    }),
  );
}

/** Whoever approved it did so then. */
function recordedStart(state: SourceRegistration['initialState']): SourceRegistration['initialState'] {
  return state === 'active' ? 'active' : 'approved';
}

async function buildShadow({ library }: Shadow, { recording, signal, progress }: ReplayRequest): Promise<Gap[]> {
  const gaps: Gap[] = [];
  const ids = library.config.sources.map(({ id }) => id);
  for (const id of ids) {
    const recorded = recording.sources.find(({ registration }) => registration.id === id);
    try {
      await learn(library, { sources: [id], signal, progress });
    } catch (error) {
      if (!(error instanceof Fault) || (error.kind !== 'unavailable' && error.kind !== 'invalid')) throw error;
      const detail = recorded?.commit === undefined ? error.message : `source ${id} at ${recorded.commit.slice(0, 12)}: ${error.message}`;
      gaps.push({ kind: 'revision', source: id, path: '', recorded: recorded?.commit ?? '', here: '', detail });
      continue;
    }
    const move = recorded?.state === 'degraded' ? 'degrade' : recorded?.state === 'retiring' ? 'retire' : undefined;
    if (move !== undefined) await library.records.registry.move(id, move, AS_RECORDED, library.clock.now());
    await withhold(library, id, recorded?.withheld ?? []);
  }
  return gaps;
}

const AS_RECORDED = { actor: 'replay', reason: 'as it was recorded' } as const;

/** Pages that were kept from everybody then are kept back here as well. */
async function withhold(library: Library, source: string, pages: NonNullable<Recording['sources'][number]['withheld']>): Promise<void> {
  const base = { source, by: AS_RECORDED, at: library.clock.now(), terms: {} };
  for (const { path, blob } of pages) {
    const event = blob === undefined ? 'quarantine' : 'invalidate';
    const to = blob === undefined ? 'quarantined' : 'invalid';
    await library.records.pages.command({ ...base, path, event, texts: blob === undefined ? [] : [blob] }, () => ({
      made: true,
      from: 'indexed',
      to,
      detail: {},
    }));
  }
}

async function compileIn(
  library: Library,
  { entry, recording, signal, progress }: ReplayRequest,
  policies: Policies,
): Promise<ContextPackage> {
  const { request, budget } = entry.body;
  const call: Call = { library, ask: askOf(request, recording), signal, progress };
  const made = await compilePackage(call, {
    text: request.text,
    scope: request.scope,
    narrowed: true,
    ...policies,
    ceilingTokens: budget.ceiling,
    mayRaiseCeiling: true,
    ...requestedIn(entry.body),
  });
  await made.asked.snapshot.close();
  return made.compiled.package;
}

function askOf(request: ContextPackage['body']['request'], { at }: Recording): Ask {
  const recorded = Date.parse(at) as Instant;
  const { requester, workload, tenant, purpose, groups, ceiling, client, locality } = request;
  return {
    requester: { principal: requester, workload, tenant, purpose, groups: new Set(groups), ceiling, client: { name: client, locality } },
    at: dayOf(recorded) === request.asOf ? recorded : (Date.parse(`${request.asOf}T12:00:00Z`) as Instant),
    freshnessCritical: false,
  };
}

function compared({ entry, recording }: ReplayRequest, made: ContextPackage, gaps: readonly Gap[]): Replayed {
  const again = new Map(made.body.items.map((item) => [item.artifact, item]));
  const { items } = entry.body;
  const same = items.filter((item) => again.get(item.artifact)?.excerptDigest === item.excerptDigest).length;
  if (made.digest === entry.digest) return { verdict: 'same', digest: made.digest, gaps, items: { same, of: items.length } };
  const lost = items
    .filter((item) => !again.has(item.artifact))
    .map(({ source, path, blob }): Gap => {
      const commit = recording.sources.find(({ registration }) => registration.id === source)?.commit;
      const found = made.body.items.find((each) => each.source === source && each.path === path)?.blob ?? '';
      const where =
        commit === undefined ? 'a folder keeps no history' : `commit ${commit.slice(0, 12)} does not hold it, or it was not committed`;
      return {
        kind: 'page',
        source,
        path,
        recorded: blob,
        here: found,
        detail: `${path} at ${blob.slice(0, 12)} did not come out again: ${where}`,
      };
    });
  const diff = diffPackages({ body: entry.body }, { body: made.body });
  return { verdict: 'different', digest: made.digest, gaps: [...gaps, ...lost], items: { same, of: items.length }, diff };
}
