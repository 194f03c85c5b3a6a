/**
 * The reference store: what IndexReader and IndexWriter mean, written as plainly as possible over arrays.
 *
 * It is the oracle of the contract suite and shares no code with the engine; it is slow on purpose.
 */
import picomatch from 'picomatch';
import type { Checkpoint } from '../../src/domain/checkpoint.js';
import type { EligibleSet } from '../../src/domain/eligibility.js';
import type { IndexTotals } from '../../src/domain/index-manifest.js';
import { isRetired } from '../../src/domain/page.js';
import type { PageLink, PreparedPage } from '../../src/domain/prepared-page.js';
import type { Problem } from '../../src/domain/problem.js';
import type { Scope } from '../../src/domain/query.js';
import { DEFAULT_RANKING } from '../../src/domain/ranking-policy.js';
import type { Day } from '../../src/kernel/clock.js';
import { type Digest, sha256 } from '../../src/kernel/digest.js';
import type { IndexReader, IndexSnapshot, LexicalQuery, LinkHit, PageProposal, StoredPage } from '../../src/ports/index-reader.js';
import type { IndexBatch, IndexWriter, KnownPage } from '../../src/ports/index-writer.js';
import { foldedWords } from '../../src/text/analyze.js';
import { referenceLexical, referenceLinkScores, referenceNear } from './reference-store-scoring.js';

export interface HeldPage {
  readonly prepared: PreparedPage;
  readonly signature: string | undefined;
  readonly transformation: string;
}

interface State {
  readonly pages: readonly HeldPage[];
  readonly generation: number;
  readonly pending: ReadonlyMap<string, number>;
  readonly closed: ReadonlyMap<string, { readonly checkpoint: Checkpoint; readonly problems: readonly Problem[] }>;
}

const VERSIONS = { schema: 'reference@1', analyzer: 'test', segmenter: 'test', embedder: 'none' };
const keyOf = (page: { readonly source: string; readonly path: string }) => `${page.source}\n${page.path}`;
const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
const round = (value: number) => Math.round(value * 1e6) / 1e6;

export function referenceStore(): { readonly reader: IndexReader; readonly writer: IndexWriter } {
  let state: State = { pages: [], generation: 1, pending: new Map(), closed: new Map() };

  const writer: IndexWriter = {
    known: async (source) =>
      new Map(
        state.pages
          .filter((each) => each.prepared.page.source === source)
          .map((each): [string, KnownPage] => [
            each.prepared.page.path,
            {
              blob: each.prepared.page.blob,
              transformation: each.transformation,
              ...(each.signature === undefined ? {} : { signature: each.signature }),
            },
          ]),
      ),
    apply: async (batch) => {
      const { pages, changed, touched } = applied(state.pages, batch);
      state = { ...state, pages, generation: state.generation + (changed > 0 ? 1 : 0) };
      return { writes: changed + touched };
    },
    pending: async (source, documents) => {
      state = { ...state, pending: new Map([...state.pending, [source, documents]]) };
    },
    checkpoint: async (source) => state.closed.get(source)?.checkpoint,
    close: async (checkpoint, problems) => {
      const held = state.closed.get(checkpoint.source);
      const same =
        held !== undefined &&
        JSON.stringify([{ ...held.checkpoint, at: 0 }, held.problems]) === JSON.stringify([{ ...checkpoint, at: 0 }, problems]);
      if (same) return { writes: 0 };
      state = { ...state, closed: new Map([...state.closed, [checkpoint.source, { checkpoint, problems }]]) };
      return { writes: 1 };
    },
    forget: async (source) => {
      const pages = state.pages.filter((each) => each.prepared.page.source !== source);
      const removed = state.pages.length - pages.length;
      state = { ...state, pages, generation: state.generation + (removed > 0 ? 1 : 0) };
      return { writes: removed };
    },
    sources: async () => [...new Set([...state.pages.map((each) => each.prepared.page.source), ...state.closed.keys()])].sort(),
    totals: async () => totalsOf(state.pages),
    release: async () => undefined,
  };

  const reader: IndexReader = {
    snapshot: async () => snapshotOf(state),
    totals: async () => totalsOf(state.pages),
    checkpoints: async () => [...state.closed.values()].map((each) => each.checkpoint),
    pending: async () => [...state.pending.values()].reduce((sum, each) => sum + each, 0),
    problems: async (source) => [
      ...[...state.closed].filter(([id]) => source === undefined || id === source).flatMap(([, each]) => each.problems),
      ...state.pages
        .filter((each) => source === undefined || each.prepared.page.source === source)
        .flatMap((each) => each.prepared.problems),
    ],
    held: async (source, path) => {
      const page = state.pages.find(({ prepared }) => keyOf(prepared.page) === keyOf({ source, path }));
      if (page === undefined) return undefined;
      const filed = state.pages.filter(({ prepared: { page: each } }) => each.source === source && isOf({ source, path }, each));
      const texts = [...new Set(filed.map(({ prepared }) => prepared.page.blob))].sort();
      return { blob: page.prepared.page.blob, texts, transformation: page.transformation };
    },
    integrity: async () => ({ ok: true, damaged: [] }),
    close: async () => undefined,
  };
  return { reader, writer };
}

