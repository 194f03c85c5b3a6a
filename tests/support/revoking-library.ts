/** The library of T1.5: one page that is given to a person and taken away from them, by every way there is. */
import { join } from 'node:path';
import { resolveConfig } from '../../src/app/configuration/config.js';
import { openContainer } from '../../src/app/container.js';
import { learn } from '../../src/app/learning/learn.js';
import type { TemporaryFolder } from './temporary-folder.js';

export const SECRET = 'Quokkas';
export const PAGE = 'board/plan.md';
export const POLICY_FILE = 'contracts/policy/policy.yaml';
export const PHASE_FILE = 'phase';

export const sourceText = (id: string, ref: string) => `  - id: ${id}
    owner: role:docs
    authority_class: reference
    connector_identity: workload://colophon/directory
    location: { path: ./${id}, connector: directory }
    classification: internal
    tenant_scope: [main]
    allowed_purposes: [answer, audit]
    freshness_slo: P7D
    retention_policy: keep@1
    correction_and_deletion: source-authoritative
    state: active
    permissions: ${ref}
`;

export const POLICY = `version: 1
purposes: { answer: a, audit: b }
people:
  person:ada: { tenants: [main], purposes: [answer, audit], ceiling: restricted }
  person:bob: { tenants: [main], purposes: [answer, audit], ceiling: confidential }
groups:
  staff: [person:ada, person:bob]
  board: [person:ada, person:bob]
owners: { role:docs: [person:ada] }
roles: { knowledge: [person:ada], security: [person:ada] }
acls:
  staff: [{ groups: [staff], tenants: [main], purposes: [answer, audit] }]
  board: [{ groups: [board], tenants: [main], purposes: [answer, audit] }]
`;

/** Each takes the page away from bob. Two leave the file as long as it was. */
export const TAKEN_AWAY: readonly ((policy: string) => string)[] = [
  (policy) => policy.replace('board: [person:ada, person:bob]', 'board: [person:ada]'),
  (policy) => policy.replace('board: [person:ada, person:bob]', 'board: [person:ada, person:ada]'),
  (policy) => policy.replace('board: [{ groups: [board]', 'board: [{ groups: [nobod]'),
  (policy) => policy.replace('ceiling: confidential', 'ceiling: public'),
];

export async function layRevokingLibrary(folder: TemporaryFolder, name: string): Promise<string> {
  const at = (path: string) => `${name}/${path}`;
  folder.write(
    at('colophon.yaml'),
    `version: 1\nprofile: team\nsources:\n${sourceText('open', 'staff')}${sourceText('board', 'board')}identity: { principal: person:ada }\n`,
  );
  folder.write(at(POLICY_FILE), POLICY);
  folder.write(at('open/keys.md'), '# Keys\n\nThey rotate signing keys every month.\n');
  folder.write(at(PAGE), `# Plan\n\n${SECRET} rotate signing keys in spring.\n`);
  folder.write(at(PHASE_FILE), Buffer.alloc(4));
  const root = join(folder.path, name);
  const library = await openContainer(await resolveConfig({ cwd: root, env: { COLOPHON_HOME: join(root, 'home') } }));
  await learn(library, {});
  await library.close();
  return root;
}
