/**
 * Port: read the index.
 *
 * Contract (tests/contract/index-store.contract.ts), whatever engine is underneath:
 * - only what lies in the given EligibleSet is ever returned, counted, or summed into a statistic;
 * - an eligible match in scope is never crowded out: exactly min(limit, matches) hits come back;
 * - a snapshot stays as it was when taken;
 * - a stored text whose digest does not hold is left out and named in `damaged`.
 */
import type { Artifact } from '../domain/artifact.js';
import type { Checkpoint } from '../domain/checkpoint.js';
import type { Compartment } from '../domain/compartment.js';
import type { EligibleSet } from '../domain/eligibility.js';
import type { Field } from '../domain/fields.js';
import type { IndexManifest, IndexTotals } from '../domain/index-manifest.js';
import type { Page } from '../domain/page.js';
import type { PageLink } from '../domain/prepared-page.js';
import type { Problem } from '../domain/problem.js';
import type { QueryTerm, Scope } from '../domain/query.js';
import type { RankingPolicy } from '../domain/ranking-policy.js';
import type { Day } from '../kernel/clock.js';
import type { Digest } from '../kernel/digest.js';

export interface LexicalQuery {
  readonly terms: readonly QueryTerm[];
  readonly scope: Scope;
  readonly policy: RankingPolicy;
  /** Stemming weight per source, 0 to 1; a source that is absent gets 1. */
  readonly stemming: Readonly<Record<string, number>>;
  /** Pages retired on this day (superseded, expired) come back apart. */
  readonly today: Day;
  readonly limit: number;
}

export interface TermPart {
  readonly surface: string;
  readonly fields: readonly Field[];
  /** Share of the artifact's own lexical score, 0 to 1, two decimals. */
  readonly share: number;
  /** Alternatives of the term that the artifact holds, by label; absent when there is none. */
  readonly via?: readonly string[];
  /** False when the artifact holds alternatives alone; absent when it holds the word itself. */
  readonly itself?: false;
}

/** A word of the eligible pages that is spelt nearly like one asked for. */
export interface NearTerm {
  readonly term: string;
  /** Edits between the two; a swap of neighbours is one. */
  readonly distance: number;
  /** Eligible artifacts that hold exactly this word. */
  readonly frequency: number;
}

export interface LexicalHit {
  readonly artifact: string;
  readonly source: string;
  readonly path: string;
  /** BM25F of the artifact plus `pageWeight` × BM25F of its page, rounded to 6 decimals. Internal: never shown. */
  readonly score: number;
  /** Share of the question's idf mass that the page holds, 0 to 1. */
  readonly coverage: number;
  readonly parts: readonly TermPart[];
}

export interface LexicalAnswer {
  /** Best first; ties by artifact id. Retired pages are not here. */
  readonly hits: readonly LexicalHit[];
  /** The best hits on retired pages, at most 20. */
  readonly retired: readonly LexicalHit[];
  /** For each query term, in order: how many eligible artifacts hold it (its stem class when stemming applies). */
  readonly frequencies: readonly number[];
  /** Eligible artifacts. */
  readonly population: number;
}

export interface NearQuery {
  readonly word: string;
  readonly mostEdits: number;
}

export interface StoredPage extends Page {
  readonly compartment: Compartment;
  readonly problems: readonly Problem[];
}

export interface StoredArtifact extends Artifact {
  readonly page: StoredPage;
}

export interface LinkHit {
  readonly source: string;
  /** The page the link is on. */
  readonly from: string;
  readonly link: PageLink;
  /** The eligible page it leads to; undefined when none is there. */
  readonly to?: { readonly source: string; readonly path: string };
}

/** One page proposed by a leg other than the artifact index, with its lead artifact. */
export interface PageProposal {
  readonly source: string;
  readonly path: string;
  /** Internal, comparable within the answer only. */
  readonly score: number;
}

