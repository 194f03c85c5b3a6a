/** The tables of `bench:retrieval`: ranking beside others, silence at the floor of the policy, and the floor chosen without each set. */
import { BOOTSTRAP, below, generator, mean, meanInterval, pairedDifference, quantile } from '../src/evaluation/bootstrap.js';
import { areaUnderCurve, type Evidence, floorForAll, type Observation, operatingPoint } from '../src/evaluation/calibration.js';
import { OURS, type Ranked } from './parts/rank-all.js';

export interface SetFigures {
  /** The labelled set it is, or was drawn from. */
  readonly set: string;
  /** `whole`, or how many pages were drawn. */
  readonly size: string;
  readonly evidence: Evidence;
  /** Questions of other sets. */
  readonly easy: readonly Observation[];
  /** Of whole sets. */
  readonly ranked: readonly Ranked[];
  readonly delivered: readonly { readonly silent: boolean; readonly gold: boolean }[];
}

/** Sets of documentation and code, which the ranking is for; records of one paragraph are there so that it does not lose them. */
const DOCUMENTS = ['vox-docs', 'otel-docs', 'eslint-docs', 'aws-docs', 'powershell-docs', 'anthropic-docs-qa', 'cosqa'];

export function rankingTable(measured: readonly SetFigures[]): string {
  const all = measured.filter(({ size }) => size === 'whole').flatMap(({ ranked }) => ranked);
  const rankers = Object.keys(all[0]?.ndcg ?? {});
  const others = rankers.filter((name) => name !== OURS);
  const rows = all.map(({ name, ndcg }) => {
    const own = ndcg[OURS] ?? [];
    const interval = meanInterval(own);
    const range = interval === undefined ? '' : ` [${figure(interval.low)}, ${figure(interval.high)}]`;
    const gains = others.map((other) => {
      const gain = pairedDifference(byNumber(ndcg[other] ?? []), byNumber(own));
      return gain === undefined ? '' : `${signed(gain.mean)} [${signed(gain.ci95.low)}, ${signed(gain.ci95.high)}]`;
    });
    return [name, String(own.length), `${figure(mean(own))}${range}`, ...others.map((other) => figure(mean(ndcg[other] ?? []))), ...gains];
  });
  const meanOf = (name: string, sets: readonly Ranked[]) => {
    const means = rankers.map((ranker) => figure(mean(sets.map(({ ndcg }) => mean(ndcg[ranker] ?? [])))));
    return sets.length === 0 ? [] : [[name, '', ...means, ...others.map((other) => pooledGain(sets, other))]];
  };
  const whole = all.filter(({ slice }) => slice === undefined);
  // Of a set that says which pages are out of date, the questions about those that are not.
  const live = whole.map((set) => all.find(({ name }) => name === `${set.name}, live pages`) ?? set);
  const documents = live.filter((_, at) => DOCUMENTS.includes(whole[at]?.name ?? ''));
  return table(
    ['nDCG@10', 'questions', ...rankers, ...others.map((name) => `over ${name}`)],
    [...rows, ...meanOf('mean of documents and code, live pages', documents), ...meanOf('mean of all sets', whole)],
  );
}

/** Share of questions about live pages that have an archived one among the first five. */
export function staleTable(measured: readonly SetFigures[]): string {
  const sets = measured.flatMap(({ ranked }) => ranked).filter(({ stale }) => stale !== undefined);
  const rankers = Object.keys(sets[0]?.stale ?? {});
  const rows = sets.map(({ name, stale }) => [name, ...rankers.map((ranker) => figure(mean(stale?.[ranker] ?? [])))]);
  return sets.length === 0 ? '' : table(['stale@5', ...rankers], rows);
}

/** Of the mean over sets; questions are drawn anew within each set, the same ones for both. */
function pooledGain(sets: readonly Ranked[], other: string): string {
  const random = generator(BOOTSTRAP.seed);
  const gains = sets.map(({ ndcg }) => (ndcg[OURS] ?? []).map((own, at) => own - (ndcg[other]?.[at] ?? 0)));
  const drawn = Array.from({ length: BOOTSTRAP.resamples }, () =>
    mean(gains.map((set) => mean(set.map(() => set[below(set.length, random)] ?? 0)))),
  ).sort((a, b) => a - b);
  return `${signed(mean(gains.map(mean)))} [${signed(quantile(drawn, 0.025))}, ${signed(quantile(drawn, 0.975))}]`;
}

const GROUPS = ['whole', '80', '20', '5'] as const;

