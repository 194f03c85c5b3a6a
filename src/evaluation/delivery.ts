/**
 * Delivery: what is a package worth to the agent that reads it?
 *
 * Invariant: a measure without a meaning for a question is undefined, never 0 or 1; abstention is scored apart for questions that
 * have an answer and for those that have none (EVL-17).
 */
import { type Grades, type PageId, relevantPages, staleAt } from './metrics.js';

export const DELIVERED_METRICS = [
  'goldInPackage',
  'goldFirst',
  'goldShare',
  'answerInPackage',
  'tokensToGold',
  'tokensToAnswer',
  'staleInPackage',
  'bothSides',
  'leaked',
  'duplicates',
  'citationExact',
  'abstained',
  'abstainedRightly',
  'tokensUsed',
  'items',
  'pages',
] as const;
export type DeliveredMetric = (typeof DELIVERED_METRICS)[number];

export interface DeliveredItem {
  readonly page: PageId;
  readonly tokens: number;
  readonly artifact?: string;
  /** Says the same as an item before it. */
  readonly copy?: boolean;
  /** The file says at the cited place what the item says. */
  readonly exact?: boolean;
}

/** What a preamble held, in the order an agent reads it. */
export interface Delivery {
  readonly status: 'frozen' | 'no_context' | 'blocked';
  readonly items: readonly DeliveredItem[];
  readonly tokensUsed: number;
  /** Every page that the package names besides its items: left out, duplicates, in a conflict. */
  readonly named?: readonly PageId[];
}

/** What is right for one question. */
export interface Judgement {
  readonly grades: Grades;
  readonly archived: ReadonlySet<PageId> | undefined;
  readonly passages?: ReadonlySet<string>;
  readonly never?: ReadonlySet<PageId>;
  readonly against?: ReadonlySet<PageId>;
}

export function deliveredScores(delivery: Delivery, judgement: Judgement): Record<DeliveredMetric, number | undefined> {
  const { grades, archived, passages, never } = judgement;
  const { items } = delivery;
  const gold = relevantPages(grades);
  const answerable = gold.length > 0;
  const pages = items.map(({ page }) => page);
  const held = new Set(pages);
  const at = items.findIndex(({ page }) => (grades.get(page) ?? 0) > 0);
  const saidAt = items.findIndex(({ artifact }) => artifact !== undefined && passages?.has(artifact) === true);
  const abstained = Number(delivery.status === 'no_context');
  return {
    goldInPackage: answerable ? Number(at >= 0) : undefined,
    goldFirst: answerable ? Number(at === 0) : undefined,
    goldShare: answerable ? gold.filter((page) => held.has(page)).length / gold.length : undefined,
    answerInPackage: passages === undefined || passages.size === 0 ? undefined : Number(saidAt >= 0),
    tokensToGold: tokensUpTo(items, at),
    tokensToAnswer: tokensUpTo(items, saidAt),
    staleInPackage: archived === undefined ? undefined : staleAt(pages, grades, archived, pages.length),
    bothSides: bothSides(delivery, judgement),
    leaked: leaked([...pages, ...(delivery.named ?? [])], never),
    duplicates: shareOf(items, ({ copy }) => copy),
    citationExact: shareOf(items, ({ exact }) => exact),
    abstained: answerable ? abstained : undefined,
    abstainedRightly: answerable ? undefined : abstained,
    tokensUsed: delivery.tokensUsed,
    items: items.length,
    pages: held.size,
  };
}

/** 1 when a page that must not exist for the asker is named; undefined when there is none for this question. */
export function leaked(pages: readonly PageId[], never: ReadonlySet<PageId> | undefined): number | undefined {
  return never === undefined || never.size === 0 ? undefined : Number(pages.some((page) => never.has(page)));
}

function tokensUpTo(items: readonly DeliveredItem[], at: number): number | undefined {
  return at < 0 ? undefined : items.slice(0, at + 1).reduce((sum, { tokens }) => sum + tokens, 0);
}

/** 1 when the right page is in and every page that says otherwise is at least named. */
function bothSides({ items, named }: Delivery, { grades, against }: Judgement): number | undefined {
  if (against === undefined || against.size === 0) return undefined;
  const known = new Set([...items.map(({ page }) => page), ...(named ?? [])]);
  return Number(items.some(({ page }) => (grades.get(page) ?? 0) > 0) && [...against].every((page) => known.has(page)));
}

function shareOf(items: readonly DeliveredItem[], is: (item: DeliveredItem) => boolean | undefined): number | undefined {
  const told = items.filter((item) => is(item) !== undefined);
  return told.length === 0 ? undefined : told.filter((item) => is(item) === true).length / told.length;
}
