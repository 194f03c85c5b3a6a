/**
 * Who moves a source from one state to another, and on what condition: the table SM-S1 to SM-S14, as data and one decision.
 *
 * Invariant: a move is made by whom its row names and by nobody else; an agent stands in no row, it may only propose.
 * Invariant: where a row asks for two, two different people answer for it, each by their own signature. Only in profile `personal` may one
 * person be both, and the record says so.
 * Invariant: that who approves a governing source is not who proposed it is shown by two keys, in a team: names of a launch are claims.
 */
import type { Instant } from '../kernel/clock.js';
import { next, statesBefore } from '../kernel/lifecycle.js';
import type { AuthorityClass } from './authority.js';
import { type Classification, stricter } from './classification.js';
import type { Policy, Role } from './policy.js';
import { DETECTOR_WORKLOAD, SOURCE_LIFECYCLE, type SourceEvent, type SourceState, SYSTEM_WORKLOAD } from './source.js';

/** As whom somebody may act: by a role of the policy, as the proposer of this source, or as a workload of the library itself. */
export type Bearer = Extract<Role, 'knowledge' | 'source' | 'security'> | 'proposer' | 'system' | 'detector';

const GUARDS = [
  'registered-whole',
  'not-the-proposer',
  'caught-up',
  'evidence',
  'false-signal',
  'retire-date',
  'before-the-date',
  'deletion',
] as const;
type Guard = (typeof GUARDS)[number];

interface MoveRow {
  readonly id: string;
  readonly from: readonly SourceState[];
  readonly event: SourceEvent;
  /** Each alternative is a list of bearers, all of whom must agree. */
  readonly by: readonly (readonly Bearer[])[];
  readonly guards: readonly Guard[];
}

const ANY_OF_SERVED: readonly SourceState[] = ['approved', 'active', 'degraded', 'retiring'];

const MOVES: readonly MoveRow[] = [
  { id: 'SM-S2', from: ['proposed'], event: 'approve', by: [['knowledge']], guards: ['registered-whole', 'not-the-proposer'] },
  { id: 'SM-S3', from: ['proposed'], event: 'delete', by: [['proposer'], ['knowledge']], guards: [] },
  { id: 'SM-S4', from: ['approved'], event: 'activate', by: [['system'], ['knowledge']], guards: ['caught-up'] },
  { id: 'SM-S5', from: ['active'], event: 'degrade', by: [['system']], guards: [] },
  { id: 'SM-S6', from: ['degraded'], event: 'recover', by: [['system']], guards: ['caught-up'] },
  { id: 'SM-S7', from: ANY_OF_SERVED, event: 'suspend', by: [['detector'], ['security'], ['knowledge']], guards: [] },
  { id: 'SM-S8', from: ['suspended'], event: 'rebuild', by: [['security', 'knowledge']], guards: ['evidence'] },
  { id: 'SM-S9', from: ['suspended'], event: 'clear', by: [['security']], guards: ['false-signal'] },
  { id: 'SM-S10', from: [...ANY_OF_SERVED, 'suspended'], event: 'revoke', by: [['security'], ['source'], ['knowledge']], guards: [] },
  { id: 'SM-S11', from: ['active', 'degraded'], event: 'retire', by: [['source'], ['knowledge']], guards: ['retire-date'] },
  { id: 'SM-S12', from: ['retiring'], event: 'keep', by: [['source', 'knowledge']], guards: ['before-the-date'] },
  { id: 'SM-S13', from: ['retiring', 'suspended', 'revoked'], event: 'delete', by: [['knowledge'], ['source']], guards: ['deletion'] },
];

export interface MoveOrder {
  readonly event: SourceEvent;
  /** A person, an agent, or a workload of the library. */
  readonly actor: string;
  readonly reason: string;
  readonly at: Instant;
  /** People whose signature on exactly this order was verified. */
  readonly signers: readonly string[];
  readonly retiresAt?: Instant | undefined;
  /** What shows that a suspended source was built anew and tried: a reference that is kept. */
  readonly evidence?: string | undefined;
  /** The signal that suspended it was ruled false. */
  readonly falseSignal?: boolean | undefined;
  /** Somebody who may ask for it asked that it be deleted. */
  readonly deletionRequest?: string | undefined;
}