function applied(
  before: readonly HeldPage[],
  batch: IndexBatch,
): { readonly pages: HeldPage[]; readonly changed: number; readonly touched: number } {
  const pages = new Map(before.map((each) => [keyOf(each.prepared.page), each]));
  let changed = 0;
  let touched = 0;
  for (const path of batch.removals) if (pages.delete(keyOf({ source: batch.source, path }))) changed += 1;
  const upserts = new Map(batch.upserts.map((each) => [each.prepared.page.path, each]));
  for (const { prepared, signature } of upserts.values()) {
    const held = pages.get(keyOf(prepared.page));
    const same =
      held !== undefined && JSON.stringify(held.prepared) === JSON.stringify(prepared) && held.transformation === batch.transformation;
    if (same && held.signature === signature) continue;
    pages.set(keyOf(prepared.page), { prepared, signature, transformation: batch.transformation });
    if (same) touched += 1;
    else changed += 1;
  }
  for (const { path, signature } of batch.signatures ?? []) {
    const key = keyOf({ source: batch.source, path });
    const held = pages.get(key);
    if (held === undefined) continue;
    pages.set(key, { ...held, signature });
    touched += 1;
  }
  return { pages: [...pages.values()], changed, touched };
}

function totalsOf(pages: readonly HeldPage[]): IndexTotals {
  const artifacts = pages.flatMap(({ prepared }) => prepared.artifacts.map((each) => ({ ...each, key: prepared.compartment.key })));
  artifacts.sort((a, b) => order(a.id, b.id));
  const lines = artifacts.map((each) => `${each.id} ${each.digest} ${each.key}\n`);
  return { documents: pages.length, artifacts: artifacts.length, contentDigest: sha256(lines.join('')) };
}

function stored({ page, compartment, problems }: PreparedPage): StoredPage {
  return { ...page, compartment, problems };
}

