/**
 * Contradictions: passages that say nearly the same and differ in a number, a version or a negation, and both ends of a
 * superseded chain, are shown as a group (RET-10).
 *
 * Invariant: a passage that contradicts one already in keeps a place even if it scores lower (RET-11); the places are few.
 */
import type { Conflict } from '../domain/context-package.js';
import type { Draft, Dropped } from './draft.js';
import { areAlike, fingerprintOf } from './likeness.js';

/** Alike enough to speak of the same thing. */
const SAME_SUBJECT = 0.7;
const MOST_COMPARED = 60;

export interface Contradictions {
  readonly kept: readonly Draft[];
  /** What stays dropped. */
  readonly dropped: readonly Dropped[];
  readonly conflicts: readonly Conflict[];
}

export function contradictions(
  ranked: readonly Draft[],
  dropped: readonly Dropped[],
  room: { readonly limit: number; readonly reserved: number },
): Contradictions {
  const recalled = recall(ranked, dropped, room.reserved);
  const kept = ranked.slice(0, Math.max(0, room.limit - recalled.length));
  const displaced = ranked
    .slice(kept.length)
    .map((draft): Dropped => ({ draft, reason: 'outranked', detail: 'its place went to counterevidence' }));
  const all = [...kept, ...recalled.map(({ draft }) => draft)];
  return {
    kept: all,
    dropped: [...dropped.filter((each) => !recalled.includes(each)), ...displaced],
    conflicts: [...differing(all), ...successions(all)],
  };
}

function differ({ artifact: a }: Draft, { artifact: b }: Draft): boolean {
  const [x, y] = [fingerprintOf(a), fingerprintOf(b)];
  return x.claims !== y.claims && areAlike(x, y, SAME_SUBJECT) && !isSamePage(a.page, b.page);
}

function isSamePage(a: Draft['artifact']['page'], b: Draft['artifact']['page']): boolean {
  return a.path === b.path && a.source === b.source;
}

/** Dropped for want of room only, and at odds with something kept. */
function recall(kept: readonly Draft[], dropped: readonly Dropped[], reserved: number): readonly Dropped[] {
  const recalled: Dropped[] = [];
  const outranked = dropped.filter(({ reason }) => reason === 'outranked').slice(0, MOST_COMPARED);
  for (const each of outranked) {
    if (recalled.length >= reserved) break;
    if (kept.some((draft) => differ(draft, each.draft))) recalled.push(each);
  }
  return recalled;
}

function differing(drafts: readonly Draft[]): readonly Conflict[] {
  const conflicts: Conflict[] = [];
  const compared = drafts.slice(0, MOST_COMPARED);
  compared.forEach((a, at) => {
    for (const b of compared.slice(at + 1)) {
      if (!differ(a, b)) continue;
      const reason = `${a.artifact.page.path} and ${b.artifact.page.path} say nearly the same but differ in a number, a version or a negation`;
      conflicts.push({ artifacts: [a.artifact.id, b.artifact.id], reason });
    }
  });
  return conflicts;
}

function successions(drafts: readonly Draft[]): readonly Conflict[] {
  const conflicts: Conflict[] = [];
  for (const old of drafts) {
    if (old.retired?.reason !== 'superseded') continue;
    const successor = drafts.find(
      ({ artifact, retired }) => retired === undefined && old.retired?.detail.endsWith(` ${artifact.page.path}`),
    );
    if (successor === undefined) continue;
    const reason = `${old.artifact.page.path} is superseded by ${successor.artifact.page.path}`;
    conflicts.push({ artifacts: [successor.artifact.id, old.artifact.id], reason });
  }
  return conflicts;
}
