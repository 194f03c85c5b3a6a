/**
 * Bundle schema: a package with everything needed to check it, and to do it again, away from the library it came from.
 *
 * `recording` is for replay: policies, registrations, revisions. It tells of pages the requester may not see, so only who answers
 * for all sources exports it. schemas/package-bundle.schema.json is printed from this file.
 *
 * Invariant: closed, as the package inside it; nothing rides along outside the digest.
 */
import { z } from 'zod';
import { ADMISSIONS, AUTHORITY_CLASSES, EGRESS, TRUST_TIERS } from '../domain/authority.js';
import { CLASSIFICATIONS } from '../domain/classification.js';
import { SOURCE_STATES } from '../domain/source.js';
import { packageV1 } from './package-schema.js';

const digest = z.string().regex(/^[0-9a-f]{64}$/);
const text = z.string();
const texts = z.array(text);
const amount = z.number().min(0);

const binding = z.strictObject({
  package: z.string().regex(/^kp_[0-9a-f]{32}$/),
  attempt: text,
  manifest: digest.optional(),
  createdAt: z.iso.datetime(),
  versions: z.strictObject({ schema: text.optional(), segmenter: text.optional(), embedder: text.optional() }),
});

const rule = z.strictObject({
  glob: text,
  classification: z.enum(CLASSIFICATIONS).optional(),
  permissionsRef: text.optional(),
  status: text.optional(),
  productVersion: text.optional(),
  trustTier: z.enum(TRUST_TIERS).optional(),
  sensitivity: z.enum(['private', 'normal']).optional(),
});

const registration = z.strictObject({
  id: text,
  owner: text,
  authorityClass: z.enum(AUTHORITY_CLASSES),
  connectorIdentity: text,
  location: z
    .strictObject({ connector: z.enum(['git', 'directory']), ref: text.optional(), include: texts, exclude: texts })
    .describe('Without a path: where a source lies on a machine is not part of what it is.'),
  classification: z.enum(CLASSIFICATIONS),
  tenantScope: texts,
  allowedPurposes: texts,
  freshnessSloMs: amount,
  retentionPolicy: text,
  correctionAndDeletion: z.enum(['source-authoritative', 'library-authoritative']),
  initialState: z.enum(SOURCE_STATES),
  permissionsRef: text,
  trustTier: z.enum(TRUST_TIERS),
  admission: z.enum(ADMISSIONS),
  egress: z.enum(EGRESS),
  rules: z.array(rule),
  stemming: amount,
  sections: z.literal('apart').optional(),
  legalHold: z.literal(true).optional(),
  supersedes: text.optional(),
});

const grant = z
  .strictObject({
    groups: texts,
    principals: texts,
    tenants: texts,
    purposes: texts,
    from: z.number().optional(),
    to: z.number().optional(),
  })
  .describe('Readers on conditions: in these tenants, for these purposes, from and until these times in milliseconds.');

const recording = z.strictObject({
  at: z.iso.datetime(),
  profile: z.enum(['personal', 'team']),
  permissions: z.record(text, z.array(z.union([text, grant]))),
  model: z.strictObject({ name: text, windowTokens: amount, tokenFactor: amount, knowledgeCutoff: text.optional() }).nullable(),
  rankingPolicy: z
    .record(text, z.unknown())
    .nullable()
    .describe('The ranking policy whose digest the package names; null where it was not known any more.'),
  contextPolicy: z.record(text, z.unknown()).nullable().describe('The context policy, likewise.'),
  vocabulary: z
    .array(z.record(text, z.unknown()))
    .optional()
    .describe('The concepts of the vocabulary whose version the package names; absent where it names none, or it was not known any more.'),
  sources: z.array(
    z.strictObject({
      registration,
      state: z.enum(SOURCE_STATES),
      commit: z
        .string()
        .regex(/^[0-9a-f]{40,64}$/)
        .optional(),
      withheld: z
        .array(z.strictObject({ path: text, blob: text.optional() }))
        .optional()
        .describe('Pages that orders kept from everybody; with a blob, that text of them alone.'),
    }),
  ),
  /** What could not be recorded as it was, in words. */
  gaps: texts,
});
export type Recording = z.output<typeof recording>;

export const bundleV1 = z
  .strictObject({
    format: z.literal('colophon/bundle@1'),
    digest,
    content: z.strictObject({ package: packageV1, bindings: z.array(binding), recording: recording.nullable() }),
  })
  .meta({
    title: 'Colophon package bundle, format 1',
    description:
      'One package to take elsewhere. `digest` is SHA-256 over the RFC 8785 canonical JSON of `format` and `content`; the file is the canonical JSON of all three and a line feed.',
  });
export type Bundle = z.output<typeof bundleV1>;

/** Every format that was ever written, by the name in `format`. */
export const BUNDLE_SCHEMAS: Readonly<Record<string, typeof bundleV1>> = { 'colophon/bundle@1': bundleV1 };