function snapshotOf(state: State): IndexSnapshot {
  const seen = (eligible: EligibleSet) =>
    state.pages
      .map((each) => each.prepared)
      .filter((each) => eligible.keys.has(each.compartment.key))
      .filter(({ page }) => !eligible.withheld.some((each) => each.source === page.source && isOf(each, page)));
  const find = (eligible: EligibleSet, of: { readonly source: string; readonly path: string }) =>
    seen(eligible).find((each) => keyOf(each.page) === keyOf(of));
  const require = (eligible: EligibleSet, of: StoredPage) => {
    const found = find(eligible, of);
    if (found === undefined) throw new Error(`${of.path} is not there`);
    return found;
  };
  const segmentsOf = (page: PreparedPage) => page.artifacts.map(({ fields: _, ...artifact }) => ({ ...artifact, page: stored(page) }));
  const serving = (eligible: EligibleSet, query: LexicalQuery) =>
    seen(eligible).filter((each) => inScope(each, query.scope) && !isRetired(each.page.meta, query.today));
  const byPath = (a: PreparedPage, b: PreparedPage) => order(a.page.path, b.page.path) || order(a.page.source, b.page.source);

  return {
    manifest: { ...VERSIONS, generation: state.generation },
    compartments: async () => [...new Map(state.pages.map(({ prepared }) => [prepared.compartment.key, prepared.compartment])).values()],
    inhabited: async (eligible) => new Set(seen(eligible).map((each) => each.compartment.key)),
    lexical: async (eligible, query) => referenceLexical(seen(eligible), query, (page) => inScope(page, query.scope)),
    linked: async (eligible, query) => {
      const pages = seen(eligible);
      const found = new Map<string, { page: PreparedPage; score: number; from: Set<string> }>();
      const allowed = new Set(serving(eligible, query).map((each) => keyOf(each.page)));
      const scores = referenceLinkScores(pages, query).filter(({ from }) => allowed.has(keyOf(from.page)));
      const best = Math.max(0, ...scores.map(({ score }) => score));
      for (const { from, link, score } of scores) {
        if (round(score) < round((query.policy.linkShare ?? 0) * best)) continue;
        const to = resolve(pages, from, link);
        if (to === undefined || to === from || !allowed.has(keyOf(to.page))) continue;
        const entry = found.get(keyOf(to.page)) ?? { page: to, score: 0, from: new Set() };
        entry.score = Math.max(entry.score, score);
        entry.from.add(keyOf(from.page));
        found.set(keyOf(to.page), entry);
      }
      return ranked(
        [...found.values()].map(({ page, score, from }) => ({ page, score: score * (1 + 0.1 * Math.log(from.size)) })),
        query.limit,
      );
    },
    named: async (eligible, words, query) =>
      ranked(
        serving(eligible, query)
          .map((page) => ({ page, score: Math.max(0, ...namesOf(page).map((name) => nameScore(name, words))) }))
          .filter(({ score }) => score > 0),
        query.limit,
      ),
    frequencies: async (eligible, { terms, stemming }) => {
      const query = { terms, stemming, scope: {}, policy: DEFAULT_RANKING, today: '2000-01-01' as Day, limit: 0 };
      return referenceLexical(seen(eligible), query, () => true).frequencies;
    },
    near: async (eligible, words, limit) => words.map((word) => referenceNear(seen(eligible), word, limit)),
    artifacts: async (eligible, ids) => {
      const all = seen(eligible).flatMap(segmentsOf);
      return { artifacts: ids.flatMap((id) => all.filter((each) => each.id === id)), damaged: [] };
    },
    idsBeginning: async (eligible, start, limit) => {
      const ids = seen(eligible).flatMap((page) => page.artifacts.map(({ id }) => id));
      return /^ka_[0-9a-f]{1,32}$/.test(start) ? [...new Set(ids.filter((id) => id.startsWith(start)))].sort().slice(0, limit) : [];
    },
    page: async (eligible, source, path) => {
      const found = seen(eligible)
        .filter((each) => each.page.path === path && (source === undefined || each.page.source === source))
        .sort(byPath)[0];
      return found === undefined ? undefined : stored(found);
    },
    text: async (eligible, page) => require(eligible, page).text,
    segments: async (eligible, page) => segmentsOf(require(eligible, page)),
    pages: async (eligible, scope, { limit, after }) => {
      const all = seen(eligible)
        .filter((each) => inScope(each, scope) && (after === undefined || each.page.path > after))
        .sort(byPath);
      return all.filter((each, at) => at < limit || each.page.path === all[limit - 1]?.page.path).map(stored);
    },
    links: async (eligible, page) => {
      const from = require(eligible, page);
      return from.links.map((link) => hitOf(from, link, resolve(seen(eligible), from, link)));
    },
    backlinks: async (eligible, page) => {
      const to = require(eligible, page);
      const pages = seen(eligible).sort(byPath);
      return pages.flatMap((from) =>
        from.links.filter((link) => link.target.to !== 'self' && resolve(pages, from, link) === to).map((link) => hitOf(from, link, to)),
      );
    },
    counts: async (eligible) => {
      const pages = seen(eligible);
      return { documents: pages.length, artifacts: pages.reduce((sum, each) => sum + each.artifacts.length, 0) };
    },
    hasVersion: async (eligible, version) => seen(eligible).some((each) => each.page.meta.productVersion === version),
    projectedManifest: async (eligible) => {
      const lines = seen(eligible).map((each) => `${each.compartment.key} ${JSON.stringify({ ...each, artifacts: segmentsOf(each) })}`);
      return sha256(JSON.stringify([VERSIONS, lines.sort()])) as Digest;
    },
    close: async () => undefined,
  };
}

