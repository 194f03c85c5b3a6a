/**
 * Precedence: wider governing text wins; narrower text may only tighten it (CTX-15).
 *
 * Narrower text is out when it says that it overrides a wider clause, when it marks a clause of the same name, or when it says
 * nearly the same and differs in a number or a negation; and it stays in, beside the wider text, when it says that it tightens it.
 * Of two clauses of one level that disagree neither wins: both are in trouble, and the package is blocked.
 *
 * Invariant: decided by levels the policy declares and by what pages say of themselves, never by rank.
 */
import type { Candidate } from '../domain/candidate.js';
import type { Conflict, ExcludedItem } from '../domain/context-package.js';
import { type GoverningRule, isWider } from '../domain/context-policy.js';
import type { StoredPage } from '../ports/index-reader.js';
import { disagree } from './contradictions.js';
import { levelOf, listOf, type PlacedClause } from './required-clauses.js';

export interface Settled {
  /** The widest first. */
  readonly clauses: readonly PlacedClause[];
  readonly overridden: readonly ExcludedItem[];
  readonly conflicts: readonly Conflict[];
}

export function settleClauses(clauses: readonly PlacedClause[]): Settled {
  const kept: PlacedClause[] = [];
  const overridden: ExcludedItem[] = [];
  const conflicts: Conflict[] = [];
  for (const clause of clauses) {
    const wider = kept.find((each) => isWider(each.level, clause.level) && overrides(clause, each));
    if (wider !== undefined) {
      overridden.push(...clause.candidates.map((each) => overriddenBy(each, wider)));
      continue;
    }
    for (const each of kept) {
      if (isWider(each.level, clause.level) && tightens(clause.page, each)) conflicts.push(tightening(clause, each));
    }
    kept.push(clause);
  }
  return { clauses: kept.map((clause) => withTrouble(clause, kept)), overridden, conflicts };
}

/** Of what was found for the question: the passages that a required clause lets stand, and those that it does not. */
export function underClauses(
  candidates: readonly Candidate[],
  clauses: readonly PlacedClause[],
  rules: readonly GoverningRule[],
): { readonly kept: readonly Candidate[]; readonly overridden: readonly ExcludedItem[] } {
  const kept: Candidate[] = [];
  const overridden: ExcludedItem[] = [];
  for (const candidate of candidates) {
    const wider = clauses.find((clause) => isOverridden(candidate, clause, rules));
    if (wider === undefined) kept.push(candidate);
    else overridden.push(overriddenBy(candidate, wider));
  }
  return { kept, overridden };
}

/** Text that no rule of the policy gives a level is narrower than any that has one. */
function isOverridden(candidate: Candidate, clause: PlacedClause, rules: readonly GoverningRule[]): boolean {
  const { page } = candidate;
  if (clause.trouble !== undefined || isSamePage(page, clause)) return false;
  const level = levelOf(page, rules);
  if (level !== undefined && !isWider(clause.level, level)) return false;
  if (names(page, 'overrides', clause)) return true;
  if (page.authorityClass !== 'governing' || names(page, 'tightens', clause)) return false;
  return clause.candidates.some((each) => disagree(each, candidate));
}

function overrides(narrow: PlacedClause, wide: PlacedClause): boolean {
  if (wide.trouble !== undefined || isSamePage(narrow, wide)) return false;
  if (names(narrow.page, 'overrides', wide)) return true;
  if (tightens(narrow.page, wide)) return false;
  const sameName = narrow.anchor !== undefined && narrow.anchor === wide.anchor;
  return sameName || disagreeing(narrow, wide);
}

function tightens(page: StoredPage | undefined, wide: PlacedClause): boolean {
  return names(page, 'tightens', wide);
}

function withTrouble(clause: PlacedClause, all: readonly PlacedClause[]): PlacedClause {
  if (clause.trouble !== undefined) return clause;
  const other = all.find((each) => each.level === clause.level && each.trouble === undefined && contradicts(clause, each));
  if (other === undefined) return clause;
  return { ...clause, candidates: [], trouble: `is contradicted by ${other.name}, which reaches as far` };
}

function contradicts(a: PlacedClause, b: PlacedClause): boolean {
  if (isSamePage(a, b)) return false;
  return disagreeing(a, b) || names(a.page, 'overrides', b) || names(b.page, 'overrides', a);
}

function disagreeing(a: PlacedClause, b: PlacedClause): boolean {
  return a.candidates.some((x) => b.candidates.some((y) => disagree(x, y)));
}

function isSamePage(a: { readonly source: string; readonly path: string }, b: { readonly source: string; readonly path: string }): boolean {
  return a.source === b.source && a.path === b.path;
}

/** Does the page name the clause, or the page it stands on, under this key of its front matter? */
function names(page: Pick<StoredPage, 'meta' | 'path' | 'source'> | undefined, key: string, clause: PlacedClause): boolean {
  if (page === undefined) return false;
  const folder = page.path.slice(0, page.path.lastIndexOf('/') + 1);
  return listOf(page, key).some((written) => {
    const [place = '', anchor] = written.split('#');
    if (anchor !== undefined && clause.anchor !== undefined && anchor !== clause.anchor) return false;
    const inSource = place.startsWith(`${clause.source}:`) ? place.slice(clause.source.length + 1) : place;
    const plain = inSource.replace(/^\.?\//, '');
    return plain === clause.path || (page.source === clause.source && folder + plain === clause.path);
  });
}

function overriddenBy({ artifact, page }: Candidate, wide: PlacedClause): ExcludedItem {
  const detail = `${wide.name} (${wide.level}) reaches further; narrower text may only tighten it, and then says so with \`tightens\``;
  const { id, headingPath, lines } = artifact;
  return { artifact: id, source: page.source, path: page.path, title: page.title, headingPath, lines, reason: 'policy', detail };
}

function tightening(narrow: PlacedClause, wide: PlacedClause): Conflict {
  const artifacts = [...wide.candidates, ...narrow.candidates].map(({ artifact }) => artifact.id);
  return { artifacts, reason: `${narrow.name} (${narrow.level}) says that it tightens ${wide.name} (${wide.level}); the stricter holds` };
}
