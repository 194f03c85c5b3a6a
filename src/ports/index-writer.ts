/**
 * Port: change the index.
 *
 * Contract (tests/contract/index-store.contract.ts):
 * - a batch is applied whole or not at all; a page is at its old or its new version, never a mixture;
 * - applying the same batch twice changes nothing the second time;
 * - any sequence of batches leaves what a fresh build of the final tree would: same `contentDigest`, same answers;
 * - one writer at a time; a writer whose lease was taken over is refused with `index/busy`.
 */
import type { Checkpoint } from '../domain/checkpoint.js';
import type { IndexTotals } from '../domain/index-manifest.js';
import type { PreparedPage } from '../domain/prepared-page.js';
import type { Problem } from '../domain/problem.js';

export interface KnownPage {
  readonly blob: string;
  readonly signature?: string;
  /** The transformation it was made with; another one means it must be made again. */
  readonly transformation: string;
}

export interface FiledPage {
  readonly prepared: PreparedPage;
  readonly signature?: string;
}

declare const packedPages: unique symbol;
/** Pages as one kind of store files them, worked out beforehand, in another thread if need be: plain data, opaque to all others. */
export interface PackedPages {
  readonly [packedPages]: true;
}
export type PackPages = (pages: readonly FiledPage[]) => PackedPages;

export interface IndexBatch {
  readonly source: string;
  readonly transformation: string;
  readonly upserts: readonly FiledPage[];
  /** More upserts, packed by this store's own `PackPages`. Their paths are not among `upserts`. */
  readonly packed?: PackedPages;
  readonly removals: readonly string[];
  /** Held pages whose bytes proved equal under a new signature: the signature alone is stored, the generation stays. */
  readonly signatures?: readonly { readonly path: string; readonly signature: string }[];
}

export interface IndexWriter {
  /** Path → what the index holds of it. */
  known(source: string): Promise<ReadonlyMap<string, KnownPage>>;
  apply(batch: IndexBatch): Promise<{ readonly writes: number }>;
  /** Says what a run still has to do, so that `status` can tell half done from done; 0 clears it. */
  pending(source: string, documents: number): Promise<void>;
  checkpoint(source: string): Promise<Checkpoint | undefined>;
  /** Stores the source's new checkpoint and the problems of this walk; writes nothing when both equal what is stored. */
  close(checkpoint: Checkpoint, walkProblems: readonly Problem[]): Promise<{ readonly writes: number }>;
  /** Removes everything of a source that is no longer registered. */
  forget(source: string): Promise<{ readonly writes: number }>;
  sources(): Promise<readonly string[]>;
  totals(): Promise<IndexTotals>;
  /** Gives the lease back. */
  release(): Promise<void>;
}
