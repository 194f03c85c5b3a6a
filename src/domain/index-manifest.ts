/** What a retained generation of the index was built with. Queries pin one. */
import type { Digest } from '../kernel/digest.js';

export interface IndexManifest {
  /** Grows by one with every batch that changed something. */
  readonly generation: number;
  readonly schema: string;
  readonly analyzer: string;
  readonly segmenter: string;
  /** `none`, or the embedding model's id. */
  readonly embedder: string;
}

/** What the whole index holds; for operators. */
export interface IndexTotals {
  readonly documents: number;
  readonly artifacts: number;
  /** SHA-256 over the sorted (artifact id, text digest, compartment) of everything held. */
  readonly contentDigest: Digest;
}
