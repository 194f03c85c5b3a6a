/**
 * Select: which candidates enter, in which order, and why each other one stays out (CTX-11, CTX-16).
 *
 * Required clauses first, then class by class: what holds a required fact, then by rank, with what contradicts a passage right
 * behind it. Whole items only: one that does not fit is recorded as such and the next is tried. Once a page has a passage in, its
 * others wait until every other page has had its turn. What is taken stands in the order of rank all the same.
 *
 * Invariant: every candidate ends up in `items` or in `excluded`, exactly once.
 * Invariant: the costs of the items and of what is said once never exceed the room.
 */

import { CONTEXT_CLASSES, type Conflict, type ContextClass, type ContextProfile, type ExcludedItem } from '../domain/context-package.js';
import type { ModelProfile } from '../domain/model-profile.js';
import type { Day } from '../kernel/clock.js';
import { admit, type Entry, type Offered } from './admit.js';
import { type Allocation, Books } from './allocate.js';
import { noticeCost } from './cost.js';
import { type DraftItem, leftOut } from './item.js';

export interface SelectedItem extends DraftItem {
  readonly tokens: number;
}

export interface Selection {
  readonly items: readonly SelectedItem[];
  readonly excluded: readonly ExcludedItem[];
  /** Tokens of what is said once: the notice, when something is fenced, and what the unfenced items say alike. */
  readonly once: number;
  /** What each class could have used. */
  readonly granted: Readonly<Partial<Record<ContextClass, number>>>;
  /** Fewest tokens any candidate that did not fit would have taken. */
  readonly smallestLeftOut: number | undefined;
}

export function select(input: {
  readonly offered: Offered;
  readonly conflicts: readonly Conflict[];
  readonly allocation: Allocation;
  readonly profile: ContextProfile;
  readonly model: ModelProfile;
  readonly today: Day;
}): Selection {
  const { entries, excluded } = admit(input.offered, input);
  const ordered = togetherWith(input.conflicts, [...entries].sort(inOrder));
  const notice = noticeCost(input.model);
  const { taken, refused, books } = fill(ordered, input, notice);
  const items = ordered.filter((entry) => taken.has(entry)).map(({ draft, claim }) => ({ ...draft, tokens: claim.cost }));
  const leftOver = [...refused].map(([entry, detail]) => ({ ...leftOut(entry.draft, 'budget', detail) }));
  const costs = [...refused.keys()].map(({ claim }) => claim.costFirst);
  return {
    items,
    excluded: [...excluded, ...leftOver],
    once: books.saidAlike + ([...taken].some(({ claim }) => claim.fenced) ? notice : 0),
    granted: Object.fromEntries(CONTEXT_CLASSES.map((name) => [name, books.granted(name)])),
    smallestLeftOut: costs.length === 0 ? undefined : Math.min(...costs),
  };
}

interface Filled {
  readonly taken: ReadonlySet<Entry>;
  readonly refused: ReadonlyMap<Entry, string>;
  readonly books: Books;
}

interface Filling {
  readonly allocation: Allocation;
  readonly conflicts: readonly Conflict[];
}

function fill(ordered: readonly Entry[], { allocation, conflicts }: Filling, notice: number): Filled {
  const best = ordered.find(({ need, rank, draft }) => need === 'match' && rank === 1 && draft.provenance === undefined);
  const claims = ordered.map(({ claim }) => claim);
  const books = new Books(allocation, notice, claims, best?.claim);
  const taken = new Set<Entry>();
  const refused = new Map<Entry, string>();
  const settle = (entry: Entry, refusal: string | undefined): void => {
    if (refusal === undefined) taken.add(entry);
    else refused.set(entry, refusal);
  };
  for (const entry of ordered) if (entry.need === 'clause') settle(entry, books.takeRequired(entry.claim));
  const open = ordered.filter(({ need }) => need !== 'clause');
  for (const [at, name] of CONTEXT_CLASSES.entries()) {
    const limit = books.open(name, CONTEXT_CLASSES.slice(at + 1));
    const ofClass = open.filter(({ claim }) => claim.class === name);
    pagesInTurn(ofClass, conflicts, (entry) => {
      const refusal = books.take(entry.claim, limit);
      settle(entry, refusal);
      return refusal === undefined;
    });
  }
  // What all classes left over, under their ceilings.
  for (const entry of open) {
    if (taken.has(entry)) continue;
    if (books.take(entry.claim, books.cap(entry.claim.class)) !== undefined) continue;
    refused.delete(entry);
    taken.add(entry);
  }
  return { taken, refused, books };
}

/** `take` says whether it went in. What holds a fact, is supplied, or speaks against another passage waits for nobody. */
function pagesInTurn(entries: readonly Entry[], conflicts: readonly Conflict[], take: (entry: Entry) => boolean): void {
  const disputed = new Set(conflicts.flatMap(({ artifacts }) => artifacts));
  const pages = new Set<string>();
  const later: Entry[] = [];
  for (const entry of entries) {
    const { source, path, artifact, provenance } = entry.draft;
    const page = JSON.stringify([source, path]);
    const mayWait = entry.need === 'match' && provenance === undefined && !disputed.has(artifact);
    if (mayWait && pages.has(page)) later.push(entry);
    else if (take(entry)) pages.add(page);
  }
  for (const entry of later) take(entry);
}

const NEEDS = ['clause', 'fact', 'match'] as const;

function inOrder(a: Entry, b: Entry): number {
  const classes = CONTEXT_CLASSES.indexOf(a.draft.class) - CONTEXT_CLASSES.indexOf(b.draft.class);
  return classes || NEEDS.indexOf(a.need) - NEEDS.indexOf(b.need) || a.rank - b.rank;
}

/** Whoever reads one side of a disagreement reads the other next, where both are of one class. */
function togetherWith(conflicts: readonly Conflict[], ordered: readonly Entry[]): readonly Entry[] {
  const together = new Set<Entry>();
  for (const entry of ordered) {
    together.add(entry);
    for (const { artifacts } of conflicts) {
      if (!artifacts.includes(entry.draft.artifact)) continue;
      for (const other of ordered)
        if (other.claim.class === entry.claim.class && artifacts.includes(other.draft.artifact)) together.add(other);
    }
  }
  return [...together];
}
