/**
 * The annex: what is kept of a compilation beside its package, so that it can be bound, explained and done again.
 *
 * Commits, registrations and states change with pages the asker may not see, so none of it is in the digest and only who answers
 * for all sources is shown it. The manifest and the versions of the index are the caller's own and the program's: anybody's.
 *
 * Invariant: the only file that knows the keys.
 */
import type { Checkpoint } from '../../domain/checkpoint.js';
import type { IndexManifest } from '../../domain/index-manifest.js';
import type { ModelProfile } from '../../domain/model-profile.js';
import { type AttemptOf, packageId } from '../../domain/package-id.js';
import type { Reader } from '../../domain/policy.js';
import type { SourceRegistration, SourceStanding, SourceState } from '../../domain/source.js';
import { byPlace, type WithheldPage } from '../../domain/withheld.js';
import type { Instant } from '../../kernel/clock.js';
import { canonicalJson, type Digest, digestOf } from '../../kernel/digest.js';
import type { PackageBinding } from '../../ports/records.js';
import type { LibraryConfig } from '../library.js';

const MANIFEST = 'manifest';
const GENERATION = 'generation';
const PERMISSIONS = 'permissions';
/** The profile as it was: what a name means may be refreshed the next day. */
const MODEL = 'model';
/** The ledger lists by it. */
const OWNER = 'owner';
const VERSIONS = ['schema', 'segmenter', 'embedder'] as const;
/** The package id; the ledger finds by it. */
const ID = 'id';

/** What of one source a package was compiled from. */
export interface RecordedSource {
  readonly id: string;
  readonly state: SourceState;
  readonly registration: Digest;
  readonly commit?: string;
  /** Pages that orders kept from everybody. */
  readonly withheld?: readonly Omit<WithheldPage, 'source'>[];
}

/** Read back: everything is optional, for a package that an earlier version bound. */
export interface Recorded {
  readonly attempt: AttemptOf;
  readonly createdAt: Instant;
  readonly versions: Readonly<Partial<Record<(typeof VERSIONS)[number], string>>>;
  readonly permissions?: Digest;
  readonly model?: ModelProfile;
  readonly sources: readonly RecordedSource[];
}

export interface Compilation {
  readonly config: Pick<LibraryConfig, 'sources' | 'permissions'>;
  readonly model: ModelProfile;
  readonly manifest: IndexManifest;
  readonly checkpoints: readonly Checkpoint[];
  readonly standings: readonly SourceStanding[];
}

export function bindingOf(
  attempt: AttemptOf,
  createdAt: Instant,
  { config, model, manifest, checkpoints, standings }: Compilation,
): PackageBinding {
  const commits = new Map(checkpoints.flatMap(({ source, commit }) => (commit === undefined ? [] : [[source, commit] as const])));
  const states = new Map(standings.map(({ id, state }) => [id, state]));
  const withheld = new Map(standings.flatMap((each) => (each.withheld === undefined ? [] : [[each.id, placesOf(each.withheld)] as const])));
  const sources = config.sources.flatMap((source): [string, string][] => {
    const commit = commits.get(source.id);
    return [
      [`registration:${source.id}`, digestOfRegistration(source)],
      [`state:${source.id}`, states.get(source.id) ?? source.initialState],
      ...(commit === undefined ? [] : [[`commit:${source.id}`, commit] as [string, string]]),
      ...(withheld.has(source.id) ? [[`withheld:${source.id}`, canonicalJson(withheld.get(source.id))] as [string, string]] : []),
    ];
  });
  return {
    attempt: attempt.attempt,
    createdAt,
    annex: {
      ...(attempt.manifest === undefined ? {} : { [MANIFEST]: attempt.manifest }),
      [GENERATION]: String(manifest.generation),
      ...Object.fromEntries(VERSIONS.map((name) => [name, manifest[name]])),
      [PERMISSIONS]: permissionsDigest(config),
      [MODEL]: canonicalJson(model),
      ...Object.fromEntries(sources),
    },
  };
}

function placesOf(withheld: readonly WithheldPage[]): Required<RecordedSource>['withheld'] {
  return [...withheld].sort(byPlace).map(({ source: _, ...place }) => place);
}

