/** What the records keep of a page that somebody gave an order about: where it stands, and everything that happened to it. */
import type { Instant } from '../kernel/clock.js';
import type { ArtifactEvent, ArtifactState } from './artifact-state.js';
import type { StatedBy } from './source-record.js';
import type { WithheldPage } from './withheld.js';

export interface PageStanding {
  readonly source: string;
  readonly path: string;
  readonly state: ArtifactState;
  /** The version the last move was about; empty where none was held. */
  readonly blob: string;
  /** Grows by one with each move that is made. */
  readonly version: number;
  readonly since: Instant;
}

export interface PageEvent extends Required<StatedBy> {
  readonly seq: number;
  readonly source: string;
  readonly path: string;
  readonly event: ArtifactEvent;
  readonly from: ArtifactState;
  readonly to: ArtifactState;
  readonly at: Instant;
  /** Names the order: the same one again does nothing more. */
  readonly key?: string;
  readonly expectedVersion?: number;
  readonly outcome: 'made' | 'refused';
  /** What else is known of it: the row of the table, the version of the page, why it was refused. Plain JSON. */
  readonly detail: Readonly<Record<string, unknown>>;
}

/**
 * What an order keeps from everybody: of a quarantined page whatever it says, of an invalid or deleted one that text alone, since
 * another text is another artifact.
 */
export function withheldBy({ source, path, state, blob }: PageStanding): readonly WithheldPage[] {
  if (state === 'quarantined') return [{ source, path }];
  return state === 'invalid' || state === 'deleted' ? [{ source, path, blob }] : [];
}

/** The state an order left the page in, where it is about the version that is there. */
export function orderedState({ state, blob }: PageStanding, held: string | undefined): ArtifactState | undefined {
  if (state === 'quarantined') return state;
  if (state !== 'invalid' && state !== 'deleted') return undefined;
  return held === undefined || held === blob ? state : undefined;
}
