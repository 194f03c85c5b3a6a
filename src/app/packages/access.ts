/**
 * Which stored packages an ask may read: a package is text somebody was given, so it is guarded like that text, by today's rights.
 *
 * Invariant: a package is readable only by an ask that could have been given all of it and may still see every page it names;
 * any other does not exist for it.
 */
import { decodePackage } from '../../context/verify-package.js';
import { admits } from '../../domain/classification.js';
import type { ContextPackage, PackageBody } from '../../domain/context-package.js';
import { isPackageId, ownerKey, packageId } from '../../domain/package-id.js';
import type { Problem } from '../../domain/problem.js';
import type { Ask } from '../../domain/requester.js';
import { isServing } from '../../domain/source.js';
import type { Digest } from '../../kernel/digest.js';
import { Fault } from '../../kernel/errors.js';
import type { PackageBinding, PackageEntry } from '../../ports/records.js';
import { answersForAll } from '../answers-for-all.js';
import { type Door, openDoor } from '../asking/asking.js';
import { lookUpNames, type Named, namesIn } from '../asking/named-pages.js';
import type { Call } from '../operations/catalogue.js';
import { attemptIn } from './annex.js';

export interface StoredPackage {
  readonly entry: ContextPackage;
  readonly bindings: readonly PackageBinding[];
  /** Pages it names that are gone since. Only who answers for all sources is shown such a package. */
  readonly problems: readonly Problem[];
}

export interface ListedPackage extends StoredPackage, PackageEntry {}

export interface PackageQuery {
  readonly limit: number;
  /** Goes on below this package. By what the asker was shown of it: its place in the ledger would count the packages of others. */
  readonly after?: { readonly digest: string; readonly createdAt: number };
  readonly matches?: (stored: StoredPackage, createdAt: number) => boolean;
}

/** `name` is a digest, a package id, a prefix of either, or `last`. */
export async function readPackageNamed(call: Call, name: string): Promise<StoredPackage> {
  const found = await first(call, name, openView);
  if (found === undefined) throw new Fault('not-found', { what: name === 'last' ? 'A package' : `Package ${name}`, of: 'package' });
  return found;
}

/** The packages the asker may read, the last bound first. */
export async function readPackages(call: Call, query: PackageQuery): Promise<readonly ListedPackage[]> {
  return readable(call, { ...query, open: openView });
}

/**
 * For whether a package may still be used: who answers for all sources is told of one whose pages or sources are closed by now,
 * because why it is closed is what they ask. Its text is not for showing.
 */
export async function readPackageToJudge(call: Call, name: string): Promise<StoredPackage | undefined> {
  return first(call, name, answersForAll(call) ? openUnguarded : openView);
}

interface View {
  read(digest: Digest): Promise<StoredPackage | undefined>;
  close(): Promise<void>;
}
type OpenView = (call: Call) => Promise<View>;

/** As for digests: a shorter prefix is that of no package. */
const SHORTEST_ID = 'kp_'.length + 6;

async function first(call: Call, name: string, open: OpenView): Promise<StoredPackage | undefined> {
  if (name === 'last') return (await readable(call, { limit: 1, open }))[0];
  const named = isPackageId(name) ? { matches: (stored: StoredPackage) => hasId(stored, name) } : { prefix: name };
  const [only, another] = await readable(call, { limit: 2, open, ...named });
  return another === undefined ? only : undefined;
}

function hasId({ entry, bindings }: StoredPackage, prefix: string): boolean {
  return prefix.length >= SHORTEST_ID && bindings.some((binding) => packageId(entry.digest, attemptIn(binding)).startsWith(prefix));
}

/** Entries looked at per read of the ledger. */
const AT_ONCE = 100;

async function readable(
  call: Call,
  { limit, after, matches, prefix, open }: PackageQuery & { readonly prefix?: string; readonly open: OpenView },
): Promise<ListedPackage[]> {
  const view = await open(call);
  try {
    const found: ListedPackage[] = [];
    for await (const entry of below(after, entriesOf(call, prefix))) {
      const stored = await view.read(entry.digest);
      if (stored !== undefined && matches?.(stored, entry.createdAt) !== false) found.push({ ...entry, ...stored });
      if (found.length === limit) break;
    }
    return found;
  } finally {
    await view.close();
  }
}

/** All there are, the last bound first. For a caller over a network its own: how many others have must not show, in time either. */
async function* entriesOf({ library, ask }: Call, prefix: string | undefined): AsyncGenerator<PackageEntry, void, undefined> {
  for (let before: number | undefined; ; ) {
    const entries = await library.records.packages.entries({
      limit: AT_ONCE,
      ...(isAtTheMachine(ask) ? {} : { owner: ownerKey(ask.requester) }),
      ...(prefix === undefined ? {} : { prefix }),
      ...(before === undefined ? {} : { before }),
    });
    yield* entries;
    before = entries.at(-1)?.seq;
    if (before === undefined || entries.length < AT_ONCE) return;
  }
}

