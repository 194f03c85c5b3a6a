/**
 * Port: orders about single pages, and where they left them. Pages that nobody gave an order about are not here: the index tells of them.
 *
 * Contract (tests/contract/page-ledger.contract.ts): an order is judged and recorded in one step, made or refused; no state is left by
 * another way than ARTIFACT_LIFECYCLE has; an acknowledged event survives power loss.
 */
import type { ArtifactEvent, ArtifactState } from '../domain/artifact-state.js';
import type { PageEvent, PageStanding } from '../domain/page-standing.js';
import type { StatedBy } from '../domain/source-record.js';
import type { Instant } from '../kernel/clock.js';

/** An order about one page. */
export interface PageOrder {
  readonly source: string;
  readonly path: string;
  readonly event: ArtifactEvent;
  readonly by: StatedBy;
  readonly at: Instant;
  /** What is there: the versions of the page and of its sections that are filed apart; empty where none is. */
  readonly texts: readonly string[];
  /** The same order under the same key again is answered with what came of the first, and does nothing. */
  readonly key?: string;
  /** Refused when the page is at another version of its standing by now; 0 of one that has none. */
  readonly expectedVersion?: number;
  /** What else was ordered; two orders under one key must be the same in this too. */
  readonly terms: Readonly<Record<string, unknown>>;
}

/** `from`: the state it is in, which an order alone does not tell. */
export type PageRuling = { readonly from: ArtifactState; readonly detail: Readonly<Record<string, unknown>> } & (
  | { readonly made: true; readonly to: ArtifactState }
  | { readonly made: false }
);

export interface PageLedger {
  /** Judges an order on the record as it is, and records what came of it. `input/invalid` when the key was used for another order. */
  command(order: PageOrder, judge: (standing: PageStanding | undefined) => PageRuling): Promise<PageEvent>;
  /** Of a source, or of all, by source and path. */
  standings(source?: string): Promise<readonly PageStanding[]>;
  /** Everything that happened to a page, the oldest first; refused orders too. */
  history(source: string, path: string): Promise<readonly PageEvent[]>;
}
