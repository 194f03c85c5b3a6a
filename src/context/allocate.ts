/**
 * Allocate: how much of the ceiling each class of text may use (CTX-01, CTX-04).
 *
 * Classes are filled in the order of their authority. Each may take up to its ceiling, but leaves to every later class that has
 * something to say its floor; what a class leaves goes to the others, and what nobody uses stays unused.
 *
 * Invariant: grants never add up to more than the room.
 */
import type { Candidate } from '../domain/candidate.js';
import { CONTEXT_CLASSES, type ContextClass, type ContextProfile } from '../domain/context-package.js';
import type { ClassBudget } from '../domain/context-policy.js';

export interface Allocation {
  readonly ceiling: number;
  /** Header and footer. */
  readonly frame: number;
  /** What is left for items. */
  readonly room: number;
  readonly classes: Readonly<Record<ContextClass, ClassBudget>>;
}

/** Retrieved text is `governing` when its source governs and is not behind (K-03: what is stale is told, and governs nothing); else `reference`, the lowest class, or in an attempt `repository` when its source is an authority (CTX-10). */
export function classOf({ page, labels }: Pick<Candidate, 'page' | 'labels'>, profile: ContextProfile): ContextClass {
  const { authorityClass } = page;
  if (authorityClass === 'governing' && !labels.includes('degraded-source')) return 'governing';
  return profile === 'attempt' && authorityClass === 'authoritative' ? 'repository' : 'reference';
}

export function allocate(input: { readonly ceiling: number; readonly frame: number; readonly classes: Allocation['classes'] }): Allocation {
  const { ceiling, frame, classes } = input;
  return { ceiling, frame, room: Math.max(0, ceiling - frame), classes };
}

/**
 * What one item would take: its own cost, and once per package that of the notice when something is fenced, and of what the
 * unfenced items say alike when something is not.
 */
export interface Claim {
  readonly class: ContextClass;
  readonly cost: number;
  /** As the first of the unfenced items, for which nothing is said yet; of a fenced one the cost. */
  readonly costFirst: number;
  readonly fenced: boolean;
}

const CLASS_NAMES: Readonly<Record<ContextClass, string>> = {
  governing: 'governing text',
  'task-facts': 'task facts',
  repository: 'repository text',
  'tool-results': 'tool results',
  history: 'history',
  examples: 'examples',
  reference: 'reference text',
};

/** Keeps the books of one package. `best` is the best match, which no other class may push out. */
export class Books {
  readonly #allocation: Allocation;
  readonly #notice: number;
  readonly #demand: Readonly<Record<ContextClass, number>>;
  readonly #best: Claim | undefined;
  readonly #used: Record<ContextClass, number> = zeros();
  readonly #granted: Record<ContextClass, number> = zeros();
  #left: number;
  #fenced = false;
  #saidAlike: number | undefined;

  constructor(allocation: Allocation, notice: number, claims: readonly Claim[], best: Claim | undefined) {
    this.#allocation = allocation;
    this.#notice = notice;
    this.#left = allocation.room;
    const demand = zeros();
    for (const claim of claims) demand[claim.class] += this.#whole(claim);
    this.#demand = demand;
    this.#best = best !== undefined && this.#whole(best) <= allocation.room ? best : undefined;
  }

  /** Whatever the budgets of the classes: governing text is never cut (CTX-02). */
  takeRequired(claim: Claim): string | undefined {
    return this.#refusal(claim, this.#allocation.room) ?? this.#book(claim);
  }

  /** The most the class may have used once its turn is over: called when it begins, with those that come after it. */
  open(name: ContextClass, later: readonly ContextClass[]): number {
    const kept = later.reduce((sum, each) => sum + this.#reserve(each), 0);
    const most = this.#left + this.#used[name];
    const limit = Math.max(Math.min(this.cap(name), most - kept), Math.min(this.#bestOf(name), most));
    if (this.#demand[name] > 0) this.#granted[name] = limit;
    return limit;
  }

  /** Most it may take of what all others left. */
  cap(name: ContextClass): number {
    const { room, classes } = this.#allocation;
    if (CONTEXT_CLASSES.every((each) => each === name || this.#demand[each] === 0)) return room;
    return Math.max(Math.floor(room * classes[name].ceiling), this.#bestOf(name));
  }

  /** Books the claim, or says why it does not fit. */
  take(claim: Claim, limit: number): string | undefined {
    return this.#refusal(claim, limit) ?? this.#book(claim);
  }

  granted(name: ContextClass): number {
    return Math.max(this.#granted[name], this.#used[name]);
  }

  /** Tokens of what the unfenced items say alike. */
  get saidAlike(): number {
    return this.#saidAlike ?? 0;
  }

  #refusal(claim: Claim, limit: number): string | undefined {
    const whole = this.#whole(claim);
    if (whole > this.#left) return `needs ${whole} tokens, ${this.#left} of ${this.#allocation.ceiling} left`;
    const before = this.#used[claim.class];
    if (before + whole <= limit) return undefined;
    return `needs ${whole} tokens, ${Math.max(0, limit - before)} of ${CLASS_NAMES[claim.class]}'s ${limit} left`;
  }

  #book(claim: Claim): undefined {
    const whole = this.#whole(claim);
    this.#used[claim.class] += whole;
    this.#left -= whole;
    this.#fenced ||= claim.fenced;
    if (!claim.fenced) this.#saidAlike ??= claim.costFirst - claim.cost;
    return undefined;
  }

  #reserve(name: ContextClass): number {
    const { room, classes } = this.#allocation;
    const floor = Math.min(this.#demand[name], Math.floor(room * classes[name].floor));
    return Math.max(0, Math.max(floor, this.#bestOf(name)) - this.#used[name]);
  }

  #bestOf(name: ContextClass): number {
    return this.#best?.class === name ? this.#whole(this.#best) : 0;
  }

  #whole({ cost, costFirst, fenced }: Claim): number {
    if (fenced) return cost + (this.#fenced ? 0 : this.#notice);
    return this.#saidAlike === undefined ? costFirst : cost;
  }
}

function zeros(): Record<ContextClass, number> {
  return {
    governing: 0,
    'task-facts': 0,
    repository: 0,
    'tool-results': 0,
    history: 0,
    examples: 0,
    reference: 0,
  };
}
