/**
 * The ranking policy: every number that decides order, versioned as one value. Changing one is a new version.
 *
 * Invariant: an answer names the digest of the policy it was ranked with.
 */
import type { Field } from './fields.js';

export interface RankingPolicy {
  readonly version: string;
  readonly bm25f: {
    readonly k1: number;
    /** Length normalisation per field, 0 to 1. */
    readonly b: Readonly<Record<Field, number>>;
    readonly boost: Readonly<Record<Field, number>>;
  };
  /** Weight of the page's own BM25 (all its artifacts as one text) beside the artifact's. */
  readonly pageWeight: number;
  readonly stopWordWeight: number;
  readonly identifierWeight: number;
  /** Weight of a fragment of an identifier (`backoff` of `retry_backoff_ms`) beside the whole of it. */
  readonly partWeight: number;
  /** What another name of the vocabulary counts beside the word asked for, 0 to 1. Absent or 0: off. */
  readonly synonymWeight?: number;
  /** What a name of a narrower thing counts for one who asks about the broader, never the other way round. Absent or 0: off. */
  readonly narrowerWeight?: number;
  /** What the nearest known word counts in the place of one that no page holds, 0 to 1. Absent or 0: off. */
  readonly typoWeight?: number;
  /** The same for the nearest word of a name in the vocabulary, where pages hold another name of that thing. Absent or 0: off. */
  readonly nameTypoWeight?: number;
  /** `weighted` adds the legs' normalised scores; `rrf` adds reciprocal ranks. */
  readonly fusion: 'weighted' | 'rrf';
  readonly legs: { readonly lexical: number; readonly metadata: number; readonly links: number };
  /** What a page gains whose title, alias or file name is nothing but what was asked; by the share of both. Absent or 0: off. */
  readonly nameLikeness?: number;
  /**
   * In a question of more content words than this a rare name that stands there literally is one thing among others, and puts its passage
   * ahead by less: by the cube of this over their number. Absent: it always comes first.
   */
  readonly wordsBesideNames?: number;
  /**
   * What the text of a link must score to say anything of the page it leads to, as a share of the best text of the question; only words
   * that carry meaning are looked for in it. Absent: every word is, and every text that has one speaks.
   */
  readonly linkShare?: number;
  /** Reciprocal rank fusion constant. */
  readonly fusionK: number;
  /** Artifacts each leg may propose. */
  readonly candidates: number;
  /** Artifacts of one page among the hits of a search while other pages still have some. */
  readonly perPage: number;
  /** The same for what a context may choose from: of these it takes the best that fits, and another only after every other page. */
  readonly contextPerPage: number;
  /** Most of a context's slots that text of a fenced tier may take. */
  readonly fencedShare: number;
  /** Slots of a context kept for passages that contradict one already in. */
  readonly counterevidenceShare: number;
  readonly rerank: { readonly depth: number; readonly timeoutMs: number };
  /** Token-shingle Jaccard at which two artifacts count as one. */
  readonly nearDuplicate: number;
  /** Multipliers on the fused score; categorical, 1 changes nothing. */
  readonly demotion: {
    readonly legacy: number;
    readonly deprecated: number;
    readonly overdue: number;
    readonly superseded: number;
    readonly expired: number;
    readonly untrusted: number;
    readonly advisory: number;
    readonly llmGenerated: number;
    /** A page about the world outside that was last verified well before the model's knowledge ends tells it little (RET-15). */
    readonly beforeCutoff: number;
    /** A page that is also there for the product version asked for, or for a newer one when none was. Absent: 1. */
    readonly otherVersion?: number;
  };
  /** How long before the cutoff "well before" is. */
  readonly cutoffMarginDays: number;
  readonly floor: {
    /**
     * How strongly the best passage must answer: what it attains of the most that a passage could score for the question, over
     * ln(100 + passages) / √(1 + content words). Chosen by `npm run bench:retrieval`; docs/adr/0013-floor.md says how.
     */
    readonly strength: number;
    /** A passage weaker than this share of the strongest one stays out, however much of the budget is left. */
    readonly relative: number;
    /**
     * A passage of a page that was set aside (legacy, deprecated) stays out below this share, its demotion not counted: what stands far
     * down for its age is still given where nothing else answers as well. Absent: as any other.
     */
    readonly setAside?: number;
  };
}

/** What an inflection counts beside the word itself, for a source that does not say. */
export const DEFAULT_STEMMING = 0.5;

export const DEFAULT_RANKING: RankingPolicy = {
  version: 'ranking@8',
  bm25f: {
    k1: 1.6,
    b: { title: 0.3, headings: 0.3, summary: 0.5, body: 0.8, identifiers: 0.3 },
    boost: { title: 2, headings: 1, summary: 0.5, body: 1, identifiers: 2 },
  },
  pageWeight: 0.5,
  stopWordWeight: 0.05,
  identifierWeight: 1.5,
  partWeight: 0.5,
  synonymWeight: 0.5,
  typoWeight: 1,
  nameTypoWeight: 1,
  fusion: 'weighted',
  legs: { lexical: 1, metadata: 0.15, links: 0.05 },
  nameLikeness: 0.15,
  wordsBesideNames: 6,
  linkShare: 0.5,
  fusionK: 60,
  candidates: 100,
  perPage: 2,
  contextPerPage: 4,
  fencedShare: 1 / 3,
  counterevidenceShare: 0.15,
  rerank: { depth: 20, timeoutMs: 300 },
  nearDuplicate: 0.9,
  demotion: {
    legacy: 0.1,
    deprecated: 0.5,
    overdue: 0.9,
    superseded: 0.3,
    expired: 0.3,
    untrusted: 0.8,
    advisory: 0.9,
    llmGenerated: 0.9,
    beforeCutoff: 0.8,
    otherVersion: 0.1,
  },
  cutoffMarginDays: 90,
  floor: { strength: 0.054, relative: 0.4, setAside: 0.8 },
};
