/**
 * Spell: a word that no eligible page holds may be a slip of the hand for one that they do hold.
 *
 * Only plain words of five letters and more: names, codes, numbers, versions, quoted and required words are taken as they are. The
 * word is looked for among the words of eligible compartments, which the type of the reader demands, and among the names of things
 * that they speak of; a word that hidden pages alone hold is as unknown as any other.
 *
 * Invariant: a question whose words are all known costs a look at lists that are needed anyway.
 */
import type { EligibleSet } from '../domain/eligibility.js';
import type { Problem } from '../domain/problem.js';
import type { QueryTerm, UnderstoodQuery } from '../domain/query.js';
import type { NearQuery } from '../ports/index-reader.js';
import { stemOf } from '../text/analyze.js';
import { isStopWord } from '../text/stop-words.js';
import type { RetrievalDeps } from './draft.js';
import { type Expansion, expand } from './expand.js';
import { labelIndexOf } from './label-meanings.js';
import { nearestName, respeltReading } from './near-names.js';
import { isPlausibleSlip } from './plausible-slip.js';
import type { Understanding } from './understand.js';

const LEAST_LETTERS = 5;
/** From here on two edits still leave most of the word. */
const LONG_WORD = 8;
/** Slips of one question that are looked up. */
const MOST_SLIPS = 8;
/** Words looked at for each. */
const MOST_NEAR = 8;
const LETTERS = /^\p{L}+$/u;

export interface Respelt {
  /** With other names for the words that were meant. */
  readonly query: UnderstoodQuery;
  /** What the vocabulary says of the words that were meant. */
  readonly expansion?: Expansion;
  /** Of the words as they were written. */
  readonly frequencies: readonly number[];
  readonly problems: readonly Problem[];
  /** For the trace. */
  readonly note: string;
}

/** A question as it was written, and with the other names of what it names. */
export interface Written {
  readonly read: Pick<Understanding, 'query' | 'reading'>;
  readonly query: UnderstoodQuery;
}

type Deps = Pick<RetrievalDeps, 'snapshot' | 'policy' | 'stemming' | 'vocabulary'>;

/** Undefined when every word is known, or nothing is near those that are not. */
export async function respell(deps: Deps, eligible: EligibleSet, { read, query }: Written): Promise<Respelt | undefined> {
  const { snapshot, policy, stemming, vocabulary } = deps;
  if ((policy.typoWeight ?? 0) <= 0 || !query.terms.some(mayBeSlip)) return undefined;
  const frequencies = await snapshot.frequencies(eligible, { terms: query.terms, stemming });
  const slips = query.terms.filter((term, at) => frequencies[at] === 0 && mayBeSlip(term)).slice(0, MOST_SLIPS);
  if (slips.length === 0 || isAboutElsewhere(query, frequencies)) return undefined;
  const found = await snapshot.near(eligible, slips.map(asked), MOST_NEAR);
  const meant = new Map<string, Meant>();
  for (const [at, slip] of slips.entries()) {
    const near = (found[at] ?? []).find(({ term }) => isPlausibleSlip(slip.term, term));
    if (near !== undefined) meant.set(slip.term, { ...near, weight: policy.typoWeight ?? 0 });
  }
  for (const slip of slips) {
    const name = await nameMeant(deps, eligible, { read, slip, meant });
    if (name !== undefined) meant.set(slip.term, name);
  }
  if (meant.size === 0) return undefined;
  // A policy of before gives no names to a word that was mended.
  const knowsNames = (policy.nameTypoWeight ?? 0) > 0;
  const mended = withMeant(knowsNames ? read : { ...read, query }, meant, policy.stopWordWeight);
  const expansion = knowsNames ? expand(mended, vocabulary, policy) : undefined;
  const pairs = slips.flatMap(({ surface, term }) => [[surface, meant.get(term)?.term ?? ''] as const]).filter(([, word]) => word !== '');
  return {
    query: expansion?.query ?? mended.query,
    ...(expansion === undefined ? {} : { expansion }),
    frequencies,
    problems: pairs.map(didYouMean),
    note: pairs.map(([from, to]) => `${from} → ${to}`).join(', '),
  };
}

/** The word that was meant for one that was written. */
interface Meant {
  readonly term: string;
  readonly distance: number;
  readonly weight: number;
}

/**
 * A word of a name, where it is nearer than any word of a page, and pages that may be shown hold this name or another of the same
 * thing: what hidden pages alone speak of is not offered.
 */
async function nameMeant(
  { snapshot, policy, stemming, vocabulary }: Deps,
  eligible: EligibleSet,
  { read, slip, meant }: { readonly read: Written['read']; readonly slip: QueryTerm; readonly meant: ReadonlyMap<string, Meant> },
): Promise<Meant | undefined> {
  const { nameTypoWeight: weight = 0, stopWordWeight } = policy;
  if (vocabulary === undefined || weight <= 0) return undefined;
  const others = new Map([...meant].filter(([written]) => written !== slip.term));
  const { reading } = withMeant(read, others, stopWordWeight);
  const near = nearestName(asked(slip), reading, labelIndexOf(vocabulary));
  const known = meant.get(slip.term);
  if (near === undefined || (known !== undefined && known.distance <= near.distance)) return undefined;
  const name = { ...near, weight };
  const widened = expand(withMeant(read, new Map([...others, [slip.term, name]]), stopWordWeight), vocabulary, policy);
  const terms = widened?.query.terms.filter(({ term }) => term === near.term) ?? [];
  const [held = 0] = await snapshot.frequencies(eligible, { terms, stemming });
  return held > 0 ? name : undefined;
}

function withMeant({ query, reading }: Written['read'], meant: ReadonlyMap<string, Meant>, stopWordWeight: number): Written['read'] {
  const known = new Set(query.terms.map(({ term }) => term));
  const terms = query.terms.flatMap((term): QueryTerm[] => {
    const word = meant.get(term.term);
    if (word === undefined || !mayBeSlip(term)) return [term];
    if (known.has(word.term)) return [];
    known.add(word.term);
    return [respelt(term, word.term, word.weight, stopWordWeight)];
  });
  const words = new Map([...meant].map(([written, { term }]) => [written, term]));
  return { query: { ...query, terms }, reading: respeltReading(reading, words) };
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
