/**
 * The context policy: every number that decides how a package is filled, and what must stand in it, versioned as one value.
 * Changing one is a new version.
 *
 * Invariant: a package names the digest of the policy it was compiled with.
 * Invariant: the floors of a profile add up to no more than the whole, so that every class can be given its own.
 */
import { CONTEXT_CLASSES, type ContextClass, type ContextProfile } from './context-package.js';
import { PREAMBLE_RULE, type PreambleRule } from './model-profile.js';

/** Shares of the room that items may take, 0 to 1. */
export interface ClassBudget {
  /** Kept for the class while it has something to say, whatever the classes before it would take. */
  readonly floor: number;
  /** Most it may take while another class has something to say; all of the room when none does. */
  readonly ceiling: number;
}

export interface ProfileBudget extends PreambleRule {
  readonly classes: Readonly<Record<ContextClass, ClassBudget>>;
}

/** How far a governing text reaches, the widest first. */
export const GOVERNING_LEVELS = ['organization', 'tenant', 'team', 'project'] as const;
export type GoverningLevel = (typeof GOVERNING_LEVELS)[number];

/** Which clauses must reach whom, whole, or the package is blocked (CTX-02, CTX-03). */
export interface GoverningRule {
  readonly source: string;
  /** A page, or a folder ending in `/`; absent is the whole source. */
  readonly path?: string;
  /** Sections, by anchor; absent are those that the page marks, or the whole of a page that is named and marks none. */
  readonly clauses?: readonly string[];
  readonly level: GoverningLevel;
  /** Only for requests of these purposes, tenants and profiles; absent is all. */
  readonly purposes?: readonly string[];
  readonly tenants?: readonly string[];
  readonly profiles?: readonly ContextProfile[];
  /** Only for requests whose scope takes in one of these sources. */
  readonly askedSources?: readonly string[];
}

export interface ContextPolicy {
  readonly version: string;
  readonly profiles: Readonly<Record<ContextProfile, ProfileBudget>>;
  /** A package may be used until this many days after it was compiled, and never past an item's `valid_until`. */
  readonly expiryDays: number;
  /** Share of a required question's information that a page must hold before the question counts as answered, 0 to 1. */
  readonly factCoverage: number;
  readonly governing: readonly GoverningRule[];
}

export const DEFAULT_CONTEXT_POLICY: ContextPolicy = {
  version: 'context@2',
  profiles: {
    preamble: {
      ...PREAMBLE_RULE,
      classes: {
        governing: { floor: 0, ceiling: 0.5 },
        'task-facts': { floor: 0.1, ceiling: 0.3 },
        repository: { floor: 0, ceiling: 0.5 },
        'tool-results': { floor: 0.05, ceiling: 0.2 },
        history: { floor: 0.05, ceiling: 0.2 },
        examples: { floor: 0, ceiling: 0.1 },
        reference: { floor: 0.5, ceiling: 1 },
      },
    },
    attempt: {
      maxTokens: 32_000,
      windowShare: 0.25,
      classes: {
        governing: { floor: 0.15, ceiling: 0.4 },
        'task-facts': { floor: 0.15, ceiling: 0.3 },
        repository: { floor: 0.25, ceiling: 0.6 },
        'tool-results': { floor: 0.15, ceiling: 0.3 },
        history: { floor: 0.1, ceiling: 0.25 },
        examples: { floor: 0.05, ceiling: 0.15 },
        reference: { floor: 0.1, ceiling: 0.4 },
      },
    },
  },
  expiryDays: 7,
  factCoverage: 0.6,
  governing: [],
};

/** What is wrong with a profile's shares; undefined when they can all be kept. */
export function profileTrouble({ classes }: Pick<ProfileBudget, 'classes'>): string | undefined {
  const floors = CONTEXT_CLASSES.reduce((sum, name) => sum + classes[name].floor, 0);
  if (floors > 1 + 1e-9) return `the floors add up to ${Math.round(floors * 100)} %, more than there is`;
  const low = CONTEXT_CLASSES.find((name) => classes[name].ceiling < classes[name].floor);
  return low === undefined ? undefined : `the ceiling of ${low} is below its floor`;
}

/** Is the first wider than the second? */
export function isWider(a: GoverningLevel, b: GoverningLevel): boolean {
  return GOVERNING_LEVELS.indexOf(a) < GOVERNING_LEVELS.indexOf(b);
}
