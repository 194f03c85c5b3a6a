/**
 * From what is written about a source to its full registration: the same twelve fields in every profile (SRC-02).
 *
 * Invariant: a physical file has one owner. Of overlapping sources the innermost folder owns a file; of two on the same
 * folder, the one named first.
 */
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { Problem } from '../../domain/problem.js';
import { DEFAULT_STEMMING } from '../../domain/ranking-policy.js';
import type { PathRule, SourceLocation, SourceRegistration } from '../../domain/source.js';
import { Fault } from '../../kernel/errors.js';
import { durationMs } from '../duration.js';
import { PERSONAL } from '../personal.js';
import type { ConfigFile, SourceEntry } from './config-schema.js';

const DAY_MS = 86_400_000;

export async function registerFolder(folder: string): Promise<SourceRegistration> {
  return personalSource('docs', await locate({ path: folder, connector: 'auto', include: [], exclude: [] }, folder), {});
}

export async function registerSources(
  config: ConfigFile,
  root: string,
  file: string,
): Promise<{ readonly sources: readonly SourceRegistration[]; readonly problems: readonly Problem[] }> {
  const taken = new Set<string>();
  const sources: SourceRegistration[] = [];
  for (const [index, written] of config.sources.entries()) {
    const entry: Partial<SourceEntry> & Pick<SourceEntry, 'location'> = typeof written === 'string' ? { location: written } : written;
    const location = await locate(spread(entry.location), root);
    const id = entry.id ?? freeId(spread(entry.location).path, taken);
    if (taken.has(id))
      throw new Fault('config/invalid', { file, key: `sources[${index}].id`, expected: `different from the others; ${id} is taken` });
    taken.add(id);
    refuseImpossible(entry, location, file, index);
    sources.push(config.profile === 'personal' ? personalSource(id, location, entry) : teamSource(id, location, entry));
  }
  return settleOverlaps(sources, file);
}

function personalSource(id: string, location: SourceLocation, entry: Partial<SourceEntry>): SourceRegistration {
  return {
    id,
    owner: entry.owner ?? PERSONAL.owner,
    authorityClass: entry.authority_class ?? 'reference',
    connectorIdentity: entry.connector_identity ?? `workload://colophon/${location.connector}`,
    location,
    // A folder of one's own that says nothing of it is unclassified, the lowest level; a team always says.
    classification: entry.classification ?? 'public',
    tenantScope: entry.tenant_scope ?? [PERSONAL.tenant],
    allowedPurposes: entry.allowed_purposes ?? [PERSONAL.purpose],
    freshnessSloMs: durationMs(entry.freshness_slo ?? '') ?? 30 * DAY_MS,
    retentionPolicy: entry.retention_policy ?? 'keep@1',
    correctionAndDeletion: entry.correction_and_deletion ?? 'source-authoritative',
    initialState: entry.state ?? 'active',
    permissionsRef: entry.permissions ?? PERSONAL.permissionsRef,
    // The owner registered it on their own machine: trusted by them, labelled unreviewed, not fenced.
    trustTier: entry.trust_tier ?? 'trusted',
    admission: entry.admission ?? (location.ref === undefined ? 'local-unreviewed' : 'trust-branch'),
    egress: entry.egress ?? 'any',
    rules: (entry.rules ?? []).map(pathRule),
    stemming: entry.stemming ?? DEFAULT_STEMMING,
    ...companionsOf(entry),
  };
}

function companionsOf({ sections, legal_hold: legalHold, supersedes }: Partial<SourceEntry>) {
  return {
    ...(sections === undefined ? {} : { sections }),
    ...(legalHold === undefined ? {} : { legalHold }),
    ...(supersedes === undefined ? {} : { supersedes }),
  };
}

/** As personal, but what is not written is closed: no readers, an advisory tier, nothing curated. */
function teamSource(id: string, location: SourceLocation, entry: Partial<SourceEntry>): SourceRegistration {
  return {
    ...personalSource(id, location, entry),
    permissionsRef: entry.permissions ?? 'unassigned',
    trustTier: entry.trust_tier ?? 'advisory',
    admission: entry.admission ?? 'local-unreviewed',
  };
}

function pathRule(rule: SourceEntry['rules'][number]): PathRule {
  return {
    glob: rule.glob,
    ...(rule.classification === undefined ? {} : { classification: rule.classification }),
    ...(rule.permissions === undefined ? {} : { permissionsRef: rule.permissions }),
    ...(rule.status === undefined ? {} : { status: rule.status }),
    ...(rule.version === undefined ? {} : { productVersion: rule.version }),
    ...(rule.trust_tier === undefined ? {} : { trustTier: rule.trust_tier }),
    ...(rule.sensitivity === undefined ? {} : { sensitivity: rule.sensitivity }),
  };
}

