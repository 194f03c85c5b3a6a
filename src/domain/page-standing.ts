/** What the records keep of a page that somebody gave an order about: where it stands, and everything that happened to it. */
import type { Instant } from '../kernel/clock.js';
import type { ArtifactEvent, ArtifactState } from './artifact-state.js';
import type { StatedBy } from './source-record.js';
import type { WithheldPage } from './withheld.js';

export interface PageStanding {
  readonly source: string;
  readonly path: string;
  readonly state: ArtifactState;
  /** What the last move was about: the versions of the page and of its sections that are filed apart; empty where none was held. */
  readonly texts: readonly string[];
  /** All that orders keep out, of this move and of those before it. */
  readonly barred: readonly string[];
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

/** What orders keep out once this one is carried out. Nothing but a release lets a text in again, and only the one it is about. */
export function barredAfter(
  standing: Pick<PageStanding, 'state' | 'barred'> | undefined,
  { event, texts }: { readonly event: ArtifactEvent; readonly texts: readonly string[] },
): readonly string[] {
  const barred = standing?.barred ?? [];
  if (event === 'release') return barred.filter((text) => !texts.includes(text));
  const isBarred = BARRING.has(event) || (event === 'delete' && (standing?.state === 'quarantined' || standing?.state === 'invalid'));
  return isBarred ? [...new Set([...barred, ...texts])].sort() : barred;
}

const BARRING: ReadonlySet<ArtifactEvent> = new Set(['quarantine', 'confirm', 'invalidate']);

/** What orders keep from everybody: of a quarantined page whatever it says; else the barred texts alone, since another text is another artifact. */
export function withheldBy({ source, path, state, barred }: PageStanding): readonly WithheldPage[] {
  return state === 'quarantined' ? [{ source, path }] : barred.map((blob) => ({ source, path, blob }));
}

/** The state orders left the page in, where they are about what is there. */
export function orderedState({ state, barred }: PageStanding, held: readonly string[]): ArtifactState | undefined {
  if (state === 'quarantined') return state;
  if (held.length === 0) return state === 'invalid' || state === 'deleted' ? state : undefined;
  if (!held.some((text) => barred.includes(text))) return undefined;
  return state === 'deleted' ? state : 'invalid';
}
