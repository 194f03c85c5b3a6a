/**
 * Reading: what every question to a snapshot needs, with the parts that never change remembered between questions.
 *
 * Invariant: rows of compartments outside the eligible ones are not read, other than the list of compartments itself.
 */
import { type Compartment, compartment as compartmentOf } from '../../../domain/compartment.js';
import type { EligibleSet } from '../../../domain/eligibility.js';
import type { QueryTerm, Scope } from '../../../domain/query.js';
import { type Corpus, corpusOf, segmentAt } from '../../../engine/corpus.js';
import { ID_BYTES, idBytes } from '../../../engine/doc-table.js';
import { nearWords } from '../../../engine/near-terms.js';
import { PAGE_ABSENT, PAGE_OUTSIDE, PAGE_RETIRED, PAGE_SERVING } from '../../../engine/page-states.js';
import type { SegmentKind } from '../../../engine/segment.js';
import type { TermList } from '../../../engine/term-list.js';
import { TermListCache, TermReader } from '../../../engine/term-reader.js';
import { BoundedCache } from '../../../kernel/bounded-cache.js';
import type { Day } from '../../../kernel/clock.js';
import type { Digest } from '../../../kernel/digest.js';
import { Fault } from '../../../kernel/errors.js';
import type { NearQuery, NearTerm, StoredPage } from '../../../ports/index-reader.js';
import { asBytes, asNumber, asText, type Database } from './driver.js';
import { type PageContent, readContent, readMeta } from './page-content.js';
import { type PageSelection, selectionKey, selectPages } from './page-selection.js';
import { guardDamage, SegmentCache, SegmentStore } from './segment-store.js';
import { less, type WithheldRow, withheldPages } from './withheld-pages.js';

export interface CompartmentRow {
  readonly row: number;
  readonly compartment: Compartment;
  readonly pages: number;
  readonly artifacts: number;
  readonly contentSum: string;
}

/** An EligibleSet as this file numbers it: compartments that exist, by row. */
export interface Eligible {
  readonly rows: readonly number[];
  readonly compartments: ReadonlyMap<number, CompartmentRow>;
  /** Rows of each source. */
  readonly bySource: ReadonlyMap<string, readonly number[]>;
  /** Rows of pages that are withheld from everybody: as good as removed, in every count and statistic. */
  readonly withheld: ReadonlySet<number>;
  /** Names these compartments in this state of the file. */
  readonly key: string;
}

export interface PageRef {
  readonly source: string;
  readonly path: string;
}

const MOST_GENERATIONS = 3;
const MOST_CORPORA = 12;
const MOST_ELIGIBLE = 24;
const TERM_LIST_BYTES = 144 * 1024 * 1024;
const MOST_SELECTIONS = 32;
const MOST_PAGE_REFS = 200_000;
const MOST_PAGES = 20_000;
const CONTENT_CACHE_UNITS = 64 * 1024 * 1024;
const WORD_CACHE_UNITS = 8 * 1024 * 1024;
/** Words looked at more closely; no text that people wrote has as many within two letters of each other. */
const MOST_NEAR = 1000;
const MOST_HITS = 20_000;

/** A document as answers name it. */
export interface NamedHit extends PageRef {
  readonly artifact: string;
  readonly page: number;
  /** Among the page's artifacts. */
  readonly position: number;
}

interface PageEntry {
  readonly compartment: number;
  readonly page: StoredPage;
  readonly content: Digest;
}

/** Where links lead among the pages of an eligible set. */
export interface ResolvedLinks {
  /** Segment of the link → page row of each of its targets; NaN until it was looked for, 0 where there is none. */
  readonly bySegment: Map<number, Float64Array>;
  /** Source and target → page row. */
  readonly byKey: Map<string, number | undefined>;
  names?: ReadonlyMap<string, readonly NamedRow[]>;
}

export interface NamedRow {
  readonly row: number;
  readonly preference: number;
}

