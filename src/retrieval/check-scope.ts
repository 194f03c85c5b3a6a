/**
 * Check scope: does what the asker narrows to exist, as far as they may know?
 *
 * Invariant: judged on eligible pages only, so a forbidden path or version and one that never was give the same answer.
 */
import type { EligibleSet } from '../domain/eligibility.js';
import type { Problem } from '../domain/problem.js';
import type { Scope } from '../domain/query.js';
import type { IndexSnapshot } from '../ports/index-reader.js';
import { compareVersions } from './compare-versions.js';

const PAGES_PER_READ = 500;
/** Pages looked at to list the known versions; only after an unknown one was asked for. */
const MOST_PAGES_READ = 5_000;

export async function checkScope(snapshot: IndexSnapshot, eligible: EligibleSet, scope: Scope): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  for (const path of scope.paths ?? []) {
    const found = await snapshot.pages(eligible, { ...sourcesOf(scope), paths: [path] }, { limit: 1 });
    if (found.length === 0)
      problems.push(
        unknown('query/unknown-path', path, `No page or folder ${path} is here for you.`, 'List what is here with an empty scope.'),
      );
  }
  const { productVersion } = scope;
  if (productVersion !== undefined && !(await snapshot.hasVersion(eligible, productVersion))) {
    const known = await knownVersions(snapshot, eligible, sourcesOf(scope));
    const hint = known.length === 0 ? 'No page here names a product version.' : `Known versions: ${known.join(', ')}.`;
    problems.push(unknown('query/unknown-version', '', `No page here is for product version ${productVersion}.`, hint));
  }
  for (const tag of scope.tags ?? []) {
    const found = await snapshot.pages(eligible, { ...sourcesOf(scope), tags: [tag] }, { limit: 1 });
    if (found.length > 0) continue;
    problems.push({ ...unknown('query/unknown-tag', '', `No page here has the tag ${tag}.`, 'Check the spelling.'), severity: 'info' });
  }
  return problems;
}

function sourcesOf(scope: Scope): Scope {
  return scope.sources === undefined ? {} : { sources: scope.sources };
}

function unknown(
  code: 'query/unknown-path' | 'query/unknown-version' | 'query/unknown-tag',
  path: string,
  message: string,
  hint: string,
): Problem {
  return { code, severity: 'warning', source: '', path, message, hint };
}

async function knownVersions(snapshot: IndexSnapshot, eligible: EligibleSet, scope: Scope): Promise<readonly string[]> {
  const versions = new Set<string>();
  let after: string | undefined;
  for (let read = 0; read < MOST_PAGES_READ; read += PAGES_PER_READ) {
    const pages = await snapshot.pages(eligible, scope, { limit: PAGES_PER_READ, ...(after === undefined ? {} : { after }) });
    for (const page of pages) if (page.meta.productVersion !== undefined) versions.add(page.meta.productVersion);
    const last = pages.at(-1)?.path;
    if (pages.length < PAGES_PER_READ || last === after) break;
    after = last;
  }
  return [...versions].sort(compareVersions);
}