/** With its id, and the name of whom it was compiled for, so that what others were given need not be looked at to find it. */
export function ownedBy(digest: Digest, binding: PackageBinding, owner: Digest): PackageBinding {
  return { ...binding, annex: { ...binding.annex, [OWNER]: owner, [ID]: packageId(digest, attemptIn(binding)) } };
}

/** A further attempt is told what was compiled then: what that was compiled from stays the same. */
export function withAttempt(first: PackageBinding | undefined, { attempt, manifest }: AttemptOf, createdAt: Instant): PackageBinding {
  const { [MANIFEST]: _, ...annex } = first?.annex ?? {};
  return { attempt, createdAt, annex: { ...annex, ...(manifest === undefined ? {} : { [MANIFEST]: manifest }) } };
}

export function recordedIn({ attempt, createdAt, annex }: PackageBinding): Recorded {
  const versions = Object.fromEntries(VERSIONS.flatMap((name) => (annex[name] === undefined ? [] : [[name, annex[name]]])));
  const permissions = annex[PERMISSIONS] as Digest | undefined;
  const model = annex[MODEL];
  return {
    attempt: attemptIn({ attempt, annex }),
    createdAt,
    versions,
    ...(permissions === undefined ? {} : { permissions }),
    ...(model === undefined ? {} : { model: JSON.parse(model) as ModelProfile }),
    sources: Object.entries(annex).flatMap(([key, registration]) => {
      if (!key.startsWith('registration:')) return [];
      const id = key.slice('registration:'.length);
      const commit = annex[`commit:${id}`];
      const state = (annex[`state:${id}`] ?? 'active') as SourceState;
      const withheld = annex[`withheld:${id}`];
      return [
        {
          id,
          state,
          registration: registration as Digest,
          ...(commit === undefined ? {} : { commit }),
          ...(withheld === undefined ? {} : { withheld: JSON.parse(withheld) as Required<RecordedSource>['withheld'] }),
        },
      ];
    }),
  };
}

export function attemptIn({ attempt, annex }: Pick<PackageBinding, 'attempt' | 'annex'>): AttemptOf {
  const manifest = annex[MANIFEST] as Digest | undefined;
  return { attempt, ...(manifest === undefined ? {} : { manifest }) };
}

/** One binding as anybody may see it who may see its package. */
export function shownBinding(digest: Digest, binding: PackageBinding, operator: boolean) {
  const { attempt, manifest } = attemptIn(binding);
  const { versions } = recordedIn(binding);
  return {
    package: packageId(digest, attemptIn(binding)),
    attempt,
    ...(manifest === undefined ? {} : { manifest }),
    createdAt: new Date(binding.createdAt).toISOString(),
    versions: { ...versions },
    annex: operator ? { ...binding.annex } : {},
  };
}

export function permissionsDigest({ permissions }: Pick<LibraryConfig, 'permissions'>): Digest {
  return digestOf(Object.fromEntries(Object.entries(permissions).map(([ref, readers]) => [ref, inOrder(readers)])));
}

function inOrder(readers: readonly Reader[]): readonly Reader[] {
  const groups = readers.filter((each) => typeof each === 'string').sort();
  const grants = readers.filter((each) => typeof each !== 'string').map((each) => ({ text: canonicalJson(each), each }));
  return [...groups, ...grants.sort((a, b) => (a.text < b.text ? -1 : 1)).map(({ each }) => each)];
}

/** Worked out once a registration: the same objects are asked about for every context. */
function digestOfRegistration(source: SourceRegistration): Digest {
  const known = digests.get(source) ?? recordedRegistration(source);
  digests.set(source, known);
  return known;
}
const digests = new WeakMap<SourceRegistration, Digest>();

/** Where a source lies on a machine is not part of what it is. */
export function recordedRegistration(source: SourceRegistration): Digest {
  // JSON first: an absent field and one that is undefined are the same declaration.
  return digestOf(JSON.parse(JSON.stringify({ ...source, location: { ...source.location, path: '' } })));
}
