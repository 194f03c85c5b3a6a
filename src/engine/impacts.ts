/**
 * Impacts: how rare a term is in a corpus, and what each document and page holding it gains from it (strip.ts), before the term's weight.
 *
 * They depend on the list, the corpus and the policy alone, so they are worked out once and kept with the list: for all windows, with the
 * most that a document of each can gain; or, for a long list of a word that hardly counts, for those windows alone that a question
 * opens.
 */
import type { RankingPolicy } from '../domain/ranking-policy.js';
import type { Corpus } from './corpus.js';
import { Strip, StripOnDemand } from './strip.js';
import type { TermList } from './term-list.js';
import { windowsOf } from './windows.js';

export interface Rarity {
  readonly idf: number;
  readonly pageIdf: number;
}

/** A list worked out for all windows that hold the term. */
export class Impacts {
  /** The windows that hold the term, ascending. */
  readonly windows: Int32Array;
  /** The most that a document of each gains from the term and its page, rarity included. */
  readonly most: Float64Array;
  readonly strip: Strip;
  /** Where each begins in the strip. */
  readonly #starts: Int32Array;
  /** Of a list that most windows hold: where each window begins, counted from 1. */
  readonly #begins: Int32Array | undefined;

  constructor(
    strip: Strip,
    windows: Int32Array,
    { most, starts }: { readonly most: Float64Array; readonly starts: Int32Array },
    count: number,
  ) {
    this.windows = windows;
    this.most = most;
    this.strip = strip;
    this.#starts = starts;
    if (windows.length * DENSE < count) return;
    this.#begins = new Int32Array(count);
    for (let at = 0; at < windows.length; at++) this.#begins[windows[at] ?? 0] = (starts[at] ?? 0) + 1;
  }

  /** Where the window begins in the strip, counted from 1; 0 where it does not. */
  begin(window: number): number {
    if (this.#begins !== undefined) return this.#begins[window] ?? 0;
    const { windows } = this;
    let low = 0;
    let high = windows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((windows[middle] ?? 0) < window) low = middle + 1;
      else high = middle;
    }
    return windows[low] === window ? (this.#starts[low] ?? 0) + 1 : 0;
  }
}

/** From one window of so many on, a number for each of them is kept. */
const DENSE = 8;

/** Bytes the impacts of a list take, give or take. */
export function impactBytes(list: TermList): number {
  return (list.frequency + list.pageFrequency) * 10 + Math.min(list.pageFrequency, list.frequency / 8) * 20 + 512;
}

/** What impacts depend on beside the list and its corpus. */
export type ImpactPolicy = Pick<RankingPolicy, 'bm25f' | 'pageWeight'>;

interface Kept extends ImpactPolicy {
  impacts?: Impacts;
  onDemand?: StripOnDemand;
}

const kept = new WeakMap<TermList, Kept>();

function keptOf(list: TermList, { bm25f, pageWeight }: ImpactPolicy): Kept {
  const known = kept.get(list);
  if (known !== undefined && known.bm25f === bm25f && known.pageWeight === pageWeight) return known;
  const fresh: Kept = { bm25f, pageWeight };
  kept.set(list, fresh);
  return fresh;
}

export function impactsOf(corpus: Corpus, list: TermList, policy: ImpactPolicy): Impacts {
  const known = keptOf(list, policy);
  known.impacts ??= workOut(corpus, list, policy);
  return known.impacts;
}

export function onDemandOf(corpus: Corpus, list: TermList, policy: ImpactPolicy): StripOnDemand {
  const known = keptOf(list, policy);
  known.onDemand ??= new StripOnDemand(corpus, list, policy.bm25f);
  return known.onDemand;
}

export function rarityOf({ statistics }: Corpus, { frequency, pageFrequency }: TermList): Rarity {
  return { idf: inverseFrequency(statistics.documents, frequency), pageIdf: inverseFrequency(statistics.pages, pageFrequency) };
}

/** `ln(1 + (N − df + ½) / (df + ½))`; positive whatever the frequency. */
function inverseFrequency(population: number, frequency: number): number {
  return Math.log(1 + (population - frequency + 0.5) / (frequency + 0.5));
}

/** What a document can gain from the term and its page at most, wherever it stands. */
export function mostOf({ idf, pageIdf }: Rarity, { bm25f, pageWeight }: ImpactPolicy): number {
  return (bm25f.k1 + 1) * (idf + Math.max(0, pageWeight * pageIdf));
}

/** Goes through a list once, window by window. */
function workOut(corpus: Corpus, list: TermList, { bm25f, pageWeight }: ImpactPolicy): Impacts {
  const { idf, pageIdf } = rarityOf(corpus, list);
  const { docs } = list.postings;
  const { firstDocuments, count } = windowsOf(corpus);
  const pageFactor = Math.max(0, pageWeight * pageIdf);
  const strip = new Strip(corpus, list, bm25f, true);
  const room = Math.min(count, list.pageFrequency);
  const windows = new Int32Array(room);
  const most = new Float64Array(room);
  const starts = new Int32Array(room);
  let held = 0;
  for (let window = 0; strip.next < docs.length; held++) {
    while ((firstDocuments[window + 1] ?? 0) <= (docs[strip.next] ?? 0)) window += 1;
    windows[held] = window;
    starts[held] = strip.filled;
    most[held] = strip.add(window, idf, pageFactor);
  }
  return new Impacts(strip, windows.subarray(0, held), { most: most.subarray(0, held), starts: starts.subarray(0, held) }, count);
}
