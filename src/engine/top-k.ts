/**
 * The best k of many, kept in a heap whose root is the worst of them.
 *
 * Invariant: the result depends on the set offered, never on the order it was offered in, as long as `ties` is a total order.
 */
export class TopK {
  readonly #size: number;
  readonly #ties: (a: number, b: number) => number;
  readonly #items: number[] = [];
  readonly #scores: number[] = [];
  /** Nothing with a lower score than this can still get in. */
  worst: number;

  /** `ties` orders items of equal score, the better first. */
  constructor(size: number, ties: (a: number, b: number) => number) {
    this.#size = size;
    this.#ties = ties;
    this.worst = size > 0 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  }

  offer(item: number, score: number): void {
    if (this.#items.length < this.#size) {
      this.#items.push(item);
      this.#scores.push(score);
      this.#rise(this.#items.length - 1);
      if (this.#items.length === this.#size) this.worst = this.#scores[0] ?? score;
      return;
    }
    if (this.#size === 0 || !this.#isWorse(this.#items[0] ?? 0, this.#scores[0] ?? 0, item, score)) return;
    this.#items[0] = item;
    this.#scores[0] = score;
    this.#sink(0);
    this.worst = this.#scores[0] ?? score;
  }

  /** Best first. */
  take(): { readonly item: number; readonly score: number }[] {
    return this.#items
      .map((item, at) => ({ item, score: this.#scores[at] ?? 0 }))
      .sort((a, b) => (a.score === b.score ? this.#ties(a.item, b.item) : b.score - a.score));
  }

  #isWorse(item: number, score: number, otherItem: number, otherScore: number): boolean {
    return score === otherScore ? this.#ties(item, otherItem) > 0 : score < otherScore;
  }

  #worseAt(a: number, b: number): boolean {
    return this.#isWorse(this.#items[a] ?? 0, this.#scores[a] ?? 0, this.#items[b] ?? 0, this.#scores[b] ?? 0);
  }

  #rise(from: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#worseAt(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #sink(from: number): void {
    let at = from;
    for (;;) {
      const left = at * 2 + 1;
      const right = left + 1;
      let worst = at;
      if (left < this.#items.length && this.#worseAt(left, worst)) worst = left;
      if (right < this.#items.length && this.#worseAt(right, worst)) worst = right;
      if (worst === at) return;
      this.#swap(at, worst);
      at = worst;
    }
  }

  #swap(a: number, b: number): void {
    const item = this.#items[a] ?? 0;
    const score = this.#scores[a] ?? 0;
    this.#items[a] = this.#items[b] ?? 0;
    this.#scores[a] = this.#scores[b] ?? 0;
    this.#items[b] = item;
    this.#scores[b] = score;
  }
}
