/**
 * Spread: what the links between pages would add to an order of pages, if some of a page's score went along them.
 *
 * Two ways: along one or two links from the best pages, with a share lost at each, and a personalised PageRank that starts at them.
 * Both have caps, so that a page of a thousand links is no more work than one of twenty.
 *
 * Invariant: pages that count as absent pass nothing on; the best of what is added counts `weight` of the best page's own score.
 */

/** Page → the pages one link away. */
export type Graph = ReadonlyMap<string, readonly string[]>;

export interface Arm {
  readonly name: string;
  readonly way: 'one link' | 'two links' | 'pagerank';
  /** Which way a link is followed. */
  readonly along: 'out' | 'in' | 'both';
  readonly weight: number;
}

export interface Scored {
  readonly page: string;
  readonly score: number;
}

const MOST_SEEDS = 10;
const MOST_LINKS = 20;
/** Of what arrives over one link, what goes on over the next. */
const DECAY = 0.5;
const PAGERANK = { restart: 0.3, rounds: 12, mostPages: 2000 } as const;

/** Best first, equal scores in the order of names; pages that only links lead to are among them. */
export function spreadOver(order: readonly Scored[], graph: Graph, arm: Arm, absent: ReadonlySet<string>): readonly Scored[] {
  const seeds = order.slice(0, MOST_SEEDS).filter(({ page }) => !absent.has(page));
  const best = seeds[0]?.score ?? 0;
  if (best <= 0) return order;
  const next = (page: string) => (graph.get(page) ?? []).filter((other) => !absent.has(other)).slice(0, MOST_LINKS);
  const arrived = arm.way === 'pagerank' ? visited(seeds, next) : handedOn(seeds, next, arm.way === 'two links' ? 2 : 1);
  const most = Math.max(0, ...arrived.values());
  if (most === 0) return order;
  const scores = new Map(order.map(({ page, score }) => [page, score]));
  for (const [page, value] of arrived) scores.set(page, (scores.get(page) ?? 0) + (arm.weight * best * value) / most);
  return [...scores]
    .map(([page, score]) => ({ page, score }))
    .sort((a, b) => b.score - a.score || (a.page < b.page ? -1 : a.page > b.page ? 1 : 0));
}

type Next = (page: string) => readonly string[];

function handedOn(seeds: readonly Scored[], next: Next, links: number): ReadonlyMap<string, number> {
  const arrived = new Map<string, number>();
  let front: ReadonlyMap<string, number> = new Map(seeds.map(({ page, score }) => [page, score]));
  for (let link = 0; link < links; link += 1) {
    const further = new Map<string, number>();
    for (const [page, score] of front) for (const other of next(page)) add(further, other, score * DECAY);
    for (const [page, value] of further) add(arrived, page, value);
    front = further;
  }
  return arrived;
}

/** Where somebody stands who follows links from the seeds, and goes back to one of them now and then. */
function visited(seeds: readonly Scored[], next: Next): ReadonlyMap<string, number> {
  const whole = seeds.reduce((sum, { score }) => sum + score, 0);
  const home = new Map(seeds.map(({ page, score }) => [page, score / whole]));
  let at: ReadonlyMap<string, number> = home;
  for (let round = 0; round < PAGERANK.rounds; round += 1) {
    const moved = new Map<string, number>();
    let lost = 0;
    for (const [page, share] of at) {
      const others = next(page);
      const going = share * (1 - PAGERANK.restart);
      if (others.length === 0 || moved.size > PAGERANK.mostPages) lost += going;
      else for (const other of others) add(moved, other, going / others.length);
    }
    for (const [page, share] of home) add(moved, page, share * (PAGERANK.restart + lost));
    at = moved;
  }
  // What stands on the seeds for being seeds says nothing of links.
  return new Map([...at].map(([page, share]) => [page, Math.max(0, share - PAGERANK.restart * (home.get(page) ?? 0))]));
}

function add(sums: Map<string, number>, key: string, value: number): void {
  sums.set(key, (sums.get(key) ?? 0) + value);
}

/** Fewest links from one of the seeds to one of the targets, up to `most`; undefined when it is further, or none leads there. */
export function linksBetween(seeds: readonly string[], targets: ReadonlySet<string>, graph: Graph, most: number): number | undefined {
  let front = new Set(seeds);
  const seen = new Set(seeds);
  for (let links = 1; links <= most; links += 1) {
    const further = new Set<string>();
    for (const page of front) {
      for (const other of graph.get(page) ?? []) {
        if (targets.has(other)) return links;
        if (!seen.has(other)) further.add(other);
        seen.add(other);
      }
    }
    front = further;
  }
  return undefined;
}
