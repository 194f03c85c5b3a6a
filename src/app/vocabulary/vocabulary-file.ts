/**
 * Reads a vocabulary file: text in, concepts and what is wrong with them out.
 *
 * Invariant: a file with an error gives no vocabulary: half of one would answer as if the other half had never been reviewed.
 */
import { dirname } from 'node:path';
import { type Concept, type Vocabulary, vocabularyOf } from '../../domain/vocabulary.js';
import { boundedText } from '../configuration/bounded-text.js';
import { invalidKey, readStrictYaml } from '../configuration/strict-yaml.js';
import { checkVocabulary } from './check-vocabulary.js';
import { type ConceptEntry, vocabularyFile } from './vocabulary-schema.js';

const MOST_BYTES = 1_048_576;

export interface ReadVocabulary {
  readonly vocabulary: Vocabulary;
  readonly findings: readonly Finding[];
}

export interface Finding {
  readonly severity: 'error' | 'warning';
  readonly line: number | undefined;
  readonly what: string;
}

/** For whoever wants to know all that is wrong; a file that is no vocabulary at all is a fault. */
export async function readVocabulary(file: string): Promise<ReadVocabulary> {
  return parseVocabulary(await boundedText(file, { mostBytes: MOST_BYTES }), file);
}

export function parseVocabulary(text: string, file: string): ReadVocabulary {
  const { vocabulary, found, lineOf } = parsed(text, file);
  const findings = found.map(({ severity, at, expected }): Finding => {
    const { message } = invalidKey(file, undefined, at, expected);
    return { severity, line: lineOf(at), what: message.slice(`${file}: `.length) };
  });
  return { vocabulary, findings };
}

/** For whoever asks with it: one without errors, or the first error as a fault. */
export async function soundVocabulary(file: string, root: string): Promise<Vocabulary> {
  const text = await boundedText(file, { mostBytes: MOST_BYTES, within: [root, dirname(file)] });
  const { vocabulary, found, lineOf } = parsed(text, file);
  const wrong = found.find(({ severity }) => severity === 'error');
  if (wrong !== undefined) throw invalidKey(file, lineOf(wrong.at), wrong.at, wrong.expected);
  return vocabulary;
}

function parsed(text: string, file: string) {
  const { value, lineOf } = readStrictYaml(text, file, vocabularyFile);
  const entries = value.concepts.map(conceptOf);
  const vocabulary = vocabularyOf(entries);
  return { vocabulary, found: checkVocabulary(entries, vocabulary), lineOf };
}

function conceptOf({ note: _, facet, replacedBy, ...entry }: ConceptEntry): Concept {
  return { ...entry, ...(facet === undefined ? {} : { facet }), ...(replacedBy === undefined ? {} : { replacedBy }) };
}
