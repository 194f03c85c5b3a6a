/**
 * Required facts: what a caller says it cannot do without, looked up one by one in its eligible set (CTX-08).
 *
 * A fact is a page (by path, title, alias or `id`, with a section or without), an identifier that must stand somewhere literally, or
 * a question that a page must hold enough of.
 *
 * Invariant: never a confident default: what two pages could mean, what disagrees, and what is close but not enough is missing, and
 * says what was looked for and who might know.
 */
import { isFenced } from '../domain/authority.js';
import type { Candidate, Retrieved } from '../domain/candidate.js';
import type { Conflict } from '../domain/context-package.js';
import type { EligibleSet } from '../domain/eligibility.js';
import { isRetired } from '../domain/page.js';
import type { Scope } from '../domain/query.js';
import type { Ask } from '../domain/requester.js';
import type { RequiredFact, ResolvedFact } from '../domain/required-material.js';
import { nameKey } from '../engine/page-names.js';
import type { StoredPage } from '../ports/index-reader.js';
import { foldedWords } from '../text/analyze.js';
import type { RetrievalDeps } from './draft.js';
import { retrieve } from './pipeline.js';
import { listOf, plainCandidate } from './required-clauses.js';
import { sectionOf } from './section.js';

export interface FactRequest {
  readonly ask: Ask;
  /** The task the facts are for: decides which passages of a page are taken. */
  readonly text: string;
  readonly scope: Scope;
  readonly consequential: boolean;
  /** Share of a question's information that its page must hold, 0 to 1. */
  readonly coverage: number;
  /** A page by its path, in any way people write it. */
  readonly pageAt: (path: string) => Promise<StoredPage | undefined>;
}

export interface FactsFound {
  readonly facts: readonly ResolvedFact[];
  readonly conflicts: readonly Conflict[];
}

const PASSAGES = 2;
const NAMES_LOOKED_AT = 50;

interface Lookup {
  readonly deps: RetrievalDeps;
  readonly eligible: EligibleSet;
  readonly request: FactRequest;
}
type Found = { readonly fact: ResolvedFact; readonly conflicts?: readonly Conflict[] };

export async function requiredFacts(
  deps: RetrievalDeps,
  eligible: EligibleSet,
  facts: readonly RequiredFact[],
  request: FactRequest,
): Promise<FactsFound> {
  const lookup = { deps, eligible, request };
  const looked: Found[] = [];
  for (const fact of facts) looked.push(await LOOKUPS[fact.kind](fact, lookup));
  return {
    facts: looked.map((each) => settled(each, request.consequential)),
    conflicts: looked.flatMap(({ conflicts = [] }) => conflicts),
  };
}

const LOOKUPS: Readonly<Record<RequiredFact['kind'], (fact: RequiredFact, lookup: Lookup) => Promise<Found>>> = {
  page: pageFact,
  identifier: identifierFact,
  question: questionFact,
};

/** What is good enough to know is not always good enough to act on. */
function settled({ fact, conflicts = [] }: Found, consequential: boolean): ResolvedFact {
  if (!consequential) return fact;
  // A stranger's word is something to read, not something to act on.
  if (fact.candidates.length > 0 && fact.candidates.every(({ page }) => isFenced(page.tier)))
    return { ...fact, candidates: [], detail: 'only text that nobody vouches for answers it' };
  const [conflict] = conflicts;
  const stale = fact.candidates.find(({ labels }) => labels.includes('overdue'));
  const overdue = stale === undefined ? undefined : `${called(stale.page)} is overdue for review since ${stale.page.meta.reviewBy}`;
  const disputed = fact.candidates.some(({ page }) => isFenced(page.tier)) ? 'pages disagree about it' : conflict?.reason;
  const detail = conflict === undefined ? overdue : disputed;
  return detail === undefined ? fact : { ...fact, candidates: [], detail };
}

