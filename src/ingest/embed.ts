/** Step 7, embed: vectors of the pieces, when a model is configured. The default install has none. */
import type { Embedder } from '../ports/models.js';
import type { Note } from './page-problems.js';

export interface Vectors {
  readonly model: string;
  /** One for each artifact, in order. */
  readonly values: readonly Float32Array[];
}

/** Undefined without a model, or when the model failed: the page is then found by its words, and the failure is named. */
export async function embed(texts: readonly string[], embedder: Embedder, note: Note): Promise<Vectors | undefined> {
  if (embedder.id === 'none' || texts.length === 0) return undefined;
  try {
    const values = await embedder.embed(texts);
    if (values.length === texts.length && values.every((value) => value.length === embedder.dimensions))
      return { model: embedder.id, values };
    noteFailure(`it gave ${values.length} vectors for ${texts.length} texts, or not of ${embedder.dimensions} dimensions`, embedder, note);
  } catch (error) {
    noteFailure(error instanceof Error ? error.name : 'unknown error', embedder, note);
  }
  return undefined;
}

function noteFailure(reason: string, embedder: Embedder, note: Note): void {
  note({
    code: 'model/unavailable',
    severity: 'warning',
    message: `The embedding model ${embedder.id} could not embed this page: ${reason}.`,
    hint: 'The page is searched by words alone. Check the model, then run `colophon index --full`.',
  });
}
