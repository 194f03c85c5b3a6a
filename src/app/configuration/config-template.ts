/**
 * What `colophon init` writes: three lines that work, and the keys most often wanted as comments.
 *
 * Invariant: each template parses, and parses again with every comment sign before a key taken away (a test does both).
 */

import { PERSONAL } from '../personal.js';
import { CONFIG_NAME } from './config.js';

/** Gives completion in editors that speak YAML language server. */
export const SCHEMA_LINE = '# yaml-language-server: $schema=';

export interface TemplateFacts {
  /** Where the published schema is, as written into the first line. */
  readonly schema: string;
  /** Folders that hold documents, relative, e.g. `./docs`. */
  readonly folders: readonly string[];
  readonly connector: 'git' | 'directory';
}

export function personalTemplate({ schema, folders, connector }: TemplateFacts): string {
  return `${SCHEMA_LINE}${schema}
# ${CONFIG_NAME}: these three lines are all a personal library needs.
version: 1
profile: personal
sources: [${folders.join(', ')}]

# Everything below is optional: examples of the keys most often wanted. The schema in the first line lists every key.
#
# A source may also be a set of keys instead of a folder:
# sources:
#   - location:
#       path: ${folders[0] ?? '.'}
#       connector: ${connector}      # auto | git | directory
#       # ref: HEAD           # git only: read what is committed at this ref; such text is called curated
#       include: []           # globs from the source root; empty means every document
#       exclude: []
#     classification: public      # public | internal | confidential | restricted
#     trust_tier: trusted         # untrusted | advisory | trusted | system_verified
#     egress: any                 # local-only text never reaches a remote model
#     stemming: 0.5               # 0: exact words only
#     rules:                      # the last rule that names a field wins
#       - { glob: 'archive/**', status: legacy }
#       - { glob: 'v1/**', version: '1.0' }
#       - { glob: 'private/**', sensitivity: private }
#
# clients:                      # where a client's model runs; one that is not named is remote
#   my-local-agent: local
#
# vocabulary: vocabulary.yaml   # a reviewed file of names: a question that uses one finds text that uses another
#
# governing:                    # clauses that must reach an agent whole
#   - { source: docs, path: rules.md, level: organization }
#
# models:                       # what the token ceiling of a context is worked out from
#   - { name: my-model, window_tokens: 32768, token_factor: 1.15 }
`;
}

export function teamTemplate({ schema, folders, connector }: TemplateFacts): string {
  return `${SCHEMA_LINE}${schema}
# ${CONFIG_NAME}: a team library. Every source carries all twelve registration fields.
version: 1
profile: team
sources:
${folders.map((folder, index) => teamSource(folder, index, connector)).join('')}
# Which groups may read what a permissions ref stands for. A ref that is not here denies.
permissions:
  staff: [staff]
  leads: [leads]

# Who this library answers as. Flags such as --tenant and --ceiling may only narrow it.
identity:
  principal: person:me
  groups: [staff]
  tenants: [main]
  purposes: [${PERSONAL.purpose}]
  ceiling: internal

# Whom --as may name; what both hold is what counts.
people:
  person:guest: { groups: [staff], tenants: [main], purposes: [${PERSONAL.purpose}], ceiling: public }

# Where a client's model runs; one that is not named is remote.
clients:
  terminal: local
  claude-code: remote
`;
}

function teamSource(folder: string, index: number, connector: string): string {
  const id =
    folder
      .replace(/^\.\/?/, '')
      .toLowerCase()
      .replace(/[^a-z0-9._-]+/g, '-') || 'docs';
  return `  - id: ${index === 0 ? id : `${id}-${index + 1}`}
    owner: role:docs                        # who answers for it
    authority_class: reference              # governing | authoritative | reference | evidence | working
    connector_identity: workload://colophon/${connector}  # the only workload that may write it
    location: { path: ${folder}, connector: ${connector} }
    classification: internal                # public | internal | confidential | restricted
    tenant_scope: [main]                    # no wildcard
    allowed_purposes: [${PERSONAL.purpose}]
    freshness_slo: P7D                      # ISO 8601: longest tolerated time since the last complete walk
    retention_policy: keep@1                # name@version
    correction_and_deletion: source-authoritative
    state: active                           # where it starts; later moves are recorded
    # companions of the twelve:
    permissions: staff                      # a list under \`permissions\`
    trust_tier: trusted                     # left out: advisory, and fenced when an agent sees it
    rules:                                  # the last rule that names a field wins; permission only narrows
      - { glob: 'hr/**', classification: confidential, permissions: leads }
      - { glob: 'archive/**', status: legacy }
      - { glob: 'v1/**', version: '1.0' }
      - { glob: 'private/**', sensitivity: private }
`;
}
