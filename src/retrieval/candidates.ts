/**
 * Candidates: what each leg proposes, read and labelled (RET-02).
 *
 * Legs: the artifact index (lexical), page names (metadata), texts of links that authors wrote (links). The vector leg is a port
 * without an index behind it yet, and says so. The scope is pushed down into every leg. Slips of the hand are mended
 * before any leg is asked.
 *
 * Invariant: every read goes through the eligible set; nothing else exists here.
 */
import type { Leg, Retrieved } from '../domain/candidate.js';
import type { EligibleSet } from '../domain/eligibility.js';
import type { Problem } from '../domain/problem.js';
import type { UnderstoodQuery } from '../domain/query.js';
import type { LexicalAnswer, LexicalHit, LexicalQuery, PageProposal, StoredArtifact } from '../ports/index-reader.js';
import { type Draft, pageKey, type RetrievalDeps, type RetrievalRequest } from './draft.js';
import { type NamedPage, nameLikeness } from './name-likeness.js';
import { type Respelt, respell, type Written } from './spell.js';

/** Pages that only a side leg proposes; each costs two reads. */
const MOST_LEADS = 10;

export interface Proposals {
  readonly drafts: readonly Draft[];
  /** Drafts on retired pages. */
  readonly retired: readonly Draft[];
  /** What was asked, a misspelt word replaced by the one that was meant. */
  readonly query: UnderstoodQuery;
  /** Absent when nothing was. */
  readonly respelt?: Respelt;
  /** Of the words as they were written. */
  readonly asWritten: readonly number[];
  readonly frequencies: readonly number[];
  readonly population: number;
  readonly legs: Retrieved['legs'];
  readonly problems: readonly Problem[];
  /** More artifacts matched than were read. */
  readonly more: boolean;
}

export async function candidates(
  deps: RetrievalDeps,
  request: RetrievalRequest,
  eligible: EligibleSet,
  written: Written,
): Promise<Proposals> {
  const { snapshot, policy, stemming, today, embedder } = deps;
  const limit = Math.max(policy.candidates, request.for === 'ranking' ? request.limit : request.limit * 2);
  const askedFor = ({ terms, scope }: UnderstoodQuery): LexicalQuery => ({ terms, scope, policy, stemming, today, limit });
  const respelt = await respell(deps, eligible, written);
  const query = respelt?.query ?? written.query;
  const asked = askedFor(query);
  const lexical = await snapshot.lexical(eligible, asked);
  const metadata = policy.legs.metadata > 0 ? await snapshot.named(eligible, namedWords(query), asked) : undefined;
  const links = policy.legs.links > 0 ? await snapshot.linked(eligible, linkQuery(asked)) : undefined;
  const sides = { metadata: metadata ?? [], links: links ?? [] };
  const { artifacts, damaged } = await snapshot.artifacts(
    eligible,
    [...lexical.hits, ...lexical.retired].map((hit) => hit.artifact),
  );
  const byId = new Map(artifacts.map((artifact) => [artifact.id, artifact]));
  const rare = rareIdentifiers(query, lexical);
  const ranks = sideRanks(sides);
  const signs = { ranks, rare, ...((policy.nameLikeness ?? 0) > 0 ? { likeness: nameLikeness(query, lexical) } : {}) };
  const drafts = draftsOf(lexical.hits, byId, signs);
  const known = new Set([...lexical.hits, ...lexical.retired].map(pageKey));
  const leads = mustHold(query) ? [] : await readLeads(deps, eligible, { sides, ranks }, known);
  return {
    drafts: [...drafts, ...leads],
    retired: draftsOf(lexical.retired, byId, signs),
    query,
    ...(respelt === undefined ? {} : { respelt }),
    asWritten: respelt?.frequencies ?? lexical.frequencies,
    frequencies: lexical.frequencies,
    population: lexical.population,
    legs: {
      lexical: lexical.hits.length + lexical.retired.length > 0 ? 'used' : 'empty',
      metadata: stateOf(metadata),
      links: stateOf(links),
      vector: embedder.id === 'none' ? 'off' : 'unavailable',
    },
    problems: damaged.map((id) => damagedRow(id, lexical)),
    more: lexical.hits.length >= limit,
  };
}

/** Words a page could be called by: those that carry meaning, without namespaces. */
function namedWords(query: UnderstoodQuery): readonly string[] {
  return query.terms
    .filter(({ kind, content }) => content && kind !== 'bigram')
    .map(({ kind, term }) => (kind === 'word' ? term : term.slice(1)));
}

/** A link to “how to do it” is none to the page asked for because the question says “how to”. */
function linkQuery(asked: LexicalQuery): LexicalQuery {
  return asked.policy.linkShare === undefined ? asked : { ...asked, terms: asked.terms.filter(({ content }) => content) };
}

/** A page that only a name or a link proposes cannot show that it holds a required word. */
function mustHold(query: UnderstoodQuery): boolean {
  return query.phrases.length > 0 || query.terms.some((term) => term.required);
}

