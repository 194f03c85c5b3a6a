/**
 * The shape of colophon.yaml, and nothing else: what may stand in it, key by key, with the words an editor shows.
 *
 * schemas/colophon.schema.json is generated from this value (scripts/write-schemas.mjs).
 *
 * Invariant: strict; a key that is not named here is refused with its line, never ignored.
 */
import { z } from 'zod';
import { AUTHORITY_CLASSES, EGRESS, TRUST_TIERS } from '../../domain/authority.js';
import { CLASSIFICATIONS } from '../../domain/classification.js';
import { PAGE_STATUSES } from '../../domain/page.js';
import { SOURCE_STATES } from '../../domain/source.js';
import { globExpectation } from '../../text/glob.js';
import { contextConfig, governingConfig } from './context-config.js';
import { modelEntry } from './model-entry.js';
import { serveFile } from './serve-config.js';

const words = (expected: string) => ({ error: expected });
const name = z.string().regex(/^[a-z0-9][a-z0-9._-]*$/, words('lower-case letters, digits, `.`, `_` or `-`'));
const glob = z
  .string()
  .min(1)
  .refine((text) => globExpectation(text) === undefined, { error: ({ input }) => globExpectation(String(input)) ?? '' });
const names = z.array(z.string().min(1)).min(1);

const rule = z
  .strictObject({
    glob: glob.describe('Which pages, from the source root, e.g. `hr/**`. The last rule that names a field wins.'),
    classification: z.enum(CLASSIFICATIONS).optional().describe('Raises the classification; a rule never lowers it.'),
    permissions: name.optional().describe('Permissions ref that these pages need besides the source’s.'),
    status: z.enum(PAGE_STATUSES).optional(),
    version: z.string().min(1).optional().describe('Product version these pages describe.'),
    trust_tier: z.enum(TRUST_TIERS).optional(),
    sensitivity: z.enum(['private', 'normal']).optional().describe('`private` text never reaches a remote model.'),
  })
  .describe('What a path glob says about the pages it matches.');

const location = z.union([
  z.string().min(1).describe('A folder, from the folder of this file.'),
  z.strictObject({
    path: z.string().min(1).describe('A folder, from the folder of this file.'),
    connector: z.enum(['auto', 'git', 'directory']).default('auto').describe('`auto`: git inside a work tree, else directory.'),
    ref: z.string().min(1).optional().describe('git only: read the objects at this ref instead of the working tree.'),
    include: z.array(glob).default([]).describe('Globs from the source root; empty means every document.'),
    exclude: z.array(glob).default([]),
  }),
]);

