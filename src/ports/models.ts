/**
 * Ports: optional models. The default install has none; `none` implementations say so in every answer's legs.
 */
export interface Embedder {
  /** `none`, or model id and revision. */
  readonly id: string;
  readonly dimensions: number;
  embed(texts: readonly string[]): Promise<readonly Float32Array[]>;
}

export interface Reranker {
  /** `none`, or model id and revision. */
  readonly id: string;
  /** A score per text, higher is better; undefined when it could not do it within the time. */
  rerank(question: string, texts: readonly string[], timeoutMs: number): Promise<readonly number[] | undefined>;
}
