/**
 * Understand: from what somebody typed to terms, weights and what must hold (RET-01).
 *
 * Quotes make a phrase, `+` makes a word required, identifiers stay whole; everything else is words. There is no query language,
 * so nothing can be a syntax error: `AND`, `NEAR(` and `title:` are words like others.
 *
 * Invariant: bounded work whatever the text: at most MAX_UNITS units are read and MAX_TERMS terms kept.
 */
import type { QueryTerm, Scope, UnderstoodQuery } from '../domain/query.js';
import type { RankingPolicy } from '../domain/ranking-policy.js';
import { foldedWords, type QueryToken, queryTokens } from '../text/analyze.js';
import { plain } from '../text/fold.js';
import { isReadAlone, type LabelWord, wordOf } from './label-meanings.js';

export const MAX_UNITS = 32_768;
export const MAX_TERMS = 128;
const MAX_PHRASES = 8;

/** They say when, not what: a page about tariffs need not hold the word "current". */
const TIME_WORDS: ReadonlySet<string> = new Set(
  'current currently latest newest recent recently today nowadays yesterday tomorrow'.split(' '),
);

export interface Understanding {
  readonly query: UnderstoodQuery;
  /** Words in reading order, apart where something quoted or required stands between them: where names are looked for. */
  readonly reading: readonly (readonly { readonly surface: string; readonly word: LabelWord }[])[];
  /** What was cut off or not read, for the trace; empty when nothing. */
  readonly notes: readonly string[];
}

type Weights = Pick<RankingPolicy, 'stopWordWeight' | 'identifierWeight' | 'partWeight'>;

interface Stretch {
  readonly text: string;
  readonly kind: 'plain' | 'phrase' | 'required';
}

export function understand(text: string, scope: Scope, policy: Weights): Understanding {
  const read = plain(beginning(text));
  const notes = text.length > MAX_UNITS ? [`only the first ${MAX_UNITS} characters were read`] : [];
  const stretches = stretchesOf(read).map((stretch) => ({ ...stretch, tokens: queryTokens(stretch.text) }));
  const found = stretches.flatMap(({ kind, tokens }) => tokens.map((token) => ({ token, required: isRequired(token, kind) })));
  const reading = stretches
    .filter(({ kind }) => kind === 'plain')
    .map(({ tokens }) => tokens.filter(isReadAlone).map((token) => ({ surface: token.surface, word: wordOf(token) })));
  const onlyStopWords = found.every(({ token }) => isLight(token));
  const terms = new Map<string, QueryTerm>();
  for (const { token, required } of found) {
    const known = terms.get(token.term);
    if (known === undefined && terms.size >= MAX_TERMS) continue;
    terms.set(token.term, stronger(known, termOf(token, required, onlyStopWords, policy)));
  }
  const distinct = new Set(found.map(({ token }) => token.term)).size;
  if (distinct > terms.size) notes.push(`only the first ${MAX_TERMS} of ${distinct} different terms were used`);
  const phrases = stretches.filter(({ kind }) => kind === 'phrase').map((phrase) => foldedWords(phrase.text));
  return {
    query: { text, terms: [...terms.values()], phrases: phrases.filter((words) => words.length > 1).slice(0, MAX_PHRASES), scope },
    reading,
    notes,
  };
}

/** What is read of a text: whole words only. */
function beginning(text: string): string {
  if (text.length <= MAX_UNITS) return text;
  const read = text.slice(0, MAX_UNITS);
  const lastSpace = read.search(/\s\S*$/);
  return lastSpace > 0 ? read.slice(0, lastSpace) : read;
}

/** Cuts at balanced double quotes; an odd quote is a stray character. */
function stretchesOf(text: string): readonly Stretch[] {
  const stretches: Stretch[] = [];
  let at = 0;
  for (;;) {
    const open = text.indexOf('"', at);
    const close = open < 0 ? -1 : text.indexOf('"', open + 1);
    if (close < 0) return [...stretches, ...withRequired(text.slice(at))];
    stretches.push(...withRequired(text.slice(at, open)), { text: text.slice(open + 1, close), kind: 'phrase' });
    at = close + 1;
  }
}

/** Takes out `+word`: a plus at the start of a word. */
function withRequired(text: string): readonly Stretch[] {
  const stretches: Stretch[] = [];
  let at = 0;
  for (const match of text.matchAll(/(?<=^|\s)\+(?=[^\s+])\S+/g)) {
    stretches.push({ text: text.slice(at, match.index), kind: 'plain' }, { text: match[0].slice(1), kind: 'required' });
    at = match.index + match[0].length;
  }
  stretches.push({ text: text.slice(at), kind: 'plain' });
  return stretches;
}

/** Parts of a required identifier follow from the whole; words of a required compound do not. */
function isRequired(token: QueryToken, kind: Stretch['kind']): boolean {
  return kind !== 'plain' && (token.role === 'whole' || token.role === 'element');
}

function isLight(token: QueryToken): boolean {
  return token.stop || token.role === 'part' || token.role === 'compound' || TIME_WORDS.has(token.term);
}

function termOf(token: QueryToken, required: boolean, onlyStopWords: boolean, policy: Weights): QueryTerm {
  const { kind, surface, term, stem } = token;
  const base = { kind, surface, term, required, ...(stem === undefined ? {} : { stem }) };
  if (token.role === 'part')
    return { ...base, weight: token.stop ? policy.partWeight * policy.stopWordWeight : policy.partWeight, content: false };
  if (token.role === 'compound') return { ...base, weight: 1, content: false };
  if (onlyStopWords) return { ...base, weight: 1, content: true };
  if (token.stop) return { ...base, weight: policy.stopWordWeight, content: false };
  if (TIME_WORDS.has(term)) return { ...base, weight: 0.5, content: false };
  return { ...base, weight: kind === 'identifier' ? policy.identifierWeight : 1, content: true };
}

/** A term met twice keeps the place of the first, the greater weight, and what either demands. */
function stronger(known: QueryTerm | undefined, term: QueryTerm): QueryTerm {
  if (known === undefined) return term;
  return {
    ...known,
    weight: Math.max(known.weight, term.weight),
    required: known.required || term.required,
    content: known.content || term.content,
  };
}
