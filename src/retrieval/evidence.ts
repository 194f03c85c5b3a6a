/**
 * Evidence: how much of the question a page holds, and how strongly a passage answers it.
 *
 * Coverage is a share of idf mass. In a library of three pages that says little, because a word on two of them is "frequent"; so the
 * share is also taken as it would be among PRIOR more pages without any of the words, and the greater counts. Attained is the
 * lexical score as a share of the most that any passage could score for the question.
 *
 * Invariant: made of statistics over eligible compartments alone.
 */
import type { QueryTerm, UnderstoodQuery } from '../domain/query.js';
import type { RankingPolicy } from '../domain/ranking-policy.js';
import { type Draft, pageKey } from './draft.js';
import { heldWords } from './present.js';

const PRIOR_ARTIFACTS = 100;

interface IndexFacts {
  readonly frequencies: readonly number[];
  readonly population: number;
}

type Weights = Pick<RankingPolicy, 'bm25f' | 'pageWeight'>;

/** The question as it was written: a word that was read as another is still one that nobody knows. */
interface Written {
  readonly query: UnderstoodQuery;
  readonly frequencies: readonly number[];
}

export function measureEvidence(
  drafts: readonly Draft[],
  query: UnderstoodQuery,
  index: IndexFacts,
  policy: Weights,
  written: Written = { query, frequencies: index.frequencies },
): readonly Draft[] {
  const { population } = index;
  const plain = shareOf(query, index, population + PRIOR_ARTIFACTS, ({ content }) => Number(content));
  const weighted = (among: number) => shareOf(query, index, among, ({ content, weight }) => (content ? weight : 0));
  const [here, amongMore] = [weighted(population), weighted(population + PRIOR_ARTIFACTS)];
  const pages = new Map<string, { readonly coverage: number; readonly undervalued: number }>();
  // Where a small library undervalues what a page holds, the score of its passages is made good by as much.
  for (const [key, words] of heldWords(drafts))
    pages.set(key, { coverage: plain(words), undervalued: Math.max(1, amongMore(words) / (here(words) || 1)) });
  const standard = { most: mostAttainable(written, population, policy), words: askedFor(query) };
  return drafts.map((draft): Draft => {
    const page = pages.get(pageKey(draft.artifact.page));
    const coverage = Math.max(draft.coverage, page?.coverage ?? 0);
    return { ...draft, coverage, attained: attainedBy(draft, page?.undervalued ?? 1, standard) };
  });
}

/** Words, as written, that an answer should hold. */
export function askedFor({ terms }: UnderstoodQuery): ReadonlySet<string> {
  return new Set(terms.filter(({ content, required }) => content || required).map(({ surface }) => surface));
}

/** How strongly a passage answers: what it attained, over what chance alone attains. Means the same for every question and library. */
export function strengthOf(attained: number, words: number, population: number): number {
  return attained / chance(words, population);
}

/** The share that a passage must attain to be so strong. */
export function shareNeeded(strength: number, words: number, population: number): number {
  return strength * chance(words, population);
}

/**
 * Of many words no passage says all in one breath, and among many passages more fit by chance. Both laws were found by fitting, each
 * labelled set with the others alone: docs/adr/0013-floor.md.
 */
function chance(words: number, population: number): number {
  return Math.log(population + PRIOR_ARTIFACTS) / Math.sqrt(1 + Math.max(1, words));
}

/** What share of the question's information some of its words are, if these were the frequencies among so many artifacts. */
function shareOf({ terms }: UnderstoodQuery, { frequencies }: IndexFacts, population: number, weightOf: (term: QueryTerm) => number) {
  const masses = terms.map((term, at) => weightOf(term) * mass(frequencies[at] ?? 0, population));
  const whole = masses.reduce((sum, each) => sum + each, 0);
  return (words: ReadonlySet<string>): number => {
    const share = terms.reduce((sum, { surface }, at) => sum + (words.has(surface) ? (masses[at] ?? 0) : 0), 0);
    return whole <= 0 ? 0 : Math.min(1, share / whole);
  };
}

/** What a passage would score if it, and its page, said nothing but the words of the question. */
function mostAttainable({ query: { terms }, frequencies }: Written, population: number, { bm25f, pageWeight }: Weights): number {
  const perOccurrence = (bm25f.k1 + 1) * (1 + pageWeight);
  return terms.reduce((sum, { content, weight }, at) => {
    return content ? sum + weight * mass(frequencies[at] ?? 0, population) * perOccurrence : sum;
  }, 0);
}

interface Standard {
  readonly most: number;
  readonly words: ReadonlySet<string>;
}

/** With one word or two there is little to weigh: a passage that holds them all holds what was asked for. */
const FEW_WORDS = 2;

function attainedBy({ legScores, matched }: Draft, undervalued: number, { most, words }: Standard): number {
  const { lexical = 0 } = legScores;
  if (most <= 0) return lexical > 0 ? 1 : 0;
  if (words.size <= FEW_WORDS && holdsAll(matched, words)) return 1;
  return Math.min(1, (lexical / most) * undervalued);
}

function holdsAll(matched: Draft['matched'], words: ReadonlySet<string>): boolean {
  return [...words].every((word) => matched.some(({ surface }) => surface === word));
}

function mass(frequency: number, population: number): number {
  return Math.log(1 + (population - frequency + 0.5) / (frequency + 0.5));
}
