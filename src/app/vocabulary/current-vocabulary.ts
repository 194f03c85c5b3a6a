/**
 * The vocabulary as its file says it now: looked at again for every request, so that an edit counts for the next question (SEM-07).
 *
 * Invariant: a library that declares none costs nothing here, and loads nothing.
 * Invariant: a file that was changed a moment before it was read is read again, whatever its times say.
 */
import { stat } from 'node:fs/promises';
import type { Vocabulary } from '../../domain/vocabulary.js';
import { Fault } from '../../kernel/errors.js';
import type { LibraryConfig } from '../library.js';

interface Known {
  readonly mark: string;
  readonly changedAt: number;
  readonly readAt: number;
  readonly vocabulary: Vocabulary;
}

const known = new Map<string, Known>();
/** File times are coarse: what was changed this shortly before it was read may have been changed again within the same tick. */
const SETTLED_MS = 2_000;
const MOST_KNOWN = 32;

type Declared = Pick<LibraryConfig, 'vocabularyFile' | 'vocabulary' | 'root'>;

export async function currentVocabulary({ vocabularyFile: file, vocabulary: recorded, root }: Declared): Promise<Vocabulary | undefined> {
  if (file === undefined) return recorded;
  const { mark, changedAt } = await markOf(file);
  const held = known.get(file);
  if (held !== undefined && held.mark === mark && held.readAt - held.changedAt > SETTLED_MS) return held.vocabulary;
  const readAt = Date.now();
  const { soundVocabulary } = await import('./vocabulary-file.js');
  const read = await soundVocabulary(file, root);
  // The same object for the same content: what was worked out for it stays with it.
  const vocabulary = held?.vocabulary.version === read.version ? held.vocabulary : read;
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(file, { mark, changedAt, readAt, vocabulary });
  return vocabulary;
}

async function markOf(file: string): Promise<{ readonly mark: string; readonly changedAt: number }> {
  try {
    const { dev, ino, size, mtimeMs, ctimeMs } = await stat(file);
    return { mark: JSON.stringify([dev, ino, size, mtimeMs, ctimeMs]), changedAt: Math.max(mtimeMs, ctimeMs) };
  } catch (error) {
    throw new Fault('config/unreadable', { file, reason: error instanceof Error ? error.message : String(error) }, { cause: error });
  }
}
