/**
 * Which state an artifact is in and who moves it: the table SM-A1 to SM-A12, as data and one decision.
 *
 * The unit is the page: its passages are cut, filed and read together, so they are held and let go together. What the pipeline does by
 * itself (SM-A1 to SM-A3, SM-A5, SM-A6) is told from the index, which is its record (`artifactStateOf`); orders are recorded.
 *
 * Invariant: a move is made by whom its row names and by nobody else; an agent stands in no row.
 * Invariant: what a person made invalid no process lets in again (K-13); another text of the page is another artifact.
 */
import type { Instant } from '../kernel/clock.js';
import { next, statesBefore } from '../kernel/lifecycle.js';
import { ARTIFACT_LIFECYCLE, type ArtifactEvent, type ArtifactState } from './artifact-state.js';
import type { Policy } from './policy.js';
import { DETECTOR_WORKLOAD, type SourceState, SYSTEM_WORKLOAD } from './source.js';

export type ArtifactBearer = 'knowledge' | 'security' | 'system' | 'detector';

const GUARDS = ['same-text', 'new-pipeline', 'false-signal', 'source-cleared', 'source-kept', 'gone'] as const;
type Guard = (typeof GUARDS)[number];

interface MoveRow {
  readonly id: string;
  readonly from: readonly ArtifactState[];
  readonly event: ArtifactEvent;
  readonly by: readonly ArtifactBearer[];
  readonly guards: readonly Guard[];
}

const MOVES: readonly MoveRow[] = [
  { id: 'SM-A2', from: ['processing'], event: 'index', by: ['system'], guards: [] },
  { id: 'SM-A3', from: ['processing'], event: 'fail', by: ['system'], guards: [] },
  {
    id: 'SM-A4',
    from: ['processing', 'indexed', 'stale', 'invalid'],
    event: 'quarantine',
    by: ['detector', 'security', 'system'],
    guards: [],
  },
  { id: 'SM-A5', from: ['indexed'], event: 'outdate', by: ['system'], guards: [] },
  { id: 'SM-A6', from: ['stale'], event: 'refresh', by: ['system'], guards: ['same-text'] },
  { id: 'SM-A7', from: ['indexed', 'stale'], event: 'invalidate', by: ['system', 'knowledge', 'security'], guards: [] },
  { id: 'SM-A8', from: ['invalid'], event: 'reprocess', by: ['system'], guards: ['new-pipeline'] },
  { id: 'SM-A9', from: ['quarantined'], event: 'release', by: ['security'], guards: ['source-cleared', 'false-signal'] },
  { id: 'SM-A10', from: ['quarantined'], event: 'confirm', by: ['security'], guards: ['source-kept'] },
  {
    id: 'SM-A11',
    from: ['processing', 'indexed', 'stale', 'invalid', 'quarantined'],
    event: 'delete',
    by: ['system'],
    guards: ['gone'],
  },
];

export interface ArtifactOrder {
  readonly event: ArtifactEvent;
  readonly actor: string;
  readonly reason: string;
  readonly at: Instant;
  /** The signal that put it into quarantine was ruled false. */
  readonly falseSignal?: boolean | undefined;
}

export interface ArtifactFacts {
  readonly policy: Pick<Policy, 'roles'>;
  readonly state: ArtifactState;
  readonly source: SourceState;
  /** What the index holds of the page is what it held when it came to this state. */
  readonly unchanged: boolean;
  /** The page would be made by another version of the pipeline than it was. */
  readonly newPipeline: boolean;
  /** A person's order made it what it is. */
  readonly ordered: boolean;
  /** The source names the page no more, or is deleted itself. */
  readonly gone: boolean;
}

export type ArtifactRuling =
  | { readonly made: true; readonly to: ArtifactState; readonly row: string }
  | { readonly made: false; readonly why: 'state' | 'role' | 'guard'; readonly row: string; readonly detail: string };

