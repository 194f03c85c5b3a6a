/** What the steps of retrieval hand to each other: what they may use, what was asked, and a candidate in the making. */
import type { Leg } from '../domain/candidate.js';
import type { Closeness, ExcludedItem, Exclusion } from '../domain/context-package.js';
import type { Label } from '../domain/page.js';
import type { Permissions } from '../domain/policy.js';
import type { Scope } from '../domain/query.js';
import type { RankingPolicy } from '../domain/ranking-policy.js';
import type { Ask } from '../domain/requester.js';
import type { SourceStanding } from '../domain/source.js';
import type { Vocabulary } from '../domain/vocabulary.js';
import type { Day } from '../kernel/clock.js';
import type { IndexSnapshot, StoredArtifact, TermPart } from '../ports/index-reader.js';
import type { Embedder, Reranker } from '../ports/models.js';

export interface RetrievalDeps {
  readonly snapshot: IndexSnapshot;
  readonly standings: readonly SourceStanding[];
  /** Permissions ref → who may read. */
  readonly permissions: Permissions;
  readonly policy: RankingPolicy;
  /** Other names of things; absent where none is declared. */
  readonly vocabulary?: Vocabulary;
  /** Stemming weight per source. */
  readonly stemming: Readonly<Record<string, number>>;
  readonly reranker: Reranker;
  readonly embedder: Embedder;
  readonly today: Day;
  /** Up to when the model that is told knows the world by itself. */
  readonly cutoff?: Day;
}

export interface RetrievalRequest {
  readonly ask: Ask;
  readonly text: string;
  readonly scope: Scope;
  readonly limit: number;
  /**
   * `search` shows retired pages last, labelled. `context` leaves them out, puts the floor in and names what stayed out.
   * `ranking` is the bare order for measuring: nothing is capped, collapsed, or cut by the floor.
   */
  readonly for: 'search' | 'context' | 'ranking';
}

export interface Retirement {
  readonly reason: 'superseded' | 'expired';
  /** One line, e.g. "superseded by adr-19.md". */
  readonly detail: string;
}

export interface Draft {
  readonly artifact: StoredArtifact;
  readonly ranks: Readonly<Partial<Record<Leg, number>>>;
  /** Raw scores of the legs, comparable inside a leg only. */
  readonly legScores: Readonly<Partial<Record<Leg, number>>>;
  readonly matched: readonly TermPart[];
  readonly coverage: number;
  /** Lexical score as a share of the most that a passage could score for the question, 0 to 1; internal, never shown as a score. */
  readonly attained: number;
  /** Rare identifiers of the question that the artifact holds literally. */
  readonly literal: number;
  /** How far its page is called what was asked, 0 to 1; of a page's best passage, 0 for its others. */
  readonly named?: number;
  readonly score: number;
  readonly labels: readonly Label[];
  readonly demotions: Readonly<Record<string, number>>;
  readonly retired?: Retirement;
  readonly duplicates: readonly StoredArtifact[];
}

/** A draft that stays out, and why. */
export interface Dropped {
  readonly draft: Draft;
  readonly reason: Exclusion;
  readonly detail: string;
  readonly closeness?: Closeness;
}

export function excludedItem({ draft, reason, detail, closeness }: Dropped): ExcludedItem {
  const { id, page, headingPath, lines } = draft.artifact;
  const near = closeness === undefined ? {} : { closeness };
  return { artifact: id, source: page.source, path: page.path, title: page.title, headingPath, lines, reason, detail, ...near };
}

/** Names a page across sources. */
export function pageKey(page: { readonly source: string; readonly path: string }): string {
  return `${page.source}\u0000${page.path}`;
}

/** Best first; ties by artifact id, so that equal scores have one order everywhere. */
export function byScore(a: Draft, b: Draft): number {
  if (a.score !== b.score) return b.score - a.score;
  return a.artifact.id < b.artifact.id ? -1 : a.artifact.id > b.artifact.id ? 1 : 0;
}
