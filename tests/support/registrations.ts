/** A complete registration for tests that care about a few of its fields. */
import type { SourceLocation, SourceRegistration } from '../../src/domain/source.js';

export function registrationAt(
  location: Partial<SourceLocation> & Pick<SourceLocation, 'path'>,
  over: Partial<SourceRegistration> = {},
): SourceRegistration {
  const connector = location.connector ?? 'directory';
  return {
    id: 'docs',
    owner: 'person:test',
    authorityClass: 'reference',
    connectorIdentity: `workload://colophon/${connector}`,
    location: { include: [], exclude: [], ...location, connector },
    classification: 'internal',
    tenantScope: ['local'],
    allowedPurposes: ['answer'],
    freshnessSloMs: 86_400_000,
    retentionPolicy: 'keep@1',
    correctionAndDeletion: 'source-authoritative',
    initialState: 'active',
    permissionsRef: 'library',
    trustTier: 'trusted',
    admission: 'local-unreviewed',
    egress: 'any',
    rules: [],
    stemming: 1,
    ...over,
  };
}