export interface MoveFacts {
  readonly profile: 'personal' | 'team';
  readonly policy: Pick<Policy, 'roles' | 'owners' | 'retention'>;
  readonly state: SourceState;
  readonly owner: string;
  readonly proposer: string;
  readonly classification: Classification;
  readonly authorityClass: AuthorityClass;
  readonly retentionPolicy: string;
  readonly legalHold: boolean;
  /** When it retires, of a source that does. */
  readonly retiresAt?: Instant | undefined;
  /** A complete checkpoint, and a gap scan that found nothing. */
  readonly caughtUp: boolean;
  /** What the index holds of it is what it held when it was suspended. */
  readonly unchanged: boolean;
}

export type MoveRuling =
  | {
      readonly made: true;
      readonly to: SourceState;
      readonly row: string;
      readonly people: readonly string[];
      readonly selfApproved: boolean;
    }
  | { readonly made: false; readonly why: 'state' | 'role' | 'guard'; readonly row: string; readonly detail: string };

export function ruleOnMove(order: MoveOrder, facts: MoveFacts): MoveRuling {
  const to = next(SOURCE_LIFECYCLE, facts.state, order.event);
  const row = MOVES.find(({ from, event }) => event === order.event && from.includes(facts.state));
  if (to === null || row === undefined) {
    const from = statesBefore(SOURCE_LIFECYCLE, order.event).join(', or ');
    return { made: false, why: 'state', row: 'SM-S14', detail: `it is ${facts.state}, and this is for a source that is ${from}` };
  }
  const alternatives = row.id === 'SM-S2' && isSensitive(facts) ? [['knowledge', 'security'] as const] : row.by;
  const keys = needsTwoKeys(row, facts);
  const agreed = firstOf(alternatives, (bearers) => (keys ? byTwoKeys(bearers, order, facts) : agreement(bearers, order, facts)));
  if (agreed === undefined) return { made: false, why: 'role', row: row.id, detail: keys ? BY_TWO_KEYS : whoMust(alternatives, facts) };
  if (order.actor.startsWith('person:') && order.reason.trim() === '')
    return { made: false, why: 'guard', row: row.id, detail: 'a reason must be given' };
  const fault = firstOf(row.guards, (guard) => GUARD[guard](order, facts));
  if (fault !== undefined) return { made: false, why: 'guard', row: row.id, detail: fault };
  return { made: true, to, row: row.id, ...agreed };
}

/** Does this person, agent or workload hold anything by which it could move some source? Decided before any source is looked at. */
export function mayOperate(actor: string, { roles, owners }: MoveFacts['policy']): boolean {
  const named = [...roles.knowledge, ...roles.source, ...roles.security, ...Object.values(owners).flat()];
  return isPerson(actor) ? named.includes(actor) : actor === SYSTEM_WORKLOAD || actor === DETECTOR_WORKLOAD;
}

/** The people behind an owner as sources name it. A person’s own name stands for that person. */
export function ownersOf(owner: string, { owners }: Pick<Policy, 'owners'>): readonly string[] {
  const named = Object.hasOwn(owners, owner) ? (owners[owner] ?? []) : [];
  return named.length === 0 && isPerson(owner) ? [owner] : named;
}

export function bearsAs(actor: string, { policy, owner, proposer }: Pick<MoveFacts, 'policy' | 'owner' | 'proposer'>): ReadonlySet<Bearer> {
  const held = new Set<Bearer>();
  if (actor === SYSTEM_WORKLOAD) held.add('system');
  if (actor === DETECTOR_WORKLOAD) held.add('detector');
  if (!isPerson(actor)) return held;
  if (actor === proposer) held.add('proposer');
  for (const role of ['knowledge', 'source', 'security'] as const) if (policy.roles[role].includes(actor)) held.add(role);
  if (ownersOf(owner, policy).includes(actor)) held.add('source');
  return held;
}

/** The second key may be any bearer's: of somebody who knows the source and stands for its coming in, its proposer too. */
function needsTwoKeys({ guards }: MoveRow, { profile, authorityClass }: MoveFacts): boolean {
  return profile === 'team' && authorityClass === 'governing' && guards.includes('not-the-proposer');
}

function byTwoKeys([first, second]: readonly Bearer[], { signers }: MoveOrder, facts: MoveFacts): Agreement | undefined {
  const { proposer } = facts;
  const people = [...new Set(signers)].filter((each) => isPerson(each) && bearsAs(each, facts).size > 0);
  const may = (each: string, bearer: Bearer | undefined) => bearer !== undefined && each !== proposer && bearsAs(each, facts).has(bearer);
  for (const one of people.filter((each) => may(each, first))) {
    const other = people.find((each) => each !== one && (second === undefined || may(each, second)));
    if (other !== undefined) return { people: [one, other], selfApproved: false };
  }
  return undefined;
}

