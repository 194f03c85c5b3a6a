/**
 * A library held in memory, for testing retrieval alone: plain BM25 over a few pages, read through the same port as the store.
 *
 * Invariant: as in the store, nothing outside the eligible set is returned, counted, or summed.
 */
import { artifactId } from '../../src/domain/artifact.js';
import { type Compartment, type CompartmentTuple, compartment } from '../../src/domain/compartment.js';
import type { EligibleSet } from '../../src/domain/eligibility.js';
import type { Field } from '../../src/domain/fields.js';
import { isRetired, type PageMeta } from '../../src/domain/page.js';
import type { Alternative, QueryTerm, Scope } from '../../src/domain/query.js';
import { DEFAULT_RANKING } from '../../src/domain/ranking-policy.js';
import type { Ask } from '../../src/domain/requester.js';
import type { SourceStanding } from '../../src/domain/source.js';
import { isPlainWord, nearWords } from '../../src/engine/near-terms.js';
import type { Day, Instant } from '../../src/kernel/clock.js';
import { digestOf, gitBlobId, sha256 } from '../../src/kernel/digest.js';
import type {
  IndexSnapshot,
  LexicalHit,
  LexicalQuery,
  NearQuery,
  NearTerm,
  PageProposal,
  StoredArtifact,
  StoredPage,
} from '../../src/ports/index-reader.js';
import { indexTerms } from '../../src/text/analyze.js';
import { tokenBound } from '../../src/text/tokens.js';

export interface FakePage {
  readonly path: string;
  readonly title?: string;
  /** One artifact each. */
  readonly parts: readonly string[];
  readonly source?: string;
  readonly meta?: Partial<PageMeta>;
  readonly tier?: StoredPage['tier'];
  readonly filed?: Partial<CompartmentTuple>;
}

const EMPTY_META: PageMeta = { tags: [], aliases: [], audience: [], related: [], other: {} };

interface Entry {
  readonly artifact: StoredArtifact;
  readonly terms: ReadonlyMap<string, number>;
  readonly length: number;
}

export const ASK: Ask = {
  requester: {
    principal: 'person:ada',
    workload: 'workload://colophon/cli',
    tenant: 'home',
    purpose: 'assist',
    groups: new Set(['everyone']),
    ceiling: 'internal',
    client: { name: 'cli', locality: 'local' },
  },
  at: 0 as Instant,
  freshnessCritical: false,
};

export const PERMISSIONS: Readonly<Record<string, readonly string[]>> = { all: ['everyone'], hr: ['hr'] };

export function standing(id: string, state: SourceStanding['state'] = 'active'): SourceStanding {
  return { id, state, owner: 'role:docs', freshnessSloMs: 86_400_000 };
}

