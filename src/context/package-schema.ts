/**
 * Package schema: what a stored or handed-in package must look like before anything is read from it (PKG-14).
 *
 * One decoder a format; a format is never changed, only joined by the next. schemas/context-package.schema.json is printed from
 * this file by scripts/context-package-schema.mjs.
 *
 * Invariant: closed; a field nobody knows is refused, so that nothing can ride along outside the digest.
 */
import { z } from 'zod';
import { TRUST_TIERS } from '../domain/authority.js';
import { CLASSIFICATIONS } from '../domain/classification.js';
import { CONTEXT_CLASSES, CONTEXT_PROFILES, EXCLUSIONS } from '../domain/context-package.js';
import { LABELS } from '../domain/page.js';
import { FACT_KINDS } from '../domain/required-material.js';

const digest = z.string().regex(/^[0-9a-f]{64}$/);
const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);
const count = z.int().min(0);
const lines = z.strictObject({ start: z.int().min(1), end: z.int().min(1) });
const bytes = z.strictObject({ start: count, end: count });
const texts = z.array(z.string());

const item = z.strictObject({
  position: count,
  class: z.enum(CONTEXT_CLASSES),
  artifact: z.string(),
  source: z.string(),
  path: z.string(),
  blob: z.string(),
  title: z.string(),
  headingPath: texts,
  anchor: z.string(),
  lines,
  bytes,
  excerpt: z.string(),
  excerptDigest: digest,
  tokens: count,
  tier: z.enum(TRUST_TIERS),
  classification: z.enum(CLASSIFICATIONS),
  labels: z.array(z.enum(LABELS)),
  verifiedAt: day.optional(),
  reviewBy: day.optional(),
  dated: day.optional(),
  summary: z.string().optional(),
  duplicates: z.array(z.strictObject({ source: z.string(), path: z.string(), lines })),
  reason: z.string(),
  provenance: z
    .strictObject({ origin: z.string(), at: z.string().optional(), digest: digest.optional() })
    .optional()
    .describe('Only of items the caller supplied; their source is `@caller`.'),
});

const fact = z.strictObject({
  kind: z.enum(FACT_KINDS),
  fact: z.string(),
  status: z.enum(['resolved', 'missing']),
  items: texts,
  detail: z.string(),
  owner: z.string().optional(),
});

const excluded = z.strictObject({
  artifact: z.string(),
  source: z.string(),
  path: z.string(),
  title: z.string(),
  reason: z.enum(EXCLUSIONS),
  detail: z.string(),
  headingPath: texts.optional(),
  lines: lines.optional(),
  closeness: z.strictObject({ of: z.enum(['question', 'best-match']), percent: count, neededPercent: count }).optional(),
});

const request = z.strictObject({
  text: z.string(),
  profile: z.enum(CONTEXT_PROFILES),
  consequential: z.literal(true).optional(),
  requester: z.string(),
  workload: z.string(),
  tenant: z.string(),
  purpose: z.string(),
  groups: texts,
  ceiling: z.enum(CLASSIFICATIONS),
  client: z.string(),
  locality: z.enum(['local', 'remote']),
  model: z.string(),
  scope: z.strictObject({
    sources: texts.optional(),
    paths: texts.optional(),
    exclude: texts.optional(),
    productVersion: z.string().optional(),
    tags: texts.optional(),
    statuses: texts.optional(),
    verifiedSince: day.optional(),
  }),
  asOf: day,
});

const bodyV1 = z.strictObject({
  format: z.literal('colophon/package@1'),
  status: z.enum(['frozen', 'no_context', 'blocked']),
  reason: z.string(),
  request,
  versions: z.strictObject({
    compiler: z.string(),
    analyzer: z.string(),
    rankingPolicy: digest,
    contextPolicy: digest,
    manifest: digest,
    vocabulary: digest.optional(),
  }),
  budget: z.strictObject({
    ceiling: count,
    used: count,
    classes: z.record(z.string(), z.strictObject({ granted: count, used: count })),
  }),
  items: z.array(item),
  excluded: z.array(excluded),
  gaps: texts,
  facts: z.array(fact).optional(),
  conflicts: z.array(z.strictObject({ artifacts: texts, reason: z.string() })),
  taint: z.boolean(),
  classification: z.enum(CLASSIFICATIONS),
  expires: day,
});

export const packageV1 = z.strictObject({ digest, body: bodyV1 }).meta({
  title: 'Colophon context package, format 1',
  description: 'Exactly what one attempt was told. `digest` is SHA-256 over the RFC 8785 canonical JSON of `body`.',
});

/** Every format that was ever written, by the name in `body.format`. */
export const PACKAGE_SCHEMAS: Readonly<Record<string, z.ZodType>> = { 'colophon/package@1': packageV1 };