/** Bound again since, the package stands further up; what was bound before it is next all the same. */
async function* below(after: PackageQuery['after'], entries: AsyncIterable<PackageEntry>): AsyncGenerator<PackageEntry, void, undefined> {
  let skipping = after !== undefined;
  for await (const entry of entries) {
    const there = skipping && after !== undefined && entry.digest.startsWith(after.digest);
    if (skipping && !there && after !== undefined && entry.createdAt < after.createdAt) skipping = false;
    if (!skipping) yield entry;
    if (there) skipping = false;
  }
}

/** Opened before any package is looked for, so that what goes wrong with the index tells of no package. */
async function openView(call: Call): Promise<View> {
  const door = await doorIfBuilt(call);
  const operator = answersForAll(call);
  return {
    read: async (digest) => {
      const stored = await storedAs(call, digest, operator);
      if (stored === undefined || !couldHaveBeenGiven(stored.entry.body, call.ask)) return undefined;
      const missing = await missingFrom(door, stored.entry.body);
      if (missing.length > 0 && !(operator && (await areGone(call, door, missing)))) return undefined;
      return { ...stored, problems: missing.map(goneSince) };
    },
    close: async () => door?.snapshot.close(),
  };
}

async function openUnguarded(call: Call): Promise<View> {
  return {
    read: async (digest) => {
      const stored = await storedAs(call, digest, true);
      return stored === undefined || !couldHaveBeenGiven(stored.entry.body, call.ask) ? undefined : { ...stored, problems: [] };
    },
    close: async () => undefined,
  };
}

/** Without an index no page is there. */
export async function doorIfBuilt(call: Call): Promise<Door | undefined> {
  try {
    return await openDoor(call);
  } catch (error) {
    if (error instanceof Fault && error.code === 'index/not-built') return undefined;
    throw error;
  }
}

const UNREADABLE: ReadonlySet<string> = new Set(['package/altered', 'package/unknown-format']);

/** Whose an altered package was cannot be told from it any more: it is reported to the operator, and to nobody else. */
async function storedAs(call: Call, digest: Digest, operator: boolean) {
  try {
    const stored = await call.library.records.packages.get(digest);
    return stored === undefined ? undefined : { bindings: stored.bindings, entry: decodePackage(stored.entry) };
  } catch (error) {
    if (!operator && error instanceof Fault && UNREADABLE.has(error.code)) return undefined;
    throw error;
  }
}

function couldHaveBeenGiven({ request, classification }: PackageBody, ask: Ask): boolean {
  const { requester } = ask;
  return (
    request.tenant === requester.tenant &&
    request.purpose === requester.purpose &&
    admits(requester.ceiling, classification) &&
    request.groups.every((group) => requester.groups.has(group)) &&
    (requester.client.locality === 'local' || request.locality === 'remote') &&
    // Many people ask one server: what one of them asked is not for the next.
    (isAtTheMachine(ask) || request.requester === requester.principal)
  );
}

/** Started by whoever holds the files, and not reached over a network. */
const AT_THE_MACHINE = /^workload:\/\/colophon\/(?!http$)/;

function isAtTheMachine({ requester }: Ask): boolean {
  return AT_THE_MACHINE.test(requester.workload);
}

async function missingFrom(door: Door | undefined, body: PackageBody): Promise<readonly Named[]> {
  const names = namesIn(body);
  if (door === undefined) return [...names.places, ...names.artifacts.map((path) => ({ path }))];
  return (await lookUpNames(door.snapshot, door.eligible, names)).missing;
}

/** Missing because they are gone, and not because they are withheld: nothing of their sources is withheld from this ask. */
async function areGone({ library, ask }: Call, door: Door | undefined, missing: readonly Named[]): Promise<boolean> {
  const standings = new Map((await library.records.registry.standings()).map((each) => [each.id, each]));
  const compartments = (await door?.snapshot.compartments()) ?? [];
  const withheld = new Set(compartments.filter(({ key }) => door?.eligible.keys.has(key) !== true).map(({ source }) => source));
  const open = library.config.sources.filter(({ id, allowedPurposes }) => {
    const standing = standings.get(id);
    return standing !== undefined && isServing(standing, ask.at) && allowedPurposes.includes(ask.requester.purpose) && !withheld.has(id);
  });
  return missing.every(({ source }) =>
    source === undefined ? withheld.size === 0 && open.length === library.config.sources.length : open.some(({ id }) => id === source),
  );
}

function goneSince({ source, path }: Named): Problem {
  return {
    code: 'page/gone',
    severity: 'warning',
    source: source ?? '',
    path,
    message: 'The library does not hold this page any more; this is what the package said of it.',
    hint: 'Compile the context again for what is known now.',
  };
}
