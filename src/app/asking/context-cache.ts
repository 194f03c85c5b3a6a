/**
 * What a long-running process found and compiled before: a question asked again, of the same state of everything, is not ranked again, and
 * for a context not compiled again.
 *
 * Who may see what, whether files changed on disk, live resolution and the binding of the attempt are settled anew for each request.
 *
 * Invariant: bounded, and nothing answers by likeness.
 * Invariant: what depends on a source, page or policy that is another by now is gone with the next question, whoever asks it (PKG-10).
 */
import type { Compiled } from '../../context/pipeline.js';
import type { Candidate, Retrieved } from '../../domain/candidate.js';
import type { EligibleSet } from '../../domain/eligibility.js';
import type { Page } from '../../domain/page.js';
import type { Digest } from '../../kernel/digest.js';
import type { Material } from '../../retrieval/required-material.js';
import { type Asking, type Keyed, type KeyParts, keyOf, keyParts, policyDigests, type Reading, stateParts } from './context-key.js';

export interface KeptContext {
  readonly retrieved: Retrieved;
  /** Before anybody looked whether the files still say so. */
  readonly material: Material;
  /** What was found out about the files, in one text; another finding is another package. */
  readonly onDisk: string;
  readonly compiled: Compiled;
  readonly pages: readonly Page[];
}

interface Entry<K> {
  readonly kept: K;
  readonly parts: KeyParts;
  readonly request: Pick<Keyed, 'ranking' | 'policy'>;
  readonly eligible: EligibleSet;
  readonly weight: number;
}

export interface Recalled<K = KeptContext> {
  readonly kept?: K;
  keep(made: K): void;
}

/** Characters, about; two bytes each. */
const MOST_WEIGHT = 16 * 1024 * 1024;
/** What an entry takes besides its texts. */
const ENTRY_WEIGHT = 8192;

interface CacheOptions {
  readonly mostWeight?: number;
  readonly keyOf?: typeof keyOf;
}

class AnswerCache<K extends { readonly retrieved: Retrieved }> {
  readonly #weightOf: (kept: K) => number;
  readonly #mostWeight: number;
  readonly #keyOf: typeof keyOf;
  /** The one used last is last. */
  readonly #entries = new Map<Digest, Entry<K>>();
  #weight = 0;
  #state = '';

  constructor(weightOf: (kept: K) => number, options: CacheOptions) {
    this.#weightOf = weightOf;
    this.#mostWeight = options.mostWeight ?? MOST_WEIGHT;
    this.#keyOf = options.keyOf ?? keyOf;
  }

  get size(): number {
    return this.#entries.size;
  }

  async recall(call: Asking, request: Keyed, reading: Reading, eligible: EligibleSet): Promise<Recalled<K>> {
    const state = await this.#dropOutdated(call, reading);
    const parts = await keyParts(call, request, reading, eligible);
    const key = this.#keyOf(parts);
    if (key === undefined) return { keep: () => undefined };
    const found = this.#entries.get(key);
    if (found !== undefined) {
      this.#entries.delete(key);
      this.#entries.set(key, found);
    }
    return {
      ...(found === undefined ? {} : { kept: found.kept }),
      keep: (kept) => {
        // What was compiled while something changed, or while a leg was away, is nobody's next answer.
        if (this.#state === state && !Object.values(kept.retrieved.legs).includes('unavailable'))
          this.#keep(key, { kept, parts, request, eligible, weight: this.#weightOf(kept) });
      },
    };
  }

  #keep(key: Digest, entry: Entry<K>): void {
    this.#drop(key);
    this.#entries.set(key, entry);
    this.#weight += entry.weight;
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#mostWeight) return;
      this.#drop(oldest);
    }
  }

  #drop(key: Digest): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0;
    this.#entries.delete(key);
  }

  /** An entry stays while its key is still what it would be. Looked at when anything at all has moved, hidden pages included. */
  async #dropOutdated(call: Asking, reading: Reading): Promise<string> {
    const state = stateOf(call, reading);
    if (state === this.#state) return state;
    this.#state = state;
    for (const [key, { parts, request, eligible }] of [...this.#entries]) {
      const now = { ...parts, ...(await stateParts(call, request, reading, eligible)) };
      if (this.#keyOf(now) !== key) this.#drop(key);
    }
    return state;
  }
}

export class ContextCache extends AnswerCache<KeptContext> {
  constructor(options: CacheOptions = {}) {
    super(weightOf, options);
  }
}

/** What was found for questions that ask for passages alone. */
export class SearchCache extends AnswerCache<{ readonly retrieved: Retrieved }> {
  constructor(options: CacheOptions = {}) {
    super(({ retrieved }) => ENTRY_WEIGHT + textsOf(retrieved.candidates), options);
  }
}

function stateOf({ library: { config } }: Asking, { snapshot, standings, vocabulary }: Reading): string {
  const states = standings.map(({ confirmedAt: _, ...standing }) => standing);
  return JSON.stringify([snapshot.manifest, states, policyDigests(config), vocabulary?.version]);
}

function weightOf({ compiled, retrieved, material }: KeptContext): number {
  const candidates = new Set([
    ...retrieved.candidates,
    ...material.retrieved.candidates,
    ...[...material.facts, ...material.governing.clauses].flatMap((each) => each.candidates),
  ]);
  return ENTRY_WEIGHT + 2 * compiled.rendered.length + textsOf([...candidates]);
}

function textsOf(candidates: readonly Candidate[]): number {
  return candidates.reduce((sum, { artifact }) => sum + artifact.excerpt.length + artifact.prefix.length, 0);
}
