/**
 * vocabulary check, show: is the vocabulary sound, and what does a name mean by it?
 *
 * Invariant: reads the file alone; what the library holds is none of its business.
 */
import { relative } from 'node:path';
import { z } from 'zod';
import { type Concept, standingFor, type Vocabulary } from '../../domain/vocabulary.js';
import { Fault } from '../../kernel/errors.js';
import type { LibraryConfig } from '../library.js';
import { operation } from './catalogue.js';
import { answer } from './wire.js';

const checked = answer('vocabulary-check', {
  ok: z.boolean(),
  file: z.string(),
  version: z.string().nullable().describe('Digest of what the vocabulary says; null when it cannot be used.'),
  concepts: z.int().nonnegative(),
  labels: z.int().nonnegative(),
  findings: z.array(z.object({ severity: z.enum(['error', 'warning']), line: z.int().positive().nullable(), what: z.string() })),
});
export type VocabularyCheckAnswer = z.output<typeof checked>;

export const vocabularyCheck = operation({
  name: 'vocabulary check',
  summary: 'What is wrong with the vocabulary: ids that lead nowhere, circles, names of two things, each with its line.',
  authority: 'read',
  surfaces: ['cli', 'library'],
  input: z.object({}),
  output: checked,
  async run(_, { library: { config } }) {
    const file = declaredFile(config);
    const { readVocabulary } = await import('../vocabulary/vocabulary-file.js');
    const common = { schema: 'colophon/vocabulary-check@1' as const, problems: [], file: relative(config.root, file) };
    try {
      const { vocabulary, findings } = await readVocabulary(file);
      const ok = findings.every(({ severity }) => severity !== 'error');
      return {
        ...common,
        ok,
        version: ok ? vocabulary.version : null,
        concepts: vocabulary.concepts.length,
        labels: vocabulary.concepts.reduce((sum, { altLabels }) => sum + 1 + altLabels.length, 0),
        findings: findings.map(({ line, ...rest }) => ({ ...rest, line: line ?? null })),
      };
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'config/invalid') throw error;
      const { line, key, expected } = (error as Fault<'config/invalid'>).data;
      const finding = { severity: 'error' as const, line: line ?? null, what: `${key} must be ${expected}.` };
      return { ...common, ok: false, version: null, concepts: 0, labels: 0, findings: [finding] };
    }
  },
});

const concept = z.object({
  id: z.string(),
  prefLabel: z.string(),
  altLabels: z.array(z.string()),
  facet: z.string().nullable(),
  broader: z.array(z.string()),
  narrower: z.array(z.string()).describe('Those that name it as broader too.'),
  related: z.array(z.string()),
  deprecated: z.boolean(),
  replacedBy: z.string().nullable(),
  standing: z.string().nullable().describe('What it stands for now; null for a deprecated concept that nothing replaced.'),
});

const shown = answer('vocabulary-show', {
  version: z.string().nullable().describe('Null where no vocabulary is declared.'),
  name: z.string(),
  ambiguous: z.boolean().describe('The name may mean several of the concepts, and is taken for none of them.'),
  concepts: z.array(concept),
});
export type VocabularyShowAnswer = z.output<typeof shown>;

export const vocabularyShow = operation({
  name: 'vocabulary show',
  summary: 'What a name means by the vocabulary, or all of it: other names, what is broader and narrower, what replaced it.',
  authority: 'read',
  surfaces: ['cli', 'library'],
  input: z.object({ name: z.string().max(200).default('').describe('A name or the id of a concept; all concepts when absent.') }),
  output: shown,
  async run({ name }, { library: { config } }) {
    const { currentVocabulary } = await import('../vocabulary/current-vocabulary.js');
    const vocabulary = await currentVocabulary(config);
    const schema = 'colophon/vocabulary-show@1' as const;
    if (vocabulary === undefined) return { schema, problems: [], version: null, name, ambiguous: false, concepts: [] };
    const { concepts, ambiguous } = await meant(vocabulary, name);
    return {
      schema,
      problems: [],
      version: vocabulary.version,
      name,
      ambiguous,
      concepts: concepts.map((each) => wireOf(each, vocabulary)),
    };
  },
});

async function meant(
  vocabulary: Vocabulary,
  name: string,
): Promise<{ readonly concepts: readonly Concept[]; readonly ambiguous: boolean }> {
  if (name === '') return { concepts: vocabulary.concepts, ambiguous: false };
  const byId = vocabulary.concepts.find(({ id }) => id === name);
  if (byId !== undefined) return { concepts: [byId], ambiguous: false };
  const { labelIndexOf, labelWords } = await import('../../retrieval/label-meanings.js');
  const meanings = labelIndexOf(vocabulary).meanings(labelWords(name));
  if (meanings.length === 0) throw new Fault('not-found', { what: `The name “${name}”`, of: 'vocabulary' });
  return { concepts: meanings.map((each) => each.concept), ambiguous: meanings.length > 1 };
}

function wireOf(each: Concept, { concepts }: Vocabulary): z.output<typeof concept> {
  const byId = new Map(concepts.map((other) => [other.id, other]));
  const below = concepts.filter(({ broader }) => broader.includes(each.id)).map(({ id }) => id);
  return {
    ...each,
    altLabels: [...each.altLabels],
    facet: each.facet ?? null,
    broader: [...each.broader],
    narrower: [...new Set([...each.narrower, ...below])].sort(),
    related: [...each.related],
    replacedBy: each.replacedBy ?? null,
    standing: standingFor(byId, each)?.id ?? null,
  };
}

function declaredFile({ vocabularyFile, file }: LibraryConfig): string {
  if (vocabularyFile !== undefined) return vocabularyFile;
  throw new Fault('vocabulary/undeclared', { file: file ?? 'colophon.yaml' });
}