const source = z.strictObject({
  id: name.optional(),
  owner: z.string().min(1).optional().describe('Accountable role or person, e.g. `role:docs`.'),
  authority_class: z.enum(AUTHORITY_CLASSES).optional(),
  connector_identity: z
    .string()
    .regex(/^workload:\/\//, words('an identity that begins with `workload://`'))
    .optional()
    .describe('The only workload that may write this source, e.g. `workload://colophon/git`.'),
  location,
  classification: z.enum(CLASSIFICATIONS).optional(),
  tenant_scope: names.optional().describe('Tenants that may see this source; no wildcard.'),
  allowed_purposes: names.optional(),
  freshness_slo: z.string().optional().describe('ISO 8601 duration, e.g. `P7D` or `PT12H`.'),
  retention_policy: z
    .string()
    .regex(/^[a-z0-9._-]+@\d+$/, words('`name@version`, e.g. `keep@1`'))
    .optional(),
  correction_and_deletion: z.enum(['source-authoritative', 'library-authoritative']).optional(),
  state: z.enum(SOURCE_STATES).optional().describe('The state it starts in; later moves are recorded in the registry.'),
  permissions: name.optional().describe('Names a list under `permissions`.'),
  trust_tier: z.enum(TRUST_TIERS).optional(),
  admission: z
    .enum(['trust-branch', 'local-unreviewed'])
    .optional()
    .describe('`trust-branch`: you vouch for whatever is on `ref`; only such text is called curated.'),
  egress: z.enum(EGRESS).optional().describe('`local-only` text never reaches a remote model.'),
  rules: z.array(rule).default([]),
  sections: z
    .literal('apart', words('apart, or left out'))
    .optional()
    .describe('Marked sections become documents of their own; left out, one raises its whole page.'),
  legal_hold: z.literal(true, words('true, or left out')).optional().describe('Nothing of it may be deleted as long as this stands.'),
  supersedes: name.optional().describe('The source it takes the place of: a revoked or deleted id never comes back.'),
  stemming: z.number().min(0).max(1).optional().describe('0: exact words only. 1: every inflection counts as the word itself.'),
});

const tool = z
  .string()
  .regex(/^[A-Za-z][\w.:-]*\*?$/, words('the name of a tool, or the beginning of names and `*`'))
  .max(200);
const tools = z.array(tool).max(500).optional();

const rights = {
  groups: z.array(z.string().min(1)).optional(),
  tenants: names.optional(),
  purposes: names.optional(),
  ceiling: z.enum(CLASSIFICATIONS).optional(),
};

export const configFile = z
  .strictObject({
    version: z.literal(1, words('1')),
    profile: z.enum(['personal', 'team']).describe('`personal`: one person holds all roles. `team`: every field, separate roles.'),
    sources: z.array(z.union([z.string().min(1).describe('A folder, from the folder of this file.'), source])).min(1),
    permissions: z
      .record(z.string(), z.array(z.string().min(1)))
      .optional()
      .describe('Permissions ref → groups that may read.'),
    identity: z
      .strictObject({ principal: z.string().min(1).optional(), ...rights })
      .optional()
      .describe('Who this library answers as. Flags may only narrow it.'),
    policy: z
      .string()
      .min(1)
      .optional()
      .describe('Folder or file of a policy of its own, instead of `permissions` and `people`. `contracts/policy` is found by itself.'),
    people: z.record(z.string(), z.strictObject(rights)).optional().describe('Who `--as` may name, with what they hold.'),
    clients: z
      .record(z.string(), z.enum(['local', 'remote']))
      .optional()
      .describe('Where a client’s model runs. An unnamed one is remote.'),
    gate: z
      .strictObject({
        capable: tools.describe('Tools that could carry text out. A tool that nothing names counts as one.'),
        contained: tools.describe('Tools that could not, by themselves. `capable` wins.'),
        taints: tools.describe('Tools whose answers bring strangers’ text into the conversation, e.g. `WebFetch`.'),
        confirm: z
          .enum(['client', 'recorded'])
          .optional()
          .describe('`client`: the client’s own question to its user is enough. `recorded`: only `colophon approve` is.'),
      })
      .optional()
      .describe('Which tools need a person’s approval once an attempt has read strangers’ text. Adds to what is built in.'),
    serve: serveFile.optional(),
    audit: z
      .strictObject({
        file_bytes: z
          .int()
          .min(65_536)
          .max(1_073_741_824)
          .optional()
          .describe(
            'A file of the audit log that has reached this size (64 MB unless said) is put aside, and the log goes on in a new one.',
          ),
      })
      .optional()
      .describe('How the audit log is kept.'),
    vocabulary: z
      .string()
      .min(1)
      .optional()
      .describe(
        'A file of names, from the folder of this file, e.g. `contracts/vocabulary.yaml`: other names of what a question names are looked for too.',
      ),
    context: contextConfig.optional(),
    governing: governingConfig.optional(),
    models: z.array(modelEntry).optional(),
    models_file: z
      .string()
      .regex(/\.ya?ml$/, words('a file whose name ends in .yaml'))
      .optional()
      .describe(
        'A file of more models, from the folder of this file, as `colophon models refresh` writes it. `contracts/models.yaml` is found by itself.',
      ),
  })
  .describe('Configuration of a colophon library.');

export type ConfigFile = z.output<typeof configFile>;
export type SourceEntry = Exclude<ConfigFile['sources'][number], string>;

/** The twelve fields profile `team` asks of every source (SRC-02). */
export const REGISTRATION_FIELDS = [
  'id',
  'owner',
  'authority_class',
  'connector_identity',
  'location',
  'classification',
  'tenant_scope',
  'allowed_purposes',
  'freshness_slo',
  'retention_policy',
  'correction_and_deletion',
  'state',
] as const satisfies readonly (keyof SourceEntry)[];