/** What snapshots of one file share. Keys are row numbers, which are never used again, or include the generation. */
export class ReadingCache {
  readonly segments = new SegmentCache();
  readonly lists = new TermListCache(TERM_LIST_BYTES);
  readonly compartments = new Map<number, readonly CompartmentRow[]>();
  readonly eligible = new Map<string, Eligible>();
  readonly eligibleBySet = new WeakMap<EligibleSet, { readonly generation: number; readonly eligible: Eligible }>();
  /** How many names were given: a short one stands for a long list of rows. */
  named = 0;
  readonly corpora = new Map<string, Corpus>();
  readonly selections = new Map<string, PageSelection>();
  readonly states = new WeakMap<PageSelection, WeakMap<Corpus, Uint8Array>>();
  readonly pageRefs = new BoundedCache<number, PageRef>(MOST_PAGE_REFS);
  readonly pages = new BoundedCache<number, PageEntry | undefined>(MOST_PAGES);
  readonly contents = new BoundedCache<number, PageContent | undefined>(CONTENT_CACHE_UNITS, (content) => content?.text.length ?? 0);
  readonly links = new Map<string, ResolvedLinks>();
  /** By their document. */
  readonly hits = new WeakMap<Corpus, BoundedCache<number, NamedHit>>();
  /** By the letter they begin with. */
  readonly words = new WeakMap<Corpus, BoundedCache<string, readonly string[]>>();
}

/** The entry, made when it is missing; the oldest one goes when there are too many. */
function remember<K, V>(map: Map<K, V>, most: number, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  const oldest = map.keys().next();
  if (map.size >= most && !oldest.done) map.delete(oldest.value);
  map.set(key, made);
  return made;
}

export class Reading {
  readonly db: Database;
  readonly #cache: ReadingCache;
  readonly #segments: SegmentStore;
  readonly #generation: number;
  readonly #terms: TermReader;

  constructor(db: Database, cache: ReadingCache, generation: number) {
    this.db = db;
    this.#cache = cache;
    this.#generation = generation;
    this.#segments = new SegmentStore(db, cache.segments);
    this.#terms = new TermReader(cache.lists, (segments, terms) => this.#segments.load(segments, terms));
  }

  compartments(): readonly CompartmentRow[] {
    return remember(this.#cache.compartments, MOST_GENERATIONS, this.#generation, () => readCompartments(this.db));
  }

  /** Equal sets of one generation are one object, so that what is kept for it is found quickly. */
  eligible(set: EligibleSet): Eligible {
    const known = this.#cache.eligibleBySet.get(set);
    if (known !== undefined && known.generation === this.#generation) return known.eligible;
    const kept = this.compartments().filter((each) => set.keys.has(each.compartment.key));
    const rows = kept.map((each) => each.row);
    const withheld = withheldPages(this.db, set.withheld, new Set(rows));
    const key = `${this.#generation} ${rows.join(',')} ${withheld.map(({ row }) => row).join(',')}`;
    const eligible = remember(this.#cache.eligible, MOST_ELIGIBLE, key, () => {
      this.#cache.named += 1;
      return eligibleOf(less(kept, withheld), withheld, String(this.#cache.named));
    });
    this.#cache.eligibleBySet.set(set, { generation: this.#generation, eligible });
    return eligible;
  }

  corpus(eligible: Eligible, kind: SegmentKind): Corpus {
    return remember(this.#cache.corpora, MOST_CORPORA, `${eligible.key} ${kind}`, () =>
      corpusOf(
        this.#segments.segments(eligible.rows, kind).map((segment) => ({
          id: segment.row,
          source: eligible.compartments.get(segment.compartment)?.compartment.source ?? '',
          table: segment.table,
          deadPages: eligible.withheld.size === 0 ? segment.deadPages : [...segment.deadPages, ...eligible.withheld],
        })),
      ),
    );
  }

