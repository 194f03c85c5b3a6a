/**
 * A snapshot of index.db: one read transaction on a connection of its own, so that it stays as it was when taken.
 *
 * Invariant: content is returned only from eligible compartments, and only when it matches its digest.
 */
import type { Artifact } from '../../../domain/artifact.js';
import type { Compartment } from '../../../domain/compartment.js';
import type { EligibleSet } from '../../../domain/eligibility.js';
import type { IndexManifest } from '../../../domain/index-manifest.js';
import type { Scope } from '../../../domain/query.js';
import { type RankedDocument, rank } from '../../../engine/bm25f.js';
import type { Corpus } from '../../../engine/corpus.js';
import { matchNames } from '../../../engine/page-names.js';
import { type Digest, digestOf } from '../../../kernel/digest.js';
import { Fault } from '../../../kernel/errors.js';
import type {
  IndexSnapshot,
  LexicalAnswer,
  LexicalHit,
  LexicalQuery,
  LinkHit,
  NearQuery,
  NearTerm,
  PageProposal,
  StoredArtifact,
  StoredPage,
} from '../../../ports/index-reader.js';
import { asNumber, type Database } from './driver.js';
import type { PageContent } from './page-content.js';
import { byScore, isServing, PageLinks } from './page-links.js';
import { type Eligible, Reading, type ReadingCache } from './reading.js';

const MOST_RETIRED = 20;
const ARTIFACT_ID = /^ka_[0-9a-f]{32}$/;
const ID_BEGINNING = /^ka_[0-9a-f]{1,32}$/;

interface Place {
  readonly page: number;
  /** Among the page's artifacts. */
  readonly position: number;
}

export class SqliteSnapshot implements IndexSnapshot {
  readonly manifest: IndexManifest;
  readonly #reading: Reading;
  readonly #giveBack: () => void;
  readonly #links = new WeakMap<Eligible, PageLinks>();
  /** Where the hits of this snapshot lie, so that reading them asks no index again. */
  readonly #places = new WeakMap<Eligible, Map<string, Place>>();
  #open = true;

  constructor(db: Database, cache: ReadingCache, manifest: IndexManifest, giveBack: () => void) {
    this.manifest = manifest;
    this.#reading = new Reading(db, cache, manifest.generation);
    this.#giveBack = giveBack;
  }

  async compartments(): Promise<readonly Compartment[]> {
    return this.#reading.compartments().map((each) => each.compartment);
  }

