/**
 * Which stored packages an ask may read: a package is text somebody was given, so it is guarded like that text, by today's rights.
 *
 * Invariant: a package is readable only by an ask that could have been given all of it and may still see every page it names;
 * any other does not exist for it.
 */
import { admits } from '../domain/classification.js';
import type { ContextPackage, PackageBody } from '../domain/context-package.js';
import type { Problem } from '../domain/problem.js';
import type { Ask } from '../domain/requester.js';
import { SERVING_STATES } from '../domain/source.js';
import type { Digest } from '../kernel/digest.js';
import { Fault } from '../kernel/errors.js';
import type { PackageBinding } from '../ports/records.js';
import { answersForAll } from './answers-for-all.js';
import { type Door, openDoor } from './asking.js';
import { lookUpNames, type Named, namesIn } from './named-pages.js';
import type { Call } from './operations/catalogue.js';

export interface StoredPackage {
  readonly entry: ContextPackage;
  readonly bindings: readonly PackageBinding[];
  /** Pages it names that are gone since. Only who answers for all sources is shown such a package. */
  readonly problems: readonly Problem[];
}

/** `name` is a digest, a prefix of one, or `last`. */
export async function readPackageNamed(call: Call, name: string): Promise<StoredPackage> {
  const found = await first(call, name);
  if (found === undefined) throw new Fault('not-found', { what: name === 'last' ? 'A package' : `Package ${name}`, of: 'package' });
  return found;
}

/** The packages the asker may read, the last bound first. */
export async function readPackages(call: Call, limit: number): Promise<readonly (StoredPackage & { readonly createdAt: number })[]> {
  return readable(call, undefined, limit);
}

async function first(call: Call, name: string): Promise<StoredPackage | undefined> {
  if (name === 'last') return (await readable(call, undefined, 1))[0];
  const [only, another] = await readable(call, name, 2);
  return another === undefined ? only : undefined;
}

/** Entries looked at per read of the ledger. */
const AT_ONCE = 100;

async function readable(call: Call, prefix: string | undefined, limit: number) {
  const view = await openView(call);
  try {
    const found: (StoredPackage & { readonly createdAt: number })[] = [];
    for (let before: number | undefined; ; ) {
      const entries = await call.library.records.packages.entries({
        limit: AT_ONCE,
        ...(prefix === undefined ? {} : { prefix }),
        ...(before === undefined ? {} : { before }),
      });
      for (const { digest, createdAt } of entries) {
        const stored = await view.read(digest);
        if (stored !== undefined) found.push({ ...stored, createdAt });
        if (found.length === limit) return found;
      }
      before = entries.at(-1)?.seq;
      if (before === undefined || entries.length < AT_ONCE) return found;
    }
  } finally {
    await view.close();
  }
}

/** Opened before any package is looked for, so that what goes wrong with the index tells of no package. */
async function openView(call: Call) {
  const door = await doorIfBuilt(call);
  const operator = answersForAll(call);
  return {
    read: async (digest: Digest): Promise<StoredPackage | undefined> => {
      const stored = await storedAs(call, digest, operator);
      if (stored === undefined || !couldHaveBeenGiven(stored.entry.body, call.ask)) return undefined;
      const missing = await missingFrom(door, stored.entry.body);
      if (missing.length > 0 && !(operator && (await areGone(call, door, missing)))) return undefined;
      return { ...stored, problems: missing.map(goneSince) };
    },
    close: async () => door?.snapshot.close(),
  };
}

/** Without an index no page is there. */
async function doorIfBuilt(call: Call): Promise<Door | undefined> {
  try {
    return await openDoor(call);
  } catch (error) {
    if (error instanceof Fault && error.code === 'index/not-built') return undefined;
    throw error;
  }
}

/** Whose an altered package was cannot be told from it any more: it is reported to the operator, and to nobody else. */
async function storedAs(call: Call, digest: Digest, operator: boolean) {
  try {
    return await call.library.records.packages.get(digest);
  } catch (error) {
    if (!operator && error instanceof Fault && error.code === 'package/altered') return undefined;
    throw error;
  }
}

function couldHaveBeenGiven({ request, classification }: PackageBody, { requester }: Ask): boolean {
  return (
    request.tenant === requester.tenant &&
    request.purpose === requester.purpose &&
    admits(requester.ceiling, classification) &&
    request.groups.every((group) => requester.groups.has(group)) &&
    (requester.client.locality === 'local' || request.locality === 'remote')
  );
}

async function missingFrom(door: Door | undefined, body: PackageBody): Promise<readonly Named[]> {
  const names = namesIn(body);
  if (door === undefined) return [...names.places, ...names.artifacts.map((path) => ({ path }))];
  return (await lookUpNames(door.snapshot, door.eligible, names)).missing;
}

/** Missing because they are gone, and not because they are withheld: nothing of their sources is withheld from this ask. */
async function areGone({ library, ask }: Call, door: Door | undefined, missing: readonly Named[]): Promise<boolean> {
  const standings = new Map((await library.records.registry.standings()).map((each) => [each.id, each.state]));
  const compartments = (await door?.snapshot.compartments()) ?? [];
  const withheld = new Set(compartments.filter(({ key }) => door?.eligible.keys.has(key) !== true).map(({ source }) => source));
  const open = library.config.sources.filter(({ id, allowedPurposes }) => {
    const state = standings.get(id);
    return state !== undefined && SERVING_STATES.has(state) && allowedPurposes.includes(ask.requester.purpose) && !withheld.has(id);
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
