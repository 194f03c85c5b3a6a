/**
 * What most retrieval for agents does: plain BM25 (k1 1.2, b 0.75) over pages or over passages, pasted in rank order until it is full.
 *
 * Words are lower-cased, function words left out, and stemmed, as Lucene's English analyzer does; nothing else is known of a page.
 */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { stemmer } from 'stemmer';
import { AS_TEXT, FUNCTION_WORDS, type Paste, type Read } from './ripgrep-and-truncate.js';

export interface Text {
  /** The page it is of. */
  readonly page: string;
  /** Stands above the text where it is pasted. */
  readonly heading: string;
  readonly text: string;
  /** What is searched, where that is more than the text. */
  readonly searched?: string;
}

const K1 = 1.2;
const B = 0.75;
/** Deeper than any budget here reaches. */
const RANKED = 300;
/** A page of which no more than a line came in does not count as in. */
const LEAST_TOKENS = 24;

interface Posting {
  readonly at: number;
  readonly count: number;
}

export class Bm25 {
  readonly #texts: readonly Text[];
  readonly #lengths: readonly number[];
  readonly #meanLength: number;
  readonly #postings = new Map<string, Posting[]>();

  constructor(texts: readonly Text[]) {
    this.#texts = texts;
    this.#lengths = texts.map(({ text, searched }, at) => this.#add(at, termsOf(searched ?? text)));
    this.#meanLength = this.#lengths.reduce((sum, each) => sum + each, 0) / Math.max(1, texts.length);
  }

  /** Best first; ties in the order given. */
  rank(question: string, absent: ReadonlySet<string>): Text[] {
    const scores = new Map<number, number>();
    for (const term of new Set(termsOf(question))) {
      const postings = this.#postings.get(term) ?? [];
      const idf = Math.log(1 + (this.#texts.length - postings.length + 0.5) / (postings.length + 0.5));
      for (const { at, count } of postings) {
        const norm = K1 * (1 - B + (B * (this.#lengths[at] ?? 0)) / this.#meanLength);
        scores.set(at, (scores.get(at) ?? 0) + (idf * count * (K1 + 1)) / (count + norm));
      }
    }
    return [...scores]
      .sort(([a, x], [b, y]) => y - x || a - b)
      .flatMap(([at]) => this.#texts[at] ?? [])
      .filter(({ page }) => !absent.has(page))
      .slice(0, RANKED);
  }

  #add(at: number, terms: readonly string[]): number {
    const counts = new Map<string, number>();
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
    for (const [term, count] of counts) {
      const list = this.#postings.get(term);
      if (list === undefined) this.#postings.set(term, [{ at, count }]);
      else list.push({ at, count });
    }
    return terms.length;
  }
}

/** One after the other, the last one cut where the budget ends. */
export function truncated(ranked: readonly Text[], budgetTokens: number): Paste {
  const read: Read[] = [];
  let tokens = 0;
  for (const { page, heading, text } of ranked) {
    const room = budgetTokens - tokens;
    if (room < LEAST_TOKENS) break;
    const whole = costOf(`${heading}\n${text}\n`);
    tokens += Math.min(whole, room);
    read.push({ page, upTo: tokens });
    if (whole > room) break;
  }
  return { read, tokens };
}

/** One after the other; one that does not fit is passed over for the next that does. */
export function packed(ranked: readonly Text[], budgetTokens: number): Paste {
  const read: Read[] = [];
  let tokens = 0;
  for (const { page, heading, text } of ranked) {
    // What is left is less than anything takes.
    if (budgetTokens - tokens < LEAST_TOKENS) break;
    const cost = costOf(`${heading}\n${text}\n`);
    if (tokens + cost > budgetTokens) continue;
    tokens += cost;
    read.push({ page, upTo: tokens });
  }
  return { read, tokens };
}

const costs = new Map<string, number>();

export function costOf(text: string): number {
  const cost = costs.get(text) ?? countTokens(text, AS_TEXT);
  costs.set(text, cost);
  return cost;
}

function termsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !FUNCTION_WORDS.has(word)).map((word) => stemmer(word));
}