/** At the floor of the policy; areas need no floor. */
export function silenceTable(measured: readonly SetFigures[], floor: number): string {
  const rowOf = (name: string, each: Pick<SetFigures, 'evidence' | 'easy' | 'delivered'>): string[] => {
    const { evidence, easy, delivered } = each;
    const share = (is: (one: SetFigures['delivered'][number]) => boolean) =>
      delivered.length === 0 ? '' : figure(delivered.filter(is).length / delivered.length);
    return [
      name,
      area(evidence.answered, evidence.hard),
      area(evidence.answered, evidence.foreign),
      area(evidence.answered, easy),
      figure(operatingPoint(floor, evidence.answered, []).lost),
      ...[evidence.hard, evidence.foreign, easy].map((unanswered) => figure(operatingPoint(floor, [], unanswered).silent)),
      share(({ silent }) => silent),
      share(({ gold }) => gold),
    ];
  };
  const whole = measured.filter(({ size }) => size === 'whole');
  const rows = whole.map((each) => rowOf(each.set, each));
  const means = GROUPS.flatMap((size) => {
    const group = merged(measured.filter((each) => each.size === size));
    return group.length === 0
      ? []
      : [
          meanRow(
            size === 'whole' ? 'mean of sets' : `drawn, ${size} pages`,
            group.map((each) => rowOf('', each)),
          ),
        ];
  });
  const head = [
    `floor ${floor}`,
    'AUC hard',
    'AUC foreign',
    'AUC other sets',
    'lost',
    'silent hard',
    'silent foreign',
    'silent other sets',
    'delivered: silent',
    'delivered: right page',
  ];
  return table(head, [...rows, ...means]);
}

/** The libraries drawn from one set at one size count as one. */
function merged(group: readonly SetFigures[]): readonly SetFigures[] {
  const sets = [...new Set(group.map(({ set }) => set))];
  return sets.flatMap((set) => {
    const own = group.filter((each) => each.set === set);
    const [first] = own;
    if (first === undefined || own.length === 1) return own;
    const all = (pick: (evidence: Evidence) => readonly Observation[]) => own.flatMap(({ evidence }) => pick(evidence));
    const evidence = { answered: all(({ answered }) => answered), hard: all(({ hard }) => hard), foreign: all(({ foreign }) => foreign) };
    return [{ ...first, evidence, easy: own.flatMap(({ easy }) => easy), delivered: [] }];
  });
}

/** For each set the floor that the other sets choose, and what it does there. */
export function floorTable(measured: readonly SetFigures[], mostLost: number, current: number): string {
  const whole = measured.filter(({ size }) => size === 'whole');
  const rows = whole.map(({ set, evidence, easy }) => {
    const floor = floorForAll(
      whole.filter((other) => other.set !== set).map((other) => other.evidence),
      mostLost,
    );
    const silent = [evidence.hard, evidence.foreign, easy].map((unanswered) => figure(operatingPoint(floor, [], unanswered).silent));
    return [set, String(floor), figure(operatingPoint(floor, evidence.answered, []).lost), ...silent];
  });
  const chosen = floorForAll(
    whole.map(({ evidence }) => evidence),
    mostLost,
  );
  const head = ['chosen without the set', 'floor', 'lost', 'silent hard', 'silent foreign', 'silent other sets'];
  const means = meanRow(
    'mean of sets',
    rows.map(([name = '', , ...rest]) => [name, ...rest]),
  );
  return `${table(head, [...rows, [means[0] ?? '', '', ...means.slice(1)]])}\nAll sets together choose ${chosen}; the policy has ${current}.\n`;
}

function meanRow(name: string, rows: readonly (readonly string[])[]): string[] {
  const columns = (rows[0] ?? []).slice(1).map((_, at) => {
    const values = rows.map((row) => row[at + 1] ?? '').filter((cell) => cell !== '');
    return values.length === 0 ? '' : figure(mean(values.map(Number)));
  });
  return [name, ...columns];
}

function area(answered: readonly Observation[], unanswered: readonly Observation[]): string {
  const strengths = (observations: readonly Observation[]) => observations.map(({ strength }) => strength);
  const value = areaUnderCurve(strengths(answered), strengths(unanswered));
  return value === undefined ? '' : figure(value);
}

function byNumber(values: readonly number[]): ReadonlyMap<string, number> {
  return new Map(values.map((value, at) => [String(at), value]));
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

function figure(value: number): string {
  return value.toFixed(3);
}

function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`;
}
