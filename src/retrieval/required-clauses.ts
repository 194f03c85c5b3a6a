/**
 * Required clauses: governing text that a context must hold by policy, read through the asker's eligible set whether or not the
 * question would have found it (CTX-02, CTX-03).
 *
 * A page marks its clauses by the anchors of their headings, in `clauses:` of its front matter; a rule of the policy says which of
 * them bind which requests.
 *
 * Invariant: a clause is whole or is not given, and then says why; one that is not there and one that is not for the asker say the
 * same.
 */

import { isFenced } from '../domain/authority.js';
import type { Candidate } from '../domain/candidate.js';
import type { ContextProfile } from '../domain/context-package.js';
import type { GoverningLevel, GoverningRule } from '../domain/context-policy.js';
import { GOVERNING_LEVELS } from '../domain/context-policy.js';
import type { EligibleSet } from '../domain/eligibility.js';
import { isRetired, labelsOf } from '../domain/page.js';
import type { Scope } from '../domain/query.js';
import type { Ask } from '../domain/requester.js';
import type { RequiredClause } from '../domain/required-material.js';
import type { SourceStanding } from '../domain/source.js';
import type { Day } from '../kernel/clock.js';
import { Fault } from '../kernel/errors.js';
import type { IndexSnapshot, StoredArtifact, StoredPage } from '../ports/index-reader.js';
import { pageKey } from './draft.js';
import { sourceLabels } from './eligible.js';
import { sectionOf } from './section.js';

export interface ClauseDeps {
  readonly snapshot: IndexSnapshot;
  readonly standings: readonly SourceStanding[];
  readonly today: Day;
}

export interface ClauseRequest {
  readonly ask: Ask;
  readonly profile: ContextProfile;
  readonly scope: Scope;
  /** Pages that a page found for the question says it supersedes, by page key → successor. */
  readonly superseded: ReadonlyMap<string, string>;
}

/** A clause and where it stands: what precedence is worked out from. */
export interface PlacedClause extends RequiredClause {
  readonly source: string;
  readonly path: string;
  readonly anchor?: string;
  readonly page?: StoredPage;
}

/** Pages looked at under one folder or source; whoever governs with more names the pages. */
const MOST_PAGES = 200;

/** The widest first, then as the policy names them. */
export async function requiredClauses(
  deps: ClauseDeps,
  eligible: EligibleSet,
  rules: readonly GoverningRule[],
  request: ClauseRequest,
): Promise<readonly PlacedClause[]> {
  const clauses: PlacedClause[] = [];
  const seen = new Set<string>();
  for (const rule of widestFirst(rules.filter((each) => applies(each, request)))) {
    for (const clause of await clausesOf(deps, eligible, rule, request)) {
      const key = JSON.stringify([clause.source, clause.path, clause.anchor ?? '']);
      if (seen.has(key)) continue;
      seen.add(key);
      clauses.push(clause);
    }
  }
  return clauses;
}

function widestFirst(rules: readonly GoverningRule[]): readonly GoverningRule[] {
  return [...rules].sort((a, b) => GOVERNING_LEVELS.indexOf(a.level) - GOVERNING_LEVELS.indexOf(b.level));
}

/** The widest level that any rule gives a page, whether or not the rule binds this request. */
export function levelOf({ source, path }: { readonly source: string; readonly path: string }, rules: readonly GoverningRule[]) {
  const covers = (rule: GoverningRule) =>
    rule.source === source && (rule.path === undefined || rule.path === path || (rule.path.endsWith('/') && path.startsWith(rule.path)));
  return widestFirst(rules.filter(covers))[0]?.level;
}

function applies({ purposes, tenants, profiles, askedSources }: GoverningRule, { ask, profile, scope }: ClauseRequest): boolean {
  const { requester } = ask;
  const asked = scope.sources;
  return (
    (purposes?.includes(requester.purpose) ?? true) &&
    (tenants?.includes(requester.tenant) ?? true) &&
    (profiles?.includes(profile) ?? true) &&
    (askedSources === undefined || asked === undefined || asked.some((each) => askedSources.includes(each)))
  );
}

async function clausesOf(
  deps: ClauseDeps,
  eligible: EligibleSet,
  rule: GoverningRule,
  request: ClauseRequest,
): Promise<readonly PlacedClause[]> {
  const { source, path } = rule;
  if (path !== undefined && !path.endsWith('/')) {
    const page = await deps.snapshot.page(eligible, source, path);
    if (page === undefined) return absent(deps, rule, path, rule.clauses);
    return clausesOn(deps, eligible, page, rule, rule.clauses ?? markedClauses(page), request);
  }
  const scope: Scope = { sources: [source], ...(path === undefined ? {} : { paths: [path] }) };
  const pages = await deps.snapshot.pages(eligible, scope, { limit: MOST_PAGES + 1 });
  const where = path ?? '';
  if (pages.length > MOST_PAGES) {
    return [troubled(deps, rule, where, `more than ${MOST_PAGES} pages are there; name the pages that govern in the policy`)];
  }
  const clauses: PlacedClause[] = [];
  for (const page of pages) {
    const marked = rule.clauses ?? markedClauses(page);
    if (marked !== undefined) clauses.push(...(await clausesOn(deps, eligible, page, rule, marked, request)));
  }
  return clauses.length > 0 ? clauses : [troubled(deps, rule, where, 'no page there marks a clause, or none that is for you')];
}

