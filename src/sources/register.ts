/**
 * Register — from the declared sources and the recorded standings to the moves a run may make.
 *
 * Declarations say what a source is; records say what state it is in (SRC-14). A run registers what is new, takes in what
 * may be taken in, and moves a source to `active` only after its first checkpoint (SM-S4).
 *
 * Invariant: a run never approves for a team; in profile `personal` the owner holds all roles and the approval is recorded
 * as the self-approval it is.
 */
import { SOURCE_LIFECYCLE, type SourceEvent, type SourceRegistration, type SourceState } from '../domain/source.js';
import { counted } from '../kernel/counted.js';
import { type Digest, digestOf } from '../kernel/digest.js';

export type Profile = 'personal' | 'team';

export interface Move {
  readonly event: SourceEvent;
  readonly reason: string;
}

/** Names this version of a declaration; a changed one is a new version (SRC-16). */
export function registrationDigest(registration: SourceRegistration): Digest {
  // JSON first: an absent field and one that is undefined are the same declaration.
  return digestOf(JSON.parse(JSON.stringify(registration)));
}

/** True when a run may take in documents: `retiring` is closed to new text, `suspended` and beyond to any. */
export function mayIngest(state: SourceState, profile: Profile): boolean {
  if (state === 'proposed') return profile === 'personal';
  return state === 'approved' || state === 'active' || state === 'degraded';
}

/** Whether a source in this state may only be looked at, and why, for the line a person reads. */
export function whyNotIngested(state: SourceState): string {
  switch (state) {
    case 'proposed':
      return 'it is proposed and not yet approved';
    case 'retiring':
      return 'it is retiring and takes in no new text';
    case 'suspended':
      return 'it is suspended';
    default:
      return `it is ${state}`;
  }
}

const RESTRICTING: Partial<Readonly<Record<SourceState, SourceEvent>>> = { suspended: 'suspend', retiring: 'retire', revoked: 'revoke' };

/**
 * What a declared state means for a source that has a history. A declaration is the state to start in, but the safe direction is
 * open to it: one that restricts is carried out, where the lifecycle has a move for it. It never sets free.
 */
export function restrictingMove(state: SourceState, declared: SourceState): Move | undefined {
  const event = RESTRICTING[declared];
  if (event === undefined || state === declared || SOURCE_LIFECYCLE[state][event] === null) return undefined;
  return { event, reason: `colophon.yaml declares the source ${declared}` };
}

/** States that a source declared as this comes to by itself. */
const AHEAD: Readonly<Record<SourceState, readonly SourceState[]>> = {
  proposed: ['proposed', 'approved', 'active', 'degraded'],
  approved: ['approved', 'active', 'degraded'],
  active: ['active', 'degraded'],
  degraded: ['degraded', 'active'],
  suspended: ['suspended'],
  retiring: ['retiring'],
  revoked: ['revoked', 'deleted'],
  deleted: ['deleted'],
};

/** True when the state is not one that the declaration leads to: the file and the registry say different things. */
export function contradictsDeclared(state: SourceState, declared: SourceState): boolean {
  return !AHEAD[declared].includes(state);
}

/** What a finished run moves, in order. `checkpoint` tells how much of the source it saw. */
export function movesAfter(
  state: SourceState,
  profile: Profile,
  checkpoint: {
    readonly walk: 'complete' | 'partial';
    readonly gapsFree: boolean;
    /** Documents that no parser could make a page of. */
    readonly unparsed?: number;
  },
): readonly Move[] {
  // What a team's source promises has a form; a person's own folder may hold anything.
  const unparsed = profile === 'team' ? (checkpoint.unparsed ?? 0) : 0;
  const caughtUp = checkpoint.walk === 'complete' && checkpoint.gapsFree && unparsed === 0;
  if (state === 'active' && unparsed > 0)
    return [{ event: 'degrade', reason: `no parser could make a page of ${counted(unparsed, 'document')}` }];
  if (state === 'degraded') return caughtUp ? [{ event: 'recover', reason: 'checkpoint caught up and gap scan clean' }] : [];
  if (state === 'proposed' && profile === 'personal') {
    const approve: Move = { event: 'approve', reason: 'self-approval: the owner registered the source (profile personal)' };
    return [approve, ...movesAfter('approved', profile, checkpoint)];
  }
  if (state !== 'approved') return [];
  if (caughtUp) return [{ event: 'activate', reason: 'first checkpoint complete and gap scan clean' }];
  // Their own folder, one corner of which they cannot read: the owner would not thank us for hiding the rest of it.
  const own = profile === 'personal' && checkpoint.gapsFree;
  return own ? [{ event: 'activate', reason: 'first checkpoint is partial; accepted by the owner (profile personal)' }] : [];
}