function refuseImpossible(entry: Partial<SourceEntry>, location: SourceLocation, file: string, index: number): void {
  const refuse = (key: string, expected: string) => new Fault('config/invalid', { file, key: `sources[${index}].${key}`, expected });
  if (entry.freshness_slo !== undefined && durationMs(entry.freshness_slo) === undefined) {
    throw refuse('freshness_slo', `an ISO 8601 duration of weeks, days, hours, minutes or seconds, e.g. P7D, not ${entry.freshness_slo}`);
  }
  if (entry.admission === 'trust-branch' && location.ref === undefined) {
    throw refuse('admission', '`local-unreviewed` unless `location.ref` names the branch that is trusted');
  }
  if (entry.trust_tier === 'untrusted' && entry.authority_class === 'governing') {
    throw refuse('authority_class', 'less than `governing` where the trust tier is `untrusted`');
  }
  if (location.ref !== undefined && location.connector === 'directory')
    throw refuse('location.ref', 'left out: a plain folder has no refs');
  if (entry.connector_identity !== undefined && entry.connector_identity !== `workload://colophon/${location.connector}`) {
    throw refuse('connector_identity', `workload://colophon/${location.connector}, the connector of this location`);
  }
}

type WrittenLocation = Exclude<SourceEntry['location'], string>;

function spread(location: SourceEntry['location']): WrittenLocation {
  return typeof location === 'string' ? { path: location, connector: 'auto', include: [], exclude: [] } : location;
}

async function locate(written: WrittenLocation, root: string): Promise<SourceLocation> {
  const absolute = resolve(root, written.path);
  // A folder that is missing today is the connector's finding, not a broken configuration.
  const path = await realpath(absolute).catch(() => absolute);
  const automatic = written.ref !== undefined || (await insideWorkTree(path)) ? 'git' : 'directory';
  return {
    connector: written.connector === 'auto' ? automatic : written.connector,
    path: path.split(sep).join('/'),
    ...(written.ref === undefined ? {} : { ref: written.ref }),
    include: written.include,
    exclude: written.exclude,
  };
}

/** Looks for `.git` upward and a git on the path, without starting one: a question must not wait for that. */
async function insideWorkTree(folder: string): Promise<boolean> {
  for (let at = folder; ; at = dirname(at)) {
    const entry = await stat(join(at, '.git')).catch(() => undefined);
    if (entry !== undefined) {
      // Git refuses a checkout that belongs to somebody else; a plain walk reads it all the same.
      const ours = process.getuid === undefined || entry.uid === process.getuid();
      const whole = entry.isFile() || ((await exists(join(at, '.git', 'HEAD'))) && (await exists(join(at, '.git', 'objects'))));
      return ours && whole && gitInstalled();
    }
    if (dirname(at) === at) return false;
  }
}

async function gitInstalled(): Promise<boolean> {
  const names = process.platform === 'win32' ? ['git.exe', 'git.cmd'] : ['git'];
  const folders = (process.env['PATH'] ?? '').split(process.platform === 'win32' ? ';' : ':');
  const found = await Promise.all(folders.flatMap((folder) => names.map((name) => exists(join(folder, name)))));
  return found.includes(true);
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

function freeId(path: string, taken: ReadonlySet<string>): string {
  const last = basename(resolve('/', path));
  const base =
    last
      .toLowerCase()
      .replace(/[^a-z0-9._-]+/g, '-')
      .replace(/^[^a-z0-9]+|-+$/g, '') || 'docs';
  for (let count = 1; ; count += 1) {
    const id = count === 1 ? base : `${base}-${count}`;
    if (!taken.has(id)) return id;
  }
}

function settleOverlaps(sources: readonly SourceRegistration[], file: string) {
  const problems: Problem[] = [];
  const settled = sources.map((source, index) => {
    const excluded: string[] = [];
    for (const [otherIndex, other] of sources.entries()) {
      if (otherIndex === index || source.location.ref !== other.location.ref) continue;
      const inner = relative(source.location.path, other.location.path).split(sep).join('/');
      if (inner === '' && otherIndex < index) excluded.push(...claimedFirst(source, other, file, index));
      else if (inner !== '' && !inner.startsWith('../') && inner !== '..') excluded.push(...claimedInside(other, inner));
      else continue;
      problems.push(overlap(source, other));
    }
    return excluded.length === 0
      ? source
      : { ...source, location: { ...source.location, exclude: [...source.location.exclude, ...excluded] } };
  });
  return { sources: settled, problems };
}

function claimedFirst(source: SourceRegistration, first: SourceRegistration, file: string, index: number): readonly string[] {
  if (first.location.include.length > 0) return first.location.include;
  throw new Fault('config/invalid', {
    file,
    key: `sources[${index}].location`,
    expected: `another folder than that of ${first.id}, which already holds every document ${source.id} would`,
  });
}

function claimedInside(inner: SourceRegistration, folder: string): readonly string[] {
  const { include } = inner.location;
  return include.length === 0 ? [`${folder}/**`] : include.map((glob) => `${folder}/${glob}`);
}

function overlap(source: SourceRegistration, other: SourceRegistration): Problem {
  return {
    code: 'source/overlap',
    severity: 'warning',
    source: source.id,
    path: '',
    message: `Sources ${source.id} and ${other.id} overlap; files that both would hold belong to ${other.id}.`,
    hint: 'Nothing is doubled. To silence this, exclude the folder from the outer source.',
  };
}
