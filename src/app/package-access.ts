/**
 * Which stored packages an ask may read: a package is text somebody was given, so it is guarded like that text.
 *
 * Invariant: a package is readable only by an ask that could have been given all of it; any other does not exist for it.
 */
import { admits } from '../domain/classification.js';
import type { ContextPackage, PackageBody } from '../domain/context-package.js';
import type { Ask } from '../domain/requester.js';
import { Fault } from '../kernel/errors.js';
import type { PackageBinding, Records } from '../ports/records.js';

export function mayRead({ request, classification }: PackageBody, { requester }: Ask): boolean {
  return (
    request.tenant === requester.tenant &&
    request.purpose === requester.purpose &&
    admits(requester.ceiling, classification) &&
    request.groups.every((group) => requester.groups.has(group)) &&
    (requester.client.locality === 'local' || request.locality === 'remote')
  );
}

export interface StoredPackage {
  readonly entry: ContextPackage;
  readonly bindings: readonly PackageBinding[];
}

/** How far back `last` looks for a package the asker may read. */
const LOOK_BACK = 200;

/** `name` is a digest, a prefix of one, or `last`. */
export async function readPackageNamed(records: Records, name: string, ask: Ask): Promise<StoredPackage> {
  const found = name === 'last' ? await lastReadable(records, ask) : await named(records, name, ask);
  if (found === undefined) throw new Fault('not-found', { what: name === 'last' ? 'A package' : `Package ${name}`, of: 'package' });
  return found;
}

async function named(records: Records, name: string, ask: Ask): Promise<StoredPackage | undefined> {
  const digest = await records.packages.find(name);
  const stored = digest === undefined ? undefined : await records.packages.get(digest);
  return stored !== undefined && mayRead(stored.entry.body, ask) ? stored : undefined;
}

async function lastReadable(records: Records, ask: Ask): Promise<StoredPackage | undefined> {
  for (const { digest } of await records.packages.list(LOOK_BACK)) {
    const stored = await records.packages.get(digest);
    if (stored !== undefined && mayRead(stored.entry.body, ask)) return stored;
  }
  return undefined;
}
