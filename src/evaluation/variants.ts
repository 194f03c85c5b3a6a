/**
 * Variants: each optional stage of the ranking policy turned off or varied, one at a time, with words for people.
 *
 * Invariant: a variant differs from the policy it is made from in one setting of one stage.
 * Invariant: a variant that changes nothing is left out; it would be measured as a tie with itself.
 */

import type { RankingPolicy } from '../domain/ranking-policy.js';
import { digestOf } from '../kernel/digest.js';

/** What a variant can move: the order of pages, or what enters a package. */
export type Judged = 'ranking' | 'delivery';

export interface Variant {
  readonly stage: Stage;
  readonly judged: Judged;
  /** Dotted path in the policy; `stemming` is a setting of the sources. */
  readonly setting: string;
  readonly from: unknown;
  readonly to: unknown;
  /** The stage is not there at all with this value. */
  readonly off: boolean;
  readonly policy: RankingPolicy;
  /** For every source, when it differs. */
  readonly stemming?: number;
}

export const STAGES = {
  stemming: 'Word forms: “rotation” is found by “rotate”',
  identifiers: 'Names and codes: ERR-42 or max_retries counts more than a word',
  'identifier parts': 'Parts of names: “retries” finds max_retries',
  'other names': 'Names from the vocabulary: “SLO” finds “service level objective”',
  'narrower names': 'Who asks for the broader thing of the vocabulary also finds the narrower',
  'misspelt words': 'A word that no page holds is read as the nearest one that does',
  'misspelt names': 'A misspelt name of the vocabulary is read as the name',
  'stop words': 'Small words: “the”, “how”, “of”',
  'title weight': 'A word in the title counts more than one in the text',
  'heading weight': 'A word in a heading counts more',
  'summary weight': 'The page’s description is searched with every passage',
  prefix: 'Title, headings and description count for every passage of a page',
  'length balance': 'A long passage does not win by its length alone',
  repetition: 'A word said twice counts more than one said once',
  'page evidence': 'A passage of a page that fits as a whole counts more',
  'joining the legs': 'How the evidence of words, names and links is put together',
  'page names': 'A page whose name or alias is in the question counts more',
  links: 'A page that others link to in such words counts more',
  demotion: 'Old, expired and unreviewed pages count less',
  'other versions': 'Pages for another version than is meant count less',
  floor: 'A question that nothing answers strongly enough is met with silence',
  'relative floor': 'A passage far weaker than the best is not offered',
  'page cap': 'No page fills the whole answer',
  'near duplicates': 'The same text is not given twice',
  'unreviewed pages': 'Text that nobody reviewed takes a part of the answer at the most',
  counterevidence: 'A passage that says otherwise keeps a place',
  depth: 'How many passages are looked at closely',
} as const satisfies Record<string, string>;
export type Stage = keyof typeof STAGES;

interface Row {
  readonly stage: Stage;
  readonly setting: string;
  readonly judged: Judged;
  readonly off?: unknown;
  readonly values: readonly unknown[];
}

const ROWS: readonly Row[] = [
  { stage: 'identifiers', setting: 'identifierWeight', judged: 'ranking', off: 1, values: [2, 3] },
  { stage: 'identifier parts', setting: 'partWeight', judged: 'ranking', off: 0, values: [0.25, 1] },
  { stage: 'other names', setting: 'synonymWeight', judged: 'ranking', off: 0, values: [0.25, 0.75] },
  { stage: 'narrower names', setting: 'narrowerWeight', judged: 'ranking', off: 0, values: [0.1, 0.25] },
  { stage: 'misspelt words', setting: 'typoWeight', judged: 'ranking', off: 0, values: [0.6] },
  { stage: 'misspelt names', setting: 'nameTypoWeight', judged: 'ranking', off: 0, values: [0.6] },
  { stage: 'stop words', setting: 'stopWordWeight', judged: 'ranking', off: 0, values: [0.1, 0.25] },
  { stage: 'title weight', setting: 'bm25f.boost.title', judged: 'ranking', off: 1, values: [3, 5] },
  { stage: 'heading weight', setting: 'bm25f.boost.headings', judged: 'ranking', off: 0, values: [2] },
  { stage: 'summary weight', setting: 'bm25f.boost.summary', judged: 'ranking', off: 0, values: [1] },
  { stage: 'identifiers', setting: 'bm25f.boost.identifiers', judged: 'ranking', values: [1, 4] },
  { stage: 'length balance', setting: 'bm25f.b.body', judged: 'ranking', off: 0, values: [0.6, 0.9] },
  { stage: 'repetition', setting: 'bm25f.k1', judged: 'ranking', values: [0.9, 1.2, 2.4] },
  { stage: 'page evidence', setting: 'pageWeight', judged: 'ranking', off: 0, values: [0.25, 1] },
  { stage: 'joining the legs', setting: 'fusion', judged: 'ranking', values: ['rrf', 'weighted'] },
  { stage: 'page names', setting: 'legs.metadata', judged: 'ranking', off: 0, values: [0.3] },
  { stage: 'page names', setting: 'nameLikeness', judged: 'ranking', off: 0, values: [0.3] },
  { stage: 'links', setting: 'legs.links', judged: 'ranking', off: 0, values: [0.15] },
  { stage: 'links', setting: 'linkShare', judged: 'ranking', values: [0.3, 0.8] },
  { stage: 'other versions', setting: 'demotion.otherVersion', judged: 'ranking', off: 1, values: [] },
  { stage: 'depth', setting: 'candidates', judged: 'ranking', values: [50, 200] },
  { stage: 'relative floor', setting: 'floor.relative', judged: 'delivery', off: 0, values: [0.25, 0.6] },
  { stage: 'page cap', setting: 'contextPerPage', judged: 'delivery', off: 100, values: [2, 8] },
  { stage: 'near duplicates', setting: 'nearDuplicate', judged: 'delivery', off: 1, values: [0.8] },
  { stage: 'unreviewed pages', setting: 'fencedShare', judged: 'delivery', off: 1, values: [] },
  { stage: 'counterevidence', setting: 'counterevidenceShare', judged: 'delivery', off: 0, values: [] },
];