/** The anchors a page marks; undefined when it marks none. */
export function markedClauses(page: StoredPage): readonly string[] | undefined {
  const marked = listOf(page, 'clauses').map((anchor) => anchor.replace(/^#/, ''));
  return marked.length === 0 ? undefined : [...new Set(marked)];
}

/** A field of the front matter that is not typed, as a list. */
export function listOf(page: Pick<StoredPage, 'meta'>, key: string): readonly string[] {
  const stated = page.meta.other[key];
  const texts = stated === undefined ? [] : typeof stated === 'string' ? [stated] : stated;
  return texts.map((each) => each.trim()).filter((each) => each !== '');
}

const ABSENT = 'is not there, or not for you';

function absent(deps: ClauseDeps, rule: GoverningRule, path: string, anchors: readonly string[] | undefined): readonly PlacedClause[] {
  return (anchors ?? [undefined]).map((anchor) => troubled(deps, rule, path, ABSENT, anchor));
}

async function clausesOn(
  deps: ClauseDeps,
  eligible: EligibleSet,
  page: StoredPage,
  rule: GoverningRule,
  anchors: readonly string[] | undefined,
  request: ClauseRequest,
): Promise<readonly PlacedClause[]> {
  const segments = await readable(deps, eligible, page);
  if (segments === undefined)
    return (anchors ?? [undefined]).map((anchor) =>
      troubled(deps, rule, page.path, 'is damaged in the index and must be rebuilt', anchor, page),
    );
  const stale = staleness(page, request.superseded.get(pageKey(page)), deps);
  return (anchors ?? [undefined]).map((anchor): PlacedClause => {
    const passages = anchor === undefined ? segments : sectionOf(segments, anchor);
    const trouble = stale ?? wholeness(passages, anchor);
    const clause = troubled(deps, rule, page.path, trouble ?? '', anchor, page);
    if (trouble !== undefined) return clause;
    const { trouble: _, ...sound } = clause;
    return { ...sound, candidates: passages.map((each) => plainCandidate(each, deps)) };
  });
}

async function readable({ snapshot }: ClauseDeps, eligible: EligibleSet, page: StoredPage): Promise<readonly StoredArtifact[] | undefined> {
  try {
    return await snapshot.segments(eligible, page);
  } catch (error) {
    if (error instanceof Fault && error.code === 'store/corrupt') return undefined;
    throw error;
  }
}

function troubled(
  { standings }: ClauseDeps,
  { source, level }: { readonly source: string; readonly level: GoverningLevel },
  path: string,
  trouble: string,
  anchor?: string,
  page?: StoredPage,
): PlacedClause {
  // What a stranger calls a page or a section is not said outside a fence.
  const written = page !== undefined && isFenced(page.tier) ? `a page of tier ${page.tier}` : path;
  const section = anchor === undefined || written !== path ? '' : `#${anchor}`;
  const name = `${[source, written].filter((part) => part !== '').join(' ')}${section}`;
  const named = page === undefined || isFenced(page.tier) ? undefined : page.meta.owner;
  const owner = named ?? standings.find(({ id }) => id === source)?.owner ?? 'nobody named';
  const place = { source, path, ...(anchor === undefined ? {} : { anchor }), ...(page === undefined ? {} : { page }) };
  return { name, level, owner, candidates: [], trouble, ...place };
}

function staleness(page: StoredPage, successor: string | undefined, { today, standings }: ClauseDeps): string | undefined {
  const { meta, tier } = page;
  const by = meta.supersededBy ?? successor;
  if (isFenced(tier)) return `stands on a page of tier ${tier}, which cannot govern`;
  if (by !== undefined) return `is superseded by ${by}`;
  if (isRetired(meta, today)) return `was valid until ${meta.validUntil}`;
  if (meta.reviewBy !== undefined && meta.reviewBy < today) return `is overdue for review since ${meta.reviewBy}`;
  // What governs must be what its source says now (K-03): of one that was not seen whole in time nobody knows.
  const isBehind = standings.find(({ id }) => id === page.source)?.state === 'degraded';
  return isBehind ? `is of source ${page.source}, which was not seen whole within its promise` : undefined;
}

function wholeness(passages: readonly StoredArtifact[], anchor: string | undefined): string | undefined {
  const first = passages[0]?.ordinal;
  if (first === undefined) return anchor === undefined ? 'holds no text' : 'is no section of the page';
  const broken = passages.findIndex(({ ordinal }, at) => ordinal !== first + at);
  return broken < 0 ? undefined : 'is damaged in the index and must be rebuilt';
}

/** A passage that is here because it must be, not because it matched. */
export function plainCandidate({ page, ...artifact }: StoredArtifact, { standings, today }: Omit<ClauseDeps, 'snapshot'>): Candidate {
  const labels = [...labelsOf(page, today), ...sourceLabels(standings.find(({ id }) => id === page.source))];
  const why = { ranks: {}, matched: [], missing: [], coverage: 0, demotions: {} };
  return { artifact, page, labels, why, score: 0, duplicates: [] };
}