function stateOf(proposals: readonly PageProposal[] | undefined): 'used' | 'empty' | 'off' {
  if (proposals === undefined) return 'off';
  return proposals.length > 0 ? 'used' : 'empty';
}

/** A name that many pages hold tells little; one that few hold is what was asked for (RET-03). */
const RARE_IN_ARTIFACTS = 10;

function rareIdentifiers({ terms }: UnderstoodQuery, { frequencies }: LexicalAnswer): ReadonlySet<string> {
  const rare = terms.filter(({ kind, content }, at) => kind === 'identifier' && content && (frequencies[at] ?? 0) <= RARE_IN_ARTIFACTS);
  return new Set(rare.map(({ surface }) => surface));
}

type Sides = Readonly<Record<'metadata' | 'links', readonly PageProposal[]>>;
/** Page key → rank and score in each leg that proposes the page. */
type SideRanks = ReadonlyMap<string, Evidence>;

function sideRanks(sides: Sides): SideRanks {
  const ranks = new Map<string, Evidence>();
  for (const leg of ['metadata', 'links'] as const) {
    for (const [at, proposal] of sides[leg].entries()) {
      const key = pageKey(proposal);
      const known = ranks.get(key);
      if (known?.[leg] === undefined) ranks.set(key, { ...known, [leg]: { rank: at + 1, score: proposal.score } });
    }
  }
  return ranks;
}

/** What a draft is told by beside its own score. */
interface Signs {
  readonly ranks: SideRanks;
  readonly rare: ReadonlySet<string>;
  readonly likeness?: (page: NamedPage) => number;
}

/** A side leg speaks of a page, and so does its name; their word counts for the page's best artifact. */
function draftsOf(
  hits: readonly LexicalHit[],
  byId: ReadonlyMap<string, StoredArtifact>,
  { ranks, rare, likeness }: Signs,
): readonly Draft[] {
  const drafts: Draft[] = [];
  const led = new Set<string>();
  hits.forEach((hit, at) => {
    const artifact = byId.get(hit.artifact);
    if (artifact === undefined) return;
    const key = pageKey(hit);
    const isLead = !led.has(key);
    led.add(key);
    const side = isLead ? (ranks.get(key) ?? NO_EVIDENCE) : NO_EVIDENCE;
    const made = draft(artifact, { lexical: { rank: at + 1, score: hit.score }, ...side }, hit, rare);
    drafts.push(isLead && likeness !== undefined ? { ...made, named: likeness(artifact.page) } : made);
  });
  return drafts;
}

type Evidence = Readonly<Partial<Record<Leg, { readonly rank: number; readonly score: number }>>>;

const NO_EVIDENCE: Evidence = {};

function draft(artifact: StoredArtifact, evidence: Evidence, hit?: LexicalHit, rare: ReadonlySet<string> = new Set()): Draft {
  const entries = Object.entries(evidence);
  return {
    artifact,
    ranks: Object.fromEntries(entries.map(([leg, { rank }]) => [leg, rank])),
    legScores: Object.fromEntries(entries.map(([leg, { score }]) => [leg, score])),
    matched: hit?.parts ?? [],
    coverage: hit?.coverage ?? 0,
    attained: 0,
    literal: (hit?.parts ?? []).filter(
      ({ surface, fields, itself }) => itself !== false && rare.has(surface) && fields.includes('identifiers'),
    ).length,
    score: 0,
    labels: [],
    demotions: {},
    duplicates: [],
  };
}

/** The first artifact of pages that no word of the question hit, but a name or a link did. */
async function readLeads(
  deps: RetrievalDeps,
  eligible: EligibleSet,
  { sides, ranks }: { readonly sides: Sides; readonly ranks: SideRanks },
  known: ReadonlySet<string>,
): Promise<readonly Draft[]> {
  const pages = new Map<string, PageProposal>();
  for (const proposal of [...sides.metadata, ...sides.links]) {
    const key = pageKey(proposal);
    if (!known.has(key) && !pages.has(key) && pages.size < MOST_LEADS) pages.set(key, proposal);
  }
  const leads: Draft[] = [];
  for (const [key, { source, path }] of pages) {
    const page = await deps.snapshot.page(eligible, source, path);
    const [first] = page === undefined ? [] : await deps.snapshot.segments(eligible, page);
    if (first !== undefined) leads.push(draft(first, ranks.get(key) ?? NO_EVIDENCE));
  }
  return leads;
}

function damagedRow(id: string, lexical: LexicalAnswer): Problem {
  const hit = [...lexical.hits, ...lexical.retired].find((each) => each.artifact === id);
  return {
    code: 'index/damaged-row',
    severity: 'error',
    source: hit?.source ?? '',
    path: hit?.path ?? '',
    message: 'A stored passage does not match its digest and was left out.',
    hint: 'Run `colophon doctor --repair`; the passage is rebuilt from its source.',
  };
}
