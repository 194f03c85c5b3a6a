/**
 * From a name as people write it to a page: a path from a source's root or the library's, `source/path`, `source:path`, or an artifact id,
 * whole or as a context shortens it.
 *
 * Invariant: only eligible pages are looked at; the name is a key and is never joined to a folder.
 * Invariant: a name that means a page of each of several sources is refused with their names, never taken for one of them.
 */
import { Fault } from '../../kernel/errors.js';
import type { StoredArtifact, StoredPage } from '../../ports/index-reader.js';
import type { Door } from '../asking/asking.js';
import { type PathReading, pathReadings, respelt } from '../asking/path-readings.js';

const ARTIFACT = /^ka_[0-9a-f]{32}$/;
/** As the lines of a context write an id: its first eight digits, and more where that is needed to tell the items apart. */
const SHORT_ARTIFACT = /^ka_[0-9a-f]{8,31}$/;

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

export async function findPage(
  { snapshot, eligible, places }: Pick<Door, 'snapshot' | 'eligible' | 'places'>,
  { path, source, raw }: PageName,
): Promise<FoundPage | undefined> {
  const id = SHORT_ARTIFACT.test(path) ? await wholeId(path, { snapshot, eligible }) : path;
  if (id !== undefined && ARTIFACT.test(id)) {
    const artifact = (await snapshot.artifacts(eligible, [id])).artifacts[0];
    return artifact === undefined ? undefined : { page: artifact.page, artifact };
  }
  const seen = { snapshot, eligible };
  const asWritten = raw === true ? [{ source, path }] : readings(places, path, source);
  const page = (await firstOf(asWritten, seen)) ?? (raw === true ? undefined : await respeltPage(path, asWritten, seen));
  return page === undefined ? undefined : { page };
}

type Seen = Pick<Door, 'snapshot' | 'eligible'>;

async function firstOf(readings: readonly PathReading[], seen: Seen): Promise<StoredPage | undefined> {
  for (const reading of readings) {
    const page = await seen.snapshot.page(seen.eligible, reading.source, reading.path);
    if (page === undefined) continue;
    if (reading.source === undefined) await requireOnly(page, seen);
    return page;
  }
  return undefined;
}

async function respeltPage(written: string, readings: readonly PathReading[], seen: Seen): Promise<StoredPage | undefined> {
  const found = new Map<string, StoredPage>();
  for (const reading of respelt(readings)) {
    const page = await firstOf([reading], seen);
    if (page !== undefined) found.set(JSON.stringify([page.source, page.path]), page);
  }
  if (found.size > 1) throw new Fault('page/look-alikes', { path: written });
  return found.values().next().value;
}

/** The one eligible id that begins so; what nobody may see here makes no beginning unclear. */
async function wholeId(start: string, { snapshot, eligible }: Pick<Door, 'snapshot' | 'eligible'>): Promise<string | undefined> {
  const [id, another] = await snapshot.idsBeginning(eligible, start, 2);
  if (another !== undefined) throw new Fault('artifact/ambiguous', { start });
  return id;
}

/** Sources that the asker may not read are not asked, so a page hidden there leaves the name clear. */
async function requireOnly({ source, path }: StoredPage, { snapshot, eligible }: Pick<Door, 'snapshot' | 'eligible'>): Promise<void> {
  const others = [...new Set(eligible.compartments.map((each) => each.source))].filter((each) => each !== source);
  const holders = [source];
  for (const other of others) if ((await snapshot.page(eligible, other, path)) !== undefined) holders.push(other);
  if (holders.length > 1) throw new Fault('page/ambiguous', { path, sources: holders.sort() });
}

/** What the name may mean, the most literal first; a source named beside the path rules the others out. */
function readings(places: Door['places'], path: string, source: string | undefined): readonly PathReading[] {
  const all = pathReadings(places, path).filter((each) => each.path !== '');
  if (source === undefined) return all;
  return all.filter((each) => each.source === undefined || each.source === source).map((each) => ({ ...each, source }));
}
