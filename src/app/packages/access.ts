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
  readonly matches?: (stored: StoredPackage, createdAt: number) => boolean | Promise<boolean>;
  /** Bound to an attempt of this name. */
  readonly attempt?: string;
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
  if (name.trim() === '')
    throw new Fault('input/invalid', { field: 'The package', expected: 'named: `last`, a digest, a package id, or the beginning of one' });
  if (name === 'last') return (await readable(call, { limit: 1, open }))[0];
  if (isPackageId(name)) return firstWithId(call, name, open);
  const [only, another] = await readable(call, { limit: 2, open, prefix: name });
  return another === undefined ? only : undefined;
}

/** Bindings looked at for one id: a beginning that stands for more of them is that of none. */
const MOST_OF_ID = 100;

async function firstWithId(call: Call, id: string, open: OpenView): Promise<StoredPackage | undefined> {
  if (id.length < SHORTEST_ID) return undefined;
  const { found, isComplete } = await call.library.records.packages.identified({ prefix: id, limit: MOST_OF_ID, ...ownOnly(call) });
  if (!isComplete) return firstBoundEarlier(call, id, open);
  const view = await open(call);
  try {
    const readings: StoredPackage[] = [];
    for (const digest of new Set(found.filter((each) => isIdOf(each, id)).map((each) => each.digest))) {
      const stored = await view.read(digest);
      if (stored !== undefined) readings.push(stored);
    }
    return readings.length === 1 && found.length < MOST_OF_ID ? readings[0] : undefined;
  } finally {
    await view.close();
  }
}

function isIdOf({ digest, binding }: { readonly digest: Digest; readonly binding: PackageBinding }, id: string): boolean {
  return packageId(digest, attemptIn(binding)).startsWith(id);
}

/** In a ledger with bindings of an earlier version, which wrote no ids down. */
async function firstBoundEarlier(call: Call, id: string, open: OpenView): Promise<StoredPackage | undefined> {
  const { packages } = call.library.records;
  const matches = async ({ entry: { digest } }: StoredPackage) =>
    (await packages.get(digest))?.bindings.some((binding) => isIdOf({ digest, binding }, id)) === true;
  const [only, another] = await readable(call, { limit: 2, open, matches });
  return another === undefined ? only : undefined;
}

/** For a caller over a network its own: how many others have must not show, in time either. */
function ownOnly({ ask }: Call): { readonly owner?: Digest } {
  return isAtTheMachine(ask) ? {} : { owner: ownerKey(ask.requester) };
}

/** Entries looked at per read of the ledger. */
const AT_ONCE = 100;

async function readable(
  call: Call,
  { limit, after, matches, attempt, prefix, open }: PackageQuery & { readonly prefix?: string; readonly open: OpenView },
): Promise<ListedPackage[]> {
  const view = await open(call);
  try {
    const found: ListedPackage[] = [];
    const bound = attempt === undefined ? undefined : await boundTo(call, attempt);
    for await (const entry of below(after, entriesOf(call, prefix))) {
      if (bound?.has(entry.digest) === false) continue;
      const stored = await view.read(entry.digest);
      if (stored !== undefined && (await matches?.(stored, entry.createdAt)) !== false) found.push({ ...entry, ...stored });
      if (found.length === limit) break;
    }
    return found;
  } finally {
    await view.close();
  }
}

async function boundTo(call: Call, attempt: string): Promise<ReadonlySet<Digest>> {
  const { owner } = ownOnly(call);
  return new Set((await call.library.records.packages.bindingsOf(attempt, owner)).map(({ digest }) => digest));
}

/** All there are, the last bound first; for a caller over a network its own. */
async function* entriesOf(call: Call, prefix: string | undefined): AsyncGenerator<PackageEntry, void, undefined> {
  for (let before: number | undefined; ; ) {
    const entries = await call.library.records.packages.entries({
      limit: AT_ONCE,
      ...ownOnly(call),
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

/** The last attempts a package was given to; whoever asks the same again and again makes it no dearer to read. */
const MOST_BINDINGS = 100;

const UNREADABLE: ReadonlySet<string> = new Set(['package/altered', 'package/unknown-format']);

/** Whose an altered package was cannot be told from it any more: it is reported to the operator, and to nobody else. */
async function storedAs(call: Call, digest: Digest, operator: boolean) {
  try {
    const stored = await call.library.records.packages.get(digest, MOST_BINDINGS);
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
  // What an order keeps back is there, and its text is for nobody.
  const kept = new Set([...standings.values()].flatMap((each) => (each.withheld ?? []).map(({ path }) => path)));
  if (missing.some(({ path }) => kept.has(path))) return false;
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
