/** No model: the default. Both say so by their id, and no leg that needs one runs. */
import type { Embedder, Reranker } from '../../ports/models.js';

export const noEmbedder: Embedder = {
  id: 'none',
  dimensions: 0,
  embed: async () => [],
};

export const noReranker: Reranker = {
  id: 'none',
  rerank: async () => undefined,
};
