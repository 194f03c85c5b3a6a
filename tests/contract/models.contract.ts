/** What every embedder and reranker must do, a missing one included. */
import { expect, it } from 'vitest';
import type { Embedder, Reranker } from '../../src/ports/models.js';

export function embedderContract(open: () => Promise<Embedder>): void {
  it('gives one unit vector of the stated size per text, or none when there is no model', async () => {
    const embedder = await open();
    const vectors = await embedder.embed(['one text', 'another']);
    expect(vectors.length).toBe(embedder.id === 'none' ? 0 : 2);
    for (const vector of vectors) {
      expect(vector.length).toBe(embedder.dimensions);
      expect(Math.hypot(...vector)).toBeCloseTo(1, 3);
    }
  });

  it('gives the same vector for the same text', async () => {
    const embedder = await open();
    expect(await embedder.embed(['same'])).toEqual(await embedder.embed(['same']));
  });
}

export function rerankerContract(open: () => Promise<Reranker>): void {
  it('scores every text, or says that it did not', async () => {
    const reranker = await open();
    const scores = await reranker.rerank('a question', ['one', 'two', 'three'], 1000);
    expect(scores === undefined || scores.length === 3).toBe(true);
    expect(scores === undefined).toBe(reranker.id === 'none');
  });
}
