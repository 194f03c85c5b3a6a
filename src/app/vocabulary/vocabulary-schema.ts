/**
 * The shape of a vocabulary file, key by key, with the words an editor shows (SEM-01).
 *
 * schemas/vocabulary.schema.json is generated from this value (scripts/write-schemas.mjs).
 *
 * Invariant: strict; a key that is not named here is refused with its line, never ignored.
 */
import { z } from 'zod';

const MOST_CONCEPTS = 5_000;
const MOST_LABELS = 32;
const MOST_RELATIONS = 64;
/** In characters. */
const LONGEST_LABEL = 100;

const id = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]*$/, { error: 'lower-case letters, digits, `.`, `_` or `-`' })
  .max(80);
const label = z
  .string()
  .max(LONGEST_LABEL)
  .refine((text) => text.trim() !== '', { error: 'a name' });
const ids = z.array(id).max(MOST_RELATIONS).default([]);

const concept = z.strictObject({
  id: id.describe('Never changes, whatever the thing is called.'),
  prefLabel: label.describe('What it is called now.'),
  altLabels: z.array(label).max(MOST_LABELS).default([]).describe('What else it is called: abbreviations, old and colloquial names.'),
  facet: id.optional().describe('What kind of thing it is; apart from the folder a page stands in.'),
  broader: ids.describe('Ids of concepts it is a kind or a part of.'),
  narrower: ids,
  related: ids,
  deprecated: z.boolean().default(false).describe('The name is not to be used any more.'),
  replacedBy: id.optional().describe('Id of the concept that took its place; only with `deprecated: true`.'),
  note: z.string().max(500).optional().describe('For whoever reads the file; nothing is done with it.'),
});

export const vocabularyFile = z
  .strictObject({
    version: z.literal(1, { error: '1' }),
    concepts: z.array(concept).max(MOST_CONCEPTS),
  })
  .describe('Names of things, reviewed like any other text: a question that uses one finds text that uses another.');

export type ConceptEntry = z.output<typeof vocabularyFile>['concepts'][number];
