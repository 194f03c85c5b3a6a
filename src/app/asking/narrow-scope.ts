/**
 * Narrow: what an asker narrows a question to, put into the index's own words: paths found as `get` finds a page, sources and
 * statuses that exist.
 *
 * Invariant: judged on what the asker may see, so a hidden source or folder is refused with the words of one that never was.
 */
import type { EligibleSet } from '../../domain/eligibility.js';
import { PAGE_STATUSES } from '../../domain/page.js';
import type { Scope } from '../../domain/query.js';
import { Fault } from '../../kernel/errors.js';
import type { IndexSnapshot } from '../../ports/index-reader.js';
import { type EligibilityDeps, resolveEligible } from '../../retrieval/eligible.js';
import { answersForAll } from '../answers-for-all.js';
import type { Call } from '../operations/catalogue.js';
import { type PathReading, pathReadings } from './path-readings.js';

export async function narrowScope(deps: EligibilityDeps, call: Call, scope: Scope): Promise<Scope> {
  requireStatuses(scope.statuses);
  if (scope.sources === undefined && scope.paths === undefined) return scope;
  const eligible = await resolveEligible(deps, call.ask);
  requireSources(scope.sources, eligible, call);
  return scope.paths === undefined ? scope : withPaths(scope, scope.paths, { snapshot: deps.snapshot, eligible, call });
}

function requireStatuses(statuses: readonly string[] | undefined): void {
  const odd = statuses?.find((each) => !PAGE_STATUSES.some((known) => known === each));
  if (odd !== undefined) throw new Fault('input/invalid', { field: 'status', expected: `one of ${PAGE_STATUSES.join(', ')}, not ${odd}` });
}

function requireSources(sources: readonly string[] | undefined, eligible: EligibleSet, call: Call): void {
  if (sources === undefined) return;
  const declared = answersForAll(call) ? call.library.config.sources.map(({ id }) => id) : [];
  const known = [...new Set([...eligible.compartments.map(({ source }) => source), ...declared])].sort();
  const odd = sources.find((each) => !known.includes(each));
  // With nothing indexed yet there is nothing to choose from, and the answer says that.
  if (odd === undefined || known.length === 0) return;
  throw new Fault('input/invalid', { field: 'source', expected: `one of ${known.join(', ')}, not ${odd}` });
}

interface Sight {
  readonly snapshot: IndexSnapshot;
  readonly eligible: EligibleSet;
  readonly call: Call;
}

async function withPaths(scope: Scope, paths: readonly string[], sight: Sight): Promise<Scope> {
  const found = await Promise.all(paths.map((path) => place(path, scope.sources, sight)));
  const narrowed = scope.sources === undefined && found.every(({ source }) => source !== undefined);
  const sources = [...new Set(found.flatMap(({ source }) => source ?? []))];
  const { paths: _paths, ...rest } = narrowed ? { ...scope, sources } : scope;
  // The whole of a source is no path; beside another path it cannot be said, and is left as it was written.
  if (found.every(({ path }) => path === '')) return rest;
  return { ...rest, paths: found.map(({ path }, at) => (path === '' ? (paths[at] ?? '') : path)) };
}

/** The first reading under which something is there for the asker; what is not there stays as it was written. */
async function place(written: string, sources: readonly string[] | undefined, sight: Sight): Promise<PathReading> {
  for (const reading of pathReadings(sight.call.library.config, written)) {
    if (reading.source !== undefined && sources !== undefined && !sources.includes(reading.source)) continue;
    const path = await spelled(reading, sight);
    if (path !== undefined) return { ...reading, path };
  }
  return { source: undefined, path: written };
}

/** People write a folder without its slash: what is no page they may see, but has pages below it, is meant as one. */
async function spelled({ source, path }: PathReading, { snapshot, eligible }: Sight): Promise<string | undefined> {
  const within = source === undefined ? {} : { sources: [source] };
  const holds = async (paths: readonly string[]) =>
    (await snapshot.pages(eligible, paths.includes('') ? within : { ...within, paths }, { limit: 1 })).length > 0;
  if (path === '') return source !== undefined && (await holds([''])) ? '' : undefined;
  if (path.endsWith('/')) return (await holds([path])) ? path : undefined;
  if ((await snapshot.page(eligible, source, path)) !== undefined) return path;
  return (await holds([`${path}/`])) ? `${path}/` : undefined;
}