export function ruleOnArtifact(order: ArtifactOrder, facts: ArtifactFacts): ArtifactRuling {
  const to = next(ARTIFACT_LIFECYCLE, facts.state, order.event);
  const row = MOVES.find(({ from, event }) => event === order.event && from.includes(facts.state));
  if (to === null || row === undefined) {
    const from = statesBefore(ARTIFACT_LIFECYCLE, order.event).join(', or ');
    return { made: false, why: 'state', row: 'SM-A12', detail: `it is ${facts.state}, and this is for a page that is ${from}` };
  }
  const held = bearersOf(order.actor, facts.policy);
  if (!row.by.some((each) => held.has(each)))
    return { made: false, why: 'role', row: row.id, detail: `this is for ${row.by.map((each) => NAMES[each]).join(', or ')}` };
  if (isPerson(order.actor) && order.reason.trim() === '')
    return { made: false, why: 'guard', row: row.id, detail: 'a reason must be given' };
  for (const guard of row.guards) {
    const detail = GUARD[guard](order, facts);
    if (detail !== undefined) return { made: false, why: 'guard', row: row.id, detail };
  }
  return { made: true, to, row: row.id };
}

function bearersOf(actor: string, { roles }: ArtifactFacts['policy']): ReadonlySet<ArtifactBearer> {
  if (actor === SYSTEM_WORKLOAD) return new Set(['system']);
  if (actor === DETECTOR_WORKLOAD) return new Set(['detector']);
  if (!isPerson(actor)) return new Set();
  return new Set((['knowledge', 'security'] as const).filter((role) => roles[role].includes(actor)));
}

const NAMES: Readonly<Record<ArtifactBearer, string>> = {
  knowledge: 'the knowledge owner',
  security: 'security',
  system: 'the pipeline itself',
  detector: 'a detector',
};

/** What is wrong, or undefined. */
const GUARD: Readonly<Record<Guard, (order: ArtifactOrder, facts: ArtifactFacts) => string | undefined>> = {
  'same-text': (_, { unchanged }) => (unchanged ? undefined : 'its text is not the one that was seen'),
  'new-pipeline': (_, { newPipeline, ordered }) => {
    if (ordered) return 'a person made it invalid: it comes back with another text of its page';
    return newPipeline ? undefined : 'the pipeline is the one that refused it';
  },
  'false-signal': ({ falseSignal }, { unchanged }) => {
    if (falseSignal !== true) return 'it must be said that the signal was false: `--false-signal`';
    return unchanged ? undefined : 'its text changed since it was quarantined: confirm the signal, or have the old text put back';
  },
  'source-cleared': (_, { source }) =>
    source === 'suspended' ? 'its source is suspended: `colophon source resume --false-signal` comes first' : sourceKept(source),
  'source-kept': (_, { source }) => sourceKept(source),
  gone: (_, { gone }) => (gone ? undefined : 'its source still names it'),
};

function sourceKept(source: SourceState): string | undefined {
  return source === 'revoked' || source === 'deleted' ? `its source is ${source}` : undefined;
}

function isPerson(actor: string): boolean {
  return actor.startsWith('person:');
}

/** What is known of a page besides orders about it. */
export interface ArtifactSigns {
  /** What an order left it in, where the order is about the version that is there. */
  readonly ordered?: ArtifactState | undefined;
  /** As it counts now: one that missed its freshness promise is degraded. */
  readonly source: SourceState;
  /** The index holds it. */
  readonly held: boolean;
  /** The source named it the last time, or has not been looked at since. */
  readonly named: boolean;
  /** Its text could not be made into a page. */
  readonly failed: boolean;
  /** The source has another text of it, or it would be made another way today. */
  readonly outdated: boolean;
}

/** The state of a page's artifacts: by an order, by its source, or by what the index tells. */
export function artifactStateOf({ ordered, source, held, named, failed, outdated }: ArtifactSigns): ArtifactState {
  if (ordered !== undefined) return ordered;
  if (source === 'deleted') return 'deleted';
  if (source === 'suspended') return 'quarantined';
  if (!held) return !named ? 'deleted' : failed ? 'invalid' : 'processing';
  return outdated || source === 'degraded' ? 'stale' : 'indexed';
}
