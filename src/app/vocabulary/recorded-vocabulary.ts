/** A vocabulary that was written down with a package; undefined when it is none this program can go by. */
import { z } from 'zod';
import { type Concept, type Vocabulary, vocabularyOf } from '../../domain/vocabulary.js';

const recorded = z.array(
  z.strictObject({
    id: z.string(),
    prefLabel: z.string(),
    altLabels: z.array(z.string()),
    facet: z.string().exactOptional(),
    broader: z.array(z.string()),
    narrower: z.array(z.string()),
    related: z.array(z.string()),
    deprecated: z.boolean(),
    replacedBy: z.string().exactOptional(),
  }),
);

export function recordedVocabulary(concepts: unknown): Vocabulary | undefined {
  const read = recorded.safeParse(concepts);
  return read.success ? vocabularyOf(read.data satisfies readonly Concept[]) : undefined;
}
