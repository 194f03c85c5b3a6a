/**
 * Admit: everything that asks to stand in the package, each once, with what it would cost.
 *
 *   required clauses   whole, before anything else
 *   required facts     before what only ranks well
 *   retrieved          by rank
 *   supplied           as the caller ordered it
 *
 * Invariant: what is offered ends up in `entries` or in `excluded`, exactly once, whoever offered it how often.
 */
import { isFenced } from '../domain/authority.js';
import type { Candidate } from '../domain/candidate.js';
import type { ContextProfile, ExcludedItem } from '../domain/context-package.js';
import type { ModelProfile } from '../domain/model-profile.js';
import type { RequiredClause, ResolvedFact, SuppliedItem } from '../domain/required-material.js';
import type { Day } from '../kernel/clock.js';
import type { Claim } from './allocate.js';
import { itemCost } from './cost.js';
import { inertLine } from './inert.js';
import { bar, type DraftItem, draftItem, excludedFor, leftOut, type Standing } from './item.js';
import { wordingOf } from './preamble.js';
import { suppliedItem } from './supplied-item.js';

export interface Offered {
  readonly candidates: readonly Candidate[];
  readonly clauses: readonly RequiredClause[];
  readonly facts: readonly ResolvedFact[];
  readonly supplied: readonly SuppliedItem[];
}

/** `clause` must be in, `fact` should be, `match` may be. */
export type Need = 'clause' | 'fact' | 'match';

export interface Entry {
  readonly draft: DraftItem;
  readonly claim: Claim;
  readonly need: Need;
  /** Place among those of its kind; of what was retrieved 1 is the best match. */
  readonly rank: number;
}

export interface Admitted {
  readonly entries: readonly Entry[];
  readonly excluded: readonly ExcludedItem[];
}

export function admit(offered: Offered, request: AdmitRequest): Admitted {
  const door = new Door(request);
  for (const { name, level, candidates } of offered.clauses) {
    const required = `required by policy: clause ${inertLine(name)}, ${level}`;
    door.demand(candidates, 'clause', { profile: request.profile, governing: true, required });
  }
  for (const { text, candidates } of offered.facts) {
    door.demand(candidates, 'fact', { profile: request.profile, required: `holds a required fact: ${inertLine(text)}` });
  }
  door.propose(offered.candidates);
  for (const [at, item] of offered.supplied.entries()) door.supply(suppliedItem(item), at + 1);
  return priced(door, placesOf(offered), request.model);
}

/** Costs come last: what an item must say depends on what all say alike. */
function priced({ drafts, excluded }: Door, places: number, model: ModelProfile): Admitted {
  const wording = wordingOf(drafts.map(({ draft }) => draft));
  const entries = drafts.map(({ draft, need, rank, excerptTokens }): Entry => {
    const cost = itemCost(draft, excerptTokens, { places, wording, model });
    const costFirst = itemCost(draft, excerptTokens, { places, wording: { ...wording, alike: {} }, model });
    return { draft, need, rank, claim: { class: draft.class, cost, costFirst, fenced: isFenced(draft.tier) } };
  });
  return { entries, excluded };
}

interface Unpriced extends Omit<Entry, 'claim'> {
  readonly excerptTokens: number | undefined;
}

interface AdmitRequest {
  readonly profile: ContextProfile;
  readonly model: ModelProfile;
  readonly today: Day;
}

class Door {
  readonly drafts: Unpriced[] = [];
  readonly excluded: ExcludedItem[] = [];
  readonly #seen = new Set<string>();
  readonly #request: AdmitRequest;
  #demanded = 0;

  constructor(request: AdmitRequest) {
    this.#request = request;
  }

  /** A passage that two clauses or facts ask for counts for the first. */
  demand(candidates: readonly Candidate[], need: Need, standing: Standing): void {
    for (const candidate of candidates) {
      if (this.#seen.has(candidate.artifact.id)) continue;
      this.#demanded += 1;
      this.#add(candidate, need, this.#demanded, standing);
    }
  }

  propose(candidates: readonly Candidate[]): void {
    const demanded = new Set(this.#seen);
    let rank = 0;
    for (const candidate of candidates) {
      const { id } = candidate.artifact;
      // Taken as a clause or a fact already, and accounted for there.
      if (demanded.has(id)) continue;
      if (this.#seen.has(id)) this.excluded.push(excludedFor(candidate, 'duplicate', 'proposed twice; it counts once'));
      else if (this.#add(candidate, 'match', rank + 1, { profile: this.#request.profile })) rank += 1;
    }
  }

  supply(draft: DraftItem, rank: number): void {
    if (this.#seen.has(draft.artifact)) this.excluded.push(leftOut(draft, 'duplicate', 'supplied twice; it counts once'));
    else this.drafts.push({ draft, need: 'match', rank, excerptTokens: undefined });
    this.#seen.add(draft.artifact);
  }

  /** False when it may stand in no package. */
  #add(candidate: Candidate, need: Need, rank: number, standing: Standing): boolean {
    const { artifact } = candidate;
    const barred = bar(candidate, this.#request.today);
    this.#seen.add(artifact.id);
    if (barred !== undefined) {
      this.excluded.push(barred);
      return false;
    }
    const draft = draftItem(candidate, rank, standing);
    const isOwnText = draft.excerptDigest === artifact.digest;
    this.drafts.push({ draft, need, rank, excerptTokens: isOwnText ? artifact.tokens : undefined });
    return true;
  }
}

function placesOf({ candidates, clauses, facts, supplied }: Offered): number {
  const required = [...clauses, ...facts].reduce((sum, each) => sum + each.candidates.length, 0);
  return candidates.length + required + supplied.length;
}