  /** The postings of these terms, as each source counts them. */
  lists(corpus: Corpus, terms: readonly QueryTerm[], stemming: Readonly<Record<string, number>>): TermList[] {
    return guardDamage(this.db.file, () => this.#terms.lists(corpus, terms, (source) => stemming[source] ?? 1));
  }

  /** The postings of exactly these terms. */
  exactLists(corpus: Corpus, terms: readonly string[]): TermList[] {
    return guardDamage(this.db.file, () => this.#terms.exact(corpus, terms));
  }

  /** Words spelt nearly like this one that live documents hold. */
  near(corpus: Corpus, { word, mostEdits }: NearQuery, limit: number): NearTerm[] {
    const near = nearWords(this.#words(corpus, word.charAt(0)), word, mostEdits).slice(0, MOST_NEAR);
    const lists = this.exactLists(
      corpus,
      near.map(({ term }) => term),
    );
    return near
      .map(({ term, distance }, at) => ({ term, distance, frequency: lists[at]?.frequency ?? 0 }))
      .filter(({ frequency }) => frequency > 0)
      .sort((a, b) => a.distance - b.distance || b.frequency - a.frequency || (a.term < b.term ? -1 : 1))
      .slice(0, limit);
  }

  /** The words of the corpus that begin with this letter, removed pages included. */
  #words(corpus: Corpus, letter: string): readonly string[] {
    let known = this.#cache.words.get(corpus);
    if (known === undefined) {
      known = new BoundedCache(WORD_CACHE_UNITS, (words) => words.reduce((sum, { length }) => sum + length + 16, 0));
      this.#cache.words.set(corpus, known);
    }
    return known.get(letter, () =>
      this.#segments.words(
        corpus.segments.map(({ id }) => id),
        letter,
      ),
    );
  }

  /** What an answer says of a document that lies there. */
  hitAt(corpus: Corpus, document: number): NamedHit {
    let known = this.#cache.hits.get(corpus);
    if (known === undefined) {
      known = new BoundedCache(MOST_HITS);
      this.#cache.hits.set(corpus, known);
    }
    return known.get(document, () => {
      const page = corpus.pageRows[corpus.pageOf[document] ?? 0] ?? 0;
      const { source, path } = this.pageRef(page);
      return { artifact: this.id(corpus, document), page, source, path, position: positionIn(corpus, document) };
    });
  }

  /** The artifact id of a document. */
  id(corpus: Corpus, document: number): string {
    const segment = segmentAt(corpus, document);
    if (segment === undefined) throw new RangeError('no such document');
    return this.#segments.idText(segment.id, document - segment.base);
  }

  /** Orders documents by artifact id. */
  compareIds(corpus: Corpus, a: number, b: number): number {
    return Buffer.compare(this.#idBytes(corpus, a), this.#idBytes(corpus, b)) || a - b;
  }

  /** The document that has the id, or -1. Every id is looked at, so one that is not there takes the time of one that is. */
  findId(corpus: Corpus, id: string): number {
    const wanted = idBytes(id);
    let found = -1;
    for (const { id: segment, base } of corpus.segments) {
      const at = placeOfBytes(this.#segments.ids(segment), wanted);
      if (at >= 0) found = base + at;
    }
    return found;
  }

  /** The documents whose ids begin with these digits. Every id is looked at here too. */
  findBeginning(corpus: Corpus, digits: string): readonly number[] {
    const whole = Buffer.from(digits.slice(0, digits.length & ~1), 'hex');
    const half = digits.length % 2 === 0 ? undefined : Number.parseInt(digits.slice(-1), 16);
    const found: number[] = [];
    for (const { id: segment, base } of corpus.segments) {
      const ids = this.#segments.ids(segment);
      for (let at = 0; at < ids.length; at += ID_BYTES) {
        if (beginsAt(ids, at, whole) && (half === undefined || (ids[at + whole.length] ?? 0) >> 4 === half))
          found.push(base + at / ID_BYTES);
      }
    }
    return found;
  }

  #idBytes(corpus: Corpus, document: number): Uint8Array {
    const segment = segmentAt(corpus, document);
    if (segment === undefined) throw new RangeError('no such document');
    return this.#segments.id(segment.id, document - segment.base);
  }

  /** Reads targets that will be asked for, all in one go. */
  holdTargets(wanted: Iterable<{ readonly segment: number; readonly target: number }>): void {
    this.#segments.holdTargets(wanted);
  }

  /** A target of a segment, counted from 0, and all of them. */
  target(segment: number, target: number): string | undefined {
    return this.#segments.target(segment, target);
  }

  targets(segment: number): readonly string[] {
    return this.#segments.targets(segment);
  }

  selection(eligible: Eligible, scope: Scope, today: Day | undefined): PageSelection {
    const key = `${eligible.key} ${selectionKey(scope, today)}`;
    return remember(this.#cache.selections, MOST_SELECTIONS, key, () => selectPages(this.db, eligible, scope, today));
  }

  /** PAGE_… of every page of the corpus. */
  pageStates(corpus: Corpus, selection: PageSelection): Uint8Array {
    let byCorpus = this.#cache.states.get(selection);
    if (byCorpus === undefined) {
      byCorpus = new WeakMap();
      this.#cache.states.set(selection, byCorpus);
    }
    const known = byCorpus.get(corpus);
    if (known !== undefined) return known;
    const states = statesOf(corpus, selection);
    byCorpus.set(corpus, states);
    return states;
  }

  pageRef(row: number): PageRef {
    return this.#cache.pageRefs.get(row, () => {
      const found = this.db.get('SELECT source, path FROM page WHERE row = ?', row);
      if (found === undefined) throw new Fault('store/corrupt', { file: this.db.file, reason: 'a page its postings name is missing' });
      return { source: asText(found['source']), path: asText(found['path']) };
    });
  }

  /** Rows of the eligible pages at a path, by source. */
  rowsAt(eligible: Eligible, source: string | undefined, path: string): number[] {
    const rows = source === undefined ? eligible.rows : (eligible.bySource.get(source) ?? []);
    return this.db
      .all(
        `SELECT p.row AS row FROM json_each(?) AS e CROSS JOIN page AS p ON p.compartment = e.value AND p.path = ?
         ORDER BY p.source`,
        JSON.stringify(rows),
        path,
      )
      .map((row) => asNumber(row['row']))
      .filter((row) => !eligible.withheld.has(row));
  }

  /** Rows of the eligible pages of a source at these paths. */
  rowsByPath(eligible: Eligible, source: string, paths: readonly string[]): ReadonlyMap<string, number> {
    const found = this.db.all(
      `SELECT p.row AS row, p.path AS path FROM json_each(?) AS e CROSS JOIN json_each(?) AS w
       CROSS JOIN page AS p ON p.compartment = e.value AND p.path = w.value`,
      JSON.stringify(eligible.bySource.get(source) ?? []),
      JSON.stringify(paths),
    );
    const rows = new Map(found.map((each) => [asText(each['path']), asNumber(each['row'])]));
    for (const [path, row] of rows) if (eligible.withheld.has(row)) rows.delete(path);
    return rows;
  }

  links(eligible: Eligible): ResolvedLinks {
    return remember(this.#cache.links, MOST_CORPORA, eligible.key, () => ({
      bySegment: new Map(),
      byKey: new Map(),
    }));
  }

  /** The page, or undefined when its row is damaged. */
  page(eligible: Eligible, row: number): StoredPage | undefined {
    return this.#entry(eligible, row)?.page;
  }

  /** The page's content, or undefined when it is damaged. */
  content(eligible: Eligible, row: number): PageContent | undefined {
    const entry = this.#entry(eligible, row);
    if (entry === undefined) return undefined;
    return this.#cache.contents.get(row, () => {
      const body = this.db.get('SELECT body FROM content WHERE page = ?', row)?.['body'];
      return readContent(asBytes(body), entry.content);
    });
  }

  /** Nothing of the page itself is read before its compartment is known to be eligible. */
  #entry(eligible: Eligible, row: number): PageEntry | undefined {
    if (eligible.withheld.has(row)) return undefined;
    const entry = this.#cache.pages.get(row, () => {
      const held = asNumber(this.db.get('SELECT compartment FROM page WHERE row = ?', row)?.['compartment']);
      const compartment = eligible.compartments.get(held)?.compartment;
      if (compartment === undefined) return undefined;
      const found = this.db.get(
        'SELECT c.meta AS meta, p.meta_digest AS meta_digest FROM page AS p JOIN content AS c ON c.page = p.row WHERE p.row = ?',
        row,
      );
      const meta = readMeta(asText(found?.['meta']), asText(found?.['meta_digest']), compartment);
      return meta === undefined ? undefined : { compartment: held, ...meta };
    });
    return entry !== undefined && eligible.compartments.has(entry.compartment) ? entry : undefined;
  }
}

