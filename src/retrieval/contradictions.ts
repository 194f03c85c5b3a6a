/**
 * Contradictions: passages that say nearly the same and differ in a number, a version, a negation or a name, and both ends of a
 * superseded chain, are shown as a group (RET-10).
 *
 * Invariant: a passage that contradicts one already in keeps a place even if it scores lower (RET-11); the places are few.
 */
import type { Artifact } from '../domain/artifact.js';
import type { Conflict } from '../domain/context-package.js';
import type { Page } from '../domain/page.js';
import type { Draft, Dropped } from './draft.js';
import { areAlike, type Told, tell } from './likeness.js';
import { swapsNames } from './swapped-names.js';

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
    conflicts: [...differing(standing(all), differOrSwap), ...successions(all)],
  };
}

const textOf = ({ artifact }: Standing) => artifact;

function standing(drafts: readonly Draft[]): Standing[] {
  return drafts.map(({ artifact }) => ({ artifact, page: artifact.page }));
}

/** A passage with the page it stands on. */
export interface Standing {
  readonly artifact: Pick<Artifact, 'id' | 'digest' | 'excerpt' | 'headingPath'>;
  readonly page: Pick<Page, 'source' | 'path' | 'title'>;
}

/** Nearly the same words on two pages, with another number, version or negation in them. */
export function disagree(a: Standing, b: Standing): boolean {
  return differing([a, b]).length > 0;
}

type Differ = (a: Told<Standing>, b: Told<Standing>) => boolean;

function differ({ item: { page: a }, fingerprint: x }: Told<Standing>, { item: { page: b }, fingerprint: y }: Told<Standing>): boolean {
  return x.claims !== y.claims && areAlike(x, y, SAME_SUBJECT) && !(a.path === b.path && a.source === b.source);
}

/** The same of other names, too. What binds is judged by numbers and negations alone. */
function differOrSwap(a: Told<Standing>, b: Told<Standing>): boolean {
  if (a.fingerprint.claims !== b.fingerprint.claims) return differ(a, b);
  const isSamePage = a.item.page.path === b.item.page.path && a.item.page.source === b.item.page.source;
  return !isSamePage && areAlike(a.fingerprint, b.fingerprint, SAME_SUBJECT) && swapsNames(a.item, b.item);
}

/** Dropped for want of room only, and at odds with something kept. */
function recall(kept: readonly Draft[], dropped: readonly Dropped[], reserved: number): readonly Dropped[] {
  const outranked = dropped.filter(({ reason }) => reason === 'outranked').slice(0, MOST_COMPARED);
  const drafts = [...kept, ...outranked.map(({ draft }) => draft)];
  const told = tell(standing(drafts), textOf);
  const inside = told.slice(0, kept.length);
  const recalled: Dropped[] = [];
  for (const [at, each] of outranked.entries()) {
    if (recalled.length >= reserved) break;
    const outside = told[kept.length + at];
    if (outside !== undefined && inside.some((other) => differOrSwap(other, outside))) recalled.push(each);
  }
  return recalled;
}

/** One group for all that say nearly the same: whoever reads of one disagreement reads of all that take part in it. */
export function differing(passages: readonly Standing[], isAtOdds: Differ = differ): readonly Conflict[] {
  const compared = passages.slice(0, MOST_COMPARED);
  const groupOf = compared.map((_, at) => at);
  const rootOf = (at: number): number => (groupOf[at] === at ? at : rootOf(groupOf[at] ?? at));
  const told = tell(compared, textOf);
  told.forEach((a, at) => {
    for (let other = at + 1; other < told.length; other += 1) {
      const b = told[other];
      if (b !== undefined && isAtOdds(a, b)) groupOf[Math.max(rootOf(at), rootOf(other))] = Math.min(rootOf(at), rootOf(other));
    }
  });
  const groups = new Map<number, Standing[]>();
  compared.forEach((each, at) => {
    const root = rootOf(at);
    groups.set(root, [...(groups.get(root) ?? []), each]);
  });
  return [...groups.values()].filter((group) => group.length > 1).map(conflictOf);
}

function conflictOf(group: readonly Standing[]): Conflict {
  const places = [...new Set(group.map(({ page }) => page.path))];
  const named = places.length < 2 ? places.join('') : `${places.slice(0, -1).join(', ')} and ${places.at(-1)}`;
  return {
    artifacts: group.map(({ artifact }) => artifact.id),
    reason: `${named} say nearly the same but differ in a number, a version, a negation or a name`,
  };
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
