/**
 * The policy as its files say it now: looked at again for every request, so that an edit counts for the next one.
 *
 * One request is judged by one policy: it is taken once, and handed on with the library.
 *
 * Invariant: a policy that cannot be used, or is gone, denies with a fault that names the place; what it allowed before is not allowed.
 * Invariant: files that were changed a moment before they were read are read again, whatever their times say.
 */

import { Fault } from '../../kernel/errors.js';
import { intersection } from '../identity.js';
import type { LibraryConfig, PolicyPlace, Rights } from '../library.js';
import { isThere } from '../state-folder.js';
import { type FilesMark, markOf, readPolicyTexts } from './policy-files.js';
import { readParts } from './policy-parts.js';
import { type ResolvedPolicy, resolvePolicy } from './resolve-policy.js';

interface Known {
  readonly mark: FilesMark;
  readonly readAt: number;
  readonly digest: string;
  readonly outcome: { readonly config: LibraryConfig } | { readonly fault: Fault };
}

const known = new Map<string, Known>();
/** File times are coarse: what was changed this shortly before it was read may have been changed again within the same tick. */
const SETTLED_MS = 2_000;
const MOST_KNOWN = 32;

export async function withPolicy(config: LibraryConfig): Promise<LibraryConfig> {
  const place = config.policyPlace;
  if (place === undefined) return config;
  const key = JSON.stringify([config.file, place.path, place.identity]);
  const held = known.get(key);
  await requireThere(place);
  const isSettled =
    held !== undefined && held.readAt - held.mark.changedAt > SETTLED_MS && (await markOf(place.path)).text === held.mark.text;
  if (isSettled) return outcomeOf(held, config);
  const readAt = Date.now();
  const { files, mark } = await readPolicyTexts(place, config.root);
  const digest = JSON.stringify(files);
  const outcome = held?.digest === digest ? held.outcome : attempt(() => resolved(config, files));
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(key, { mark, readAt, digest, outcome });
  return outcomeOf({ outcome }, config);
}

/** A policy that nobody named is missed in words that tell what to do; one that is named is missed by its name. */
export async function requireThere({ path: file, isDefault }: PolicyPlace): Promise<void> {
  if (isDefault !== true || (await isThere(file))) return;
  const what = 'it is not there, and this library was under it; put it back, or say in colophon.yaml under `permissions` who may read what';
  throw new Fault('policy/invalid', { file, what });
}

/** What was worked out for this configuration, or for an equal one that another library was opened with. */
function outcomeOf({ outcome }: Pick<Known, 'outcome'>, config: LibraryConfig): LibraryConfig {
  if ('fault' in outcome) throw outcome.fault;
  const { permissions, people, identity, policy } = outcome.config;
  if (config.policy === policy) return config;
  return { ...config, permissions, identity, ...(people === undefined ? {} : { people }), ...(policy === undefined ? {} : { policy }) };
}

function attempt(work: () => LibraryConfig): Known['outcome'] {
  try {
    return { config: work() };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { fault: error };
  }
}

function resolved(config: LibraryConfig, files: Parameters<typeof readParts>[0]): LibraryConfig {
  const { parts, findings } = readParts(files);
  const [first] = findings;
  if (first !== undefined) {
    const { file, line, what } = first;
    throw new Fault('policy/invalid', { file, ...(line === undefined ? {} : { line }), what });
  }
  return underPolicy(config, resolvePolicy(parts));
}

const NOTHING: Rights = { groups: [], tenants: [], purposes: [], ceiling: 'public' };

/** The process holds what the policy gives its principal, and of that what colophon.yaml leaves it. */
export function underPolicy(config: LibraryConfig, { policy, permissions, people }: ResolvedPolicy): LibraryConfig {
  const written = config.policyPlace?.identity ?? {};
  const { principal } = config.identity;
  const own = Object.hasOwn(people, principal) ? (people[principal] ?? NOTHING) : NOTHING;
  const left = intersection(own, { ...own, ...written });
  return { ...config, permissions, people, policy, identity: { principal, ...left } };
}
