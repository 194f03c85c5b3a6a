/**
 * What a page is made with, besides its document: names every version and every word of the registration that shapes it.
 *
 * Apart from the pipeline, because a run that finds nothing to do must not load what does it.
 */
import type { SourceRegistration } from '../domain/source.js';
import { type Digest, digestOf } from '../kernel/digest.js';
import { ANALYZER_VERSION } from '../text/analyze.js';
import { SEGMENTER_VERSION } from '../text/segment.js';

/** Changes whenever the same document could give another page. */
export const PIPELINE_VERSION = 'ingest@5';

/** Digest of everything outside the document that shapes its page: a page made under another one must be made again (ING-03). */
export function transformationOf(
  registration: SourceRegistration,
  models: { readonly scanner?: string; readonly embedder?: string } = {},
): Digest {
  return digestOf({
    pipeline: PIPELINE_VERSION,
    analyzer: ANALYZER_VERSION,
    segmenter: SEGMENTER_VERSION,
    scanner: models.scanner ?? '',
    embedder: models.embedder ?? 'none',
    source: registration.id,
    authorityClass: registration.authorityClass,
    classification: registration.classification,
    tenants: [...registration.tenantScope].sort(),
    purposes: [...registration.allowedPurposes].sort(),
    permissionsRef: registration.permissionsRef,
    trustTier: registration.trustTier,
    admission: registration.admission,
    readsRef: registration.location.connector === 'git' && registration.location.ref !== undefined,
    egress: registration.egress,
    ...(registration.sections === undefined ? {} : { sections: registration.sections }),
    rules: registration.rules.map((rule) => Object.entries(rule).filter(([, value]) => value !== undefined)),
  });
}
