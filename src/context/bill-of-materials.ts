/**
 * The context bill of materials: every passage an attempt was given and every one it was not, with version, hash and reason, and
 * none of their text, so that it can go where the text may not (PKG-15).
 *
 * schemas/context-bill-of-materials.schema.json is printed from this file.
 */
import { z } from 'zod';
import type { ContextPackage } from '../domain/context-package.js';
import { packageV1 } from './package-schema.js';

const body = packageV1.shape.body.shape;
const digest = packageV1.shape.digest;

export const billV1 = z
  .strictObject({
    format: z.literal('colophon/context-bill-of-materials@1'),
    package: z.strictObject({
      digest,
      format: z.string(),
      status: body.status,
      reason: body.reason,
      classification: body.classification,
      taint: body.taint,
      expires: body.expires,
    }),
    attempts: z.array(
      z.strictObject({ package: z.string(), attempt: z.string(), manifest: digest.optional(), createdAt: z.iso.datetime() }),
    ),
    request: body.request,
    versions: body.versions,
    budget: body.budget,
    items: z.array(body.items.element.omit({ excerpt: true, summary: true })),
    excluded: body.excluded,
    gaps: body.gaps,
    facts: body.facts,
    conflicts: body.conflicts,
  })
  .meta({
    title: 'Colophon context bill of materials, format 1',
    description:
      'What one context package holds, item by item, without the text: place, version, hash, reason; and what stayed out, and why.',
  });
export type BillOfMaterials = z.output<typeof billV1>;

export function billOfMaterials({ digest: id, body: whole }: ContextPackage, attempts: BillOfMaterials['attempts']): BillOfMaterials {
  const { format, status, reason, classification, taint, expires } = whole;
  return billV1.parse({
    format: 'colophon/context-bill-of-materials@1',
    package: { digest: id, format, status, reason, classification, taint, expires },
    attempts,
    request: whole.request,
    versions: whole.versions,
    budget: whole.budget,
    items: whole.items.map(({ excerpt: _, summary: _summary, ...item }) => item),
    excluded: whole.excluded,
    gaps: whole.gaps,
    ...(whole.facts === undefined ? {} : { facts: whole.facts }),
    conflicts: whole.conflicts,
  });
}