async function pageFact(fact: RequiredFact, lookup: Lookup): Promise<Found> {
  const { deps } = lookup;
  const [name = '', anchor] = splitAnchor(fact.text);
  const pages = await pagesCalled(name, lookup);
  const [page, another] = pages;
  if (page === undefined) return missing(fact, `no page has “${name}” as its path, title, alias or id`);
  if (another !== undefined) return missing(fact, `more than one page is called that: ${pages.map(called).join(', ')}`);
  const owner = ownerOf(page, deps.standings);
  if (isRetired(page.meta, deps.today)) {
    const by =
      page.meta.supersededBy === undefined ? `was valid until ${page.meta.validUntil}` : `is superseded by ${page.meta.supersededBy}`;
    return missing(fact, `${called(page)} ${isFenced(page.tier) ? 'is retired' : by}`, owner);
  }
  const candidates = anchor === undefined ? await bestOf(page, lookup) : await sectionAt(page, anchor, lookup);
  if (candidates.length === 0)
    return missing(fact, `${called(page)} has no ${anchor === undefined ? 'text' : `section #${anchor}`}`, owner);
  return { fact: { ...fact, candidates, detail: `page ${called(page)}${anchor === undefined ? '' : `#${anchor}`}`, owner } };
}

function splitAnchor(text: string): readonly [string, string?] {
  const at = text.indexOf('#');
  return at <= 0 ? [text.trim()] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

/** By path first; otherwise every page that has exactly this name. */
async function pagesCalled(name: string, { deps, eligible, request }: Lookup): Promise<readonly StoredPage[]> {
  const at = await request.pageAt(name);
  if (at !== undefined) return [at];
  const { policy, stemming, today } = deps;
  const asked = { terms: [], scope: request.scope, policy, stemming, today, limit: NAMES_LOOKED_AT };
  const proposals = await deps.snapshot.named(eligible, foldedWords(name), asked);
  const pages = await Promise.all(proposals.map(({ source, path }) => deps.snapshot.page(eligible, source, path)));
  return pages.filter((page) => page !== undefined).filter((page) => isCalled(page, name));
}

function isCalled(page: StoredPage, name: string): boolean {
  const key = nameKey(name);
  return [page.title, ...page.meta.aliases, ...listOf(page, 'id')].some((each) => nameKey(each) === key);
}

async function bestOf(page: StoredPage, { deps, eligible, request }: Lookup): Promise<readonly Candidate[]> {
  const scope: Scope = { sources: [page.source], paths: [page.path] };
  const { candidates } = await retrieve(deps, { ask: request.ask, text: request.text, scope, limit: PASSAGES, for: 'context' });
  const own = candidates.filter((each) => each.page.path === page.path && each.page.source === page.source);
  if (own.length > 0) return own;
  const segments = await deps.snapshot.segments(eligible, page);
  return segments.slice(0, 1).map((each) => plainCandidate(each, deps));
}

async function sectionAt(page: StoredPage, anchor: string, { deps, eligible }: Lookup): Promise<readonly Candidate[]> {
  const segments = await deps.snapshot.segments(eligible, page);
  return sectionOf(segments, anchor).map((each) => plainCandidate(each, deps));
}

async function identifierFact(fact: RequiredFact, { deps, request }: Lookup): Promise<Found> {
  const { ask, scope } = request;
  const answer = await retrieve(deps, { ask, text: fact.text, scope, limit: 2 * PASSAGES, for: 'context' });
  const literal = answer.candidates.filter((candidate) => holds(candidate, fact.text));
  if (literal.length === 0) return missing(fact, `no passage holds “${fact.text}” literally`, closestOwner(answer, deps));
  const candidates = literal.slice(0, PASSAGES);
  return found(fact, candidates, `passages that hold “${fact.text}”`, answer, deps);
}

async function questionFact(fact: RequiredFact, { deps, request }: Lookup): Promise<Found> {
  const { ask, scope, coverage } = request;
  const answer = await retrieve(deps, { ask, text: fact.text, scope, limit: 2 * PASSAGES, for: 'context' });
  const enough = answer.candidates.filter((candidate) => answers(candidate, answer, coverage));
  const candidates = enough.slice(0, PASSAGES);
  if (candidates.length > 0) return found(fact, candidates, 'passages that hold enough of the question', answer, deps);
  return missing(fact, notEnough(answer), closestOwner(answer, deps));
}

/** By information and by words: a word that no page holds carries no information here, and may be the one that matters. */
function answers(candidate: Candidate, answer: Retrieved, coverage: number): boolean {
  const content = answer.query.terms.filter((term) => term.content);
  const words = new Set(content.map(({ surface }) => surface));
  const lacking = lackedBy(candidate, answer);
  const names = content.filter(({ kind, surface }) => kind === 'identifier' && lacking.has(surface));
  // One word is little to go by; an inflection of it is not enough.
  const [only, another] = words;
  if (only === undefined || (another === undefined && !holds(candidate, only))) return false;
  return names.length === 0 && candidate.why.coverage >= coverage && words.size - lacking.size >= coverage * words.size;
}

function holds({ artifact }: Candidate, text: string): boolean {
  return artifact.excerpt.toLowerCase().includes(text.toLowerCase());
}

function lackedBy({ why }: Candidate, { unheld = [] }: Retrieved): ReadonlySet<string> {
  return new Set([...why.missing, ...unheld]);
}

function notEnough(answer: Retrieved): string {
  const { candidates, reason } = answer;
  const [closest] = candidates;
  if (closest === undefined) return reason === '' ? 'no page answers it' : reason;
  const lacking = [...lackedBy(closest, answer)].map((word) => `“${word}”`).join(', ');
  return `the closest page, ${called(closest.page)}, ${lacking === '' ? 'holds too little of it' : `does not hold ${lacking}`}`;
}

function found(
  fact: RequiredFact,
  candidates: readonly Candidate[],
  detail: string,
  { conflicts }: Retrieved,
  { standings }: RetrievalDeps,
): Found {
  const [first] = candidates;
  const owner = first === undefined ? {} : { owner: ownerOf(first.page, standings) };
  return { fact: { ...fact, candidates, detail, ...owner }, conflicts: within(conflicts, candidates) };
}

function within(conflicts: readonly Conflict[], candidates: readonly Candidate[]): readonly Conflict[] {
  const ids = new Set(candidates.map(({ artifact }) => artifact.id));
  return conflicts.filter(({ artifacts }) => artifacts.some((id) => ids.has(id)));
}

function missing(fact: RequiredFact, detail: string, owner?: string): Found {
  return { fact: { ...fact, candidates: [], detail: detail.replace(/\.$/, ''), ...(owner === undefined ? {} : { owner }) } };
}

/** Whoever answers for what came closest may know. */
function closestOwner({ candidates, excluded, query, unheld = [] }: Retrieved, { standings }: RetrievalDeps): string | undefined {
  const [closest] = candidates;
  // Where no page holds a word of it, nothing came close.
  if (query.terms.every(({ content, surface }) => !content || unheld.includes(surface))) return undefined;
  if (closest !== undefined) return ownerOf(closest.page, standings);
  const [out] = excluded;
  return out === undefined ? undefined : standings.find(({ id }) => id === out.source)?.owner;
}

/** What a stranger calls a page is not repeated where it is read outside a fence. */
function called({ path, tier }: Pick<StoredPage, 'path' | 'tier'>): string {
  return isFenced(tier) ? `a page of tier ${tier}` : path;
}

function ownerOf(page: Pick<StoredPage, 'meta' | 'source' | 'tier'>, standings: RetrievalDeps['standings']): string {
  const named = isFenced(page.tier) ? undefined : page.meta.owner;
  return named ?? standings.find(({ id }) => id === page.source)?.owner ?? 'nobody named';
}
