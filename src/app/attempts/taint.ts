/**
 * What an attempt has read that strangers wrote, read up from the packages that were compiled for it (INJ-09).
 *
 * Whoever asked for a package counts: two who give their runs one name share its taint, so that none can lose it by asking as another.
 */
import { PACKAGE_SCHEMAS } from '../../context/package-schema.js';
import { isFenced, type TrustTier } from '../../domain/authority.js';
import type { ContextPackage } from '../../domain/context-package.js';
import type { Taint } from '../../domain/gate.js';
import { Fault } from '../../kernel/errors.js';
import type { Library } from '../library.js';

export async function taintOf({ records }: Pick<Library, 'records'>, attempt: string): Promise<Taint> {
  const digests = new Set((await records.packages.bindingsOf(attempt)).map(({ digest }) => digest));
  const tiers = new Set<TrustTier>();
  let packages = 0;
  let unreadable = 0;
  for (const digest of digests) {
    const fenced = fencedTiers(await records.packages.get(digest).catch(ifAltered));
    if (fenced === undefined) unreadable += 1;
    else if (fenced.length > 0) packages += 1;
    for (const tier of fenced ?? []) tiers.add(tier);
  }
  return { tiers: [...tiers].sort(), packages, tools: await records.approvals.taintsOf(attempt), unreadable };
}

/** Does any page of this library count as a stranger's? Registrations and rules alone decide on tiers. */
export function holdsStrangersText({ config }: Pick<Library, 'config'>): boolean {
  return config.sources.some(
    ({ trustTier, rules }) => isFenced(trustTier) || rules.some((rule) => rule.trustTier !== undefined && isFenced(rule.trustTier)),
  );
}

/** Undefined for a package that nobody can read any more, or not with this version. */
function fencedTiers(stored: { readonly entry: ContextPackage } | undefined): readonly TrustTier[] | undefined {
  if (stored === undefined || !Object.hasOwn(PACKAGE_SCHEMAS, stored.entry.body.format)) return undefined;
  const { items, taint } = stored.entry.body;
  const fenced = items.map(({ tier }) => tier).filter(isFenced);
  return taint && fenced.length === 0 ? ['untrusted'] : fenced;
}

function ifAltered(error: unknown): undefined {
  if (error instanceof Fault && error.code === 'package/altered') return undefined;
  throw error;
}