/** Of these there is nothing to try without a vocabulary. */
const OF_NAMES: ReadonlySet<Stage> = new Set(['other names', 'narrower names', 'misspelt names']);

const STEMMING = [0.25, 1];

/** `stemming` is what the sources of the set have now; without a vocabulary its stages are not there to be tried. */
export function variantsOf(base: RankingPolicy, stemming: number, hasVocabulary = false): readonly Variant[] {
  const rows = ROWS.filter(({ stage }) => hasVocabulary || !OF_NAMES.has(stage)).flatMap((row) =>
    [...('off' in row ? [row.off] : []), ...row.values].map((to): Variant => {
      // What a policy does not name is off.
      const from = read(base, row.setting) ?? row.off;
      const off = 'off' in row && to === row.off;
      return { stage: row.stage, judged: row.judged, setting: row.setting, from, to, off, policy: written(base, { [row.setting]: to }) };
    }),
  );
  const stems = [0, ...STEMMING].map(
    (to): Variant => ({
      stage: 'stemming',
      judged: 'ranking',
      setting: 'stemming',
      from: stemming,
      to,
      off: to === 0,
      policy: base,
      stemming: to,
    }),
  );
  const isOther = ({ setting, from, to, policy }: Variant) =>
    to !== from && (setting === 'stemming' || digestOf(policy) !== digestOf(base));
  return [...stems, ...rows, ...wholeStages(base)].filter(isOther);
}

/** Stages that are made of several settings, turned off as one. */
function wholeStages(base: RankingPolicy): Variant[] {
  const without = (stage: Stage, judged: Judged, setting: string, values: Readonly<Record<string, unknown>>): Variant => ({
    stage,
    judged,
    setting,
    from: read(base, setting),
    to: 'off',
    off: true,
    policy: written(base, values),
  });
  const prefix = { 'bm25f.boost.title': 0, 'bm25f.boost.headings': 0, 'bm25f.boost.summary': 0 };
  const demotion = Object.fromEntries(Object.keys(base.demotion).map((label) => [`demotion.${label}`, 1]));
  return [
    without('prefix', 'ranking', 'bm25f.boost', prefix),
    without('demotion', 'ranking', 'demotion', demotion),
    without('floor', 'delivery', 'floor.strength', { 'floor.strength': 0 }),
  ];
}

/** The policy with other values at some paths. */
export function written(policy: RankingPolicy, changes: Readonly<Record<string, unknown>>): RankingPolicy {
  return Object.entries(changes).reduce<RankingPolicy>(
    (made, [path, value]) => replaced(made, path.split('.'), value) as RankingPolicy,
    policy,
  );
}

function replaced(value: unknown, [key, ...rest]: readonly string[], to: unknown): unknown {
  if (key === undefined) return to;
  const fields = value as Readonly<Record<string, unknown>>;
  return { ...fields, [key]: replaced(fields[key], rest, to) };
}

function read(policy: RankingPolicy, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (value as Readonly<Record<string, unknown>>)[key], policy);
}