  async inhabited(set: EligibleSet): Promise<ReadonlySet<string>> {
    return new Set([...this.#reading.eligible(set).compartments.values()].map(({ compartment }) => compartment.key));
  }

  async lexical(set: EligibleSet, query: LexicalQuery): Promise<LexicalAnswer> {
    const eligible = this.#reading.eligible(set);
    const corpus = this.#reading.corpus(eligible, 'artifact');
    const selection = this.#reading.selection(eligible, query.scope, query.today);
    const ranking = rank(corpus, {
      terms: query.terms,
      policy: query.policy,
      pageStates: this.#reading.pageStates(corpus, selection),
      limit: query.limit,
      retiredLimit: MOST_RETIRED,
      lists: this.#reading.lists(corpus, query.terms, query.stemming),
      ties: (a, b) => this.#reading.compareIds(corpus, a, b),
    });
    const places = new Map<string, Place>();
    this.#places.set(eligible, places);
    const hit = (ranked: RankedDocument): LexicalHit => this.#hit(corpus, ranked, places);
    return {
      hits: ranking.hits.map(hit),
      retired: ranking.retired.map(hit),
      frequencies: ranking.frequencies,
      population: corpus.statistics.documents,
    };
  }

  async linked(set: EligibleSet, query: LexicalQuery): Promise<readonly PageProposal[]> {
    const eligible = this.#reading.eligible(set);
    return this.#linksOf(eligible).proposals(query, this.#reading.selection(eligible, query.scope, query.today));
  }

  async named(set: EligibleSet, words: readonly string[], query: LexicalQuery): Promise<readonly PageProposal[]> {
    const eligible = this.#reading.eligible(set);
    const corpus = this.#reading.corpus(eligible, 'name');
    const selection = this.#reading.selection(eligible, query.scope, query.today);
    const matches = matchNames(corpus, this.#reading.exactLists(corpus, [...new Set(words)]), (page) =>
      isServing(selection, corpus.pageRows[page] ?? 0),
    );
    const proposals = matches.map(({ page, score }) => ({ ...this.#reading.pageRef(corpus.pageRows[page] ?? 0), score }));
    return proposals.sort(byScore).slice(0, query.limit);
  }

  async frequencies(set: EligibleSet, { terms, stemming }: Pick<LexicalQuery, 'terms' | 'stemming'>): Promise<readonly number[]> {
    const corpus = this.#reading.corpus(this.#reading.eligible(set), 'artifact');
    return this.#reading.lists(corpus, terms, stemming).map(({ frequency }) => frequency);
  }

  async near(set: EligibleSet, words: readonly NearQuery[], limit: number): Promise<readonly (readonly NearTerm[])[]> {
    const corpus = this.#reading.corpus(this.#reading.eligible(set), 'artifact');
    return words.map((word) => this.#reading.near(corpus, word, limit));
  }

  async artifacts(
    set: EligibleSet,
    ids: readonly string[],
  ): Promise<{ readonly artifacts: readonly StoredArtifact[]; readonly damaged: readonly string[] }> {
    const eligible = this.#reading.eligible(set);
    const artifacts: StoredArtifact[] = [];
    const damaged: string[] = [];
    const pages = new Map<number, { readonly page: StoredPage; readonly content: PageContent } | undefined>();
    for (const id of ids) {
      const at = this.#places.get(eligible)?.get(id) ?? this.#locate(eligible, id);
      if (at === undefined) continue;
      if (!pages.has(at.page)) pages.set(at.page, this.#wholePage(eligible, at.page));
      const whole = pages.get(at.page);
      const artifact = whole?.content.artifact(at.position);
      if (whole === undefined || artifact === undefined || artifact.id !== id) damaged.push(id);
      else artifacts.push(storedArtifact(artifact, whole.page));
    }
    return { artifacts, damaged };
  }

  async idsBeginning(set: EligibleSet, start: string, limit: number): Promise<readonly string[]> {
    if (!ID_BEGINNING.test(start)) return [];
    const corpus = this.#reading.corpus(this.#reading.eligible(set), 'artifact');
    const live = this.#reading.findBeginning(corpus, start.slice(3)).filter((document) => corpus.live[corpus.pageOf[document] ?? 0] === 1);
    const ids = live.map((document) => this.#reading.id(corpus, document));
    return [...new Set(ids)].sort().slice(0, limit);
  }

  async page(set: EligibleSet, source: string | undefined, path: string): Promise<StoredPage | undefined> {
    const eligible = this.#reading.eligible(set);
    const row = this.#reading.rowsAt(eligible, source, path)[0];
    return row === undefined ? undefined : this.#requirePage(eligible, row, path);
  }

  async text(set: EligibleSet, page: StoredPage): Promise<string> {
    const eligible = this.#reading.eligible(set);
    return this.#requireContent(eligible, this.#requireRow(eligible, page), page).text;
  }

  async segments(set: EligibleSet, page: StoredPage): Promise<readonly StoredArtifact[]> {
    const eligible = this.#reading.eligible(set);
    const row = this.#requireRow(eligible, page);
    const stored = this.#requirePage(eligible, row, page.path);
    const content = this.#requireContent(eligible, row, page);
    return content.artifacts.map((artifact: Artifact) => storedArtifact(artifact, stored));
  }

  /** A path that several sources have is never split over two answers: all its pages come, even beyond the limit. */
  async pages(
    set: EligibleSet,
    scope: Scope,
    { limit, after }: { readonly limit: number; readonly after?: string },
  ): Promise<readonly StoredPage[]> {
    const eligible = this.#reading.eligible(set);
    const { inside } = this.#reading.selection(eligible, scope, undefined);
    const rows = inside === undefined ? this.#allRows(eligible) : [...inside];
    const refs = rows.map((row) => ({ row, ...this.#reading.pageRef(row) })).filter((ref) => after === undefined || ref.path > after);
    refs.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.source < b.source ? -1 : 1));
    const last = refs[limit - 1];
    const wanted = refs.filter((ref, at) => at < limit || ref.path === last?.path);
    return wanted.map(({ row, path }) => this.#requirePage(eligible, row, path));
  }

  async links(set: EligibleSet, page: StoredPage): Promise<readonly LinkHit[]> {
    const eligible = this.#reading.eligible(set);
    const row = this.#requireRow(eligible, page);
    this.#requireContent(eligible, row, page);
    return this.#linksOf(eligible).of(page, row);
  }

  async backlinks(set: EligibleSet, page: StoredPage): Promise<readonly LinkHit[]> {
    const eligible = this.#reading.eligible(set);
    return this.#linksOf(eligible).to(page, this.#requireRow(eligible, page));
  }

  async counts(set: EligibleSet): Promise<{ readonly documents: number; readonly artifacts: number }> {
    let documents = 0;
    let artifacts = 0;
    for (const each of this.#reading.eligible(set).compartments.values()) {
      documents += each.pages;
      artifacts += each.artifacts;
    }
    return { documents, artifacts };
  }

  async hasVersion(set: EligibleSet, productVersion: string): Promise<boolean> {
    const { rows, withheld } = this.#reading.eligible(set);
    const found = this.#reading.db.all(
      `SELECT p.row AS row FROM json_each(?) AS e CROSS JOIN page AS p ON p.compartment = e.value
       AND p.product_version = ? LIMIT ?`,
      JSON.stringify(rows),
      productVersion,
      withheld.size + 1,
    );
    return found.some((row) => !withheld.has(asNumber(row['row'])));
  }

  async projectedManifest(set: EligibleSet): Promise<Digest> {
    const { schema, analyzer, segmenter, embedder } = this.manifest;
    const compartments = [...this.#reading.eligible(set).compartments.values()].map((each) => [each.compartment.key, each.contentSum]);
    return digestOf({ schema, analyzer, segmenter, embedder, compartments });
  }

  async close(): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    this.#giveBack();
  }

  #hit(corpus: Corpus, ranked: RankedDocument, places: Map<string, Place>): LexicalHit {
    const { artifact, page, source, path, position } = this.#reading.hitAt(corpus, ranked.document);
    places.set(artifact, { page, position });
    return { artifact, source, path, score: ranked.score, coverage: ranked.coverage, parts: ranked.parts };
  }

  #linksOf(eligible: Eligible): PageLinks {
    const known = this.#links.get(eligible);
    if (known !== undefined) return known;
    const fresh = new PageLinks(this.#reading, eligible);
    this.#links.set(eligible, fresh);
    return fresh;
  }

  /** Looked for among what is eligible: to look it up among all, and then ask whose it is, takes longer for a hidden one. */
  #locate(eligible: Eligible, id: string): Place | undefined {
    if (!ARTIFACT_ID.test(id)) return undefined;
    const corpus = this.#reading.corpus(eligible, 'artifact');
    const document = this.#reading.findId(corpus, id);
    const page = corpus.pageOf[document] ?? 0;
    if (document < 0 || corpus.live[page] !== 1) return undefined;
    return this.#reading.hitAt(corpus, document);
  }

  #wholePage(eligible: Eligible, row: number): { readonly page: StoredPage; readonly content: PageContent } | undefined {
    const page = this.#reading.page(eligible, row);
    const content = this.#reading.content(eligible, row);
    return page === undefined || content === undefined ? undefined : { page, content };
  }

  #allRows(eligible: Eligible): number[] {
    return this.#reading.db
      .all('SELECT p.row AS row FROM json_each(?) AS e CROSS JOIN page AS p ON p.compartment = e.value', JSON.stringify(eligible.rows))
      .map((row) => asNumber(row['row']))
      .filter((row) => !eligible.withheld.has(row));
  }

  #requireRow(eligible: Eligible, page: StoredPage): number {
    const row = this.#reading.rowsAt(eligible, page.source, page.path)[0];
    if (row === undefined) throw new Fault('not-found', { what: page.path });
    return row;
  }

  #requirePage(eligible: Eligible, row: number, path: string): StoredPage {
    const page = this.#reading.page(eligible, row);
    if (page === undefined) throw this.#damaged({ path });
    return page;
  }

  #requireContent(eligible: Eligible, row: number, page: StoredPage): PageContent {
    const content = this.#reading.content(eligible, row);
    if (content === undefined) throw this.#damaged(page);
    return content;
  }

  #damaged(page: { readonly path: string }): Fault {
    return new Fault('store/corrupt', { file: this.#reading.db.file, reason: `the stored text of ${page.path} does not match its digest` });
  }
}

const withPage = new WeakMap<Artifact, StoredArtifact>();

/** Content and page are kept between questions, and so is what both make together. */
function storedArtifact(artifact: Artifact, page: StoredPage): StoredArtifact {
  const known = withPage.get(artifact);
  if (known?.page === page) return known;
  const made = { ...artifact, page };
  withPage.set(artifact, made);
  return made;
}