export function fakeSnapshot(pages: readonly FakePage[], broken: { readonly leak?: boolean } = {}): IndexSnapshot {
  const stored = pages.map(storedPage);
  const entries = stored.flatMap(({ page, parts }) => parts.map((text, at): Entry => entry(page, text, at, parts)));
  const visible = (eligible: EligibleSet): readonly Entry[] =>
    entries.filter(({ artifact }) => broken.leak === true || eligible.keys.has(artifact.page.compartment.key));
  const visiblePages = (eligible: EligibleSet): readonly StoredPage[] => [
    ...new Set(visible(eligible).map(({ artifact }) => artifact.page)),
  ];
  const find = (eligible: EligibleSet, id: string) => visible(eligible).find(({ artifact }) => artifact.id === id)?.artifact;
  return {
    manifest: { generation: 1 } as IndexSnapshot['manifest'],
    compartments: async () => {
      const all = new Map(stored.map(({ page }) => [page.compartment.key, page.compartment]));
      return [...all.values()];
    },
    inhabited: async (eligible) => eligible.keys,
    lexical: async (eligible, query) => lexical(visible(eligible), query),
    linked: async () => [],
    named: async (eligible, words, query) => named(visiblePages(eligible), words, query.scope),
    frequencies: async (eligible, { terms, stemming }) =>
      lexical(visible(eligible), { terms, stemming, scope: {}, policy: DEFAULT_RANKING, today: '2000-01-01' as Day, limit: 0 }).frequencies,
    near: async (eligible, words, limit) => words.map((word) => near(visible(eligible), word, limit)),
    artifacts: async (eligible, ids) => ({ artifacts: ids.flatMap((id) => find(eligible, id) ?? []), damaged: [] }),
    idsBeginning: async (eligible, start, limit) =>
      visible(eligible)
        .map(({ artifact }) => artifact.id)
        .filter((id) => id.startsWith(start))
        .sort()
        .slice(0, limit),
    page: async (eligible, source, path) =>
      visiblePages(eligible).find((page) => page.path === path && (source ?? page.source) === page.source),
    text: async (_eligible, page) =>
      entries
        .filter(({ artifact }) => artifact.page === page)
        .map(({ artifact }) => artifact.excerpt)
        .join('\n\n'),
    segments: async (eligible, page) =>
      visible(eligible)
        .map((each) => each.artifact)
        .filter((artifact) => artifact.page === page),
    pages: async (eligible, scope, { limit, after }) =>
      visiblePages(eligible)
        .filter((page) => inScope(page, scope) && (after === undefined || page.path > after))
        .sort((a, b) => (a.path < b.path ? -1 : 1))
        .slice(0, limit),
    links: async () => [],
    backlinks: async () => [],
    counts: async (eligible) => ({ documents: visiblePages(eligible).length, artifacts: visible(eligible).length }),
    hasVersion: async (eligible, version) => visiblePages(eligible).some((page) => page.meta.productVersion === version),
    projectedManifest: async (eligible) => digestOf([...eligible.keys].sort()),
    close: async () => undefined,
  };
}

function storedPage(fake: FakePage): { readonly page: StoredPage; readonly parts: readonly string[] } {
  const source = fake.source ?? 'docs';
  const tuple: CompartmentTuple = {
    source,
    tenants: ['home'],
    permissionsRef: 'all',
    classification: 'internal',
    purposes: ['assist'],
    egress: 'any',
    ...fake.filed,
  };
  const filed: Compartment = compartment(tuple);
  const page: StoredPage = {
    source,
    path: fake.path,
    blob: gitBlobId(new TextEncoder().encode(fake.parts.join('\n'))),
    title: fake.title ?? fake.path,
    summary: '',
    meta: { ...EMPTY_META, ...fake.meta },
    tier: fake.tier ?? 'trusted',
    authorityClass: 'reference',
    curated: true,
    lineCount: fake.parts.length,
    compartment: filed,
    problems: [],
  };
  return { page, parts: fake.parts };
}

function entry(page: StoredPage, excerpt: string, ordinal: number, parts: readonly string[]): Entry {
  const id = artifactId({ source: page.source, path: page.path, headingPath: [], ordinalUnderHeading: ordinal, excerpt });
  const { body, identifiers } = indexTerms(`${page.title}\n${excerpt}`);
  const terms = new Map<string, number>();
  for (const term of [...body, ...identifiers]) terms.set(term, (terms.get(term) ?? 0) + 1);
  const start = parts.slice(0, ordinal).join('\n').split('\n').length;
  const artifact: StoredArtifact = {
    id,
    headingPath: [],
    anchor: '',
    ordinal,
    lines: { start, end: start + excerpt.split('\n').length - 1 },
    bytes: { start: 0, end: excerpt.length },
    excerpt,
    prefix: page.title,
    digest: sha256(excerpt),
    tokens: tokenBound(excerpt),
    page,
  };
  return { artifact, terms, length: body.length + identifiers.length };
}

