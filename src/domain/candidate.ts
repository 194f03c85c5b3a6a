/** A candidate on its road through retrieval, and what retrieval hands to whoever asked. */
import type { Artifact } from './artifact.js';
import type { Compartment } from './compartment.js';
import type { Conflict, ExcludedItem } from './context-package.js';
import type { EligibleSet } from './eligibility.js';
import type { Field } from './fields.js';
import type { Label, Page } from './page.js';
import type { Problem } from './problem.js';
import type { UnderstoodQuery } from './query.js';

export const LEGS = ['lexical', 'metadata', 'links', 'vector'] as const;
export type Leg = (typeof LEGS)[number];

/** Why a candidate stands where it does: ranks and lexical parts, never a similarity (T1.10). */
export interface Why {
  /** 1-based rank in each leg that proposed it. */
  readonly ranks: Readonly<Partial<Record<Leg, number>>>;
  readonly matched: readonly {
    readonly surface: string;
    readonly fields: readonly Field[];
    readonly share: number;
    /** Other names of it, from the vocabulary, that stand here. */
    readonly via?: readonly string[];
    /** False when the word itself does not stand here. */
    readonly itself?: false;
  }[];
  /** Question words the page does not hold. */
  readonly missing: readonly string[];
  /** Share of the question's information that the page holds, two decimals. */
  readonly coverage: number;
  /** Multipliers that applied, e.g. `{ legacy: 0.5 }`. */
  readonly demotions: Readonly<Record<string, number>>;
}

export interface Candidate {
  readonly artifact: Artifact;
  readonly page: Page & { readonly compartment: Compartment };
  readonly labels: readonly Label[];
  readonly why: Why;
  /** Internal order after fusion and demotion. */
  readonly score: number;
  readonly duplicates: readonly {
    readonly source: string;
    readonly path: string;
    readonly lines: { readonly start: number; readonly end: number };
  }[];
}

/** One line per pipeline step, in order: what came in, what went out, what it decided. */
export interface TraceStep {
  readonly step: string;
  readonly in: number;
  readonly out: number;
  readonly note: string;
}

export interface Retrieved {
  readonly query: UnderstoodQuery;
  readonly eligible: EligibleSet;
  /** Best first. */
  readonly candidates: readonly Candidate[];
  readonly excluded: readonly ExcludedItem[];
  readonly conflicts: readonly Conflict[];
  /** Internal, never shown: how strongly the best passage answers; the floor stands on it. Absent when nothing was looked for. */
  readonly strength?: number;
  /** Nothing reached the floor; `reason` says why in one line. */
  readonly noContext: boolean;
  readonly reason: string;
  /** Each leg: `used`, `empty`, `off`, or `unavailable`. */
  readonly legs: Readonly<Record<Leg, 'used' | 'empty' | 'off' | 'unavailable'>>;
  readonly trace: readonly TraceStep[];
  readonly problems: readonly Problem[];
  /** More candidates than were asked for. */
  readonly truncated: boolean;
  /** Question words and identifiers, as written, that no eligible page in scope holds (frequency 0), in question order. */
  readonly unheld?: readonly string[];
}
