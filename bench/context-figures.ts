/** The tables of `bench:context`: hit rates by set, tokens read to the right page, and how far ours is from the best of the others. */
import { BOOTSTRAP, below, generator, mean, pairedDifference, quantile } from '../src/evaluation/bootstrap.js';

export interface SetScores {
  readonly set: string;
  readonly scores: readonly {
    readonly question: string;
    readonly system: string;
    readonly budget: number;
    readonly tokens: number;
    readonly items: number;
    readonly pages: number;
    /** Tokens read when the first of a right page has been; absent when none was in. */
    readonly upTo?: number;
  }[];
}

type Hits = ReadonlyMap<string, number>;

/** The best of the others is that of the whole table, so that it is one system and not each set's luckiest. */
export function comparison(sets: readonly SetScores[], budget: number, ours: string): string {
  const systems = [...new Set(sets.flatMap(({ scores }) => scores.map(({ system }) => system)))];
  const hitsOf = (system: string) => sets.map((each) => hits(each, budget, system));
  const others = systems.filter((each) => !each.startsWith(ours)).sort((a, b) => meanShare(hitsOf(b)) - meanShare(hitsOf(a)));
  const best = others[0] ?? ours;
  const head = [`${budget} tokens`, ...sets.map(({ set }) => set), 'mean', 'tokens to it, median', 'tokens used', 'items', 'pages'];
  const rows = systems.map((system) => {
    const scores = sets.map((each) => each.scores.filter((score) => score.budget === budget && score.system === system));
    const upTo = scores.flat().flatMap((score) => score.upTo ?? []);
    const perSet = (pick: (score: SetScores['scores'][number]) => number) => mean(scores.map((each) => mean(each.map(pick))));
    return [
      system,
      ...hitsOf(system).map((each) => figure(share(each))),
      figure(meanShare(hitsOf(system))),
      quantile(
        [...upTo].sort((a, b) => a - b),
        0.5,
      ).toFixed(0),
      perSet(({ tokens }) => tokens).toFixed(0),
      perSet(({ items }) => items).toFixed(1),
      perSet(({ pages }) => pages).toFixed(1),
    ];
  });
  const [above, under] = [hitsOf(ours), hitsOf(best)];
  const gains = sets.map(({ set }, at) => {
    const gain = pairedDifference(under[at] ?? new Map(), above[at] ?? new Map());
    return gain === undefined ? [] : [`${set} ${figure(gain.mean)} [${figure(gain.ci95.low)}, ${figure(gain.ci95.high)}]`];
  });
  const ratio = ratioOfMeans(above, under);
  const verdict = `${ours} ÷ ${best}: ${figure(ratio.value)} [${figure(ratio.low)}, ${figure(ratio.high)}]. Differences: ${gains.flat().join(', ')}.`;
  return `${[head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('')}\n${verdict}\n`;
}

function hits({ scores }: SetScores, budget: number, system: string): Hits {
  const own = scores.filter((score) => score.budget === budget && score.system === system);
  return new Map(own.map(({ question, upTo }) => [question, Number(upTo !== undefined)]));
}

/** Of the means of sets; questions are drawn anew within each set, the same ones for both. */
function ratioOfMeans(above: readonly Hits[], under: readonly Hits[]) {
  const random = generator(BOOTSTRAP.seed);
  const pairs = under.map((each, at) => [...each].map(([question, hit]): [number, number] => [above[at]?.get(question) ?? 0, hit]));
  const ratios = Array.from({ length: BOOTSTRAP.resamples }, () => {
    const drawn = pairs.map((set) => set.map((): [number, number] => set[below(set.length, random)] ?? [0, 0]));
    const meanOf = (side: 0 | 1) => mean(drawn.map((set) => mean(set.map(([one, other]) => (side === 0 ? one : other)))));
    return meanOf(0) / meanOf(1);
  }).sort((a, b) => a - b);
  return { value: meanShare(above) / meanShare(under), low: quantile(ratios, 0.025), high: quantile(ratios, 0.975) };
}

function meanShare(hitsOfSets: readonly Hits[]): number {
  return mean(hitsOfSets.map(share));
}

function share(values: Hits): number {
  return mean([...values.values()]);
}

function figure(value: number): string {
  return value.toFixed(3);
}
