/**
 * Spell: a word that no eligible page holds may be a slip of the hand for one that they do hold.
 *
 * Only plain words of five letters and more: names, codes, numbers, versions, quoted and required words are taken as they are. The
 * word is looked for among the words of eligible compartments, which the type of the reader demands; a word that hidden pages alone
 * hold is as unknown as any other.
 *
 * Invariant: a question whose words are all known costs a look at lists that are needed anyway.
 */
import type { EligibleSet } from '../domain/eligibility.js';
import type { Problem } from '../domain/problem.js';
import type { QueryTerm, UnderstoodQuery } from '../domain/query.js';
import type { RankingPolicy } from '../domain/ranking-policy.js';
import type { IndexSnapshot, NearQuery } from '../ports/index-reader.js';
import { stemOf } from '../text/analyze.js';
import { isStopWord } from '../text/stop-words.js';
import { isPlausibleSlip } from './plausible-slip.js';

const LEAST_LETTERS = 5;
/** From here on two edits still leave most of the word. */
const LONG_WORD = 8;
/** Slips of one question that are looked up. */
const MOST_SLIPS = 8;
/** Words looked at for each. */
const MOST_NEAR = 8;
const LETTERS = /^\p{L}+$/u;

export interface Respelt {
  readonly query: UnderstoodQuery;
  /** Of the words as they were written. */
  readonly frequencies: readonly number[];
  readonly problems: readonly Problem[];
  /** For the trace. */
  readonly note: string;
}

/** Undefined when every word is known, or nothing is near those that are not. */
export async function respell(
  snapshot: IndexSnapshot,
  eligible: EligibleSet,
  { query, stemming }: { readonly query: UnderstoodQuery; readonly stemming: Readonly<Record<string, number>> },
  policy: Pick<RankingPolicy, 'typoWeight' | 'stopWordWeight'>,
): Promise<Respelt | undefined> {
  const weight = policy.typoWeight ?? 0;
  if (weight <= 0 || !query.terms.some(mayBeSlip)) return undefined;
  const frequencies = await snapshot.frequencies(eligible, { terms: query.terms, stemming });
  const slips = query.terms.filter((term, at) => frequencies[at] === 0 && mayBeSlip(term)).slice(0, MOST_SLIPS);
  if (slips.length === 0 || isAboutElsewhere(query, frequencies)) return undefined;
  const found = await snapshot.near(eligible, slips.map(asked), MOST_NEAR);
  const meant = new Map<QueryTerm, string>();
  for (const [at, slip] of slips.entries()) {
    const near = (found[at] ?? []).find(({ term }) => isPlausibleSlip(slip.term, term));
    if (near !== undefined) meant.set(slip, near.term);
  }
  if (meant.size === 0) return undefined;
  const known = new Set(query.terms.map(({ term }) => term));
  const terms = query.terms.flatMap((term): QueryTerm[] => {
    const word = meant.get(term);
    if (word === undefined) return [term];
    if (known.has(word)) return [];
    known.add(word);
    return [respelt(term, word, weight, policy.stopWordWeight)];
  });
  const pairs = [...meant].map(([slip, word]) => [slip.surface, word] as const);
  return {
    query: { ...query, terms },
    frequencies,
    problems: pairs.map(didYouMean),
    note: pairs.map(([from, to]) => `${from} → ${to}`).join(', '),
  };
}

/** Slips are exceptions. A question most of whose words are unknown asks about something that is not here. */
function isAboutElsewhere({ terms }: UnderstoodQuery, frequencies: readonly number[]): boolean {
  const content = terms.flatMap((term, at) => (term.content ? [frequencies[at] ?? 0] : []));
  const unknown = content.filter((frequency) => frequency === 0).length;
  return content.length > 1 && unknown * 2 > content.length;
}

function mayBeSlip({ kind, term, content, required, alternatives }: QueryTerm): boolean {
  return kind === 'word' && content && !required && alternatives === undefined && term.length >= LEAST_LETTERS && LETTERS.test(term);
}

function asked({ term }: QueryTerm): NearQuery {
  return { word: term, mostEdits: term.length >= LONG_WORD ? 2 : 1 };
}

function respelt({ weight: own }: QueryTerm, word: string, weight: number, stopWordWeight: number): QueryTerm {
  const stem = stemOf(word);
  const isLight = isStopWord(word);
  return {
    kind: 'word',
    surface: word,
    term: word,
    ...(stem === undefined ? {} : { stem }),
    weight: isLight ? stopWordWeight : own * weight,
    required: false,
    content: !isLight,
  };
}

function didYouMean([written, meant]: readonly [string, string]): Problem {
  return {
    code: 'query/did-you-mean',
    severity: 'info',
    source: '',
    path: '',
    message: `No page that may be shown here holds “${written}”. Did you mean “${meant}”? That was looked for instead.`,
    hint: `Write +${written} to look for it as written.`,
  };
}