function isOf(withheld: EligibleSet['withheld'][number], { path, blob }: Pick<PreparedPage['page'], 'path' | 'blob'>): boolean {
  const section = /^(.*)§[^/§]*-[0-9a-f]{8}(?:-[0-9]+)?(\.[A-Za-z]+)$/s.exec(path);
  if (withheld.blob !== undefined && withheld.blob !== blob) return false;
  return withheld.path === path || (section !== null && withheld.path === `${section[1]}${section[2]}`);
}

function inScope({ page }: PreparedPage, scope: Scope): boolean {
  const { sources, paths, exclude, productVersion, tags, statuses, verifiedSince } = scope;
  return (
    (sources === undefined || sources.includes(page.source)) &&
    (paths === undefined || paths.some((path) => (path.endsWith('/') ? page.path.startsWith(path) : page.path === path))) &&
    (exclude === undefined || !exclude.some((glob) => picomatch.isMatch(page.path, glob, { dot: true }))) &&
    (productVersion === undefined || page.meta.productVersion === productVersion) &&
    (tags === undefined || page.meta.tags.some((tag) => tags.includes(tag))) &&
    (statuses === undefined || (page.meta.status !== undefined && statuses.includes(page.meta.status))) &&
    (verifiedSince === undefined || (page.meta.verifiedAt !== undefined && page.meta.verifiedAt >= verifiedSince))
  );
}

function ranked(found: readonly { readonly page: PreparedPage; readonly score: number }[], limit: number): PageProposal[] {
  return found
    .map(({ page: { page }, score }) => ({ source: page.source, path: page.path, score: round(score) }))
    .sort((a, b) => b.score - a.score || order(a.source, b.source) || order(a.path, b.path))
    .slice(0, limit);
}

function hitOf(from: PreparedPage, link: PageLink, to: PreparedPage | undefined): LinkHit {
  const found = to === undefined ? {} : { to: { source: to.page.source, path: to.page.path } };
  return { source: from.page.source, from: from.page.path, link, ...found };
}

function resolve(pages: readonly PreparedPage[], from: PreparedPage, link: PageLink): PreparedPage | undefined {
  const near = pages.filter((each) => each.page.source === from.page.source);
  const { target } = link;
  if (target.to === 'self') return from;
  if (target.to === 'external') return undefined;
  if (target.to === 'page') {
    return target.paths.map((path) => near.find((each) => each.page.path === path)).find((each) => each !== undefined);
  }
  const wanted = foldedWords(target.name).join(' ');
  for (const kind of ['file', 'path', 'title', 'alias']) {
    const called = near
      .filter((each) => namesOf(each).some((name) => name.kind === kind && name.words.join(' ') === wanted))
      .sort((a, b) => order(a.page.path, b.page.path))[0];
    if (called !== undefined) return called;
  }
  return undefined;
}

interface Name {
  readonly kind: string;
  readonly worth: number;
  readonly words: readonly string[];
}

function namesOf({ page }: PreparedPage): Name[] {
  const path = page.path.replace(/\.md$/, '');
  const names = [
    { kind: 'title', worth: 3, text: page.title },
    ...page.meta.aliases.map((text) => ({ kind: 'alias', worth: 2.5, text })),
    { kind: 'file', worth: 2, text: path.split('/').at(-1) ?? '' },
    ...page.meta.tags.map((text) => ({ kind: 'tag', worth: 1, text })),
    { kind: 'path', worth: 1, text: path },
  ];
  return names.map(({ kind, worth, text }) => ({ kind, worth, words: foldedWords(text) })).filter((name) => name.words.length > 0);
}

function nameScore(name: Name, words: readonly string[]): number {
  const wanted = new Set(words);
  const own = new Set(name.words);
  const common = [...own].filter((word) => wanted.has(word)).length;
  if (common === 0 || (common < wanted.size && common < own.size)) return 0;
  return (name.worth * 2 * common) / (wanted.size + own.size);
}