const BY_TWO_KEYS =
  'a governing source is approved by two people, each by a signature of their own: the knowledge owner (with security where it is confidential or above), who did not propose it, and another who bears a role or proposed it';

interface Agreement {
  readonly people: readonly string[];
  readonly selfApproved: boolean;
}

function agreement(bearers: readonly Bearer[], order: MoveOrder, facts: MoveFacts): Agreement | undefined {
  const { actor, signers } = order;
  const [first, second] = bearers;
  if (first === undefined) return undefined;
  if (second === undefined) return bearsAs(actor, facts).has(first) ? { people: [actor], selfApproved: isSelf(order, facts) } : undefined;
  if (facts.profile === 'personal') {
    const held = bearsAs(actor, facts);
    return held.has(first) && held.has(second) ? { people: [actor], selfApproved: true } : undefined;
  }
  // Whoever carries the order in counts by signature too: a launch can claim any name, a key cannot.
  const people = [...new Set(signers)].filter(isPerson);
  for (const one of people) {
    const other = bearsAs(one, facts).has(first) ? people.find((each) => each !== one && bearsAs(each, facts).has(second)) : undefined;
    if (other !== undefined) return { people: [one, other], selfApproved: false };
  }
  return undefined;
}

function isSelf({ actor, event }: MoveOrder, { profile, proposer }: MoveFacts): boolean {
  return profile === 'personal' && event === 'approve' && actor === proposer;
}

function whoMust(alternatives: readonly (readonly Bearer[])[], { profile }: MoveFacts): string {
  const said = alternatives.map((bearers) => bearers.map((each) => NAMES[each]).join(' and ')).join(', or ');
  const two = alternatives.some((bearers) => bearers.length > 1) && profile === 'team';
  return `this is for ${said}${two ? ': two people, each by a signature of their own' : ''}`;
}

const NAMES: Readonly<Record<Bearer, string>> = {
  knowledge: 'the knowledge owner',
  source: 'the owner of the source',
  security: 'security',
  proposer: 'whoever proposed it',
  system: 'the pipeline itself',
  detector: 'a detector',
};

/** What is wrong, or undefined. */
const GUARD: Readonly<Record<Guard, (order: MoveOrder, facts: MoveFacts) => string | undefined>> = {
  'registered-whole': (_, { owner, policy, retentionPolicy }) => {
    if (ownersOf(owner, policy).length === 0) return `its owner ${owner} stands for nobody`;
    return Object.hasOwn(policy.retention, retentionPolicy) ? undefined : `there is no retention policy ${retentionPolicy}`;
  },
  'not-the-proposer': (_, { authorityClass, profile, proposer }) =>
    authorityClass !== 'governing' || profile !== 'team' || /^(?:person|agent):/.test(proposer)
      ? undefined
      : 'nobody is recorded as having proposed this governing source: run `colophon source add`',
  'caught-up': (_, { caughtUp }) =>
    caughtUp ? undefined : 'its checkpoint is not complete, or the gap scan was not clean: run `colophon index`',
  evidence: ({ evidence }) =>
    evidence === undefined || evidence.trim() === ''
      ? 'evidence of the root cause, the clean rebuild and the tests must be named'
      : undefined,
  'false-signal': ({ falseSignal }, { unchanged }) => {
    if (falseSignal !== true) return 'it must be said that the signal was false';
    return unchanged ? undefined : 'what the index holds of it changed since it was suspended';
  },
  'retire-date': ({ retiresAt, at }) => (retiresAt === undefined || retiresAt <= at ? 'a day to come must be named' : undefined),
  'before-the-date': ({ at }, { retiresAt }) => (retiresAt === undefined || at < retiresAt ? undefined : 'its day has passed'),
  deletion: ({ actor, deletionRequest }, facts) => {
    if (facts.legalHold) return 'it is under a legal hold';
    const kept = Object.hasOwn(facts.policy.retention, facts.retentionPolicy) ? facts.policy.retention[facts.retentionPolicy] : undefined;
    if (kept === undefined) return `there is no retention policy ${facts.retentionPolicy}`;
    if (kept.deletion === 'never') return `its retention policy ${facts.retentionPolicy} keeps it`;
    const asOwnerAlone = !bearsAs(actor, facts).has('knowledge');
    return asOwnerAlone && (deletionRequest ?? '').trim() === '' ? 'its owner deletes it on a request that is named' : undefined;
  },
};

function isSensitive({ classification }: MoveFacts): boolean {
  return stricter(classification, 'confidential') === classification;
}

function isPerson(actor: string): boolean {
  return actor.startsWith('person:');
}

function firstOf<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
