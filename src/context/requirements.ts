/**
 * Requirements: of what had to be in, what is, and what follows from the rest (CTX-02, CTX-08).
 *
 * Invariant: a clause that is not in whole blocks; a fact that is not in is a gap, and blocks when something is done on its strength.
 * Invariant: every reason names what is missing and who answers for it.
 */
import { isFenced } from '../domain/authority.js';
import type { Candidate } from '../domain/candidate.js';
import type { PackageFact } from '../domain/context-package.js';
import type { RequiredClause, ResolvedFact } from '../domain/required-material.js';
import { inertLine } from './inert.js';
import type { SelectedItem } from './select.js';

export interface Requirements {
  /** Why the package is blocked; empty when it is not. */
  readonly blocked: readonly string[];
  readonly gaps: readonly string[];
  readonly facts: readonly PackageFact[];
}

export function requirementsOf(input: {
  readonly clauses: readonly RequiredClause[];
  readonly facts: readonly ResolvedFact[];
  readonly consequential: boolean;
  /** Found out before anything was selected, e.g. a page that changed and cannot be read anew. */
  readonly refusals: readonly string[];
  readonly items: readonly Pick<SelectedItem, 'artifact' | 'tokens'>[];
  readonly room: number;
}): Requirements {
  const held = new Set(input.items.map(({ artifact }) => artifact));
  const clauses = input.clauses.flatMap((clause) => clauseTrouble(clause, held, input.room));
  const facts = input.facts.map((fact) => factOf(fact, held));
  const missing = facts.filter(({ status }) => status === 'missing').map(missingFact);
  const blocked = [...input.refusals.map(inertLine), ...clauses, ...(input.consequential ? missing : [])];
  return { blocked, gaps: [...new Set([...blocked, ...missing])], facts };
}

/** The first reason, and how many more there are. */
export function blockedReason([first = '', ...more]: readonly string[]): string {
  return more.length === 0 ? first : `${first}; and ${more.length} more, listed as gaps`;
}

function clauseTrouble({ name, owner, trouble, candidates }: RequiredClause, held: ReadonlySet<string>, room: number): string[] {
  const said = (what: string) => [inertLine(`required clause ${name} ${what}; owner: ${owner}`)];
  if (trouble !== undefined) return said(trouble);
  const out = candidates.filter(({ artifact }) => !held.has(artifact.id));
  if (out.length === 0 && candidates.length > 0) return [];
  const tokens = candidates.reduce((sum, { artifact }) => sum + artifact.tokens, 0);
  return said(`does not fit: its text takes about ${tokens} tokens, ${room} can be had`);
}

function factOf({ kind, text, candidates, detail, owner }: ResolvedFact, held: ReadonlySet<string>): PackageFact {
  const named = { kind, fact: inertLine(text), ...(owner === undefined ? {} : { owner: inertLine(owner) }) };
  const items = candidates.map(({ artifact }) => artifact.id).filter((id) => held.has(id));
  // A section is one fact; of several passages that answer a question, one is enough.
  const enough = kind === 'page' ? items.length === candidates.length : items.length > 0;
  if (candidates.length > 0 && enough) return { ...named, status: 'resolved', items, detail: inertLine(detail) };
  const why = candidates.length === 0 ? detail : `found in ${placeOf(candidates[0])}, but it does not fit the budget`;
  return { ...named, status: 'missing', items: [], detail: inertLine(why) };
}

function placeOf(candidate: Candidate | undefined): string {
  if (candidate === undefined) return 'the library';
  return isFenced(candidate.page.tier) ? `a page of tier ${candidate.page.tier}` : candidate.page.path;
}

function missingFact({ fact, detail, owner }: PackageFact): string {
  return `required fact “${fact}” is missing: ${detail}${owner === undefined ? '' : `; owner: ${owner}`}`;
}
