/** A source of a team as `colophon.yaml` declares it, with every field that one must have; a test names those it is about. */
const FIELDS = {
  authority_class: 'reference',
  connector_identity: 'workload://colophon/directory',
  classification: 'internal',
  tenant_scope: '[main]',
  allowed_purposes: '[answer]',
  freshness_slo: 'P30D',
  retention_policy: 'keep@1',
  correction_and_deletion: 'source-authoritative',
  state: 'approved',
  permissions: 'everyone',
  trust_tier: 'trusted',
};

export function teamSource(
  id: string,
  fields: Readonly<Partial<Record<keyof typeof FIELDS | 'location' | 'egress' | 'rules', string>>> = {},
): string {
  const all = { owner: `role:${id}`, location: `{ connector: directory, path: ./${id} }`, ...FIELDS, ...fields };
  const lines = Object.entries(all).map(([name, value]) => `    ${name}: ${value}\n`);
  return `  - id: ${id}\n${lines.join('')}`;
}
