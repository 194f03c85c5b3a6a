/**
 * From a name as people write it to the place of a page, for orders: pages that are kept from everybody must be found as well.
 *
 * Invariant: whoever bears no role is told nothing here: a name that cannot be made out is taken as written, and the order is refused.
 */
import { Fault } from '../../kernel/errors.js';
import { pathReadings, respelt } from '../asking/path-readings.js';
import type { Call } from '../operations/catalogue.js';
import { findPage } from '../operations/find-page.js';
import { doorIfBuilt } from '../packages/access.js';
import { isBearer } from './order-move.js';
import { heldOf, type PagePlace } from './page-signs.js';

export async function placeOf(call: Call, named: { readonly path: string; readonly source?: string | undefined }): Promise<PagePlace> {
  const asWritten = { source: named.source ?? call.library.config.sources[0]?.id ?? '', path: named.path };
  try {
    return (await foundPlace(call, named)) ?? asWritten;
  } catch (error) {
    // The order will be refused in the same words, whatever the name means.
    if (error instanceof Fault && !isBearer(call, undefined)) return asWritten;
    throw error;
  }
}

async function foundPlace(
  call: Call,
  named: { readonly path: string; readonly source?: string | undefined },
): Promise<PagePlace | undefined> {
  if (/^ka_[0-9a-f]{32}$/.test(named.path)) return placeOfArtifact(call, named.path);
  const places = [...placesOf(call, named)];
  for (const reading of places) {
    const there = [];
    for (const place of reading) if (await isKnown(call, place)) there.push(place);
    const [found, another] = there;
    if (another !== undefined) throw new Fault('page/ambiguous', { path: named.path, sources: there.map(({ source }) => source).sort() });
    if (found !== undefined) return found;
  }
  // Nobody knows it yet: it may be a file that was not read so far.
  return places.flat().find(({ source, path }) => source !== '' && path !== '');
}

/** For each reading of the name, the most literal first, where it may be. */
function* placesOf({ library }: Call, { path, source }: { readonly path: string; readonly source?: string | undefined }) {
  const ids = library.config.sources.map(({ id }) => id);
  const readings = pathReadings(library.config, path);
  for (const reading of [...readings, ...respelt(readings)]) {
    const named = source ?? reading.source;
    if (reading.path === '' || (source !== undefined && reading.source !== undefined && reading.source !== source)) continue;
    yield (named === undefined ? ids : [named]).map((each): PagePlace => ({ source: each, path: reading.path }));
  }
}

async function isKnown(call: Call, place: PagePlace): Promise<boolean> {
  if ((await heldOf(call, place)) !== undefined) return true;
  return (await call.library.records.pages.standings(place.source)).some(({ path }) => path === place.path);
}

async function placeOfArtifact(call: Call, id: string): Promise<PagePlace> {
  const door = await doorIfBuilt(call);
  try {
    const found = door === undefined ? undefined : await findPage(door, { path: id });
    if (found === undefined) throw new Fault('not-found', { what: id });
    return { source: found.page.source, path: found.page.path };
  } finally {
    await door?.snapshot.close();
  }
}