function eligibleOf(kept: readonly CompartmentRow[], withheld: readonly WithheldRow[], key: string): Eligible {
  const bySource = new Map<string, number[]>();
  for (const { row, compartment } of kept) {
    const own = bySource.get(compartment.source);
    if (own === undefined) bySource.set(compartment.source, [row]);
    else own.push(row);
  }
  return {
    rows: kept.map((each) => each.row),
    compartments: new Map(kept.map((each) => [each.row, each])),
    bySource,
    withheld: new Set(withheld.map(({ row }) => row)),
    key,
  };
}

/** Every compartment, by key. Its key is the digest of its tuple, so a damaged permission cannot pass for another. */
export function readCompartments(db: Database): CompartmentRow[] {
  return db.all('SELECT row, key, body, pages, artifacts, content_sum FROM compartment ORDER BY key').map((row) => {
    const compartment = parseCompartment(asText(row['body']));
    if (compartment === undefined || compartment.key !== row['key']) {
      throw new Fault('store/corrupt', { file: db.file, reason: 'a compartment does not match its key' });
    }
    return {
      row: asNumber(row['row']),
      compartment,
      pages: asNumber(row['pages']),
      artifacts: asNumber(row['artifacts']),
      contentSum: asText(row['content_sum']),
    };
  });
}

