/**
 * Select: which candidates enter, in which order, and why each other one stays out (CTX-11, CTX-16).
 *
 * Required clauses first, then governing text, then the rest; inside a class by rank. Whole artifacts only: one that does not
 * fit is recorded as such and the next is tried.
 *
 * Invariant: every candidate ends up in `items` or in `excluded`, exactly once.
 * Invariant: the costs of the items and the notice never exceed the room.
 */

import { isFenced } from '../domain/authority.js';
import type { Candidate } from '../domain/candidate.js';
import { CONTEXT_CLASSES, type ContextClass, type ExcludedItem } from '../domain/context-package.js';
import type { RequiredClause } from '../domain/context-policy.js';
import type { ModelProfile } from '../domain/model-profile.js';
import type { Day } from '../kernel/clock.js';
import type { Allocation } from './allocate.js';
import { itemCost, noticeCost } from './cost.js';
import { bar, type DraftItem, draftItem, excludedFor } from './item.js';

export interface SelectedItem extends DraftItem {
  readonly tokens: number;
}

export interface Selection {
  readonly items: readonly SelectedItem[];
  readonly excluded: readonly ExcludedItem[];
  /** Tokens of the notice, when something is fenced. */
  readonly notice: number;
  /** Why a required clause is not in; the package is then blocked. */
  readonly blocked: string | undefined;
  /** Fewest tokens any candidate that did not fit would have taken. */
  readonly smallestLeftOut: number | undefined;
}

interface Entry {
  readonly candidate: Candidate;
  readonly rank: number;
  readonly draft: DraftItem;
  readonly cost: number;
  readonly required: boolean;
}

export function select(input: {
  readonly candidates: readonly Candidate[];
  readonly allocation: Allocation;
  readonly required: readonly RequiredClause[];
  readonly model: ModelProfile;
  readonly today: Day;
}): Selection {
  const { entries, excluded } = admit(input);
  const notice = noticeCost(input.model);
  const room = roomFor(input.allocation, entries, notice);
  const items: SelectedItem[] = [];
  const leftOut: number[] = [];
  for (const entry of [...entries].sort(inOrder)) {
    const refusal = room.take(entry);
    if (refusal === undefined) {
      items.push({ ...entry.draft, tokens: entry.cost });
    } else {
      leftOut.push(entry.cost);
      excluded.push(excludedFor(entry.candidate, 'budget', refusal));
    }
  }
  return {
    items,
    excluded,
    notice: items.some((item) => isFenced(item.tier)) ? notice : 0,
    blocked: missingClause(input.required, items),
    smallestLeftOut: leftOut.length === 0 ? undefined : Math.min(...leftOut),
  };
}

function admit(input: Parameters<typeof select>[0]): { entries: Entry[]; excluded: ExcludedItem[] } {
  const entries: Entry[] = [];
  const excluded: ExcludedItem[] = [];
  const seen = new Set<string>();
  for (const candidate of input.candidates) {
    const barred = seen.has(candidate.artifact.id)
      ? excludedFor(candidate, 'duplicate', 'proposed twice; it counts once')
      : bar(candidate, input.today);
    seen.add(candidate.artifact.id);
    if (barred !== undefined) {
      excluded.push(barred);
      continue;
    }
    const rank = entries.length + 1;
    const draft = draftItem(candidate, rank);
    const isOwnText = draft.excerptDigest === candidate.artifact.digest;
    const cost = itemCost(draft, isOwnText ? candidate.artifact.tokens : undefined, input.candidates.length, input.model);
    entries.push({ candidate, rank, draft, cost, required: input.required.some((clause) => isClause(draft, clause)) });
  }
  return { entries, excluded };
}

function inOrder(a: Entry, b: Entry): number {
  const classes = CONTEXT_CLASSES.indexOf(a.draft.class) - CONTEXT_CLASSES.indexOf(b.draft.class);
  return Number(b.required) - Number(a.required) || classes || a.rank - b.rank;
}

/** Keeps the books: total room, and what governing text may take before it would push out the best match. */
function roomFor(allocation: Allocation, entries: readonly Entry[], notice: number) {
  const best = entries[0];
  const bestCost = best === undefined || best.draft.class === 'governing' ? 0 : best.cost + (isFenced(best.draft.tier) ? notice : 0);
  const reserve = bestCost <= allocation.room ? bestCost : 0;
  const governingLimit = Math.min(allocation.governing, allocation.room - reserve);
  const used: Partial<Record<ContextClass, number>> = {};
  let left = allocation.room;
  let fenced = false;
  return {
    /** Books the entry, or says why it does not fit. */
    take({ draft, cost, rank, required }: Entry): string | undefined {
      const whole = cost + (isFenced(draft.tier) && !fenced ? notice : 0);
      if (whole > left) return `needs ${whole} tokens, ${left} of ${allocation.ceiling} left`;
      const before = used[draft.class] ?? 0;
      if (draft.class === 'governing' && rank > 1 && !required && before + whole > governingLimit) {
        return `needs ${whole} tokens, ${Math.max(0, governingLimit - before)} of governing text's ${governingLimit} left`;
      }
      used[draft.class] = before + whole;
      left -= whole;
      fenced ||= isFenced(draft.tier);
      return undefined;
    },
  };
}

function isClause(item: Pick<DraftItem, 'source' | 'path' | 'anchor'>, clause: RequiredClause): boolean {
  return item.source === clause.source && item.path === clause.path && (clause.anchor === undefined || item.anchor === clause.anchor);
}

function missingClause(required: readonly RequiredClause[], items: readonly SelectedItem[]): string | undefined {
  for (const clause of required) {
    const name = `${clause.source} ${clause.path}${clause.anchor === undefined ? '' : `#${clause.anchor}`}`;
    const held = items.filter((item) => isClause(item, clause));
    if (held.length === 0) return `required clause ${name} is missing or does not fit`;
    if (held.some((item) => item.labels.includes('overdue'))) return `required clause ${name} is overdue for review`;
  }
  return undefined;
}