function lexical(entries: readonly Entry[], query: LexicalQuery): Awaited<ReturnType<IndexSnapshot['lexical']>> {
  const ownCount = (each: Entry, term: Pick<QueryTerm, 'term' | 'stem'>): number =>
    (each.terms.get(term.term) ?? 0) +
    (term.stem === undefined ? 0 : (each.terms.get(`~${term.stem}`) ?? 0) + (each.terms.get(term.stem) ?? 0));
  const countBy = (each: Entry, { words, weight }: Alternative): number => weight * Math.min(...words.map((word) => ownCount(each, word)));
  const countOf = (each: Entry, { alternatives = [], ...term }: QueryTerm): number =>
    ownCount(each, term) + alternatives.reduce((sum, other) => sum + countBy(each, other), 0);
  const throughOf = (each: Entry, { alternatives = [], ...term }: QueryTerm) => {
    const via = alternatives.filter((other) => countBy(each, other) > 0).map(({ label }) => label);
    return { ...(via.length === 0 ? {} : { via }), ...(via.length > 0 && ownCount(each, term) === 0 ? { itself: false as const } : {}) };
  };
  const frequencies = query.terms.map((term) => entries.filter((each) => countOf(each, term) > 0).length);
  const idf = (at: number): number => Math.log(1 + (entries.length - (frequencies[at] ?? 0) + 0.5) / ((frequencies[at] ?? 0) + 0.5));
  const mass = query.terms.reduce((sum, term, at) => sum + (term.content ? idf(at) : 0), 0);
  const scored = entries
    .filter(({ artifact }) => inScope(artifact.page, query.scope))
    .flatMap((each): { readonly hit: LexicalHit; readonly retired: boolean }[] => {
      const { page } = each.artifact;
      const siblings = entries.filter(({ artifact }) => artifact.page === page);
      const onPage = query.terms.map((term) => siblings.some((sibling) => countOf(sibling, term) > 0));
      if (query.terms.some((term, at) => term.required && onPage[at] !== true)) return [];
      const parts = query.terms.flatMap((term, at) => {
        const tf = countOf(each, term);
        const gain = tf === 0 ? 0 : (term.weight * idf(at) * tf * 2.2) / (tf + 1.2);
        const field: Field = term.kind === 'identifier' ? 'identifiers' : 'body';
        return gain === 0 ? [] : [{ surface: term.surface, gain, field, through: throughOf(each, term) }];
      });
      const score = parts.reduce((sum, part) => sum + part.gain, 0);
      if (score === 0) return [];
      const covered = query.terms.reduce((sum, term, at) => sum + (term.content && onPage[at] === true ? idf(at) : 0), 0);
      const hit: LexicalHit = {
        artifact: each.artifact.id,
        source: page.source,
        path: page.path,
        score: Math.round(score * 1e6) / 1e6,
        coverage: mass === 0 ? 0 : covered / mass,
        parts: parts.map(({ surface, gain, field, through }) => ({
          surface,
          fields: [field],
          share: Math.round((gain / score) * 100) / 100,
          ...through,
        })),
      };
      return [{ hit, retired: isRetired(page.meta, query.today) }];
    })
    .sort((a, b) => b.hit.score - a.hit.score || (a.hit.artifact < b.hit.artifact ? -1 : 1));
  return {
    hits: scored
      .filter(({ retired }) => !retired)
      .slice(0, query.limit)
      .map(({ hit }) => hit),
    retired: scored
      .filter(({ retired }) => retired)
      .slice(0, 20)
      .map(({ hit }) => hit),
    frequencies,
    population: entries.length,
  };
}

function near(entries: readonly Entry[], { word, mostEdits }: NearQuery, limit: number): NearTerm[] {
  const terms = entries.flatMap((each) => [...each.terms.keys()]).filter((term) => term.startsWith(word.charAt(0)) && isPlainWord(term));
  return nearWords(terms, word, mostEdits)
    .map((each) => ({ ...each, frequency: entries.filter(({ terms: held }) => held.has(each.term)).length }))
    .slice(0, limit);
}

function named(pages: readonly StoredPage[], words: readonly string[], scope: Scope): readonly PageProposal[] {
  return pages
    .filter((page) => inScope(page, scope))
    .map((page) => ({
      source: page.source,
      path: page.path,
      score: words.filter((word) => page.title.toLowerCase().includes(word)).length,
    }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1));
}

function inScope(page: StoredPage, scope: Scope): boolean {
  if (scope.sources !== undefined && !scope.sources.includes(page.source)) return false;
  if (scope.productVersion !== undefined && page.meta.productVersion !== scope.productVersion) return false;
  return (
    scope.paths === undefined ||
    scope.paths.some((path) => path === '' || page.path === path || (path.endsWith('/') && page.path.startsWith(path)))
  );
}