function parseCompartment(text: string): Compartment | undefined {
  try {
    return compartmentOf(JSON.parse(text) as Compartment);
  } catch {
    // No JSON, or not of this shape: the caller says that the file is damaged.
    return undefined;
  }
}

/** Which of the ids it is, or -1. */
function placeOfBytes(ids: Uint8Array, wanted: Uint8Array): number {
  for (let at = 0; at < ids.length; at += ID_BYTES) {
    let same = 0;
    while (same < ID_BYTES && ids[at + same] === wanted[same]) same++;
    if (same === ID_BYTES) return at / ID_BYTES;
  }
  return -1;
}

function beginsAt(ids: Uint8Array, at: number, wanted: Uint8Array): boolean {
  for (let same = 0; same < wanted.length; same++) if (ids[at + same] !== wanted[same]) return false;
  return true;
}

function statesOf(corpus: Corpus, selection: PageSelection): Uint8Array {
  const states = new Uint8Array(corpus.pages);
  for (let page = 0; page < corpus.pages; page++) {
    const row = corpus.pageRows[page] ?? 0;
    if (corpus.live[page] === 0) states[page] = PAGE_ABSENT;
    else if (selection.inside !== undefined && !selection.inside.has(row)) states[page] = PAGE_OUTSIDE;
    else states[page] = selection.retired.has(row) ? PAGE_RETIRED : PAGE_SERVING;
  }
  return states;
}

/** Documents of a page lie together, in the order of its artifacts. */
function positionIn({ pageOf }: Corpus, document: number): number {
  let first = document;
  while (first > 0 && pageOf[first - 1] === pageOf[document]) first -= 1;
  return document - first;
}
