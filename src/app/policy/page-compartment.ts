/**
 * In which compartment a page is filed, read from its source as it is now; for a page that is not there, what its folder's rules say.
 *
 * Needs no index: who reviews a policy asks about files.
 */
import type { Compartment } from '../../domain/compartment.js';
import { compartment } from '../../domain/compartment.js';
import type { SourceRegistration } from '../../domain/source.js';
import { applyRules } from '../../ingest/governance.js';
import { ingestPage } from '../../ingest/pipeline.js';
import { Fault } from '../../kernel/errors.js';
import type { Library } from '../library.js';

export interface FiledPage {
  readonly compartment: Compartment;
  /** `page`: read from the source. `rules`: there is no such page, or it cannot be read. */
  readonly from: 'page' | 'rules';
}

export async function filedPage(library: Library, source: string, path: string, signal: AbortSignal): Promise<FiledPage> {
  const registration = library.config.sources.find(({ id }) => id === source);
  if (registration === undefined) throw new Fault('source/unknown', { sourceId: source });
  const page = await pageAt(library, registration, path, signal);
  return page === undefined ? { compartment: byRules(registration, path), from: 'rules' } : { compartment: page, from: 'page' };
}

async function pageAt(
  library: Library,
  registration: SourceRegistration,
  path: string,
  signal: AbortSignal,
): Promise<Compartment | undefined> {
  const { scanner, embedder } = library;
  const connector = library.connector(registration.location.connector);
  try {
    // A ref is read by the blobs it lists.
    const listed = registration.location.ref === undefined ? [] : (await connector.list(registration, signal)).documents;
    const document = listed.find((each) => each.path === path) ?? { path, sizeBytes: 0 };
    for await (const found of connector.read(registration, [document], signal)) {
      if ('problem' in found || found.path !== path) continue;
      const made = await ingestPage(found, registration, { scanner, embedder: { ...embedder, id: 'none' } });
      if (made.kind === 'page') return made.prepared.compartment;
    }
  } catch (error) {
    if (!(error instanceof Fault) || error.kind !== 'unavailable') throw error;
  }
  return undefined;
}

function byRules(registration: SourceRegistration, path: string): Compartment {
  const ruled = applyRules(registration, path);
  return compartment({
    source: registration.id,
    tenants: registration.tenantScope,
    permissionsRef: ruled.permissionsRef,
    classification: ruled.classification,
    purposes: registration.allowedPurposes,
    egress: registration.egress === 'local-only' || ruled.sensitivity === 'private' ? 'local-only' : 'any',
  });
}
