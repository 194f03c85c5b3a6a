/**
 * Authored links: where they lead among the eligible pages, who links to a page, and which pages are called what by others.
 *
 * Invariant: a link resolves against eligible pages alone, so a hidden page can neither be linked to nor shadow another.
 */
import type { PageLink } from '../../../domain/prepared-page.js';
import { roundScore, scoreAll } from '../../../engine/bm25f.js';
import { type Corpus, type PlacedSegment, segmentAt } from '../../../engine/corpus.js';
import { linkPreference, nameKey } from '../../../engine/page-names.js';
import { Fault } from '../../../kernel/errors.js';
import type { LexicalQuery, LinkHit, PageProposal, StoredPage } from '../../../ports/index-reader.js';
import { targetKey, targetOfKey } from './link-targets.js';
import type { PageSelection } from './page-selection.js';
import type { Eligible, NamedRow, Reading, ResolvedLinks } from './reading.js';

/** Each further page that links with matching words adds this much, by the logarithm of their number. */
const AGREEMENT = 0.1;

/** A link whose text matches a question. */
interface LinkMatch {
  readonly segment: PlacedSegment;
  readonly target: number;
  readonly page: number;
  readonly score: number;
}

export class PageLinks {
  readonly #reading: Reading;
  readonly #eligible: Eligible;
  readonly #resolved: ResolvedLinks;

  constructor(reading: Reading, eligible: Eligible) {
    this.#reading = reading;
    this.#eligible = eligible;
    this.#resolved = reading.links(eligible);
  }

