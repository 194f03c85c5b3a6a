/**
 * From a name as people write it to a page: a path, `source/path`, `source:path`, or an artifact id.
 *
 * Invariant: only eligible pages are looked at; the name is a key and is never joined to a folder.
 */
import type { StoredArtifact, StoredPage } from '../../ports/index-reader.js';
import type { Door } from '../asking.js';
import { plainPath } from './scope.js';

const ARTIFACT = /^ka_[0-9a-f]{32}$/;

export interface PageName {
  readonly path: string;
  readonly source?: string | undefined;
  /** Take the path exactly as written. */
  readonly raw?: boolean;
}

export interface FoundPage {
  readonly page: StoredPage;
  /** When the name was that of one artifact. */
  readonly artifact?: StoredArtifact;
}

export async function findPage({ snapshot, eligible }: Door, { path, source, raw }: PageName): Promise<FoundPage | undefined> {
  if (ARTIFACT.test(path)) {
    const artifact = (await snapshot.artifacts(eligible, [path])).artifacts[0];
    return artifact === undefined ? undefined : { page: artifact.page, artifact };
  }
  for (const [inSource, at] of raw === true ? [[source, path] as const] : readings(path, source)) {
    const page = await snapshot.page(eligible, inSource, at);
    if (page !== undefined) return { page };
  }
  return undefined;
}

/** What the name may mean, the most literal first. */
function readings(path: string, source: string | undefined): readonly (readonly [string | undefined, string])[] {
  const plain = plainPath(path);
  const literal = [[source, path] as const, [source, plain] as const];
  if (source !== undefined) return literal;
  const cuts = [plain.indexOf('/'), plain.indexOf(':')].filter((at) => at > 0);
  return [...literal, ...cuts.map((at) => [plain.slice(0, at), plain.slice(at + 1)] as const)];
}
