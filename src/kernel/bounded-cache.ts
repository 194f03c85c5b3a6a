/**
 * A cache within a budget: what was used lately stays, the rest goes half at a time.
 *
 * Invariant: what lies under a key is what `make` gives for it; only keys whose value never changes may be used.
 */
export class BoundedCache<K, V> {
  readonly #budget: number;
  readonly #weightOf: (value: V) => number;
  #young = new Map<K, V>();
  #old: ReadonlyMap<K, V> = new Map();
  #youngWeight = 0;

  constructor(budget: number, weightOf: (value: V) => number = () => 1) {
    this.#budget = budget;
    this.#weightOf = weightOf;
  }

  /** The value, made when it is not there; an undefined one is not kept. */
  get(key: K, make: () => V): V {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const value = this.#old.get(key) ?? make();
    if (value !== undefined) this.#keep(key, value);
    return value;
  }

  #keep(key: K, value: V): void {
    const weight = this.#weightOf(value);
    if (this.#youngWeight + weight > this.#budget / 2) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngWeight = 0;
    }
    this.#young.set(key, value);
    this.#youngWeight += weight;
  }
}