  /** Links of a page in their order. */
  of(page: StoredPage, row: number): LinkHit[] {
    const content = this.#reading.content(this.#eligible, row);
    if (content === undefined) {
      throw new Fault('store/corrupt', {
        file: this.#reading.db.file,
        reason: `the stored text of ${page.path} does not match its digest`,
      });
    }
    return content.links.map((link) => this.#hit(page, row, link));
  }

  /** Links to a page, by the page they are on and their order there. */
  to(page: StoredPage, row: number): LinkHit[] {
    const corpus = this.#reading.corpus(this.#eligible, 'link');
    const names = new Set([page.title, ...page.meta.aliases, ...pathNames(page.path)].map(nameKey));
    const from = new Set<number>();
    for (const { id, base, source, table } of corpus.segments) {
      if (source !== page.source) continue;
      const leads = this.#reading.targets(id).map((key) => mayLeadTo(key, page.path, names) && this.#resolve(source, key) === row);
      for (let doc = 0; doc < table.documents; doc++) {
        const linking = corpus.pageOf[base + doc] ?? 0;
        if (leads[(table.targetOf[doc] ?? 0) - 1] === true && corpus.live[linking] === 1) from.add(corpus.pageRows[linking] ?? 0);
      }
    }
    return [...from]
      .map((linking) => ({ linking, linkingPage: this.#pageAt(linking) }))
      .sort((a, b) => (a.linkingPage.path < b.linkingPage.path ? -1 : a.linkingPage.path > b.linkingPage.path ? 1 : 0))
      .flatMap(({ linking, linkingPage }) =>
        this.of(linkingPage, linking).filter((hit) => {
          const key = targetKey(hit.link.target);
          return key !== undefined && this.#resolve(page.source, key) === row;
        }),
      );
  }

  #pageAt(row: number): StoredPage {
    const page = this.#reading.page(this.#eligible, row);
    if (page !== undefined) return page;
    const { path } = this.#reading.pageRef(row);
    throw new Fault('store/corrupt', { file: this.#reading.db.file, reason: `what is stored of ${path} does not match its digest` });
  }

  /** Pages by the words other pages link to them with. */
  proposals(query: LexicalQuery, selection: PageSelection): PageProposal[] {
    const corpus = this.#reading.corpus(this.#eligible, 'link');
    const request = {
      terms: query.terms,
      policy: { bm25f: query.policy.bm25f, pageWeight: 0 },
      pageStates: this.#reading.pageStates(corpus, selection),
      lists: this.#reading.lists(corpus, query.terms, query.stemming),
      share: query.policy.linkShare ?? 0,
      accepts: (document: number) => targetOf(corpus, document) !== undefined,
    };
    const matches = scoreAll(corpus, request).flatMap(({ document, page, score }): LinkMatch[] => {
      const leads = targetOf(corpus, document);
      return leads === undefined ? [] : [{ ...leads, page, score }];
    });
    this.#resolveAll(matches);
    const found = new Map<number, { score: number; readonly from: Set<number> }>();
    for (const { segment, target, page, score } of matches) {
      const row = this.#targetRows(segment)[target] ?? 0;
      if (row === 0 || row === corpus.pageRows[page] || !isServing(selection, row)) continue;
      const entry = found.get(row);
      if (entry === undefined) found.set(row, { score, from: new Set([page]) });
      else {
        entry.score = Math.max(entry.score, score);
        entry.from.add(page);
      }
    }
    const scored = [...found].map(([row, { score, from }]) => ({ row, score: roundScore(score * (1 + AGREEMENT * Math.log(from.size))) }));
    const least = leastOf(scored, query.limit);
    const proposals = scored.filter(({ score }) => score >= least).map(({ row, score }) => ({ ...this.#reading.pageRef(row), score }));
    return proposals.sort(byScore).slice(0, query.limit);
  }

  /** Finds out where all these lead that nobody has asked for before: targets are read in one go, and so are the pages at their paths. */
  #resolveAll(matches: readonly LinkMatch[]): void {
    const missing = matches.filter(({ segment, target }) => Number.isNaN(this.#targetRows(segment)[target]));
    if (missing.length === 0) return;
    this.#reading.holdTargets(missing.map(({ segment, target }) => ({ segment: segment.id, target })));
    const keys = missing.map(({ segment, target }) => this.#reading.target(segment.id, target) ?? '');
    const bySource = new Map<string, Set<string>>();
    for (const [at, { segment }] of missing.entries()) {
      const wanted = bySource.get(segment.source) ?? new Set();
      bySource.set(segment.source, wanted.add(keys[at] ?? ''));
    }
    for (const [source, wanted] of bySource) this.#resolveKeys(source, wanted);
    for (const [at, { segment, target }] of missing.entries()) {
      this.#targetRows(segment)[target] = this.#resolve(segment.source, keys[at] ?? '') ?? 0;
    }
  }

  /** Finds the pages at the paths these keys name. */
  #resolveKeys(source: string, keys: Iterable<string>): void {
    const { byKey } = this.#resolved;
    const targets: { readonly known: string; readonly paths: readonly string[] }[] = [];
    for (const key of keys) {
      const target = targetOfKey(key);
      const known = `${source}\0${key}`;
      if ('paths' in target && !byKey.has(known)) targets.push({ known, paths: target.paths });
    }
    if (targets.length === 0) return;
    const rows = this.#reading.rowsByPath(this.#eligible, source, [...new Set(targets.flatMap(({ paths }) => paths))]);
    for (const { known, paths } of targets) {
      const path = paths.find((each) => rows.has(each));
      byKey.set(known, path === undefined ? undefined : rows.get(path));
    }
  }

  /** Where the targets of a segment lead; NaN until it was asked for, 0 where nowhere. */
  #targetRows({ id, table }: PlacedSegment): Float64Array {
    const { bySegment } = this.#resolved;
    const known = bySegment.get(id);
    if (known !== undefined) return known;
    const fresh = new Float64Array(table.targets).fill(Number.NaN);
    bySegment.set(id, fresh);
    return fresh;
  }

  #hit(page: StoredPage, row: number, link: PageLink): LinkHit {
    const key = targetKey(link.target);
    const to = link.target.to === 'self' ? row : key === undefined ? undefined : this.#resolve(page.source, key);
    return { source: page.source, from: page.path, link, ...(to === undefined ? {} : { to: this.#reading.pageRef(to) }) };
  }

  #resolve(source: string, key: string): number | undefined {
    const { byKey } = this.#resolved;
    const known = `${source}\0${key}`;
    if (!byKey.has(known)) byKey.set(known, this.#lookUp(source, key));
    return byKey.get(known);
  }

  #lookUp(source: string, key: string): number | undefined {
    const target = targetOfKey(key);
    if ('name' in target) return this.#byName(source, target.name);
    for (const path of target.paths) {
      const row = this.#reading.rowsAt(this.#eligible, source, path)[0];
      if (row !== undefined) return row;
    }
    return undefined;
  }

  #byName(source: string, name: string): number | undefined {
    this.#resolved.names ??= this.#collectNames();
    const candidates = this.#resolved.names.get(`${source}\0${name}`) ?? [];
    const best = Math.min(...candidates.map((each) => each.preference));
    const rows = candidates.filter((each) => each.preference === best).map((each) => each.row);
    return rows.sort((a, b) => (this.#reading.pageRef(a).path < this.#reading.pageRef(b).path ? -1 : 1))[0];
  }

  #collectNames(): Map<string, NamedRow[]> {
    const corpus = this.#reading.corpus(this.#eligible, 'name');
    const names = new Map<string, NamedRow[]>();
    for (const { id, base, source, table } of corpus.segments) {
      const targets = this.#reading.targets(id);
      for (let doc = 0; doc < table.documents; doc++) {
        const page = corpus.pageOf[base + doc] ?? 0;
        const name = targets[(table.targetOf[doc] ?? 0) - 1];
        const preference = linkPreference(corpus, base + doc);
        if (corpus.live[page] === 0 || name === undefined || preference === undefined) continue;
        const key = `${source}\0${name}`;
        names.set(key, [...(names.get(key) ?? []), { row: corpus.pageRows[page] ?? 0, preference }]);
      }
    }
    return names;
  }
}

/** Which target of which segment a link has; undefined for one that leads out of the library. */
function targetOf(corpus: Corpus, document: number): Pick<LinkMatch, 'segment' | 'target'> | undefined {
  const segment = segmentAt(corpus, document);
  const target = segment === undefined ? -1 : (segment.table.targetOf[document - segment.base] ?? 0) - 1;
  return segment === undefined || target < 0 ? undefined : { segment, target };
}

/** The lowest score among the best `limit`: pages below it need no name. */
function leastOf(scored: readonly { readonly score: number }[], limit: number): number {
  if (scored.length <= limit) return Number.NEGATIVE_INFINITY;
  const ascending = Float64Array.from(scored, ({ score }) => score).sort();
  return ascending[scored.length - limit] ?? Number.POSITIVE_INFINITY;
}

export function isServing(selection: PageSelection, row: number): boolean {
  return !selection.retired.has(row) && (selection.inside === undefined || selection.inside.has(row));
}

export function byScore(a: PageProposal, b: PageProposal): number {
  if (a.score !== b.score) return b.score - a.score;
  if (a.source !== b.source) return a.source < b.source ? -1 : 1;
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}

function pathNames(path: string): string[] {
  const bare = path.replace(/\.[a-z0-9]{1,8}$/i, '');
  return [bare, bare.slice(bare.lastIndexOf('/') + 1)];
}

function mayLeadTo(key: string, path: string, names: ReadonlySet<string>): boolean {
  const target = targetOfKey(key);
  return 'name' in target ? names.has(target.name) : target.paths.includes(path);
}
