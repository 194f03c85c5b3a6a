/**
 * Does the source say what a package quotes? Asked of the source itself, not of the index.
 *
 * A page is made again from the source's bytes, and the passage must come out of it under the same id and hash: then the words,
 * their place and their page are as cited.
 *
 * Invariant: every page of a package is looked at; none is taken for granted.
 */
import type { PackageItem } from '../../domain/context-package.js';
import type { SourceRegistration } from '../../domain/source.js';
import { Fault } from '../../kernel/errors.js';
import type { ListedDocument } from '../../ports/connector.js';
import { isOfCaller } from '../asking/named-pages.js';
import type { Call } from '../operations/catalogue.js';

/**
 * `as-cited`: the page has the very bytes it was quoted from. `still-says`: it was edited, and says this still. `changed`: it does not.
 * `altered`: it has the bytes it was quoted from, and they do not say this. `gone`: there is no such page. `unreachable`: the source
 * cannot be read, or is not declared.
 */
export const SAID = ['as-cited', 'still-says', 'changed', 'altered', 'gone', 'unreachable'] as const;
export type Said = (typeof SAID)[number];

type Asking = Pick<Call, 'library' | 'signal'>;

/** In the order of the items; null for what the caller brought along, which no source can say. */
export async function saidInSource(call: Asking, items: readonly PackageItem[]): Promise<readonly (Said | null)[]> {
  const answers = new Map<PackageItem, Said>();
  for (const [source, cited] of grouped(items.filter((item) => !isOfCaller(item.source)))) {
    const registration = call.library.config.sources.find(({ id }) => id === source);
    const said = registration === undefined ? undefined : await saidIn(call, registration, cited);
    for (const item of cited) answers.set(item, said?.get(item) ?? 'unreachable');
  }
  return items.map((item) => answers.get(item) ?? null);
}

function grouped(items: readonly PackageItem[]): ReadonlyMap<string, PackageItem[]> {
  const groups = new Map<string, PackageItem[]>();
  for (const item of items) groups.set(item.source, [...(groups.get(item.source) ?? []), item]);
  return groups;
}

async function saidIn(
  call: Asking,
  registration: SourceRegistration,
  items: readonly PackageItem[],
): Promise<ReadonlyMap<PackageItem, Said> | undefined> {
  const connector = call.library.connector(registration.location.connector);
  const answers = new Map<PackageItem, Said>(items.map((item) => [item, 'gone']));
  try {
    for await (const found of connector.read(registration, await documentsOf(call, registration, items), call.signal)) {
      if ('problem' in found) continue;
      const made = await passagesOf(call, registration, found);
      for (const item of items.filter(({ path }) => path === found.path)) answers.set(item, judged(item, found.blob, made));
    }
    return answers;
  } catch (error) {
    if (error instanceof Fault && error.kind === 'unavailable') return undefined;
    throw error;
  }
}

function judged(item: PackageItem, blob: string, made: ReadonlyMap<string, string>): Said {
  const said = made.get(item.artifact) === item.excerptDigest;
  if (blob === item.blob) return said ? 'as-cited' : 'altered';
  return said ? 'still-says' : 'changed';
}

/** A ref is listed for the present blobs of its pages; a folder is simply read. */
async function documentsOf(call: Asking, registration: SourceRegistration, items: readonly PackageItem[]): Promise<ListedDocument[]> {
  const paths = [...new Set(items.map(({ path }) => path))];
  if (registration.location.ref === undefined) return paths.map((path) => ({ path, sizeBytes: 0 }));
  const { documents } = await call.library.connector(registration.location.connector).list(registration, call.signal);
  return documents.filter(({ path }) => paths.includes(path));
}

/** Artifact id → digest of its text as a package would hold it. */
async function passagesOf(
  { library }: Asking,
  registration: SourceRegistration,
  document: { readonly path: string; readonly blob: string; readonly bytes: Uint8Array },
): Promise<ReadonlyMap<string, string>> {
  const [{ ingestPage }, { shownText }] = await Promise.all([import('../../ingest/pipeline.js'), import('../../context/item.js')]);
  const made = await ingestPage(document, registration, library);
  if (made.kind === 'refused') return new Map();
  return new Map(made.prepared.artifacts.map((artifact) => [artifact.id, shownText(artifact).digest]));
}