export interface IndexSnapshot {
  readonly manifest: IndexManifest;
  /** Every compartment there is: input to eligibility, never shown. */
  compartments(): Promise<readonly Compartment[]>;
  /** Keys of those of the set that have a page left which is not withheld. */
  inhabited(eligible: EligibleSet): Promise<ReadonlySet<string>>;
  lexical(eligible: EligibleSet, query: LexicalQuery): Promise<LexicalAnswer>;
  /**
   * Pages whose inbound link texts, on eligible pages in scope, match the terms: those texts alone that score at least the policy's
   * `linkShare` of what the best text scores that leads to a page or a name, whether or not it is there.
   */
  linked(eligible: EligibleSet, query: LexicalQuery): Promise<readonly PageProposal[]>;
  /** Pages whose title, alias, tag or path equals or contains the words. */
  named(eligible: EligibleSet, words: readonly string[], query: LexicalQuery): Promise<readonly PageProposal[]>;
  /** `frequencies` as `lexical` gives them, and nothing ranked for it. */
  frequencies(eligible: EligibleSet, query: Pick<LexicalQuery, 'terms' | 'stemming'>): Promise<readonly number[]>;
  /**
   * For each word: words with the same first letter that eligible artifacts hold, within so many edits; the nearest first, then the
   * most frequent, then by code unit, at most `limit`. The term lists of other compartments are not read.
   */
  near(eligible: EligibleSet, words: readonly NearQuery[], limit: number): Promise<readonly (readonly NearTerm[])[]>;
  /** In the order asked; unknown and ineligible ids are absent alike. */
  artifacts(
    eligible: EligibleSet,
    ids: readonly string[],
  ): Promise<{ readonly artifacts: readonly StoredArtifact[]; readonly damaged: readonly string[] }>;
  /** Ids of eligible artifacts that begin so, by code unit, at most `limit`. What is no beginning of an id begins none. */
  idsBeginning(eligible: EligibleSet, start: string, limit: number): Promise<readonly string[]>;
  page(eligible: EligibleSet, source: string | undefined, path: string): Promise<StoredPage | undefined>;
  /** The page's served text. */
  text(eligible: EligibleSet, page: StoredPage): Promise<string>;
  /** All artifacts of a page, in order. */
  segments(eligible: EligibleSet, page: StoredPage): Promise<readonly StoredArtifact[]>;
  /** Eligible pages in scope by path, paged. */
  pages(eligible: EligibleSet, scope: Scope, page: { readonly limit: number; readonly after?: string }): Promise<readonly StoredPage[]>;
  links(eligible: EligibleSet, page: StoredPage): Promise<readonly LinkHit[]>;
  backlinks(eligible: EligibleSet, page: StoredPage): Promise<readonly LinkHit[]>;
  counts(eligible: EligibleSet): Promise<{ readonly documents: number; readonly artifacts: number }>;
  /** True when an eligible page has this product version. */
  hasVersion(eligible: EligibleSet, productVersion: string): Promise<boolean>;
  /** Digest of what the eligible compartments hold; equal to that of an index with nothing else in it. */
  projectedManifest(eligible: EligibleSet): Promise<Digest>;
  close(): Promise<void>;
}

export interface HeldVersion {
  readonly blob: string;
  /** Of the page and of its sections that are filed apart, each once, in order. */
  readonly texts: readonly string[];
  /** What it was made with. */
  readonly transformation: string;
}

/** Operator view: whole-index facts that no requester's answer may contain. */
export interface IndexOperations {
  totals(): Promise<IndexTotals>;
  checkpoints(): Promise<readonly Checkpoint[]>;
  pending(): Promise<number>;
  problems(source?: string): Promise<readonly Problem[]>;
  /** What the index holds of a path, whoever may read it; undefined where it holds nothing. */
  held(source: string, path: string): Promise<HeldVersion | undefined>;
  /** Verifies the file and the digests of all stored text. */
  integrity(): Promise<{ readonly ok: boolean; readonly damaged: readonly string[] }>;
}

export interface IndexReader extends IndexOperations {
  snapshot(): Promise<IndexSnapshot>;
  close(): Promise<void>;
}
